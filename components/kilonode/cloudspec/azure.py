"""Azure as one of the clouds: its settings, and what every cloud is asked of a region."""

from collections.abc import Sequence
from typing import Any, Literal

from kilonode.cloudspec import azure_pool_check, azure_region
from kilonode.cloudspec.azure_settings import AzureSettings
from kilonode.etcd.spec import EtcdClusterSpec
from kilonode.network.spec import NetworkSpec
from kilonode.nodes.platform import MACHINE, NodePlatform
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec


class AzureCloudSpec(AzureSettings):
    """One location of Azure; the subscription is the provider's own setting, azure-native:subscriptionId."""

    @property
    def nodes(self) -> NodePlatform:
        """What a node's programs find on this cloud's machines: systemd and cgroup v2."""
        return MACHINE

    @property
    def reuses_addresses(self) -> bool:
        """Whether an address may belong to another machine within seconds: the fabric answers ARP itself."""
        return False

    @property
    def load_balancer(self) -> Literal["machine", "service"]:
        """The API's load balancer is Azure's own."""
        return "service"

    @property
    def probe_seconds(self) -> int:
        """Within how many seconds the load balancer sends nobody more to an API server that is not ready."""
        return int(azure_region.PROBE_EVERY.value) * (int(azure_region.PROBE_FAILURES.value) + 1)

    @property
    def planned_nodes(self) -> bool:
        """A scale set gives its machines their names and addresses."""
        return False

    @property
    def birth(self) -> dict[str, Any]:
        """What of this cloud cannot be edited on a living region."""
        return {
            "cloud": self.kind,
            "zones": list(self.zones),
            "location": self.location,
            "image": self.image.form,
        }

    def check(
        self,
        *,
        ceiling: int,
        network: NetworkSpec,
        etcd: Sequence[EtcdClusterSpec],
        pools: Sequence[SimulatedPoolSpec | MachinePoolSpec],
    ) -> None:
        """Refuse what does not go together with Azure; paths are those below the region.

        Raises:
            PydanticCustomError: with the first fault found.
        """
        azure_region.check_ranges(self, network)
        azure_region.check_machines(self, ceiling, etcd)
        for index, pool in enumerate(pools):
            azure_pool_check.check_pool(self, f"nodePools[{index}]", pool, network)
        azure_region.check_addresses(self, pools)

    def warnings(self, ceiling: int) -> list[str]:
        """What is allowed but unwise in a region of that ceiling, a sentence each."""
        return azure_region.warnings(self, ceiling)
