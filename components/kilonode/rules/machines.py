"""Rules about the machines of the control plane."""

from collections.abc import Iterator

from kilonode.rules import subjects
from kilonode.rules.facts.controlplane import Member
from kilonode.rules.facts.machines import Machine
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import known

_SPOT = {"azure": ("priority", "Spot", "Regular"), "aws": ("market", "spot", "on demand")}
"""Where it stands, and how each cloud calls both."""


@rule(
    "control-plane-no-spot", subjects.fixed, severity="critical",
    why="with half a minute's notice a member and its local disk are gone",
    source="etcd-io/etcd#7445, MicrosoftDocs/azure-docs#117811", fix="use machines of regular priority",
)  # fmt: skip
def no_spot(machine: Machine) -> Iterator[Fault]:
    """No machine of the control plane may be taken away for a price."""
    if known(machine.spot):
        yield Fault(*_SPOT[machine.cloud])


@rule(
    "etcd-protected", subjects.members, severity="critical",
    why="its disk is local: what replaces the machine ends a member, and five such edits end the cluster",
    source="2021 post: etcd's machines are handled with care; etcd-io/etcd#7445", fix="set protect on the resource",
)  # fmt: skip
def protected(member: Member) -> Iterator[Fault]:
    """Machines with etcd's data are protected."""
    if not known(member.machine.protected):
        yield Fault("protect", "false", "true")


RULES = (no_spot, protected)
