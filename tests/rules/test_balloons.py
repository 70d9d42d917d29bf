"""Classes of pods that hold room, and the priority below which the stack's autoscaler makes no nodes."""

from typing import Any

import pytest

from kilonode.rules.read.resource import Resource
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import DIGEST, Foreign
from tests.rules.judged import said
from tests.rules.written import made

CUTOFF = "expendable-pods-priority-cutoff"


def room(value: int, *images: Any, name: str = "room", first: str = "") -> list[Resource]:
    """A class, and a pod that has it."""
    spec = {
        "priorityClassName": name,
        "containers": [{"image": image, "command": ["/pause"]} for image in images],
        "initContainers": [{"image": first, "command": ["true"]}] if first else [],
    }
    return [
        made("kubernetes:scheduling.k8s.io/v1:PriorityClass", name, {"metadata": {"name": name}, "value": value}),
        *([made("kubernetes:core/v1:Pod", "pod", {"spec": spec})] if images else []),
    ]


def kinds(resources: list[Resource]) -> set[type]:
    return {type(each) for each in said("balloon-priority", resources)}


@pytest.mark.parametrize(
    ("images", "kind"),
    [
        (("registry.k8s.io/pause:3.10",), {Violation}),
        (("registry.k8s.io/pause-amd64:3.1",), {Violation}),
        (("rancher/mirrored-pause:3.6",), {Violation}),
        ((f"pause{DIGEST}", "pause:3"), {Violation}),
        (("registry.example.com/pause/app:v1",), set()),
        (("registry.example.com/pauseless:v1",), set()),
        (("pause:3", "app:v1"), set()),
        ((Unknown("image"),), {Undecided}),
        ((Unknown("image"), "app:v1"), set()),
        ((Unknown("image"), "pause:3"), {Undecided}),
    ],
)
@pytest.mark.parametrize("first", ["", "busybox:1"])
def test_a_class_is_a_balloons_if_all_that_stays_of_its_pods_pauses(
    images: tuple[Any, ...], kind: set[type], first: str
) -> None:
    assert kinds(room(1000, *images, first=first)) == kind


def test_a_pod_without_containers_pauses_as_little_as_none() -> None:
    assert kinds(room(1000)) == set()


@pytest.mark.parametrize(
    ("value", "cutoff", "kind"),
    [
        (-5, None, set()),
        (-11, None, {Violation}),
        (-5, "0", {Violation}),
        (-5, "-5", set()),
        (-5, "-4", {Violation}),
        (-100, "-1000", set()),
        (5, "-1000", {Violation}),
        (-5, "$(CUTOFF)", {Undecided}),
        (5, "$(CUTOFF)", {Violation}),
        (-5, "many", {Undecided}),
        (-16, "-0x10", set()),
    ],
)
def test_a_balloon_is_seen_by_the_autoscaler_of_its_stack(value: int, cutoff: str | None, kind: set[type]) -> None:
    of = Foreign()
    of.balloon = value
    if cutoff is not None:
        of.autoscaler[CUTOFF] = cutoff
    assert kinds(of.resources()) == kind


def test_where_the_autoscaler_looks_past_the_balloon_its_flag_is_named() -> None:
    of = Foreign()
    of.autoscaler[CUTOFF] = "0"
    (found,) = said("balloon-priority", of.resources())
    assert isinstance(found, Violation)
    assert (found.value, found.limit) == ("-10", f"0 or more, the autoscaler's --{CUTOFF}")
    assert f"--{CUTOFF}=-10" in found.fix


def test_what_stands_in_the_autoscalers_flags_is_not_told_at_a_class() -> None:
    of = Foreign()
    of.autoscaler[CUTOFF] = "hunter2$(CUTOFF)"
    (found,) = said("balloon-priority", of.resources())
    assert isinstance(found, Undecided)
    assert found.field == f"--{CUTOFF} of the autoscaler"


def scaler(cutoff: int) -> Resource:
    spec = {
        "containers": [{"image": "cluster-autoscaler", "command": ["./cluster-autoscaler", f"--{CUTOFF}={cutoff}"]}]
    }
    return made("kubernetes:core/v1:Pod", f"scaler{cutoff}", {"spec": spec})


def test_of_two_autoscalers_nobody_can_tell_which_one_is_meant() -> None:
    own = room(-5, name="balloon")
    assert kinds([*own, scaler(0), scaler(-10)]) == {Undecided}
    assert kinds([*own, scaler(0), scaler(0)]) == {Violation}
    assert kinds(own) == set()


def test_what_may_be_an_autoscaler_leaves_it_undecided() -> None:
    own = room(-5, name="balloon")
    assert kinds([*own, made("kubernetes:core/v1:Pod", "a", {"spec": {"containers": [{"image": Unknown("i")}]}})]) == {
        Undecided
    }
