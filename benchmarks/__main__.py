"""`make bench`: each benchmark prints figures against a baseline of the same run; absolute times are noise."""

import os
import signal
import sys
from collections.abc import Callable, Sequence

from benchmarks import azure_preview, control_plane, fleet, policy_pack, pulls
from benchmarks.result import Result

BENCHMARKS: dict[str, Callable[[], list[Result]]] = {
    "control-plane": control_plane.results,
    "pulls": pulls.results,
    "azure-preview": azure_preview.results,
    "policy-pack": policy_pack.results,
    "fleet": fleet.results,
}
BY_NAME_ONLY = ("fleet",)
"""It takes a quarter of an hour, and an otherwise idle machine."""

INTERRUPTED = 130


def main(words: Sequence[str]) -> int:
    """Run the benchmarks named, or all but the longest; non-zero when a goal is missed."""
    unknown = [word for word in words if word not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}: there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    os.umask(0o077)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results: list[Result] = []
    try:
        for name in words or [name for name in BENCHMARKS if name not in BY_NAME_ONLY]:
            results += BENCHMARKS[name]()
    except KeyboardInterrupt:
        print("interrupted; what was made is removed", file=sys.stderr)
        return INTERRUPTED
    except RuntimeError as fault:
        print(fault, file=sys.stderr)
        return 1
    for result in results:
        print(f"{'ok    ' if result.met else 'MISSED'}  {result}")
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
