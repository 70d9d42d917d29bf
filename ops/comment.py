"""What a pipeline writes under a change: ``python3 -m ops.comment FOLDER`` reads previews and prints Markdown.

``stacks.json`` lists the stacks that the change touches (``ops.changed --json``), ``<stack>.txt`` is what a preview has printed, and
``<stack>.code`` its exit code. It needs nothing but Python.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from itertools import accumulate
from pathlib import Path

from ops.said import Said, heard

MARK = "<!-- kilonode preview -->\n"
"""By its first line a comment is found again, so that a change has one."""

MOST = 60_000
"""Characters of one comment; GitHub takes 65,536 and GitLab 1,000,000."""

LEAST = 400
"""Characters of a preview worth opening; with less room it is left out."""

LOST = "No preview was written: the job ended before it. The pipeline's log says why."
UNKNOWN = "Which stacks this change touches could not be told, so none was previewed. The pipeline's log says why."

_STACK = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_FENCE = re.compile(r"`{3,}")
_LEFT_OUT = "… {count} characters and more are left out; the pipeline's log has them …"
_MORE = "… and {count} more"

Written = Callable[[int], str]
"""A piece of a comment in at most so many characters; nothing where it cannot be said in them."""

Tier = list[tuple[str, Written]]
"""Pieces of stacks that share what room is left."""


def comment(previews: dict[str, tuple[str, int]], most: int = MOST) -> str:
    """One comment for all stacks: each preview's text and exit code.

    Room goes first to each stack's verdict, then to which rules are broken, then to what they say; then to the previews, of stacks that
    pass last. What is too long for its share is cut, and says so.
    """
    if not previews:
        return f"{MARK}No stack is touched by this change.\n"
    # Those that fail come first.
    names = sorted(previews, key=lambda name: (previews[name][1] == 0, name))
    heads = {name: f"### `{name}`: {'passes' if previews[name][1] == 0 else 'FAILS'}\n\n" for name in names}
    end, room = "", most - len(MARK)
    if sum(map(len, heads.values())) > room:
        names, end = _first(names, heads, room)
    room -= sum(len(heads[name]) for name in names) + len(end)
    said = {name: heard(_COLOUR.sub("", previews[name][0]).strip()) for name in names}
    parts = {name: [heads[name]] for name in names}
    passes = {name: previews[name][1] == 0 for name in names}
    tiers = [*_told(said), *_opened(said, passes)]
    for number, tier in enumerate(tiers, 1):
        # A preview that has no room is said to be left out; a tenth is enough for that, whatever stands before.
        later = [written for others in tiers[number:][-2:] for _, written in others]
        kept = min(sum(len(written(LEAST // 2)) for written in later), room // 10)
        shares = _shares([len(written(sys.maxsize)) for _, written in tier], room - kept)
        for (name, written), share in zip(tier, shares, strict=True):
            text = written(share)
            parts[name].append(text)
            room -= len(text)
    return MARK + "".join(piece for part in parts.values() for piece in part) + end


def _first(names: list[str], heads: dict[str, str], room: int) -> tuple[list[str], str]:
    """As many stacks as can be named, and the line that counts the others."""
    kept = len(names)
    while kept and sum(len(heads[name]) for name in names[:kept]) + len(_MORE) + len(str(len(names))) > room:
        kept -= 1
    return names[:kept], _MORE.format(count=len(names) - kept) + "\n"


def _told(said: dict[str, Said]) -> list[Tier]:
    """What the rules say of each stack, what matters most first."""
    return [
        [(name, _listed("mandatory", each.mandatory)) for name, each in said.items()],
        [(name, _listed("advisory", each.advisory)) for name, each in said.items()],
        [(name, _listed("undecided", each.undecided)) for name, each in said.items()],
        [(name, _blocks(each.blocks)) for name, each in said.items()],
    ]


def _opened(said: dict[str, Said], passes: dict[str, bool]) -> list[Tier]:
    """The previews, those of stacks that fail first."""
    return [
        [(name, _preview(each.rest, shown=not passing)) for name, each in said.items() if passes[name] is passing]
        for passing in (False, True)
    ]


def _listed(level: str, rules: dict[str, int]) -> Written:
    """A line of rules, each with how often it is broken; those that have no room are counted."""
    words = [f"`{rule}`" + (f" ×{count}" if count > 1 else "") for rule, count in rules.items()]
    counts = list(rules.values())

    def written(room: int) -> str:
        text = f"{level}: {', '.join(words)}\n\n"
        if len(text) <= room:
            return text
        room -= len(f"{level}: , \n\n{_MORE}") + len(str(sum(counts)))
        kept = next((n for n, size in enumerate(accumulate(len(word) + 2 for word in words)) if size > room), 0)
        more = _MORE.format(count=sum(counts[kept:]))
        return f"{level}: {', '.join([*words[:kept], more])}\n\n" if room >= 0 else ""

    return written if rules else lambda _: ""


def _blocks(blocks: Sequence[str]) -> Written:
    """What the rules say, in full as far as it goes; which they are stands above."""
    text = "\n".join(blocks)

    def written(room: int) -> str:
        fence = _fence(text)
        head, tail = f"{fence}\n", f"\n{fence}\n\n"
        mark = "\n" + _LEFT_OUT.format(count=len(text))
        if len(head) + len(text) + len(tail) <= room:
            return head + text + tail
        left = room - len(head) - len(mark) - len(tail)
        return head + text[:left] + mark + tail if left >= LEAST // 2 else ""

    return written if blocks else lambda _: ""


def _preview(text: str, *, shown: bool) -> Written:
    """A preview to open; one of a stack that fails is open. It is cut in the middle, where the diff is: why it failed is at its end."""

    def written(room: int) -> str:
        fence = _fence(text)
        head = f"<details{' open' if shown else ''}><summary>preview</summary>\n\n{fence}\n"
        tail = f"\n{fence}\n\n</details>\n\n"
        left = room - len(head) - len(tail)
        if len(text) > left and left < LEAST:
            instead = f"{_LEFT_OUT.format(count=len(text))}\n\n"
            return instead if len(instead) <= room else ""
        return head + _cut(text, left) + tail

    return written


def _fence(text: str) -> str:
    """Whatever the text holds, it does not end its own block."""
    return max((found[0] for found in _FENCE.finditer(text)), key=len, default="``") + "`"


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    mark = "\n" + _LEFT_OUT.format(count=len(text) - room) + "\n"
    first = max(0, (room - len(mark)) // 3)
    last = max(0, room - len(mark) - first)
    return text[:first] + mark + text[len(text) - last :]


def _shares(wanted: Sequence[int], room: int) -> list[int]:
    """How much of ``room`` each is given: what it wants, as far as that leaves the others as much."""
    given = [0] * len(wanted)
    for rank, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[index] = min(wanted[index], max(room, 0) // (len(wanted) - rank))
        room -= given[index]
    return given


def read(folder: Path) -> dict[str, tuple[str, int]] | None:
    """The previews of a folder, by stack; one that was killed, or never begun, has failed. None where nobody wrote what is touched."""
    try:
        touched = json.loads((folder / "stacks.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(touched, list):
        return None
    # Jobs that run the change's own code wrote all of it.
    names = [name for name in touched if isinstance(name, str) and _STACK.fullmatch(name)]
    return {name: (_text(folder / f"{name}.txt"), _code(folder / f"{name}.code")) for name in names}


def _text(file: Path) -> str:
    return file.read_text(errors="replace", encoding="utf-8") if file.is_file() else LOST


def _code(file: Path) -> int:
    text = file.read_text(errors="replace", encoding="utf-8").strip() if file.is_file() else ""
    return int(text) if text.isdecimal() else 1


def main(arguments: list[str] | None = None) -> None:
    """Print the comment."""
    parser = argparse.ArgumentParser(prog="python3 -m ops.comment", description="The comment for a folder of previews.")
    parser.add_argument("folder", type=Path, help="with stacks.json, and <stack>.txt and <stack>.code of each stack")
    previews = read(parser.parse_args(arguments).folder)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    print(f"{MARK}{UNKNOWN}\n" if previews is None else comment(previews), end="")


if __name__ == "__main__":
    main()
