"""The local cloud as a person writes it: one Linux machine."""

from collections.abc import Sequence
from typing import Any, Literal

from kilonode.etcd.spec import EtcdClusterSpec
from kilonode.network.spec import NetworkSpec
from kilonode.nodes.platform import CONTAINER, NodePlatform
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec
from kilonode.refusal import refuse
from kilonode.spec import Spec

PROBE_SECONDS = 3
"""haproxy's two probes, a second apart, and the one under way."""


class LocalCloudSpec(Spec):
    """One Linux machine: machines are systemd-nspawn containers that boot Debian with cloud-init."""

    kind: Literal["local"]
    """Where machines come from."""

    @property
    def zones(self) -> tuple[str, ...]:
        """Three in name only, so that spread and addresses are those of a real cloud."""
        return ("1", "2", "3")

    @property
    def nodes(self) -> NodePlatform:
        """What a node's programs find on this cloud's machines."""
        return CONTAINER

    @property
    def reuses_addresses(self) -> bool:
        """Whether an address may belong to another machine within seconds."""
        return False

    @property
    def load_balancer(self) -> Literal["machine", "service"]:
        """Whether the API's load balancer is one of the region's machines or the cloud's own."""
        return "machine"

    @property
    def probe_seconds(self) -> int:
        """Within how many seconds the load balancer sends nobody more to an API server that is not ready."""
        return PROBE_SECONDS

    @property
    def planned_nodes(self) -> bool:
        """Whether nodes have the names and addresses of the plan; else the cloud gives them."""
        return True

    @property
    def birth(self) -> dict[str, Any]:
        """What of this cloud cannot be edited on a living region."""
        return {"cloud": self.kind, "zones": list(self.zones)}

    def surge_nodes(self, pool: SimulatedPoolSpec | MachinePoolSpec) -> int:  # noqa: ARG002
        """Nodes above the pool's most while it is upgraded: none, a node is made anew in its own place."""
        return 0

    def check(
        self,
        *,
        ceiling: int,  # noqa: ARG002 - every cloud is asked alike
        network: NetworkSpec,  # noqa: ARG002
        etcd: Sequence[EtcdClusterSpec],  # noqa: ARG002
        pools: Sequence[SimulatedPoolSpec | MachinePoolSpec],
    ) -> None:
        """Refuse what does not go together with this cloud; paths are those below the region.

        Raises:
            PydanticCustomError: with the first fault found.
        """
        for index, pool in enumerate(pools):
            if isinstance(pool, MachinePoolSpec) and pool.azure is not None:
                raise refuse(
                    field=f"nodePools[{index}].azure",
                    given="settings for Azure",
                    allowed="no settings of another cloud where cloud.kind is local",
                    why="local nodes are containers of this host: nobody would read them",
                    fix="remove azure, or make the region on Azure",
                )

    def warnings(self, ceiling: int) -> list[str]:  # noqa: ARG002
        """What is allowed but unwise in a region of that ceiling, a sentence each."""
        return []
