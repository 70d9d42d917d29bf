"""Resources of Kubernetes into facts."""

from collections.abc import Iterable, Iterator

from kilonode.rules.facts.workloads import CUTOFF, Autoscaler, PriorityClass, Workload
from kilonode.rules.go import whole
from kilonode.rules.read import pods
from kilonode.rules.read.resource import Resource, at, typed
from kilonode.rules.unknown import Fact, Partial, UndecidedError, Unknown, any_of, first_unknown, known

RELEASE = "kubernetes:helm.sh/v3:Release"
PATCH = "Patch"
_GROUPS = tuple(f"kubernetes:{group}/" for group in ("core", "apps", "batch", "extensions", "scheduling.k8s.io"))
"""Groups of Kubernetes' own kinds; in others the same names are somebody's."""

_CUTOFF = "expendable-pods-priority-cutoff"
_PODS = {
    "Pod": "spec",
    "PodTemplate": "template.spec",
    "CronJob": "spec.jobTemplate.spec.template.spec",
    **dict.fromkeys(
        ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "ReplicationController", "Job"), "spec.template.spec"
    ),
}


def kind(resource: Resource) -> str | None:
    """The kind of Kubernetes' own, whatever the version; None for a custom resource, and for another provider's."""
    return resource.type.rpartition(":")[2] if resource.type.startswith(_GROUPS) else None


def workload(resource: Resource) -> Workload | None:
    """Pods of one kind; None for what makes none."""
    if resource.type == RELEASE:
        return _release(resource)
    path = _PODS.get((kind(resource) or "").removesuffix(PATCH))
    if path is None:
        return None
    spec = resource.get(path)
    containers = pods.containers(spec)
    return Workload(
        resource.urn,
        _name(resource),
        images=pods.images(containers, spec),
        autoscalers=tuple(_autoscalers(resource, containers)),
        priority_class=typed(at(spec, "priorityClassName"), str, "priorityClassName"),
        pauses=_every(each.pauses for each in containers if not each.first),
        saves=_saves(resource, containers),
        schedule=typed(resource.get("spec.schedule"), str, "spec.schedule"),
    )


def _autoscalers(resource: Resource, containers: Iterable[pods.Container]) -> Iterator[Autoscaler]:
    """Each autoscaler among the containers, with its own flags; what has no replicas runs none."""
    if resource.number("spec.replicas") == 0:
        return
    for container in containers:
        for found in container.autoscalers():
            own = found
            if not isinstance(own, Unknown) and (kind(resource) or "").endswith(PATCH):
                own = Partial(dict(own), "what the patch leaves as it is")
            yield Autoscaler(resource.urn, own)


def _saves(resource: Resource, containers: Iterable[pods.Container]) -> Fact[bool]:
    """Whether it starts pods again and again that save a snapshot of etcd."""
    found = kind(resource) == "CronJob" and any_of(each.saves for each in containers)
    if found is False:
        return False
    stopped = [
        resource.truth("spec.suspend"),
        resource.truth("spec.jobTemplate.spec.suspend"),
        _none(resource.number("spec.jobTemplate.spec.parallelism")),
    ]
    stops = any_of(each or False for each in stopped)
    return stops if isinstance(stops, Unknown) else not stops and found


def _none(count: Fact[int | None]) -> Fact[bool]:
    """Whether a number that is given is 0."""
    return count if isinstance(count, Unknown) else count == 0


def _every(each: Iterable[Fact[bool]]) -> Fact[bool]:
    """Whether there are some, and all are so; Unknown where that hangs on those that nobody can tell of."""
    found = list(each)
    return False not in found and (first_unknown(found) or bool(found))


def _release(resource: Resource) -> Workload | None:
    """A chart of the cluster autoscaler: what it makes of its values only Helm knows. Of other charts nothing is read."""
    names = [resource.get(path) for path in ("chart", "name")]
    if not any(isinstance(each, Unknown) or pods.AUTOSCALER in str(each) for each in (*names, resource.name)):
        return None
    made = Unknown("what Helm makes of the chart")
    return Workload(resource.urn, resource.name, images=(made,), autoscalers=(Autoscaler(resource.urn, made),))


def _name(resource: Resource) -> str:
    found = resource.get("metadata.name")
    return found if isinstance(found, str) else resource.name


def priority_classes(resources: Iterable[Resource], workloads: Iterable[Workload]) -> tuple[PriorityClass, ...]:
    """Classes, each with whether only pods that pause have it, or it is called a balloon's."""
    own = tuple(workloads)
    cutoff = _cutoff(autoscaler for each in own for autoscaler in each.autoscalers)
    return tuple(
        PriorityClass(each.urn, _name(each), each.number("value"), _balloon(_name(each), own), cutoff)
        for each in resources
        if kind(each) == "PriorityClass"
    )


def _cutoff(autoscalers: Iterable[Autoscaler]) -> Fact[int]:
    """The priority below which the stack's autoscaler makes no nodes."""
    # Another resource's text is not told at a class.
    hidden = Unknown(f"--{_CUTOFF} of the autoscaler")
    found: set[int] = set()
    for each in autoscalers:
        try:
            given = known(each.arguments).get(_CUTOFF)
        except UndecidedError:
            return hidden
        number = CUTOFF if given is None else whole(given)
        if number is None:
            return hidden
        found.add(number)
    return hidden if len(found) > 1 else next(iter(found), CUTOFF)


def _balloon(name: str, workloads: tuple[Workload, ...]) -> Fact[bool]:
    """Whether a class is of pods that only hold room: by its name, or because all that have it pause."""
    if any(word in name.lower() for word in ("balloon", "overprovision", "placeholder")):
        return True
    own = _every(each.pauses for each in workloads if each.priority_class == name)
    hidden = (each.priority_class for each in workloads if isinstance(each.priority_class, Unknown))
    return next(hidden, own)
