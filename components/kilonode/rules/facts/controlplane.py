"""Facts about etcd clusters and API servers: machines grouped by what their user data says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kilonode.rules.facts.machines import Machine, Options
from kilonode.rules.unknown import Fact, UndecidedError


@dataclass(frozen=True)
class Member:
    """An etcd member."""

    machine: Machine
    options: Options

    @property
    def resource(self) -> str:
        """The machine's."""
        return self.machine.resource

    @property
    def name(self) -> str:
        """The member's name in its cluster, or its machine's where that is not known."""
        return dict(self.options).get("name", self.machine.name)

    @property
    def peers(self) -> frozenset[str]:
        """Peer URLs, as the member was told them, with its own.

        Raises:
            UndecidedError: when nobody can tell which cluster it is in.
        """
        told = (entry.rpartition("=")[2] for entry in self.options.get("initial-cluster", "").split(","))
        own = dict(self.options).get("initial-advertise-peer-urls", "").split(",")
        return frozenset(url for url in (*told, *own) if url)

    @property
    def told(self) -> frozenset[str]:
        """Names of the members that it was told of; one with several URLs is named as often."""
        entries = dict(self.options).get("initial-cluster", "").split(",")
        return frozenset(entry.partition("=")[0].strip() for entry in entries if "=" in entry)

    @property
    def told_elsewhere(self) -> str | None:
        """Where it stands which cluster it is in; None where that is known."""
        try:
            _ = self.peers
        except UndecidedError as unknown:
            return unknown.field
        return None

    @property
    def clients(self) -> frozenset[str]:
        """URLs for clients, as far as they are known."""
        return frozenset(url for url in dict(self.options).get("advertise-client-urls", "").split(",") if url)


@dataclass(frozen=True)
class EtcdCluster:
    """Members that hold one set of keys; ``nodes`` is how large the region may become."""

    name: str
    members: tuple[Member, ...]
    nodes: Fact[int] = 0

    @property
    def resource(self) -> str:
        """The first member's."""
        return self.members[0].resource

    @property
    def resources(self) -> frozenset[str]:
        """Those of all members; a pool's members have one."""
        return frozenset(each.resource for each in self.members)

    @property
    def count(self) -> int:
        """How many members it has, in this stack and in others: as many as all of them were told of, and at least those here."""
        told = {each.told for each in self.members}
        return max(len(self.members), len(told.pop()) if len(told) == 1 else 0)

    def of_each(self, what: str) -> None:
        """Go on where every member is in this stack.

        Raises:
            UndecidedError: when others are elsewhere, of which nobody can tell ``what`` here.
        """
        if others := self.count - len(self.members):
            raise UndecidedError(f"the {what} of each member ({others} not in this stack)")


@dataclass(frozen=True)
class ApiServer:
    """A machine that runs kube-apiserver."""

    machine: Machine
    flags: Options
    files: Mapping[str, str]
    etcds: Mapping[str, str] = field(default_factory=dict)
    """Hosts that etcds of the stack are at, to their machines."""

    crowded: frozenset[str] = frozenset()
    """Machines with several etcds."""

    @property
    def resource(self) -> str:
        """The machine's."""
        return self.machine.resource


@dataclass(frozen=True)
class ApiServers:
    """API servers that serve one cluster; ``nodes`` is how large its region may become."""

    servers: tuple[ApiServer, ...]
    nodes: Fact[int] = 0

    @property
    def resource(self) -> str:
        """The first server's."""
        return self.servers[0].resource

    @property
    def resources(self) -> frozenset[str]:
        """Those of all servers; a pool's servers have one."""
        return frozenset(each.resource for each in self.servers)
