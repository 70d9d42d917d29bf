"""`make bench`: each benchmark prints a ratio against a baseline of the same run; absolute times are noise."""

import os
import signal
import sys
from collections.abc import Callable, Sequence

from benchmarks import control_plane, pulls
from benchmarks.result import Result

BENCHMARKS: dict[str, Callable[[], list[Result]]] = {
    "control-plane": control_plane.results,
    "pulls": pulls.results,
}
INTERRUPTED = 130


def main(words: Sequence[str]) -> int:
    """Run the benchmarks named, or all; non-zero when a goal is missed."""
    unknown = [word for word in words if word not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}: there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    os.umask(0o077)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results: list[Result] = []
    try:
        for name in words or BENCHMARKS:
            results += BENCHMARKS[name]()
    except KeyboardInterrupt:
        print("interrupted; nothing of the regions is left", file=sys.stderr)
        return INTERRUPTED
    for result in results:
        print(f"{'ok    ' if result.met else 'MISSED'}  {result}")
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
