"""Which stacks a change touches: ``python3 -m ops.changed BASE`` prints them, a line each, or with ``--json`` as a list.

It needs nothing but Python and git, so a pipeline may ask before it makes an environment.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

CLONE = Path(__file__).resolve().parent.parent
EVERYBODYS = (
    "components/", "infra/", "ops/", "policies/", "toolchain/", "stacks/policy.json",
    "Makefile", "Pulumi.yaml", "pyproject.toml", "requirements.lock",
)  # fmt: skip
"""What every stack is made and previewed by: the library, the program, the rules and how they are set, the programs on its
machines, the verbs, and the packages of them all."""

_STACK = re.compile(r"stacks/Pulumi\.(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*)\.yaml")


def touched(paths: Iterable[str], stacks: Iterable[str]) -> list[str]:
    """Those of ``stacks`` whose preview a change of ``paths`` may alter, sorted; a stack whose file is gone is none."""
    changed = list(paths)
    if any(path.startswith(EVERYBODYS) for path in changed):
        return sorted(stacks)
    own = {found["name"] for path in changed if (found := _STACK.fullmatch(path))}
    return sorted(own & set(stacks))


def stacks(clone: Path = CLONE) -> list[str]:
    """The stacks that have a file."""
    return sorted(
        found["name"] for path in clone.glob("stacks/*") if (found := _STACK.fullmatch(f"stacks/{path.name}"))
    )


class UnknownBaseError(RuntimeError):
    """Git cannot compare with the base; the text says why and what to do."""


def changed(base: str, clone: Path = CLONE) -> list[str]:
    """The paths that differ from where this branch left ``base``; of what was moved the old one and the new.

    Raises:
        UnknownBaseError: with git's own words.
    """
    words = ["git", "diff", "--name-only", "--no-renames", "-z", f"{base}...HEAD", "--"]
    done = subprocess.run(words, cwd=clone, encoding="utf-8", capture_output=True, check=False)
    if done.returncode:
        raise UnknownBaseError(
            f"cannot compare with {base!r}: {done.stderr.strip()}; "
            "fetch it with its history (a pipeline's clone is often cut short), or name another branch or commit"
        )
    return [path for path in done.stdout.split("\0") if path]


def main(arguments: list[str] | None = None) -> None:
    """Print the stacks that differ from a base."""
    parser = argparse.ArgumentParser(prog="python3 -m ops.changed", description="Stacks that a change touches.")
    parser.add_argument("base", help="the branch or commit to compare with, such as origin/main")
    parser.add_argument("--json", action="store_true", help="as one JSON list")
    given = parser.parse_args(arguments)
    try:
        found = touched(changed(given.base), stacks())
    except UnknownBaseError as fault:
        sys.exit(f"ops.changed: {fault}")
    print(json.dumps(found) if given.json else "\n".join(found), end="\n" if given.json or found else "")


if __name__ == "__main__":
    main()
