"""Facts about what runs in Kubernetes."""

from dataclasses import dataclass

from kilonode.rules.facts.machines import Options
from kilonode.rules.unknown import Fact


@dataclass(frozen=True)
class Workload:
    """Pods of one kind; ``arguments`` are the flags of all their containers."""

    resource: str
    name: str
    images: Fact[tuple[str, ...]]
    arguments: Fact[Options]
    priority_class: Fact[str | None] = None
    saves: Fact[bool] = False
    """Whether they start again and again and save a snapshot of etcd."""


@dataclass(frozen=True)
class PriorityClass:
    """A class of importance; ``balloon`` is whether pods that only hold room have it."""

    resource: str
    name: str
    value: Fact[int | None]
    balloon: Fact[bool]
