"""Tags: whose a resource is, and what the cluster autoscaler must know of a scale set that has no machine yet.

Azure allows no slash in a tag's name. The autoscaler reads ``_`` as ``/`` and ``~2`` as ``_`` there; no label or taint has a ``~``.
"""

from collections.abc import Mapping

from kilonode.clouds.azure.sets import ScaleSet, settings
from kilonode.limits import AZURE_TAG_NAME, AZURE_TAG_VALUE, AZURE_TAGS
from kilonode.nodes.kubelet import node_labels
from kilonode.nodes.labels import TaintSpec
from kilonode.nodes.spec import MachinePoolSpec

SOURCE = "https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/cloudprovider/azure/README.md"

_TEMPLATE = "k8s.io_cluster-autoscaler_node-template_"
LABEL, TAINT, RESOURCE = (f"{_TEMPLATE}{part}_" for part in ("label", "taint", "resources"))
ENABLED, CLUSTER = "cluster-autoscaler-enabled", "cluster-autoscaler-name"
"""By these two the autoscaler finds the scale sets of its own cluster."""

MIN, MAX = "min", "max"
REGION, ROLE, POOL = "kilonode-region", "kilonode-role", "kilonode-pool"
GPU = "nvidia.com/gpu"

_FORBIDDEN = "<>%&\\?/"


def escaped(key: str) -> str:
    """A label's or a taint's key as part of a tag's name."""
    return key.replace("_", "~2").replace("/", "_")


def unescaped(text: str) -> str:
    """What the autoscaler reads from it."""
    return text.replace("_", "/").replace("~2", "_")


def own_tags(region: str, role: str, given: Mapping[str, str], pool: str = "") -> dict[str, str]:
    """Tags of every resource: the person's, and whose it is."""
    return {**given, REGION: region, ROLE: role, **({POOL: pool} if pool else {})}


def autoscaler_tags(region: str, pool: MachinePoolSpec, scale_set: ScaleSet) -> dict[str, str]:
    """What the autoscaler must know of a set: whose it is, how far it may go, and what a node of it will be.

    Raises:
        ValueError: when Azure would not take them.
    """
    gpus = settings(pool).type.gpus
    found = {
        ENABLED: "true",
        CLUSTER: region,
        MIN: str(scale_set.min),
        MAX: str(scale_set.max),
        **{f"{LABEL}{escaped(key)}": value for key, value in sorted(node_labels(pool).items())},
        **{f"{TAINT}{escaped(taint.key)}": _taint(taint) for taint in pool.taints},
        **({f"{RESOURCE}{escaped(GPU)}": str(gpus)} if gpus else {}),
    }
    return fitting(found)


def fitting(tags: dict[str, str]) -> dict[str, str]:
    """``tags``, once Azure takes them.

    Raises:
        ValueError: naming what it would not take.
    """
    if len(tags) > AZURE_TAGS.value:
        raise ValueError(f"{len(tags)} tags: at most {AZURE_TAGS.value} ({AZURE_TAGS.source})")
    if len({name.lower() for name in tags}) < len(tags):
        raise ValueError(f"tags that differ by case only: {sorted(tags)}")
    for name, value in tags.items():
        for what, text, most in (("name", name, AZURE_TAG_NAME), ("value", value, AZURE_TAG_VALUE)):
            if len(text) > most.value:
                raise ValueError(
                    f"tag {name!r}: its {what} has {len(text)} characters, the limit is {most.value} ({most.source})"
                )
        if any(each in name for each in _FORBIDDEN):
            raise ValueError(f"tag {name!r}: none of {_FORBIDDEN} may be in its name ({AZURE_TAG_NAME.source})")
    return tags


def _taint(taint: TaintSpec) -> str:
    return f"{taint.value}:{taint.effect}"
