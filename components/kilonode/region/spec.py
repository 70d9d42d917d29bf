"""A region's spec: all that a person decides, checked as a whole before anything is created."""

from collections.abc import Iterable
from itertools import combinations
from typing import Annotated

from pydantic import Field, model_validator

from kilonode.apiserver.spec import ApiServersSpec
from kilonode.cloudspec.choose import CloudSpec
from kilonode.etcd.spec import EtcdClusterSpec
from kilonode.limits import NODES, RESERVED_PER_SUBNET
from kilonode.names import RegionName
from kilonode.network.pool import needed
from kilonode.network.slots import FIXED_PREFIX
from kilonode.network.spec import NetworkSpec
from kilonode.nodes.spec import MachinePoolSpec, NodePoolSpec, SimulatedPoolSpec
from kilonode.refusal import refuse
from kilonode.spec import Spec


class RegionSpec(Spec):
    """One cluster in one place."""

    name: RegionName
    """Part of the name of every machine, certificate and etcd member."""

    cloud: CloudSpec
    """Where machines come from."""

    ceiling: Annotated[int, Field(ge=1, le=NODES.value)]
    """The most nodes the region will ever have, chosen at birth: control-plane sizes derive from it, up to 10,000."""

    network: NetworkSpec
    """Every address follows from it."""

    etcd: Annotated[tuple[EtcdClusterSpec, ...], Field(strict=False)] = (
        EtcdClusterSpec(name="main"),
        EtcdClusterSpec(name="events"),
    )
    """The etcd clusters, each a row with members of its own; fixed at birth."""

    api_servers: ApiServersSpec = ApiServersSpec()
    """The machines that run the control plane's programs."""

    node_pools: Annotated[tuple[NodePoolSpec, ...], Field(strict=False)] = ()
    """Nodes that differ only by name, a row per pool."""

    @property
    def simulated_pools(self) -> tuple[SimulatedPoolSpec, ...]:
        """The pools that kwok plays."""
        return tuple(pool for pool in self.node_pools if isinstance(pool, SimulatedPoolSpec))

    @property
    def machine_pools(self) -> tuple[MachinePoolSpec, ...]:
        """The pools whose nodes are machines of the cloud."""
        return tuple(pool for pool in self.node_pools if isinstance(pool, MachinePoolSpec))

    @model_validator(mode="after")
    def _whole(self) -> "RegionSpec":
        _unique("etcd", "name", [cluster.name for cluster in self.etcd])
        _unique("nodePools", "name", [pool.name for pool in self.node_pools])
        _unique("nodePools", "simulator", [getattr(pool, "simulator", None) for pool in self.node_pools])
        self._has_main()
        self._events_apart()
        self.cloud.check(ceiling=self.ceiling, network=self.network, etcd=self.etcd, pools=self.node_pools)
        self._under_ceiling()
        self._pools_fit()
        return self

    def _has_main(self) -> None:
        if "main" not in {cluster.name for cluster in self.etcd}:
            raise refuse(
                field="etcd",
                given=[cluster.name for cluster in self.etcd],
                allowed="a list with the cluster 'main' in it",
                why="every key that no other cluster takes lives there",
                fix="add {name: main}",
            )

    def _events_apart(self) -> None:
        if "events" not in {cluster.name for cluster in self.etcd}:
            raise refuse(
                field="etcd",
                given=[cluster.name for cluster in self.etcd],
                allowed="a list with the cluster 'events' in it",
                why="a burst of Events must not slow the other keys (2018 post)",
                fix="add {name: events}",
                rule="etcd-events-apart",
            )

    def _under_ceiling(self) -> None:
        nodes = sum(pool.most for pool in self.node_pools)
        if nodes > self.ceiling:
            raise refuse(
                field="nodePools",
                given=f"{nodes} nodes in all",
                allowed=f"at most the ceiling of {self.ceiling}",
                why="etcd, API servers and sysctls are sized by the ceiling, chosen when the region is made",
                fix="use fewer nodes, or make the region with a higher ceiling",
            )

    def _pools_fit(self) -> None:
        fixed = next(self.network.range.subnets(new_prefix=FIXED_PREFIX))
        for index, pool in enumerate(self.node_pools):
            field = f"nodePools[{index}].range"
            nodes, surge = max(1, pool.most), self.cloud.surge_nodes(pool)
            wanted = needed((nodes + surge, pool.pods_per_node + 1))
            need = pool.needed_prefix(surge)
            counted = f"({nodes} nodes + {surge} surge)" if surge else f"{nodes} nodes"
            if pool.addresses.capacity < nodes + surge:
                raise refuse(
                    field=field,
                    given=pool.range,
                    allowed=f"a /{need} or larger",
                    why=f"{counted} × ({pool.pods_per_node} pods + 1) + {RESERVED_PER_SUBNET.value} reserved "
                    f"= {wanted} addresses, it has {pool.range.num_addresses}",
                    fix=f"use a /{need}, fewer nodes or fewer podsPerNode",
                    rule="address-budget",
                )
            if not pool.range.subnet_of(self.network.range):
                raise refuse(
                    field=field,
                    given=pool.range,
                    allowed=f"a range inside network.range {self.network.range}",
                    why="nodes and pods have native addresses on the region's own network",
                    fix="move it inside, or make network.range larger",
                )
            if pool.range.overlaps(fixed):
                raise refuse(
                    field=field,
                    given=pool.range,
                    allowed=f"a range outside {fixed}",
                    why=f"the first /{FIXED_PREFIX} of network.range belongs to the fixed machines",
                    fix="use a later part of network.range",
                )
        for (one, first), (two, second) in combinations(enumerate(self.node_pools), 2):
            if first.range.overlaps(second.range):
                raise refuse(
                    field=f"nodePools[{two}].range",
                    given=second.range,
                    allowed=f"a range that does not overlap nodePools[{one}].range {first.range}",
                    why="an address would belong to two nodes",
                    fix="use another part of network.range",
                )

    def warnings(self) -> list[str]:
        """What is allowed but unwise, a sentence each."""
        found = [warning for cluster in self.etcd for warning in cluster.warnings()]
        found += [warning for pool in self.machine_pools for warning in pool.warnings()]
        found += self.cloud.warnings(self.ceiling)
        if self.machine_pools and not any(pool.takes_any_pod for pool in self.machine_pools):
            found.append("every pool of machines has taints: cluster DNS finds no node, so names do not resolve")
        if self.api_servers.count == 1:
            found.append("apiServers.count is 1: its restart is an outage of the whole control plane")
        return found


def _unique(field: str, key: str, names: Iterable[str | int | None]) -> None:
    """Refuse a value that two rows have; None is a row that has no such key."""
    seen: set[str | int] = set()
    for index, name in enumerate(names):
        if name is None:
            continue
        if name in seen:
            raise refuse(
                field=f"{field}[{index}].{key}",
                given=name,
                allowed=f"a {key} that no other row of the list has",
                why="machines, certificates and addresses follow from it",
                fix=f"give one of the two rows another {key}, or remove it",
            )
        seen.add(name)
