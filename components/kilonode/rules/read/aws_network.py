"""Load balancers, subnets and what is in them, of the AWS provider, into facts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

from kilonode.rules.facts.network import Forward, LoadBalancer, Subnet
from kilonode.rules.read import aws_classic
from kilonode.rules.read.aws_classic import Attached, Classic, listed, ports_of
from kilonode.rules.read.resource import Resource, urn_of
from kilonode.rules.unknown import Fact, Unknown, first_unknown

_MODULES = ("lb", "alb", "elasticloadbalancingv2", "applicationloadbalancing")
"""Names that the provider has had for one kind of load balancer; a state may have any."""

BALANCERS = tuple(f"aws:{module}/loadBalancer:LoadBalancer" for module in _MODULES)
LISTENERS = tuple(f"aws:{module}/listener:Listener" for module in _MODULES)
TARGETS = tuple(f"aws:{module}/targetGroup:TargetGroup" for module in _MODULES)
ATTACHMENTS = tuple(f"aws:{module}/targetGroupAttachment:TargetGroupAttachment" for module in _MODULES)
JOINED = ("aws:autoscaling/attachment:Attachment",)

_TARGET = ("defaultActions.0.targetGroupArn", "defaultActions.0.forward.targetGroups.0.arn")
_ZONES, _TARGETS = "vpcZoneIdentifiers", "targetGroupArns"
_ADDRESSES = {"ipv4AddressCount": 1, "ipv4PrefixCount": 16}
"""How many addresses one has; a delegated prefix is a /28 (Amazon EC2 user guide, prefixes for interfaces)."""


class _Listening(NamedTuple):
    """A listener with the target group that it forwards to, and the balancer that it is of."""

    listener: Resource
    group: Resource | Unknown | None
    balancer: Resource | Unknown | None


@dataclass(frozen=True)
class Balancing:
    """The resources that together are load balancers."""

    balancers: Sequence[Resource]
    listeners: Sequence[Resource]
    targets: Sequence[Resource]
    attachments: Sequence[Resource]
    classic: Classic
    joined: Sequence[Resource]
    """Attachments of whole groups, of either kind of load balancer."""

    @classmethod
    def read(cls, resources: Sequence[Resource]) -> Self:
        """Those among the resources."""
        balancers, listeners, targets, attachments, joined = (
            [each for each in resources if each.type in kinds]
            for kinds in (BALANCERS, LISTENERS, TARGETS, ATTACHMENTS, JOINED)
        )
        return cls(balancers, listeners, targets, attachments, Classic.read(resources), joined)

    def load_balancers(self) -> tuple[LoadBalancer, ...]:
        """All of them, the classic ones too."""
        return (*map(self._load_balancer, self.balancers), *map(aws_classic.load_balancer, self.classic.balancers))

    def _load_balancer(self, resource: Resource) -> LoadBalancer:
        """A load balancer with its listeners' ports and the health checks of what they forward to."""
        internal = resource.truth("internal")
        own = [each for each in self._listening if urn_of(each.balancer) == resource.urn]
        # A listener whose balancer is not known yet may be this one's.
        others = [each.balancer for each in self._listening if isinstance(each.balancer, Unknown)]
        return LoadBalancer(
            resource.urn,
            internal if isinstance(internal, Unknown) else internal is not True,
            others[0] if others and not own else tuple(map(self._forward, own)),
        )

    def before(self, instances: Sequence[Resource]) -> dict[str, Fact[frozenset[str]]]:
        """URN of each instance to the load balancers it is behind; each attachment is looked up once for all of them."""
        return _together(instances, [*self.classic.attached(instances), *self._attached(instances)])

    def before_groups(self, groups: Sequence[Resource]) -> dict[str, Fact[frozenset[str]]]:
        """URN of each auto scaling group to the load balancers that its machines are behind."""
        return _together(groups, [*self.classic.attached_groups(groups, self.joined), *self._attached_groups(groups)])

    def _attached(self, instances: Sequence[Resource]) -> Iterator[Attached]:
        """Instances in target groups, by their id or their address, with the load balancers of those."""
        for each in self.attachments:
            target = urn_of(each.named("targetId", instances, also="privateIp"))
            yield target, self._before(each, "targetGroupArn") if target is not None else frozenset()

    def _attached_groups(self, groups: Sequence[Resource]) -> Iterator[Attached]:
        """Auto scaling groups in target groups, by their own words or by a resource between them."""
        for each in groups:
            rows = each.rows(_TARGETS)
            if isinstance(rows, Unknown):
                yield each.urn, rows
            else:
                yield from ((each.urn, self._before(each, f"{_TARGETS}.{number}")) for number in range(len(rows)))
        for each in self.joined:
            yield (
                urn_of(each.named("autoscalingGroupName", groups, also="name")),
                self._before(each, "lbTargetGroupArn"),
            )

    def _before(self, resource: Resource, path: str) -> Fact[frozenset[str]]:
        """Load balancers with a listener that forwards to the target group named at a path; none to one that is not in the stack."""
        group = resource.named(path, self.targets)
        if not isinstance(group, Resource):
            return group or frozenset()
        found: set[str] = set()
        for _, named, balancer in self._listening:
            if isinstance(named, Unknown):
                return named
            if urn_of(named) == group.urn:
                if isinstance(balancer, Unknown):
                    return balancer
                found |= {balancer.urn} if balancer else set()
        return frozenset(found)

    @cached_property
    def _listening(self) -> tuple[_Listening, ...]:
        """All listeners; each is looked up once, however many machines and load balancers ask for them."""
        return tuple(
            _Listening(each, self._group(each), each.named("loadBalancerArn", self.balancers))
            for each in self.listeners
        )

    def _group(self, listener: Resource) -> Resource | Unknown | None:
        path = next((path for path in _TARGET if listener.get(path) is not None), None)
        return listener.named(path, self.targets) if path else None

    @staticmethod
    def _forward(listening: _Listening) -> Forward:
        listener, group, _ = listening
        if group is None and any(listener.get(path) is not None for path in _TARGET):
            group = Unknown(f"{_TARGET[0]} (a group that is not in this stack)")
        if not isinstance(group, Resource):
            return Forward(ports_of(listener.number("port")), group, group)
        return Forward(
            ports_of(listener.number("port"), group.number("port")),
            group.text("healthCheck.protocol"),
            group.text("healthCheck.path"),
        )


def _together(whose: Sequence[Resource], pairs: Sequence[Attached]) -> dict[str, Fact[frozenset[str]]]:
    """URN to the load balancers of all its pairs; a pair of which nobody knows whose it is may be anybody's."""
    anyone = next((urn for urn, _ in pairs if isinstance(urn, Unknown)), None)
    found: dict[str, Fact[frozenset[str]]] = {each.urn: anyone or frozenset() for each in whose}
    for urn, balancers in pairs:
        if isinstance(urn, str) and not isinstance(own := found[urn], Unknown):
            found[urn] = balancers if isinstance(balancers, Unknown) else own | balancers
    return found


def subnet(resource: Resource) -> Subnet:
    """A subnet."""
    block = resource.text("cidrBlock")
    return Subnet(resource.urn, block if isinstance(block, Unknown) else (block,) if block else ())


def subnets_of(group: Resource, subnets: Sequence[Resource]) -> Fact[tuple[str | None, ...]]:
    """All subnets that a group's machines are spread over."""
    return listed(group, _ZONES, subnets)


def addresses(template: Resource) -> Fact[int]:
    """Addresses of each machine, as its template says; what the cluster's network adds later is not in the stack."""
    given = [template.number(f"networkInterfaces.0.{key}") for key in _ADDRESSES]
    unknown = first_unknown(given)
    if unknown or not any(given):
        return unknown or Unknown("the number of addresses of each machine (its network plugin may add some)")
    return 1 + sum(
        each * count for each, count in zip(given, _ADDRESSES.values(), strict=True) if isinstance(each, int)
    )
