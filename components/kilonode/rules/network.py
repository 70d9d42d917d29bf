"""Rules about addresses, and who may reach what."""

from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network
from math import ceil

from kilonode.network.pool import needed, prefix_of
from kilonode.rules import subjects
from kilonode.rules.facts.machines import Machine
from kilonode.rules.facts.network import Interface, LoadBalancer, Subnet
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.rule import Fault, rule
from kilonode.rules.subjects_balancers import api_balancers
from kilonode.rules.unknown import UndecidedError, Unknown, known


@rule(
    "public-address", subjects.interfaces, severity="critical", benchmark="CKV_AZURE_119, CKV_AWS_88",
    why="machines of a cluster go out through a gateway; nobody needs to come in from outside",
    source="checkov; Amazon VPC user guide, public addresses of subnets",
    fix="remove the public address; reach machines from the operators' networks; one that is the way in or out, as a bastion is, needs an "
    "exemption with its reason",
)  # fmt: skip
def public_address(own: Interface) -> Iterator[Fault]:
    """No machine has a public address."""
    if known(own.public):
        yield Fault("public address", "one", "none")


@rule(
    "api-private", api_balancers, severity="critical",
    why="the API is the key to every job and every secret",
    source="NSA and CISA, Kubernetes Hardening Guide",
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
    if (data := known(machine.data)) and known(data.passwords):
        fix = "set ssh_pwauth false in a cloud-config, or PasswordAuthentication no in sshd's configuration, and give a key"
        yield Fault("user data", "passwords", "keys alone", fix=fix)


@rule(
    "address-budget", subjects.subnets, severity="high", invariant=True,
    why="each pod has an address of the network; a subnet that is full stops the pool at that size",
    source="Azure/acs-engine#2284; Azure and AWS docs: five reserved per subnet", fix="use a larger range or fewer pods per node",
)  # fmt: skip
def budget(subnet: Subnet) -> Iterator[Fault]:
    """A subnet holds what its pools may become, with what comes before the old goes in an upgrade."""
    if not subnet.pools or not (given := known(subnet.ranges)):
        return
    each = [pool.addresses if pool.in_each is None else pool.in_each[subnet.key] for pool in subnet.pools]
    # Every machine has one at least: what is too small for that is too small for more.
    counted = [1 if isinstance(addresses, Unknown) else addresses for addresses in each]
    need, have = needed(*zip(map(_machines, subnet.pools), counted, strict=True)), sum(map(_size, given))
    if need > have:
        wanted = f"a /{prefix_of(need)} or larger: {need} are needed"
        which = f"{subnet.name}: " if subnet.name else ""
        yield Fault("addressPrefix", f"{which}{', '.join(given)}, {have} addresses", wanted)
    else:
        for addresses in each:
            known(addresses)


BATCH = 20
"""Percent of a set that are upgraded at once where nothing is said (Azure docs, rolling upgrades)."""


def _machines(pool: NodePool) -> int:
    """The most machines of a pool in one of its subnets: all of them, or those that a cloud puts there, which spreads them evenly."""
    most = known(pool.largest)
    if pool.rolling and known(pool.rolling.surge) and known(pool.rolling.mode) == "Rolling":
        batch = known(pool.rolling.batch)
        most += ceil(most * (BATCH if batch is None else batch) / 100)
    return ceil(most / max(1, len(known(pool.subnets)))) if pool.in_each is None else most


def _size(text: str) -> int:
    """Addresses of version 4, which every pod has one of; of a range of version 6 none."""
    try:
        found = ip_network(text, strict=False)
    except ValueError:
        raise UndecidedError(f"a range in {text!r}") from None
    return found.num_addresses if isinstance(found, IPv4Network) else 0


RULES = (public_address, api_private, ssh_keys, budget)
