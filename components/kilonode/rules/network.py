"""Rules about addresses, and who may reach what."""

from collections.abc import Iterator
from ipaddress import ip_network

from kilonode.limits import RESERVED_PER_SUBNET
from kilonode.rules import subjects
from kilonode.rules.facts import Interface, LoadBalancer, Machine, NodePool, Subnet
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import known


@rule(
    "public-address", subjects.interfaces, severity="critical", benchmark="CKV_AZURE_119, CKV_AWS_88",
    why="machines of a cluster go out through a gateway; nobody needs to come in from outside", source="CIS; design",
    fix="remove the public address; reach machines from the operators' networks",
)  # fmt: skip
def public_address(own: Interface) -> Iterator[Fault]:
    """No machine has a public address."""
    if known(own.public):
        yield Fault("public address", "one", "none")


@rule(
    "api-private", subjects.api_balancers, severity="critical",
    why="the API is the key to every job and every secret", source="CIS; design",
    fix="use an internal load balancer",
)  # fmt: skip
def api_private(balancer: LoadBalancer) -> Iterator[Fault]:
    """The API is reached from inside only."""
    if known(balancer.public):
        yield Fault("frontend", "a public address", "an internal one")


@rule(
    "ssh-keys-only", subjects.logins, severity="critical", benchmark="CKV_AZURE_49, CKV_AZURE_178",
    why="passwords are guessed", source="checkov", fix="set disablePasswordAuthentication true, and give a key",
)  # fmt: skip
def ssh_keys(machine: Machine | NodePool) -> Iterator[Fault]:
    """Nobody logs in with a password."""
    if known(machine.passwords):
        yield Fault("osProfile.linuxConfiguration.disablePasswordAuthentication", "not true", "true")


@rule(
    "address-budget", subjects.subnets, severity="high", invariant=True,
    why="each pod has an address of the network; a subnet that is full stops the pool at that size",
    source="Azure/acs-engine#2284; Azure and AWS docs: five reserved per subnet", fix="use a larger range or fewer pods per node",
)  # fmt: skip
def budget(subnet: Subnet) -> Iterator[Fault]:
    """A subnet holds what its pools may become."""
    if not subnet.pools or (given := known(subnet.range)) is None:
        return
    counted = [(known(pool.most) or known(pool.capacity) or 0, known(pool.addresses)) for pool in subnet.pools]
    need = sum(nodes * each for nodes, each in counted) + RESERVED_PER_SUBNET.value
    if need > (have := ip_network(given).num_addresses):
        yield Fault(
            "addressPrefix",
            f"{given}, {have} addresses",
            f"a /{32 - (need - 1).bit_length()} or larger: {need} are needed",
        )


RULES = (public_address, api_private, ssh_keys, budget)
