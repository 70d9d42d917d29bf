"""The commands of a line of a shell, each in its words."""

import re
from collections.abc import Iterable, Iterator

LINE_END = "\n"
OPERATORS = frozenset({"&&", "||", ";", "|", "&", ";;", "(", ")", "{", "}", LINE_END})
_REDIRECTED = re.compile(r"(?:\d*|&)(?:<<<|<<-?|<>|>\||>>?|<)(?P<to>.*)", re.DOTALL)


def commands(line: Iterable[str]) -> Iterator[list[str]]:
    """The commands of a line, at the operators between them, without comments and what is redirected."""
    command: list[str] = []
    skipped = ""
    opened = 0
    for given in _whole(line):
        word = given
        if skipped == ">" or (skipped and word != LINE_END):
            skipped = skipped.strip(">")
        elif word in OPERATORS:
            yield command
            command, skipped = [], ""
        elif word.startswith("#") and (word == "#" or not command):
            skipped = "#"
        elif redirected := _REDIRECTED.fullmatch(word):
            skipped = "" if redirected["to"] else ">"
        else:
            if not command and word.startswith("(") and not word.startswith("(("):
                word, opened = word[1:], opened + 1
            closes = opened > 0 and word.endswith(")") and word.count(")") > word.count("(")
            opened -= closes
            command.append(word.rstrip(");") if closes else word.rstrip(";"))
            if closes or word.endswith(";"):
                yield command
                command = []
    yield command


def _whole(line: Iterable[str]) -> Iterator[str]:
    """The words, with ``$(one two)`` as one, and likewise between backticks."""
    held: list[str] = []
    opened = 0
    ticked = False
    for word in line:
        if held or "$(" in word or "`" in word:
            opened += word.count("(") - word.count(")")
            ticked ^= word.count("`") % 2 == 1
            held.append(word)
            if opened > 0 or ticked:
                continue
            yield " ".join(held)
            held, opened = [], 0
        else:
            yield word
    yield from held
