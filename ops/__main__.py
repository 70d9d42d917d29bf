"""The verbs of the Makefile: ``python -m ops up|preview|down|status|verify|drill [STACK]``, and ``run STACK MACHINE COMMAND…``."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from kilonode.refusal import RefusedError
from kilonode.spec import OutputGivenError
from ops.stack import Stack, open_stack
from ops.stackfile import stack_file
from toolchain import ToolchainError

VERBS = {
    "up": "make the region, or bring it to what its stack file says",
    "preview": "show what up would do, judged by the policy pack; of a stack on any cloud",
    "down": "remove everything of the region",
    "status": "count members, API servers, leaders and nodes",
    "verify": "assert what a region promises on the running one",
    "drill": "kill an API server and an etcd member under load and time the gaps",
    "run": "run a command inside a machine of the region",
}
INTERRUPTED = 130


def main() -> int:
    """Run one verb; its exit code. Faults are told in words, never as a traceback."""
    os.umask(0o077)  # whatever the caller's: state, consoles and settings are root's alone
    words = _parser().parse_args()
    file = stack_file(words.stack)
    try:
        if words.verb == "preview":
            return _preview(file, words.policy)
        return _run(words, open_stack(file))
    except (RefusedError, OutputGivenError, ToolchainError, RuntimeError, OSError, subprocess.SubprocessError) as fault:
        print(f"{words.verb} {file.name}: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{words.verb} {file.name}: interrupted; run it again to go on", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ops", description="Regions on this machine.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, purpose in VERBS.items():
        verb = verbs.add_parser(name, help=purpose, description=purpose)
        needs = {} if name == "run" else {"nargs": "?", "default": "local"}
        verb.add_argument("stack", help="name of a file in stacks/, or a path to a stack file", **needs)  # type: ignore[arg-type]
        if name == "preview":
            verb.add_argument("--policy", type=Path, help="the pack's configuration, as JSON")
        if name == "run":
            verb.add_argument("machine")
            verb.add_argument("command", nargs=argparse.REMAINDER)
    return parser


def _preview(file: Path, policy: Path | None) -> int:
    from ops.preview import preview

    preview(file, policy)
    return 0


def _run(words: argparse.Namespace, stack: Stack) -> int:
    from kilonode.clouds.local.host.inside import run_in
    from ops import drill, up, verify
    from ops.ready import Region

    match words.verb:
        case "up":
            up.up(stack)
        case "down":
            up.down(stack)
        case "verify":
            verify.verify(stack)
        case "drill":
            drill.drill(stack)
        case "status":
            return Region(stack).report()
        case _:
            done = run_in(stack.spec.name, words.machine, words.command)
            print(done.stdout, end="")
            print(done.stderr, end="", file=sys.stderr)
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
