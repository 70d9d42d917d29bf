"""Flags of a command line are read as the programs read them."""

import pytest

from kilonode.rules.read import kubeadm
from kilonode.rules.read.settings import flags
from kilonode.rules.registry import RULES
from tests.rules.foreign import Foreign


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("--a=1 --b 2 --c", {"a": "1", "b": "2", "c": "true"}),
        ("--a=1 --a=2", {"a": "2"}),
        ("--log - --b=1", {"log": "-", "b": "1"}),
        ("--a=b=c", {"a": "b=c"}),
        ("word --a= word", {"a": ""}),
        ("", {}),
    ],
)
def test_a_flag_has_the_value_that_is_meant_for_it(line: str, found: dict[str, str]) -> None:
    assert flags("kubelet", line.split()) == found


@pytest.mark.parametrize("program", ["kubelet", "kube-apiserver", "cluster-autoscaler"])
def test_programs_of_kubernetes_take_an_underscore_for_a_dash_in_the_name_alone(program: str) -> None:
    found = flags(program, ["--event_ttl=1h_x", "--max_nodes-total", "a_b", "--event-ttl=2h"])
    assert found == {"event-ttl": "2h", "max-nodes-total": "a_b"}


def test_etcd_knows_no_flag_with_an_underscore() -> None:
    assert flags("etcd", ["--data_dir=/a", "--name=b"]) == {"data_dir": "/a", "name": "b"}


def test_flags_with_underscores_are_judged_as_those_with_dashes() -> None:
    of = Foreign()
    for number, own in of.servers.items():
        of.servers[number] = {name.replace("-", "_"): value for name, value in own.items()}
    of.autoscaler = {name.replace("-", "_"): value for name, value in of.autoscaler.items()}
    assert broken(of) == set()
    of.servers[1]["event_ttl"] = "1000h"
    of.autoscaler["max_scale_down_parallelism"] = "50"
    assert broken(of) == {"apiserver-event-ttl", "autoscaler-scale-in"}


@pytest.mark.parametrize("given", [{"event_ttl": "1h"}, [{"name": "event_ttl", "value": "1h"}]])
def test_flags_that_kubeadm_hands_on_are_named_likewise(given: object) -> None:
    document = {"kind": "ClusterConfiguration", "apiServer": {"extraArgs": given}}
    assert kubeadm.flags(document) == {"kube-apiserver": {"event-ttl": "1h"}}


def broken(of: Foreign) -> set[str]:
    facts = of.facts()
    return {found.rule for rule in RULES if rule.level != "disabled" for found in rule.check(facts)}
