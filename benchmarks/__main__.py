"""`make bench`: each benchmark prints a ratio against a baseline of the same run; absolute times are noise."""

import sys

from benchmarks import control_plane

GOALS = (control_plane.start_ratio, control_plane.region_memory)


def main() -> int:
    """Run every benchmark; non-zero when a goal is missed."""
    with control_plane.measured() as run:
        results = [goal(run) for goal in GOALS]
    for result in results:
        print(f"{'ok    ' if result.met else 'MISSED'}  {result}")
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
