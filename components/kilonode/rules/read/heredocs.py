"""What a script writes from its own text, and what of that a shell runs."""

import re
from bisect import bisect
from collections.abc import Mapping

from kilonode.rules.read.starts import reads_script
from kilonode.rules.read.text import variables, words

_OPENED = re.compile(r"<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)")
_WRITES = re.compile(r"1?(?P<how>>>|>\||>)(?P<path>.*)")
_EXPANDED = re.compile(r"\$\{?(?P<name>\w+)\}?")
_UNITS = "/etc/systemd/system"


def heredocs(text: str, before: Mapping[str, str] | None = None) -> tuple[dict[str, str], str]:
    """Files that a script writes from its own text, and the script without them; ``before`` are files that it may add to."""
    lines = text.splitlines(keepends=True)
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line.strip(), []).append(number)
    files: dict[str, str] = {}
    values: dict[str, str] = {}
    rest: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        opened = _OPENED.search(line)
        closing = ends.get(opened["end"], []) if opened else []
        place = bisect(closing, number)
        if not opened or place == len(closing):
            values |= variables(line)
            rest.append(line)
            number += 1
            continue
        command = f"{line[: opened.start()]} {line[opened.end() :]}"
        body = lines[number + 1 : closing[place]]
        rest.append(command)
        path, adds = _target(words(command), values)
        if path:
            held = files.get(path, (before or {}).get(path, "")) if adds else ""
            files[path] = held + "".join(body)
        elif reads_script(words(command)):
            rest += body
        number = closing[place] + 1
    return files, "".join(rest)


def _target(command: list[str], values: Mapping[str, str]) -> tuple[str, bool]:
    """The file that a command writes what it reads to, and whether it adds to it."""
    for position, word in enumerate(command):
        rest = command[position + 1 :]
        if written := _WRITES.fullmatch(word):
            path, adds = written["path"] or next(iter(rest), ""), written["how"] == ">>"
        elif word.rpartition("/")[2] == "tee":
            path, adds = (
                next((each for each in rest if not each.startswith("-")), ""),
                bool({"-a", "--append"} & {*rest}),
            )
        else:
            continue
        path = _EXPANDED.sub(lambda name: values.get(name["name"], name[0]), path)
        if path.startswith("$") and path.endswith(".service"):
            # Wherever the variable points: a unit is there for systemd.
            path = f"{_UNITS}/{path.rpartition('/')[2]}"
        if path.startswith(("/", "$")):
            return path, adds
    return "", False
