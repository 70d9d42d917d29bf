"""Whatever this repository reads and writes is UTF-8, whichever locale it runs in."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CLONE = Path(__file__).resolve().parents[1]
FOLDERS = ("benchmarks", "components", "infra", "ops", "policies", "toolchain")
MODE = re.compile(r"[rwax]\+?")


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        # What runs on a machine runs in its image's own locale.
        yield from (each for each in (CLONE / folder).rglob("*.py") if "rootfs" not in each.parts)


def by_locale(source: str) -> list[int]:
    """Lines of calls that read or write text in the locale's encoding."""
    return [
        call.lineno
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and _text(call) and _bare(call)
    ]


def _text(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {each.arg for each in call.keywords}
    if name in {"open", "fdopen", "NamedTemporaryFile", "TemporaryFile"} and "fileobj" not in given:
        words = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        words += [str(ast.literal_eval(each.value)) for each in call.keywords if each.arg == "mode"]
        # Of a path's own open the first word is the mode; os.open and tarfile.open have others.
        path = isinstance(call.func, ast.Attribute) and name == "open"
        modes = [each for each in words if MODE.fullmatch(each)]
        return (bool(modes) or not (call.args or words)) if path else "b" not in "".join(words[-1:])
    return name in {"read_text", "write_text"} or bool(given & {"text", "universal_newlines"})


def _bare(call: ast.Call) -> bool:
    return "encoding" not in {each.arg for each in call.keywords}


def test_every_file_and_every_program_is_read_and_written_in_utf_8() -> None:
    files = list(sources())
    assert len(files) > 200
    found = {f"{file.relative_to(CLONE)}:{line}" for file in files for line in by_locale(file.read_text("utf-8"))}
    assert found == set()


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        ("path.read_text()", True),
        ("path.write_text(words)", True),
        ("path.open()", True),
        ("path.open('w')", True),
        ("path.open(mode='w')", True),
        ("open(path)", True),
        ("open(path, 'w')", True),
        ("subprocess.run(words, text=True)", True),
        ("path.read_text(encoding='utf-8')", False),
        ("path.open('rb')", False),
        ("open(path, 'rb')", False),
        ("os.open(path, os.O_RDONLY)", False),
        ("tarfile.open(fileobj=file, mode='w')", False),
        ("subprocess.run(words, encoding='utf-8')", False),
        ("subprocess.run(words)", False),
    ],
)
def test_what_is_text_is_told_from_what_is_not(source: str, bare: bool) -> None:
    assert bool(by_locale(source)) is bare
