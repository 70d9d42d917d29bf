"""Facts about what runs in Kubernetes."""

from dataclasses import dataclass

from kilonode.rules.facts.machines import Options
from kilonode.rules.unknown import Fact

CUTOFF = -10
"""Priority below which the autoscaler makes no nodes for a pod, where nobody says (kubernetes/autoscaler, config/flags)."""


@dataclass(frozen=True)
class Autoscaler:
    """A container that runs the cluster autoscaler, or may, with its flags."""

    resource: str
    arguments: Fact[Options]


@dataclass(frozen=True)
class Workload:
    """Pods of one kind; of ``images`` those that are not known yet come last."""

    resource: str
    name: str
    images: tuple[Fact[str], ...]
    autoscalers: tuple[Autoscaler, ...] = ()
    priority_class: Fact[str | None] = None
    pauses: Fact[bool] = False
    """Whether all their containers do nothing but hold room."""

    saves: Fact[bool] = False
    """Whether they start again and again and save a snapshot of etcd."""

    schedule: Fact[str | None] = None
    """When those start."""


@dataclass(frozen=True)
class PriorityClass:
    """A class of importance; ``balloon`` is whether pods that only hold room have it."""

    resource: str
    name: str
    value: Fact[int | None]
    balloon: Fact[bool]
    cutoff: Fact[int] = CUTOFF
    """Priority below which the autoscaler makes no nodes."""
