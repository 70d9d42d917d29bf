"""Takes the stand-in's checks away, one at a time, and names those that no pure test misses.

    python -m tests.standin.checks [FILE[:LINE] ...]

What a check is: removable.py. Each is taken out of a copy of the tests, never of the clone.
"""

import os
import resource
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from tests.standin.removable import ROOT, STANDIN, found

LONGEST: Final = 60
# Of these the shapes follow, so they are made anew without the check.
SHAPED: Final = {"kinds", "models", "shapes", "wire"}


def _passes(copy: Path, stem: str, last: str) -> int:
    """Run the pure tests in a process of their own; those that speak most of the module come first."""
    tests = sorted(copy.glob(f"{STANDIN}/test_azure_*.py"), key=lambda path: -path.read_text().count(stem))
    child = os.fork()
    if child == 0:
        # Seconds of work, not of waiting: other work on the machine is no reason to call a check missed.
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
        os.chdir(copy)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]
        sys.path[:0] = [str(copy)]
        for test in tests:
            code = pytest.main(["-x", "-m", "not engine", "-p", "no:cacheprovider", "--basetemp", last, str(test)])
            if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
                os._exit(int(code))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main(wanted: list[str]) -> int:
    """Take away each check, or those at the places wanted, and print what survives."""
    sys.dont_write_bytecode = True
    checks = [
        each
        for each in found()
        if not wanted or any(each.place.endswith(place) or place in each.file for place in wanted)
    ]
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "clone"
        for path in (*(ROOT / "tests").glob("*.py"), ROOT / "pyproject.toml"):
            (copy / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy / path.relative_to(ROOT))
        shutil.copytree(ROOT / STANDIN, copy / STANDIN, ignore=shutil.ignore_patterns("__pycache__"))
        # What every child needs and no check is in, read once: gRPC, and if shapes are made anew the SDK and the models.
        from tests.standin.azure import service, shapes

        assert service.NAME
        assert shapes.shapes()
        if SHAPED & {Path(each.file).stem for each in checks}:
            shapes.build()
        kept = shapes.cached()
        os.environ["KILONODE_CACHE"] = f"{folder}/cache"
        shapes.cached().parent.mkdir(parents=True)
        shutil.copy(kept, shapes.cached())
        assert _passes(copy, "", f"{folder}/tests") == 0, "the pure tests fail as they are"
        survivors, unread, begun = [], 0, time.monotonic()
        for number, check in enumerate(checks, 1):
            source = (ROOT / check.file).read_bytes()
            (copy / check.file).write_bytes(check.removed(source))
            code = _passes(copy, Path(check.file).stem, f"{folder}/tests")
            (copy / check.file).write_bytes(source)
            unread += code not in {0, 1}
            if code == 0:
                survivors.append(check)
                print(f"SURVIVES {check.shown(source)}", flush=True)
            if number % 25 == 0:
                print(f"{number} of {len(checks)}, {time.monotonic() - begun:.0f} s", flush=True)
    missed = len(checks) - len(survivors)
    print(
        f"{len(checks)} checks: {missed} missed by a test ({unread} as nothing runs without), {len(survivors)} survive"
    )
    return len(survivors) > 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
