"""The API's load balancer: Azure's own, inside the network, at the planned address in every zone."""

import pulumi
import pulumi_azure_native as azure

from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.place import Place
from kilonode.cloudspec.azure_region import PROBE_EVERY, PROBE_FAILURES
from kilonode.cloudspec.locations import ZONES
from kilonode.tuning import Row

ROLE = "load-balancer"
FRONT, BACK, PROBE = "api", "api-servers", "ready"

IDLE = Row(
    "idleTimeoutInMinutes", 30,
    "the longest of internal use: a watch says nothing for minutes, and kubelets send keepalives every 30 s",
    "Azure default 4, at most 100: https://learn.microsoft.com/azure/load-balancer/load-balancer-tcp-reset",
)  # fmt: skip


class LoadBalancer:
    """The load balancer and where machines join it."""

    def __init__(self, place: Place, subnet: azure.network.Subnet, opts: pulumi.ResourceOptions) -> None:
        own = place.plan.load_balancer
        # Parts name each other by ids that exist only with the whole, so they are written out.
        base = pulumi.Output.concat(
            "/subscriptions/",
            place.client.subscription_id,
            f"/resourceGroups/{place.group}/providers/Microsoft.Network/loadBalancers/{own.name}",
        )

        def part(kind: str, name: str) -> azure.network.SubResourceArgs:
            return azure.network.SubResourceArgs(id=pulumi.Output.concat(base, f"/{kind}/{name}"))

        self.resource = azure.network.LoadBalancer(
            own.name,
            resource_group_name=place.group,
            load_balancer_name=own.name,
            location=place.location,
            tags=place.tags(ROLE),
            sku=azure.network.LoadBalancerSkuArgs(name="Standard", tier="Regional"),
            frontend_ip_configurations=[
                azure.network.FrontendIPConfigurationArgs(
                    name=FRONT,
                    subnet=azure.network.SubnetArgs(id=subnet.id),
                    private_ip_address=str(own.address),
                    private_ip_allocation_method="Static",
                    private_ip_address_version="IPv4",
                    zones=list(ZONES),
                )
            ],
            backend_address_pools=[azure.network.BackendAddressPoolArgs(name=BACK)],
            probes=[
                azure.network.ProbeArgs(
                    name=PROBE,
                    protocol="Https",
                    port=own.port,
                    request_path=own.probe_path,
                    interval_in_seconds=int(PROBE_EVERY.value),
                    probe_threshold=int(PROBE_FAILURES.value),
                )
            ],
            load_balancing_rules=[
                azure.network.LoadBalancingRuleArgs(
                    name=FRONT,
                    protocol="Tcp",
                    frontend_port=own.port,
                    backend_port=own.port,
                    frontend_ip_configuration=part("frontendIPConfigurations", FRONT),
                    backend_address_pools=[part("backendAddressPools", BACK)],
                    probe=part("probes", PROBE),
                    enable_floating_ip=False,
                    # Whoever's connection has timed out learns it at once, and not by a request that is never answered.
                    enable_tcp_reset=True,
                    idle_timeout_in_minutes=int(IDLE.value),
                    load_distribution="Default",
                    disable_outbound_snat=True,
                )
            ],
            opts=guarded("network:LoadBalancer", opts, subnet),
        )
        self.backend = pulumi.Output.concat(self.resource.id, f"/backendAddressPools/{BACK}")
        """The id of the pool that API servers' interfaces join."""
