"""The verbs of the Makefile: ``python -m ops up|down|status [STACK_FILE]``."""

import argparse
import sys
from pathlib import Path

from kilonode.refusal import RefusedError
from ops.engine import EngineError
from ops.ready import NotReadyError, Region
from ops.stack import CLONE, open_stack
from toolchain import ToolchainError

FAULTS = (RefusedError, EngineError, NotReadyError, ToolchainError, RuntimeError)


def main() -> int:
    """Run one verb; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m ops", description="Run regions on this machine.")
    parser.add_argument("verb", choices=("up", "down", "status", "verify", "drill"))
    parser.add_argument(
        "stack", nargs="?", default="local", help="name of a file in stacks/, or a path to a stack file"
    )
    words = parser.parse_args()
    path = Path(words.stack)
    file = path if path.suffix else CLONE / "stacks" / f"Pulumi.{words.stack}.yaml"
    try:
        run(words.verb, file)
    except FAULTS as fault:
        print(f"{words.verb} {file.name}: {fault}", file=sys.stderr)
        return 1
    return 0


def run(verb: str, file: Path) -> None:
    """Run ``verb`` on the stack of ``file``."""
    from ops import drill, up, verify

    stack = open_stack(file)
    match verb:
        case "up":
            up.up(stack)
        case "down":
            up.down(stack)
        case "verify":
            verify.verify(stack)
        case "drill":
            drill.drill(stack)
        case _:
            Region(stack).wait_control_plane()


if __name__ == "__main__":
    sys.exit(main())
