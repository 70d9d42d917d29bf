"""The region's networks: one or more, peered, with a subnet for each slot and pool, a way out, and the API's name."""

from typing import Any

import pulumi
import pulumi_azure_native as azure

from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.place import ROLE, Place
from kilonode.clouds.azure.rules import ANY, Rule
from kilonode.clouds.azure.vnets import AzureSubnet, Peering, VNet
from kilonode.cloudspec.locations import ZONES
from kilonode.tuning import Row

API_RECORD = "api"
DIRECT = ("Microsoft.KeyVault", "Microsoft.Storage")
"""Services that subnets reach without their gateway: service endpoints, which cost nothing
(https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview)."""

NAT_IDLE = Row(
    "idleTimeoutInMinutes", 4,
    "a longer one holds ports of connections that died without a word; pulls and heartbeats are busier than that",
    "Azure default, stated: https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource#idle-timeout",
)  # fmt: skip
RECORD_TTL = Row(
    "ttl", 300, "seconds; the address is planned and never moves", "Azure default for private zones, 3600, shortened"
)


class Network(pulumi.ComponentResource):
    """All networks of a region. Outputs: ``subnets``, ids by name."""

    def __init__(self, place: Place, opts: pulumi.ResourceOptions) -> None:
        super().__init__("kilonode:azure:Network", f"{place.plan.name}-network", None, opts)
        self._place = place
        self._inside = pulumi.ResourceOptions(parent=self, depends_on=[place.resource])
        self._where: dict[str, Any] = {
            "resource_group_name": place.group,
            "location": place.location,
            "tags": place.tags(ROLE),
        }
        self._networks: dict[str, azure.network.VirtualNetwork] = {}
        self._last: dict[str, pulumi.Resource] = {}
        """The last write to each network: Azure refuses a second one while one goes on."""

        self.subnets: dict[str, azure.network.Subnet] = {}
        for vnet in place.plan.vnets:
            self._vnet(vnet)
        for peering in place.plan.peerings:
            self._peering(peering)
        self._names()
        self.register_outputs({"subnets": {name: subnet.id for name, subnet in self.subnets.items()}})

    def _vnet(self, vnet: VNet) -> None:
        made = azure.network.VirtualNetwork(
            vnet.name,
            virtual_network_name=vnet.name,
            address_space=azure.network.AddressSpaceArgs(address_prefixes=[str(vnet.range)]),
            **self._where,
            opts=guarded("network:VirtualNetwork", self._inside),
        )
        self._networks[vnet.name] = self._last[vnet.name] = made
        nat = self._nat(vnet)
        for subnet in vnet.subnets:
            self._subnet(subnet, nat)

    def _nat(self, vnet: VNet) -> azure.network.NatGateway:
        prefix = azure.network.PublicIPPrefix(
            f"{vnet.nat.name}-out",
            public_ip_prefix_name=vnet.nat.name,
            prefix_length=vnet.nat.prefix_length,
            sku=azure.network.PublicIPPrefixSkuArgs(name="Standard", tier="Regional"),
            # Addresses of all zones; the gateway itself is in one that Azure chooses, and its loss takes the network's way out.
            zones=list(ZONES),
            **self._where,
            opts=guarded("network:PublicIPPrefix", self._inside),
        )
        return azure.network.NatGateway(
            f"{vnet.nat.name}-nat",
            nat_gateway_name=vnet.nat.name,
            sku=azure.network.NatGatewaySkuArgs(name="Standard"),
            public_ip_prefixes=[azure.network.SubResourceArgs(id=prefix.id)],
            idle_timeout_in_minutes=int(NAT_IDLE.value),
            **self._where,
            opts=guarded("network:NatGateway", self._inside),
        )

    def _subnet(self, subnet: AzureSubnet, nat: azure.network.NatGateway) -> None:
        group = azure.network.NetworkSecurityGroup(
            subnet.security_group,
            network_security_group_name=subnet.security_group,
            security_rules=[_rule(rule) for rule in subnet.rules],
            **self._where,
            opts=guarded("network:NetworkSecurityGroup", self._inside),
        )
        self.subnets[subnet.name] = self._last[subnet.vnet] = azure.network.Subnet(
            f"{self._place.plan.name}-subnet-{subnet.name}",
            resource_group_name=self._place.group,
            virtual_network_name=subnet.vnet,
            subnet_name=subnet.name,
            address_prefix=str(subnet.range),
            network_security_group=azure.network.NetworkSecurityGroupArgs(id=group.id),
            nat_gateway=azure.network.SubResourceArgs(id=nat.id),
            # Secrets, marks, snapshots and checkpoints go straight there, and neither wait for nor fill the gateway.
            service_endpoints=[
                azure.network.ServiceEndpointPropertiesFormatArgs(service=service, locations=[self._place.location])
                for service in DIRECT
            ],
            # Nothing else goes out but through the gateway: Azure's own way out has addresses nobody knows.
            default_outbound_access=False,
            opts=guarded("network:Subnet", self._inside, self._last[subnet.vnet]),
        )

    def _peering(self, peering: Peering) -> None:
        made = azure.network.VirtualNetworkPeering(
            peering.name,
            resource_group_name=self._place.group,
            virtual_network_name=peering.vnet,
            virtual_network_peering_name=peering.name,
            remote_virtual_network=azure.network.SubResourceArgs(id=self._networks[peering.remote].id),
            allow_virtual_network_access=True,
            allow_forwarded_traffic=False,
            allow_gateway_transit=False,
            use_remote_gateways=False,
            opts=guarded(
                "network:VirtualNetworkPeering", self._inside, self._last[peering.vnet], self._last[peering.remote]
            ),
        )
        # A peering writes to both.
        self._last[peering.vnet] = self._last[peering.remote] = made

    def _names(self) -> None:
        plan = self._place.plan
        zone = azure.privatedns.PrivateZone(
            f"{plan.name}-zone",
            resource_group_name=self._place.group,
            private_zone_name=plan.dns_zone,
            location="Global",
            opts=guarded("privatedns:PrivateZone", self._inside),
        )
        for name, network in self._networks.items():
            azure.privatedns.VirtualNetworkLink(
                f"{name}-link",
                resource_group_name=self._place.group,
                private_zone_name=plan.dns_zone,
                virtual_network_link_name=name,
                location="Global",
                registration_enabled=False,
                virtual_network=azure.privatedns.SubResourceArgs(id=network.id),
                opts=guarded("privatedns:VirtualNetworkLink", self._inside, zone, self._last[name]),
            )
        azure.privatedns.PrivateRecordSet(
            f"{plan.name}-zone-{API_RECORD}",
            resource_group_name=self._place.group,
            private_zone_name=plan.dns_zone,
            record_type="A",
            relative_record_set_name=API_RECORD,
            ttl=int(RECORD_TTL.value),
            a_records=[azure.privatedns.ARecordArgs(ipv4_address=str(plan.load_balancer.address))],
            opts=guarded("privatedns:PrivateRecordSet", self._inside, zone),
        )


def _rule(rule: Rule) -> azure.network.SecurityRuleArgs:
    """One source is written in one property, several in another."""
    several = len(rule.sources) > 1
    return azure.network.SecurityRuleArgs(
        name=rule.name,
        priority=rule.priority,
        direction="Inbound",
        access=rule.access,
        protocol=rule.protocol,
        source_port_range=ANY,
        source_address_prefix=None if several else rule.sources[0],
        source_address_prefixes=list(rule.sources) if several else None,
        destination_port_range=rule.port,
        destination_address_prefix=ANY,
        description=rule.why,
    )
