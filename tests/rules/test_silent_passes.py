"""What once passed without a word: Helm's charts, patches, comments and figures with an exponent."""

from typing import Any

import pytest

from kilonode.rules.go import figure
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.kubernetes import RELEASE
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import DIGEST, Foreign
from tests.rules.written import made

SCALER_RULES = {"autoscaler-limit", "autoscaler-scale-in", "autoscaler-unready", "autoscaler-ramp"}


def judged(*resources: Resource) -> list[Violation | Undecided]:
    facts = read_facts(resources)
    return [found for rule in RULES if rule.level != "disabled" for found in rule.check(facts)]


@pytest.mark.parametrize(
    "properties",
    [
        {"chart": "cluster-autoscaler"},
        {"chart": "oci://registry.example.com/charts/cluster-autoscaler", "namespace": "kube-system"},
        {"chart": Unknown("chart")},
        {"chart": "./scaling", "name": "cluster-autoscaler"},
    ],
)
def test_the_autoscaler_that_helm_makes_is_undecided(properties: dict[str, Any]) -> None:
    found = judged(made(RELEASE, "scaling", properties))
    assert {type(each) for each in found} == {Undecided}
    assert {each.rule for each in found} >= SCALER_RULES


def test_of_another_chart_nothing_is_said() -> None:
    assert judged(made(RELEASE, "ingress", {"chart": "ingress-nginx"})) == []


def pods(kind: str, name: str, container: dict[str, Any]) -> Resource:
    return made(f"kubernetes:{kind}", name, {"spec": {"template": {"spec": {"containers": [container]}}}})


@pytest.mark.parametrize("kind", ["core/v1:ReplicationController", "apps/v1:DeploymentPatch", "apps/v1:DaemonSetPatch"])
def test_an_image_is_judged_wherever_it_is_set(kind: str) -> None:
    (found,) = judged(pods(kind, "app", {"image": "registry.example.com/app:latest"}))
    assert (found.rule, type(found)) == ("image-latest", Violation)


def test_what_a_patch_of_the_autoscaler_sets_is_judged_and_what_it_leaves_is_undecided() -> None:
    image = f"registry.k8s.io/autoscaling/cluster-autoscaler:v1.37.0{DIGEST}"
    container = {"image": image, "args": ["--max-total-unready-percentage=46"]}
    found = judged(pods("apps/v1:DeploymentPatch", "scaler", container))
    assert {(each.rule, type(each)) for each in found} == {
        ("autoscaler-unready", Violation),
        *((rule, Undecided) for rule in SCALER_RULES),
    }


@pytest.mark.parametrize(
    ("rule", "flag"),
    [
        ("autoscaler-unready", "max-total-unready-percentage"),
        ("autoscaler-unready", "ok-total-unready-count"),
        ("autoscaler-scale-in", "max-scale-down-parallelism"),
        ("autoscaler-limit", "max-nodes-total"),
    ],
)
def test_a_flag_of_the_autoscaler_with_a_variable_is_undecided(rule: str, flag: str) -> None:
    of = Foreign()
    of.autoscaler[flag] = "$(COUNT)"
    (found,) = judged(*of.resources())
    assert (found.rule, type(found)) == (rule, Undecided)
    assert "$(COUNT)" in found.field


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e2", 100), ("4.5E1", 45), ("+5", 5), ("5.", 5), (".5", 0.5), ("1e-3", 0.001), ("e2", None), ("1e", None), ("1e999", None), (".", None)],
)  # fmt: skip
def test_a_figure_is_read_as_go_reads_it(text: str, value: float | None) -> None:
    assert figure(text) == value


def test_an_exponent_hides_no_limit() -> None:
    of = Foreign()
    of.autoscaler["max-total-unready-percentage"] = "1e2"
    assert [each.rule for each in judged(*of.resources())] == ["autoscaler-unready"]


@pytest.mark.parametrize(
    ("snapshot", "commands"),
    [
        ("true # TODO: no etcd-backup yet", []),
        ("true\n# etcdctl snapshot save /b", []),
        ("true", ["# etcd-backup comes later"]),
        ("true", ["true # etcdctl snapshot save"]),
    ],
)
def test_a_comment_saves_no_snapshot(snapshot: str, commands: list[str]) -> None:
    of = Foreign()
    of.snapshot, of.member_commands = snapshot, commands
    assert {each.rule for each in judged(*of.resources())} == {"etcd-snapshots"}


def test_a_snapshot_with_a_comment_behind_it_is_one() -> None:
    of = Foreign()
    of.snapshot = "etcdctl snapshot save /b # every half hour"
    assert judged(*of.resources()) == []
