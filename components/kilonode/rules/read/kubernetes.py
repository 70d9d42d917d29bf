"""Resources of Kubernetes into facts."""

from collections.abc import Iterable
from typing import Any

from kilonode.rules.facts.machines import Options
from kilonode.rules.facts.workloads import PriorityClass, Workload
from kilonode.rules.read.resource import Resource, at, typed
from kilonode.rules.read.settings import flags
from kilonode.rules.read.snapshots import saves
from kilonode.rules.read.text import words
from kilonode.rules.unknown import Fact, Partial, Unknown

PREFIX = "kubernetes:"
RELEASE = "kubernetes:helm.sh/v3:Release"
PATCH = "Patch"
_AUTOSCALER = "cluster-autoscaler"
_PODS = {
    "Pod": "spec",
    "PodTemplate": "template.spec",
    "CronJob": "spec.jobTemplate.spec.template.spec",
    **dict.fromkeys(
        ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "ReplicationController", "Job"), "spec.template.spec"
    ),
}
_CONTAINERS = ("initContainers", "containers")
PAUSE = "pause"


def kind(resource: Resource) -> str | None:
    """The kind, whatever the version; None for another provider's."""
    return resource.type.rpartition(":")[2] if resource.type.startswith(PREFIX) else None


def workload(resource: Resource) -> Workload | None:
    """Pods of one kind; None for what makes none."""
    if resource.type == RELEASE:
        return _release(resource)
    patch = (kind(resource) or "").endswith(PATCH)
    path = _PODS.get((kind(resource) or "").removesuffix(PATCH))
    if path is None:
        return None
    spec = resource.get(path)
    images, arguments = _containers(spec)
    if patch and not isinstance(arguments, Unknown):
        arguments = Partial(dict(arguments), "what the patch leaves as it is")
    return Workload(
        resource.urn,
        _name(resource),
        images=images,
        arguments=arguments,
        priority_class=typed(at(spec, "priorityClassName"), str, "priorityClassName"),
        saves=kind(resource) == "CronJob" and _saves(spec),
    )


def _saves(spec: Any) -> Fact[bool]:
    """Whether one of the containers saves a snapshot of etcd, by the words of its command."""
    unknown: Unknown | None = None
    for each in _CONTAINERS:
        rows = typed(at(spec, each), list, each)
        for row in (rows,) if isinstance(rows, Unknown) else rows or ():
            given = [row] if isinstance(row, Unknown) else [*_list(at(row, "command")), *_list(at(row, "args"))]
            unknown = next((word for word in given if isinstance(word, Unknown)), unknown)
            if saves(" ".join(word for word in given if isinstance(word, str))):
                return True
    return unknown or False


def _release(resource: Resource) -> Workload | None:
    """A chart of the cluster autoscaler: what it makes of its values only Helm knows. Of other charts nothing is read."""
    names = [resource.get(path) for path in ("chart", "name")]
    if not any(isinstance(each, Unknown) or _AUTOSCALER in str(each) for each in (*names, resource.name)):
        return None
    made = Unknown("what Helm makes of the chart")
    return Workload(resource.urn, resource.name, images=made, arguments=made)


def _name(resource: Resource) -> str:
    found = resource.get("metadata.name")
    return found if isinstance(found, str) else resource.name


def _containers(spec: Any) -> tuple[Fact[tuple[str, ...]], Fact[Options]]:
    if isinstance(spec, Unknown):
        return spec, spec
    images: list[Any] = []
    arguments: dict[str, str] = {}
    unknown: Unknown | None = None
    for each in _CONTAINERS:
        rows = typed(at(spec, each), list, each)
        if isinstance(rows, Unknown):
            return rows, rows
        for row in rows or ():
            images.append(typed(at(row, "image"), str, f"{each}.image"))
            given = [*_list(at(row, "command")), *_list(at(row, "args"))]
            unknown = next((word for word in given if isinstance(word, Unknown)), unknown)
            arguments |= flags(_AUTOSCALER, [part for word in given if isinstance(word, str) for part in _split(word)])
    missing = next((image for image in images if isinstance(image, Unknown)), None)
    return (
        missing or tuple(image for image in images if image is not None),
        unknown or _settled(arguments),
    )


def _settled(arguments: dict[str, str]) -> Options:
    """Flags, of which those with a variable are not known: the kubelet or a shell puts its value in."""
    hidden = {name: value for name, value in arguments.items() if "$" in value}
    if not hidden:
        return arguments
    left = {name: value for name, value in arguments.items() if name not in hidden}
    return Partial(left, f"what {next(iter(hidden.values()))} holds", hidden)


def _split(word: str) -> list[str]:
    """A word, or the words of a shell line."""
    return words(word) if "--" in word and " " in word else [word]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def priority_classes(resources: Iterable[Resource], workloads: Iterable[Workload]) -> tuple[PriorityClass, ...]:
    """Classes, each with whether only pods that pause have it, or it is called a balloon's."""
    pods = tuple(workloads)
    return tuple(
        PriorityClass(each.urn, _name(each), each.number("value"), _balloon(_name(each), pods))
        for each in resources
        if kind(each) == "PriorityClass"
    )


def _balloon(name: str, pods: tuple[Workload, ...]) -> Fact[bool]:
    """Whether a class is of pods that only hold room: by its name, or because all that have it pause."""
    if any(word in name.lower() for word in ("balloon", "overprovision", "placeholder")):
        return True
    own = [each for each in pods if each.priority_class == name]
    for each in pods:
        if isinstance(each.priority_class, Unknown):
            return each.priority_class
        if each in own and isinstance(each.images, Unknown):
            return each.images
    return bool(own) and all(_pauses(each) for each in own)


def _pauses(each: Workload) -> bool:
    images = each.images
    return not isinstance(images, Unknown) and bool(images) and all(f"/{PAUSE}" in f"/{image}" for image in images)
