"""Labels and taints as tags: so the cluster autoscaler learns what a new node would be."""

from kilonode.nodes.labels import POOL_LABEL
from kilonode.nodes.spec import MachinePoolSpec
from kilonode.refusal import refuse

_WHY = "the autoscaler learns what a new node would be from tags, one for each key, and Azure compares their names without regard to case"


def check_labels(at: str, pool: MachinePoolSpec) -> None:
    """Refuse keys of the pool standing at ``at`` that would be one tag, the labels nodes have without being told among them.

    Raises:
        PydanticCustomError: with the first fault found.
    """
    seen: set[str] = set()
    for index, taint in enumerate(pool.taints):
        _once(f"{at}.taints[{index}].key", taint.key, seen)
    # The pool's own label may stand there as it is; MachinePoolSpec holds it to the pool's name.
    seen = {key.lower() for key in (POOL_LABEL, *pool.cloud_labels)} - ({POOL_LABEL} & pool.labels.keys())
    for key in pool.labels:
        if key in pool.cloud_labels:
            raise refuse(
                field=f"{at}.labels.{key}",
                given=pool.labels[key],
                allowed="a label that the pool's size does not give its nodes",
                why="by this label the autoscaler knows nodes whose GPUs are still to come",
                fix="remove it: nodes have this label without it",
            )
        _once(f"{at}.labels.{key}", key, seen)


def _once(field: str, key: str, seen: set[str]) -> None:
    if key.lower() in seen:
        raise refuse(
            field=field,
            given=key,
            allowed="each key once, however it is spelt",
            why=_WHY,
            fix="remove one of the two, or rename it",
        )
    seen.add(key.lower())
