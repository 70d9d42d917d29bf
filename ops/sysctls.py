"""`make golden`: docs/sysctl.md, the kernel settings of every machine, from the rows machines get."""

from collections.abc import Iterable, Sequence

from kilonode.boot.modules import MODULES
from kilonode.boot.neighbours import TABLES
from kilonode.boot.sysctl import Sysctl, fixed_machine_rows, machine_pool_rows, neighbour_rows
from kilonode.limits import NODES
from ops.stack import CLONE

PATH = CLONE / "docs" / "sysctl.md"

HEAD = """# Kernel settings

Written by `make golden` from `components/kilonode/boot`. A floor is applied at boot where the image has less, each number by
itself; an exact value whatever the image has. What is the kernel's own a container cannot set: a local machine says so in its
journal and passes it over. On any other machine a setting that is missing or refused fails `kilonode-sysctl.service`.
"""

NEIGHBOURS = """
## Neighbour tables

`net.ipv4.neigh.default.gc_thresh1`, `2`, `3` and the same of `net.ipv6`, by the region's ceiling. They are the kernel's.
Where a cloud reuses addresses within seconds the first is set to exactly 0, so that unused neighbours are forgotten.
Etcd machines have the last step in every region.

"""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def settings(rows: Iterable[Sysctl]) -> str:
    """The table of some rows."""
    head = ("setting", "value", "rule", "whose", "why", "source")
    return table(head, ((f"`{row.key}`", row.value, row.rule, row.scope, row.why, row.source) for row in rows))


def text() -> str:
    """The file's text."""
    shared = fixed_machine_rows(NODES.value, reuses_addresses=False)
    neighbours = neighbour_rows(NODES.value, reuses_addresses=False)
    steps = ((f"up to {step.nodes:,} nodes", *step.thresholds.values, step.source) for step in TABLES)
    nodes = [row for row in machine_pool_rows(NODES.value, reuses_addresses=False) if row not in shared]
    return (
        HEAD
        + NEIGHBOURS
        + table(("ceiling", "gc_thresh1", "gc_thresh2", "gc_thresh3", "source"), steps)
        + "\n## Every machine\n\n"
        + settings(row for row in shared if row not in neighbours)
        + "\n## Nodes\n\n"
        + settings(nodes)
        + "\nTheir modules, loaded before:\n\n"
        + table(("module", "why", "source"), ((f"`{row.name}`", row.why, row.source) for row in MODULES))
    )


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
    print(f"wrote {PATH.relative_to(CLONE)}")
