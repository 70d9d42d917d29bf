"""Classic load balancers of the AWS provider into facts: their listeners, their health check and the instances behind them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from kilonode.rules.facts.network import Forward, LoadBalancer
from kilonode.rules.read.resource import Resource, at, urn_of, whole
from kilonode.rules.unknown import Fact, Unknown, first_unknown

_MODULES = ("elb", "elasticloadbalancing")
CLASSIC = tuple(f"aws:{module}/loadBalancer:LoadBalancer" for module in _MODULES)
ATTACHED = tuple(f"aws:{module}/attachment:Attachment" for module in _MODULES)
_TARGET = re.compile(r"(?P<protocol>\w+):\d+(?P<path>/.*)?", re.DOTALL)
"""As ``HTTPS:6443/readyz``, or ``SSL:6443`` (Elastic Load Balancing API, HealthCheck)."""

Attached = tuple[Fact[str | None], Fact[frozenset[str]]]
"""URN of an instance, and those of the load balancers that hand on to it there."""


@dataclass(frozen=True)
class Classic:
    """The classic load balancers of a stack, and what is attached to them by resources of their own."""

    balancers: Sequence[Resource]
    attachments: Sequence[Resource]

    @classmethod
    def read(cls, resources: Sequence[Resource]) -> Self:
        """Those among the resources."""
        return cls(*([each for each in resources if each.type in kinds] for kinds in (CLASSIC, ATTACHED)))

    def attached(self, instances: Sequence[Resource]) -> Iterator[Attached]:
        """Instances that a classic load balancer names, or a resource between them."""
        for each in self.balancers:
            own = listed(each, "instances", instances)
            yield from ((urn, frozenset({each.urn})) for urn in ([own] if isinstance(own, Unknown) else own))
        for each in self.attachments:
            yield urn_of(each.named("instance", instances)), self._balancer(each)

    def attached_groups(self, groups: Sequence[Resource], joined: Sequence[Resource]) -> Iterator[Attached]:
        """Auto scaling groups that name a classic load balancer, or that one of ``joined`` brings together with one."""
        for each in groups:
            own = listed(each, "loadBalancers", self.balancers, also="name")
            yield each.urn, own if isinstance(own, Unknown) else frozenset(filter(None, own))
        for each in joined:
            yield urn_of(each.named("autoscalingGroupName", groups, also="name")), self._balancer(each)

    def _balancer(self, attachment: Resource) -> Fact[frozenset[str]]:
        found = urn_of(attachment.named("elb", self.balancers, also="name"))
        return found if isinstance(found, Unknown) else frozenset({found} if found else ())


def load_balancer(resource: Resource) -> LoadBalancer:
    """A classic load balancer; all its listeners have one health check."""
    internal, rows = resource.truth("internal"), resource.rows("listeners")
    target = resource.text("healthCheck.target")
    return LoadBalancer(
        resource.urn,
        internal if isinstance(internal, Unknown) else internal is not True,
        rows if isinstance(rows, Unknown) else tuple(_forward(row, target) for row in rows),
    )


def _forward(row: Any, target: Fact[str | None]) -> Forward:
    ports = ports_of(*(whole(at(row, port), f"listeners.{port}") for port in ("lbPort", "instancePort")))
    if target is None or isinstance(target, Unknown):
        return Forward(ports, target, target)
    found = _TARGET.fullmatch(target)
    return Forward(ports, found["protocol"].upper(), found["path"]) if found else Forward(ports, target)


def ports_of(*found: Fact[int | None]) -> Fact[tuple[int, ...]]:
    """The ports that are given; Unknown while any is."""
    unknown = first_unknown(found)
    return unknown or tuple(each for each in found if isinstance(each, int))


def listed(resource: Resource, path: str, among: Sequence[Resource], also: str = "id") -> Fact[tuple[str | None, ...]]:
    """URNs of all that a list names, by id or by ``also``; None for one that is not among them."""
    rows = resource.rows(path)
    if isinstance(rows, Unknown):
        return rows
    named = [urn_of(resource.named(f"{path}.{number}", among, also)) for number in range(len(rows))]
    unknown = first_unknown(named)
    own = [each.urn for each in among if each.urn in resource.depends.get(path, ())]
    # Ids that are not known yet are those of what they came from, where those are as many.
    if unknown and len(own) != len(rows):
        return unknown
    return tuple(own) if unknown else tuple(each for each in named if not isinstance(each, Unknown))
