"""Each container of a pod is read by itself: its image, and what its command line starts."""

from typing import Any

import pytest

from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.read.text import words
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import DIGEST
from tests.rules.written import made, with_property

IMAGE = f"registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0{DIGEST}"
OTHER = f"registry.example.com/mirror/ca:v1{DIGEST}"
GOOD = ("--max-nodes-total=500", "--max-nodes-per-scaleup=50", "--max-scale-down-parallelism=10")
LINE = " ".join(GOOD)
SCALER = {"autoscaler-limit", "autoscaler-scale-in", "autoscaler-unready", "autoscaler-ramp"}
MISSING = {"autoscaler-limit", "autoscaler-ramp"}
"""What is said of an autoscaler that has no flags."""


def pods(*containers: Any, kind: str = "apps/v1:Deployment", **more: Any) -> Resource:
    spec = {"containers": list(containers), **more}
    return made(f"kubernetes:{kind}", "pods", {"spec": {"template": {"spec": spec}}})


def container(*command: Any, image: Any = IMAGE, **more: Any) -> dict[str, Any]:
    return {"image": image, "command": list(command), **more}


def told(*resources: Resource) -> dict[type, set[str]]:
    facts = read_facts(resources)
    found = [found for rule in RULES if rule.level != "disabled" for found in rule.check(facts)]
    return {kind: {each.rule for each in found if isinstance(each, kind)} for kind in {type(each) for each in found}}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("./cluster-autoscaler", *GOOD), set()),
        (("/tini", "--", "./cluster-autoscaler", *GOOD), set()),
        (("sh", "-c", f"# the autoscaler\nexec ./cluster-autoscaler {LINE}"), set()),
        (("sh", "-c", f"./cluster-autoscaler {LINE}; sleep 5"), set()),
        (("sh", "-c", f"./cluster-autoscaler {LINE};sleep 5"), set()),
        (("sh", "-c", f"./cluster-autoscaler {LINE}&&sleep 5"), set()),
        (("sh", "-c", "./cluster-autoscaler \\\n  " + " \\\n  ".join(GOOD)), set()),
        (("sh", "-c", f"./cluster-autoscaler --version; exec ./cluster-autoscaler {LINE}"), set()),
        (("sh", "-c", f"./cluster-autoscaler --nodes=1:9:p\n# {LINE}"), MISSING),
        (("sh", "-c", f"echo starting with {LINE}; exec ./cluster-autoscaler"), MISSING),
        (("./cluster-autoscaler",), MISSING),
    ],
)
@pytest.mark.parametrize("image", [IMAGE, OTHER, Unknown("image")])
def test_an_autoscaler_is_judged_by_the_flags_it_is_started_with(command: Any, said: set[str], image: Any) -> None:
    found = told(pods(container(*command, image=image)))
    assert found.get(Violation, set()) == said
    assert found.get(Undecided, set()) & SCALER == set()


@pytest.mark.parametrize(
    "other", [container("./side", "--max-nodes-total=0", image=OTHER), container("./side", *GOOD, image=OTHER)]
)
@pytest.mark.parametrize(
    ("command", "said"), [(("./cluster-autoscaler", *GOOD), set()), (("./cluster-autoscaler",), MISSING)]
)
def test_no_container_has_the_flags_of_another(command: Any, said: set[str], other: Any) -> None:
    found = told(pods(container(*command), other), pods(other, container(*command)))
    assert found == ({Violation: said} if said else {})


def test_each_of_two_autoscalers_is_judged() -> None:
    two = pods(container("./cluster-autoscaler", *GOOD), container("./cluster-autoscaler"))
    assert told(two) == {Violation: MISSING}


@pytest.mark.parametrize(
    "image",
    [
        "cluster-autoscaler:v1",
        "registry.k8s.io/cluster-autoscaler-arm64:v1",
        "quay.io/openshift/origin-cluster-autoscaler:4.18",
        "registry.redhat.io/openshift4/ose-cluster-autoscaler-rhel9:v4.18",
    ],
)
def test_an_image_is_the_autoscalers_by_its_name(image: str) -> None:
    assert told(pods({"image": image + DIGEST})) == {Violation: MISSING}
    assert told(pods({"image": image + DIGEST, "args": list(GOOD)})) == {}


@pytest.mark.parametrize(
    "image",
    [
        "quay.io/openshift/origin-cluster-autoscaler-operator:4.18",
        "registry.example.com/cluster-autoscaler/pause:3.9",
        "cluster-autoscaler.example.com:5000/app:v1",
    ],
)
def test_words_in_an_images_name_make_no_autoscaler(image: str) -> None:
    assert told(pods({"image": image + DIGEST})) == {}


@pytest.mark.parametrize(
    "given",
    [
        container("/start.sh"),
        container("sh", "-c", Unknown("c")),
        container(Unknown("c")),
        container("./cluster-autoscaler", Unknown("c"), image=OTHER),
        container("tini", "--", Unknown("c"), image=OTHER),
        container("./cluster-autoscaler", "$(FLAGS)"),
        container("sh", "-c", "exec ./cluster-autoscaler $FLAGS", image=OTHER),
        {"image": Unknown("image")},
        {"image": IMAGE, "args": "--max-nodes-total=5"},
        {"image": IMAGE, "args": [5]},
        {"args": [*GOOD]},
        Unknown("row"),
        "x:latest",
        None,
    ],
)
def test_what_may_be_an_autoscaler_is_undecided(given: Any) -> None:
    found = told(pods(given))
    assert found.get(Violation, set()) == set()
    assert found[Undecided] >= SCALER


@pytest.mark.parametrize(
    "given",
    [
        container("./app", Unknown("c"), image=OTHER),
        container("./app", "--cluster-autoscaler", image=OTHER),
        container("./cluster-autoscaler", "--version", image=OTHER),
        {"resources": {}},
    ],
)
def test_what_is_surely_no_autoscaler_is_no_ones(given: Any) -> None:
    assert told(pods(given)) == {}


def test_a_patch_of_the_command_alone_is_judged() -> None:
    given = {"name": "scaler", "command": ["./cluster-autoscaler", "--max-nodes-total=0"]}
    found = told(pods(given, kind="apps/v1:DeploymentPatch"))
    assert found == {Violation: {"autoscaler-limit"}, Undecided: SCALER - {"autoscaler-limit"}}


def test_a_patch_of_which_nothing_is_known_is_undecided() -> None:
    found = told(pods(container("./cluster-autoscaler", Unknown("c")), kind="apps/v1:DeploymentPatch"))
    assert found == {Undecided: SCALER}


def test_a_known_image_is_judged_beside_one_that_is_not_known_yet() -> None:
    found = told(
        pods(container("./a", image=Unknown("image")), container("./b", image="registry.example.com/b:latest"))
    )
    assert found == {Violation: {"image-latest"}, Undecided: {"image-latest", "image-digest"}}


@pytest.mark.parametrize("line", ["a --b=1;c", "a --b=1&&c", "X=1;c", "a --b=1|c"])
def test_an_operator_ends_a_flag_in_a_shell_and_not_in_a_unit(line: str) -> None:
    assert words(line) == line.split()
    assert words(line, scripted=True)[-1] == "c"


def test_an_autoscaler_without_replicas_does_nothing() -> None:
    own = pods(container("./cluster-autoscaler"))
    assert told(with_property(own, "spec.replicas", 0)) == {}
    assert told(with_property(own, "spec.replicas", 1)) == {Violation: MISSING}


def test_an_autoscaler_that_removes_no_nodes_may_be_told_any_number() -> None:
    flags = (*GOOD, "--max-empty-bulk-delete=1000")
    assert told(pods(container("./cluster-autoscaler", *flags, "--scale-down-enabled=false"))) == {}
    for more in ("--scale-down-enabled=true", "--scale-down-enabled=$(ON)", "--scale-down-enabled=no"):
        found = told(pods(container("./cluster-autoscaler", *flags, more)))
        assert found == {Violation: {"autoscaler-scale-in"}}


@pytest.mark.parametrize(
    ("volumes", "found"),
    [
        ([{"image": {"reference": "registry.example.com/models:latest"}}], {Violation: {"image-latest"}}),
        ([{"image": {"reference": f"registry.example.com/models:v1{DIGEST}"}}, {"emptyDir": {}}], {}),
        ([{"image": {"reference": Unknown("r")}}], {Undecided: {"image-latest", "image-digest"}}),
        (["text"], {Undecided: {"image-latest", "image-digest"}}),
        (Unknown("volumes"), {Undecided: {"image-latest", "image-digest"}}),
    ],
)
def test_an_image_that_is_a_volume_is_judged_as_one_that_runs(volumes: Any, found: dict[type, set[str]]) -> None:
    assert told(pods(container("./app", image=OTHER), volumes=volumes)) == found


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("apps/v1:Deployment", True),
        ("extensions/v1beta1:DaemonSet", True),
        ("batch/v1:Job", True),
        ("core/v1:ReplicationController", True),
        ("example.com/v1:Deployment", False),
        ("batch.volcano.sh/v1alpha1:Job", False),
        ("apps.example.com/v1:Deployment", False),
    ],
)
def test_a_kind_of_somebody_elses_is_none_of_kubernetes(kind: str, says: bool) -> None:
    found = told(pods(container("./app", image="registry.example.com/app:latest"), kind=kind))
    assert found == ({Violation: {"image-latest"}} if says else {})
