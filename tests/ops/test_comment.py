"""What is written under a change: every stack with its verdict, whatever its preview holds, and never more than fits."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.changed import CLONE
from ops.comment import LOST, MARK, MOST, UNKNOWN, comment, main, read

TEXTS = st.text(max_size=300) | st.sampled_from(
    ("```\n# out\n```", "`````", "`" * 4_000, "\x1b[31mred\x1b[0m", "<details>", "y" * 9_000)
)
RULES = [f"{word}-{n}" for word in ("etcd-quota", "apiserver-node-restriction", "image") for n in range(20)]


def violation(rule: str, level: str = "mandatory") -> str:
    """One as the engine writes it into a diff."""
    words = (
        "resource: urn:pulumi:prod::a::b::c",
        "field:    f",
        "value:    1",
        "limit:    2",
        f"why:      {'w' * 200}",
    )
    head = f"    kilonode@v0.1.0 [{level}] [severity: high]  {rule}  (kubernetes:core/v1:Pod: c)Pods are as they are"
    return "\n".join([head, *words, f"fix:      mend {rule}", ""])


def undecided(rule: str) -> str:
    head = f"    kilonode@v0.1.0 [advisory] [severity: high]  {rule}  (pulumi:pulumi:Stack: prod)Pods are as they are"
    return f"{head}\n{rule} undecided: size of urn:pulumi:prod::a::b::c and 3 more is not known yet\n"


def sections(text: str) -> dict[str, str]:
    return {part.partition("`")[0]: part for part in text.split("### `")[1:]}


STACKS = st.dictionaries(
    st.integers(1, 40).map("stack-{}".format),
    st.tuples(
        st.lists(st.sampled_from(RULES), max_size=80), st.sampled_from([0, 50, 3_000, 90_000]), st.integers(0, 1)
    ),
    min_size=1,
    max_size=40,
)


@given(STACKS)
@settings(max_examples=40, deadline=None)
def test_every_broken_rule_of_every_stack_is_named_or_counted_whatever_the_sizes(
    stacks: dict[str, tuple[list[str], int, int]],
) -> None:
    text = comment(
        {
            name: ("diff\n" * (size // 5) + "".join(map(violation, rules)) + undecided("no-rule"), code)
            for name, (rules, size, code) in stacks.items()
        }
    )
    assert len(text) <= MOST
    parts = sections(text)
    assert parts.keys() == stacks.keys()
    for name, (rules, _, _) in stacks.items():
        first = next((line for line in parts[name].splitlines() if line.startswith("mandatory: ")), "")
        named = [rule for rule in rules if f"`{rule}`" in first]
        more = re.search(r"… and (\d+) more", first)
        assert len(rules) == len(named) + (int(more[1]) if more else 0)


def test_forty_stacks_with_thirty_broken_rules_each_have_all_of_them_named() -> None:
    text = comment({f"stack-{n}": ("diff\n" * 9_000 + "".join(map(violation, RULES[:30])), n % 2) for n in range(40)})
    assert len(text) <= MOST
    for part in sections(text).values():
        assert all(f"`{rule}`" in part for rule in RULES[:30])
        assert " more" not in part.splitlines()[2]


def test_previews_give_way_to_what_rules_say_and_those_of_stacks_that_pass_do_first() -> None:
    previews = {f"stack-{n}": ("diff\n" * 4_000 + violation("etcd-quota") + "the end", n % 2) for n in range(8)}
    parts = sections(comment(previews))
    for name, (_, code) in previews.items():
        assert "fix:      mend etcd-quota" in parts[name]
        assert ("diff\n" in parts[name]) is (code == 1)
        assert ("the end" in parts[name]) is (code == 1)
        assert "are left out; the pipeline's log has them" in parts[name]


def test_rules_are_told_by_level_and_what_is_undecided_is_a_line_of_names() -> None:
    said = violation("a-rule") * 3 + violation("b-rule", "advisory") + undecided("c-rule") + undecided("d-rule")
    lines = comment({"one": ("diff\n" + said, 1)}).splitlines()
    assert lines[3:8] == ["mandatory: `a-rule` ×3", "", "advisory: `b-rule`", "", "undecided: `c-rule`, `d-rule`"]
    assert "size of" not in "\n".join(lines)
    assert "left out" not in "\n".join(lines)


def test_what_the_summary_at_a_previews_end_says_is_read_too() -> None:
    listed = violation("a-rule").replace("    kilonode@v0.1.0 [", "        - [").replace("\n", "\n          ")
    assert "mandatory: `a-rule`\n" in comment({"one": (listed, 1)})


@pytest.mark.parametrize(
    "line",
    [
        "exempted until 2027-01-31: moved in May",
        "a-rule: an exemption exempts nothing: *::x (moved in May); remove it, or correct the resource",
    ],
)
def test_an_exemption_is_no_violation_and_stays_in_the_preview(line: str) -> None:
    head = violation("a-rule", "advisory").splitlines()[0]
    text = comment({"one": (f"{head}\n{line}\n", 0)})
    assert "advisory: " not in text
    assert line in text


def test_a_violation_that_speaks_of_an_exemption_is_counted() -> None:
    told = violation("a-rule").replace("prod::a::b::c", "prod::a::b::exempted until: an exemption exempts nothing: c")
    assert "mandatory: `a-rule`\n" in comment({"one": (told, 1)})


def test_what_only_begins_like_a_violation_hides_none_that_follows() -> None:
    head = violation("a-rule").splitlines()[0]
    text = comment({"one": (f"{head}\n{violation('b-rule')}", 1)})
    assert "mandatory: `a-rule`, `b-rule`\n" in text
    assert "```\nkilonode@v0.1.0 [mandatory] [severity: high]  b-rule" in text
    assert "fix:      mend b-rule" in text


def test_more_stacks_than_can_be_named_are_counted_and_those_that_fail_are_named_first() -> None:
    text = comment({f"{n:04}": ("fine", int(n == 2_999)) for n in range(3_000)}, most=6_000)
    assert len(text) <= 6_000
    assert "### `2999`: FAILS" in text
    assert int(re.search(r"… and (\d+) more\n$", text)[1]) == 3_000 - text.count("### `")  # type: ignore[index]


def test_each_stack_is_said_to_pass_or_to_fail_and_a_failure_is_open() -> None:
    text = comment({"two": ("all well", 0), "one": ("[mandatory] etcd-quota", 1)})
    assert text.index("### `one`: FAILS") < text.index("<details open>") < text.index("### `two`: passes")
    assert "[mandatory] etcd-quota" in text


def test_a_change_that_touches_no_stack_says_so() -> None:
    assert comment({}) == f"{MARK}No stack is touched by this change.\n"


@given(st.dictionaries(st.sampled_from("abc"), st.tuples(TEXTS, st.integers(0, 2)), min_size=1))
def test_a_preview_stays_in_its_block_and_a_comment_within_its_limit(previews: dict[str, tuple[str, int]]) -> None:
    text = comment(previews, most=3_000)
    assert len(text) <= 3_000
    assert "\x1b[" not in text
    for part in sections(text).values():
        fences = [line for line in part.splitlines() if set(line) == {"`"}]
        # The block's own fence stands twice, and nothing in it is as long; or there is no block.
        assert not fences or (
            fences.count(max(fences, key=len)) == 2 and fences[0] == fences[-1] == max(fences, key=len)
        )


def test_a_long_preview_is_cut_in_the_middle_where_the_diff_is() -> None:
    text = comment({"one": ("first line\n" + "diff\n" * 5_000 + "[mandatory] last line", 1)}, most=2_000)
    assert "first line" in text
    assert "[mandatory] last line" in text
    assert "characters and more are left out" in text


def test_previews_are_read_from_a_folder_and_one_that_was_killed_or_never_written_fails(tmp_path: Path) -> None:
    (tmp_path / "stacks.json").write_text(json.dumps(["one", "two", "three", "four", "../five", 6]))
    (tmp_path / "one.txt").write_text("fine")
    (tmp_path / "one.code").write_text("0\n")
    (tmp_path / "two.txt").write_bytes(b"half \xff")
    (tmp_path / "three.txt").write_text("killed while it said so")
    (tmp_path / "three.code").touch()
    expected = {
        "one": ("fine", 0),
        "two": ("half \ufffd", 1),
        "three": ("killed while it said so", 1),
        "four": (LOST, 1),
    }
    assert read(tmp_path) == expected


@pytest.mark.parametrize("text", [None, "", "[", "7", "{}", "\xff"])
def test_a_folder_in_which_nobody_wrote_what_is_touched_is_no_change_without_stacks(
    tmp_path: Path, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "stacks.json").write_text(text)
    assert read(tmp_path) is None
    main([str(tmp_path)])
    assert capsys.readouterr().out == f"{MARK}{UNKNOWN}\n"


def test_a_comment_is_utf_8_in_every_locale(tmp_path: Path) -> None:
    (tmp_path / "stacks.json").write_text('["prod"]')
    (tmp_path / "prod.txt").write_text("Zürich × 3", encoding="utf-8")
    (tmp_path / "prod.code").write_text("0")
    # Without the last two Python takes UTF-8 in place of ASCII by itself.
    ascii_alone = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = [sys.executable, "-m", "ops.comment", str(tmp_path)]
    done = subprocess.run(words, cwd=CLONE, env=os.environ | ascii_alone, capture_output=True, check=True)
    assert "Zürich × 3" in done.stdout.decode()
