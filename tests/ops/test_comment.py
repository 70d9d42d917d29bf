"""What is written under a change: every stack with its verdict, whatever its preview holds, and never more than fits."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ops.comment import MARK, comment, read

TEXTS = st.text(max_size=300) | st.sampled_from(
    ("```\n# out\n```", "`````", "\x1b[31mred\x1b[0m", "<details>", "y" * 9_000)
)


def test_each_stack_is_said_to_pass_or_to_fail_and_a_failure_is_open() -> None:
    text = comment({"two": ("all well", 0), "one": ("[mandatory] etcd-quota", 1)})
    assert text.index("### `one`: FAILS") < text.index("<details open>") < text.index("### `two`: passes")
    assert "[mandatory] etcd-quota" in text


def test_a_change_that_touches_no_stack_says_so() -> None:
    assert comment({}) == f"{MARK}No stack is touched by this change.\n"


@given(st.dictionaries(st.sampled_from("abc"), st.tuples(TEXTS, st.integers(0, 2)), min_size=1))
def test_a_preview_stays_in_its_block_and_a_comment_within_its_limit(previews: dict[str, tuple[str, int]]) -> None:
    text = comment(previews, most=3_000)
    assert len(text) <= 3_000 + len(previews)
    assert "\x1b[" not in text
    for part in text.split("### `")[1:]:
        lines = part.splitlines()
        fences = [line for line in lines if set(line) == {"`"}]
        longest = max(fences, key=len)
        # The block's own fence stands twice, and nothing in it is as long.
        assert fences.count(longest) == 2
        assert fences[0] == fences[-1] == longest


def test_a_long_preview_is_cut_in_the_middle_where_the_diff_is() -> None:
    text = comment({"one": ("first line\n" + "diff\n" * 5_000 + "[mandatory] last line", 1)}, most=2_000)
    assert "first line" in text
    assert "[mandatory] last line" in text
    assert "characters and more are left out" in text


def test_previews_are_read_from_a_folder_and_one_that_was_killed_fails(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("fine")
    (tmp_path / "one.code").write_text("0\n")
    (tmp_path / "two.txt").write_bytes(b"half \xff")
    assert read(tmp_path) == {"one": ("fine", 0), "two": ("half �", 1)}
