"""Interfaces, load balancers and subnets of azure-native into facts."""

from typing import Any

from kilonode.rules.facts.network import Interface, LoadBalancer, Subnet
from kilonode.rules.read.azure.machines import name
from kilonode.rules.read.resource import Resource, at, typed, whole
from kilonode.rules.unknown import Fact, Unknown

_PROTOCOLS = {"https": "HTTPS", "http": "HTTP", "tcp": "TCP"}


def interface(resource: Resource) -> Interface:
    """An interface, by whether it has a public address."""
    return Interface(resource.urn, _public(resource, "ipConfigurations"))


def _public(resource: Resource, path: str) -> Fact[bool]:
    rows = resource.rows(path)
    if isinstance(rows, Unknown):
        return rows
    # An address that is still to be made is one, known or not.
    return any(at(row, "publicIPAddress") is not None for row in rows)


def load_balancer(resource: Resource) -> LoadBalancer:
    """A load balancer: its rules' ports, and the probe of the first of them."""
    probes = resource.rows("probes")
    probe = probes if isinstance(probes, Unknown) else (probes[0] if probes else {})
    protocol = typed(at(probe, "protocol"), str, "probes.protocol")
    return LoadBalancer(
        resource.urn,
        name(resource, "loadBalancerName"),
        _ports(resource.rows("loadBalancingRules")),
        _public(resource, "frontendIPConfigurations"),
        _PROTOCOLS.get(protocol.lower(), protocol) if isinstance(protocol, str) else protocol,
        typed(at(probe, "requestPath"), str, "probes.requestPath"),
    )


def _ports(rules: Fact[list[Any]]) -> Fact[tuple[int, ...]]:
    if isinstance(rules, Unknown):
        return rules
    found = [whole(at(row, "frontendPort"), "loadBalancingRules.frontendPort") for row in rules]
    return next(
        (each for each in found if isinstance(each, Unknown)), tuple(each for each in found if isinstance(each, int))
    )


def subnet(resource: Resource) -> Subnet:
    """A subnet."""
    return Subnet(resource.urn, resource.text("addressPrefix"))
