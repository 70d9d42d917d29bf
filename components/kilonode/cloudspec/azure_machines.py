"""Sizes of control-plane machines by the region's ceiling, where a person names none."""

from dataclasses import dataclass

from kilonode.cloudspec.azure_sizes import SIZES, Size

_ETCD = "etcd docs, hardware recommendations: 8 vCPUs and 32 GB for 1,000 nodes, 16 and 64 GB for 3,000"
_API = "2021 post: up to 70-75 GB for each API server at 7,500 nodes; half of the memory is for the moment when watches come anew"


@dataclass(frozen=True)
class Step:
    """What a range of ceilings gets; ``nodes`` is the largest ceiling the step serves."""

    nodes: int
    size: str
    source: str


ETCD = (Step(1_000, "Standard_L8s_v3", _ETCD), Step(10_000, "Standard_L16s_v3", _ETCD))
API_SERVERS = (
    Step(500, "Standard_E8s_v5", _API),
    Step(3_000, "Standard_E16s_v5", _API),
    Step(10_000, "Standard_E32s_v5", _API),
)


def etcd_size(ceiling: int) -> Size:
    """The size of etcd members of a region of ``ceiling`` nodes."""
    return _step(ETCD, ceiling)


def api_server_size(ceiling: int) -> Size:
    """The size of API servers of a region of ``ceiling`` nodes."""
    return _step(API_SERVERS, ceiling)


def _step(steps: tuple[Step, ...], ceiling: int) -> Size:
    return next(SIZES[step.size] for step in steps if ceiling <= step.nodes)
