"""What a pipeline writes under a change: ``python3 -m ops.comment FOLDER`` reads ``<stack>.txt`` and prints Markdown.

``<stack>.code`` beside it holds the preview's exit code. It needs nothing but Python.
"""

import re
import sys
from pathlib import Path

MARK = "<!-- kilonode preview -->\n"
"""By its first line a comment is found again, so that a change has one."""

MOST = 60_000
"""Characters of one comment; GitHub takes 65,536 and GitLab 1,000,000."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_FENCE = re.compile(r"`{3,}")


def comment(previews: dict[str, tuple[str, int]], most: int = MOST) -> str:
    """One comment for all stacks: each preview's text and exit code; long ones are cut in the middle, where the diff is."""
    if not previews:
        return f"{MARK}No stack is touched by this change.\n"
    share = (most - len(MARK)) // len(previews)
    return MARK + "\n".join(_part(name, *previews[name], share) for name in sorted(previews))


def _part(name: str, text: str, code: int, share: int) -> str:
    text = _COLOUR.sub("", text).strip()
    # Whatever the text holds, it does not end its own block.
    fence = max((found[0] for found in _FENCE.finditer(text)), key=len, default="``") + "`"
    head = f"### `{name}`: {'passes' if code == 0 else 'FAILS'}\n\n<details{'' if code == 0 else ' open'}><summary>preview</summary>\n\n{fence}\n"
    tail = f"\n{fence}\n\n</details>\n"
    return head + _cut(text, share - len(head) - len(tail)) + tail


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    mark = f"\n… {len(text) - room} characters and more are left out; the pipeline's log has them …\n"
    # What rules say stands at the end.
    first = max(0, (room - len(mark)) // 3)
    last = max(0, room - len(mark) - first)
    return text[:first] + mark + text[len(text) - last :]


def read(folder: Path) -> dict[str, tuple[str, int]]:
    """The previews of a folder, by stack; one whose exit code is missing was killed."""
    return {
        file.stem: (file.read_text(errors="replace"), int(code.read_text()) if (code := file.with_suffix(".code")).exists() else 1)
        for file in folder.glob("*.txt")
    }  # fmt: skip


if __name__ == "__main__":
    print(comment(read(Path(sys.argv[1]))), end="")
