"""A region's network as a Pulumi resource."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Interface, IPv4Network
from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.clouds.local.checks import changed, checked
from kilonode.clouds.local.host import names, netns
from kilonode.clouds.local.host.addresses import parsed
from kilonode.clouds.local.host.refusal import refused

_FIELDS = ("ranges", "gateway", "host_address")


class NetworkProvider(dynamic.ResourceProvider):
    """Makes, reads and removes networks. Its module path is recorded in states: do not move it."""

    serialize_as_secret_always = False

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Refuse malformed values, and ranges the host already uses, before anything is made."""
        return checked(news, lambda props: netns.refuse_overlaps(network_spec(props)))

    def diff(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.DiffResult:
        """Another region is another network; anything else changes in place, as does a network that lost a part."""
        if changed(olds, news, ("region",)):
            return dynamic.DiffResult(changes=True, replaces=["region"], delete_before_replace=True)
        whole = netns.complete(network_spec(olds))
        return dynamic.DiffResult(changes=bool(changed(olds, news, _FIELDS)) or not whole)

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Make what is missing of the network."""
        netns.ensure(network_spec(props))
        return dynamic.CreateResult(names.netns(props["region"]), _outputs(props))

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Report a network that is not whole as gone, so that the next run makes it again."""
        if netns.complete(network_spec(props)):
            return dynamic.ReadResult(id_, props)
        return dynamic.ReadResult(None, {})

    def update(self, _id: str, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        """Change addresses and routes in place; the machines stay on the bridge."""
        netns.ensure(network_spec(news))
        return dynamic.UpdateResult(_outputs(news))

    def delete(self, _id: str, props: dict[str, Any]) -> None:
        """Remove the namespace and the veth pair."""
        netns.remove(props["region"])


class Network(dynamic.Resource, module="local", name="Network"):
    """A network namespace with a bridge that every machine of the region is a port of, and a way in for the host.

    `ranges` are the CIDRs of the region; `gateway` is the bridge's address and `host_address` the host's own on that
    network, both as address/prefix. Machines name this resource in `depends_on`.
    """

    region: pulumi.Output[str]
    netns: pulumi.Output[str]
    """Name of the namespace, as `ip netns` knows it."""
    host_link: pulumi.Output[str]
    """Name of the host's interface to the region."""

    def __init__(
        self,
        name: str,
        *,
        region: str,
        ranges: Sequence[str],
        gateway: str,
        host_address: str,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props: dict[str, Any] = {
            "region": region,
            "ranges": list(ranges),
            "gateway": gateway,
            "host_address": host_address,
            "netns": None,
            "host_link": None,
        }
        super().__init__(NetworkProvider(), name, props, opts)


def network_spec(props: dict[str, Any]) -> netns.NetworkSpec:
    """Return the checked network that a resource's inputs stand for; raises RefusedError."""
    spec = netns.NetworkSpec(
        region=names.region_name(props["region"]),
        ranges=tuple(parsed("ranges", IPv4Network, each) for each in props["ranges"]),
        gateway=parsed("gateway", IPv4Interface, props["gateway"]),
        host_address=parsed("host_address", IPv4Interface, props["host_address"]),
    )
    for field, address in (("gateway", spec.gateway), ("host_address", spec.host_address)):
        if not any(address.ip in each for each in spec.ranges):
            raise refused(
                field,
                given=str(address),
                allowed=f"an address in {', '.join(map(str, spec.ranges))}",
                why="the region is one flat network",
                fix="take an address of the region's ranges",
            )
    if spec.gateway.ip == spec.host_address.ip:
        raise refused(
            "host_address",
            given=str(spec.host_address),
            allowed="another address than the gateway",
            why="the bridge holds that one",
            fix="take the next address",
        )
    return spec


def _outputs(props: dict[str, Any]) -> dict[str, Any]:
    region = props["region"]
    return {**props, "netns": names.netns(region), "host_link": names.host_link(region)}
