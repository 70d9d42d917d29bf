"""Resources of any of the clouds into the facts of one stack; machines are grouped by what their user data says."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kilonode.rules.facts.machines import Machine
from kilonode.rules.facts.network import Interface, LoadBalancer, Subnet
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.stack import Facts, Stack, Tagged
from kilonode.rules.facts.storage import Storage
from kilonode.rules.read import (
    aws,
    aws_addresses,
    aws_launch,
    aws_network,
    aws_pools,
    aws_storage,
    aws_volumes,
    kubernetes,
)
from kilonode.rules.read.azure import balancers as azure_balancers
from kilonode.rules.read.azure import kinds
from kilonode.rules.read.azure import machines as azure_machines
from kilonode.rules.read.azure import network as azure_network
from kilonode.rules.read.azure import pools as azure_pools
from kilonode.rules.read.azure import storage as azure_storage
from kilonode.rules.read.azure.extensions import Extensions
from kilonode.rules.read.controlplane import control_plane
from kilonode.rules.read.region import total
from kilonode.rules.read.resource import Resource, holds_secrets, secrets, typed, urn_of
from kilonode.rules.read.stateful import keepers, with_what_they_hold
from kilonode.rules.shown import hideable
from kilonode.rules.unknown import Unknown

_STACK, _PROVIDERS = "pulumi:pulumi:Stack", "pulumi:providers:"
_AWS, _DEFAULT_TAGS, _TAGS_ALL = f"{_PROVIDERS}aws", "defaultTags", "tagsAll"


def read_facts(given: Iterable[Resource]) -> Facts:
    """The facts of a stack's resources."""
    every = tuple(given)
    resources = [each for each in every if not each.type.startswith(_PROVIDERS)]
    by_cloud = _Clouds(resources)
    pools, machines = by_cloud.pools(), by_cloud.machines()
    workloads = tuple(each for each in map(kubernetes.workload, resources) if each is not None)
    plane = control_plane(machines, pools, total(pools))
    return Facts(
        stack=_stack(
            resources, tagging=any(each.get(_DEFAULT_TAGS) is not None for each in every if each.type == _AWS)
        ),
        machines=machines,
        clusters=plane.clusters,
        api_servers=plane.api_servers,
        pools=pools,
        balancers=by_cloud.balancers(),
        subnets=_with_pools(by_cloud.subnets(), pools),
        storage=(*with_what_they_hold(by_cloud.storage(), resources), *keepers(resources)),
        workloads=workloads,
        priority_classes=kubernetes.priority_classes(resources, workloads),
        interfaces=(*by_cloud.interfaces(), *(Interface(pool.resource, pool.public) for pool in pools)),
        nodes=plane.nodes,
        unread=plane.unread,
        apart=plane.apart,
        uncounted=plane.uncounted,
        sealed=by_cloud.sealed(resources),
        secrets=frozenset(
            text
            for each in every
            for place in (each.properties, each.outputs)
            for text in map(hideable, secrets(place))
            if text
        ),
    )


class _Clouds:
    """The resources of each cloud, and what they name each other by."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._azure = [(kind, each) for each in resources if (kind := kinds.kind(each))]
        self._aws = [each for each in resources if each.type.startswith("aws:")]
        self._azure_balancing = azure_balancers.Balancing.read(self._azure)
        extensions = Extensions(self._azure)
        self._scripts = {each.urn: extensions.of(each) for each in self._native(kinds.MACHINE, kinds.SCALE_SET)}
        self._balancing = aws_network.Balancing.read(self._aws)
        self._held = aws_volumes.attached(self._aws, self._of(*aws.INSTANCES, aws.GROUP))

    def machines(self) -> tuple[Machine, ...]:
        """Virtual machines and instances."""
        disks, cards = map(self._native, (kinds.DISK, kinds.INTERFACE))
        templates, subnets, own = self._of(*aws.TEMPLATES), self._of(aws.SUBNET), self._of(*aws.INSTANCES)
        before = self._balancing.before(own)
        return (
            *(
                azure_machines.machine(each, disks, self._azure_balancing.of(each, cards), self._scripts[each.urn])
                for each in self._native(kinds.MACHINE)
            ),
            *(aws.machine(each, templates, subnets, before[each.urn], self._held[each.urn]) for each in own),
        )

    def pools(self) -> tuple[NodePool, ...]:
        """Scale sets and auto scaling groups."""
        templates, subnets, groups = self._of(*aws.TEMPLATES), self._of(aws.SUBNET), self._of(aws.GROUP)
        own, before = self._azure_subnets(), self._balancing.before_groups(groups)
        keys = aws_pools.tagged(self._of(aws_pools.TAG), groups)
        return (
            *(
                azure_pools.scale_set(each, own, self._azure_balancing.of_set(each), self._scripts[each.urn])
                for each in self._native(kinds.SCALE_SET)
            ),
            *(
                aws_pools.group(each, templates, subnets, before[each.urn], self._held[each.urn], keys[each.urn])
                for each in groups
            ),
        )

    def interfaces(self) -> tuple[Interface, ...]:
        """Whatever may have a public address."""
        return (
            *azure_network.interfaces(self._native(kinds.INTERFACE), self._native(kinds.MACHINE)),
            *aws_addresses.interfaces(
                self._aws, self._of(*aws.INSTANCES), self._of(*aws.TEMPLATES), self._of(aws.SUBNET)
            ),
        )

    def balancers(self) -> tuple[LoadBalancer, ...]:
        """Load balancers."""
        return (
            *self._azure_balancing.load_balancers(),
            *self._balancing.load_balancers(),
        )

    def subnets(self) -> tuple[Subnet, ...]:
        """Subnets."""
        return (
            *map(azure_network.subnet, self._azure_subnets()),
            *map(aws_network.subnet, self._of(aws.SUBNET)),
        )

    def storage(self) -> tuple[Storage, ...]:
        """Stores of blobs."""
        return (*azure_storage.stores(self._azure), *aws_storage.stores(self._aws))

    def _azure_subnets(self) -> list[Resource]:
        return azure_network.subnets(self._native(kinds.SUBNET), self._native(kinds.NETWORK))

    def sealed(self, resources: Iterable[Resource]) -> frozenset[str]:
        """Resources with text that is a secret, and those that are made from such a template, or run what is protected."""
        own = {each.urn for each in resources if holds_secrets(each.properties)}
        own |= {
            urn
            for urn, scripts in self._scripts.items()
            if not isinstance(scripts, Unknown) and any(each.protected for each in scripts)
        }
        made, templates = self._of(*aws.INSTANCES, aws.GROUP), self._of(*aws.TEMPLATES)
        return frozenset(own | {each.urn for each in made if urn_of(aws_launch.template_of(each, templates)) in own})

    def _native(self, *wanted: str) -> list[Resource]:
        return [each for kind, each in self._azure if kind in wanted]

    def _of(self, *kinds: str) -> list[Resource]:
        return [each for each in self._aws if each.type in kinds]


def _with_pools(subnets: Iterable[Subnet], pools: Sequence[NodePool]) -> tuple[Subnet, ...]:
    """Each subnet with the pools in it; one whose subnets are not known yet is nowhere yet."""

    def inside(pool: NodePool, subnet: Subnet) -> bool:
        return not isinstance(pool.subnets, Unknown) and subnet.key in pool.subnets

    return tuple(replace(each, pools=tuple(pool for pool in pools if inside(pool, each))) for each in subnets)


def _stack(resources: Sequence[Resource], *, tagging: bool) -> Stack:
    """The stack; ``tagging`` where a provider adds tags of its own."""
    urn = next((each.urn for each in resources if each.type == _STACK), "the stack")
    counted = [each for each in resources if each.type != _STACK]
    # What is only read is tagged by its own program.
    tagged = [_tagged(each, tagging=tagging) for each in counted if _taggable(each) and not each.external]
    return Stack(urn, len(counted), tuple(tagged))


def _taggable(resource: Resource) -> bool:
    return kinds.kind(resource) in kinds.TAGGABLE or resource.type in aws.TAGGABLE


def _tagged(resource: Resource, *, tagging: bool) -> Tagged:
    """The tags that its program gives it, and on AWS those that its provider does, once that has answered."""
    tags, answered = typed(resource.get("tags"), dict, "tags"), resource.outputs.get(_TAGS_ALL)
    if isinstance(answered, dict):
        return Tagged(resource.urn, _carried(answered) | _carried(tags))
    more = Unknown(f"{_TAGS_ALL}, with the provider's {_DEFAULT_TAGS},") if tagging else None
    return Tagged(
        resource.urn,
        tags if isinstance(tags, Unknown) else _carried(tags),
        more if resource.type in aws.TAGGABLE else None,
        any_case=kinds.kind(resource) is not None,
    )


def _carried(tags: object) -> frozenset[str]:
    """Names of tags; one with no value at all is not given."""
    return (
        frozenset(name for name, value in tags.items() if value is not None) if isinstance(tags, dict) else frozenset()
    )
