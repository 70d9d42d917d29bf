"""Settings in a file that is not in user data are not judged as missing: the rule is undecided, and the file is named."""

from typing import Any

import pytest
import yaml

from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Partial, UndecidedError
from tests.rules.foreign import Foreign
from tests.rules.foreign_flags import KUBELET
from tests.rules.written import cloud_config, encoded, with_property

ETCD, KUBELETS = "/etc/systemd/system/etcd.service", "/etc/systemd/system/kubelet.service"
Found = list[Violation | Undecided]


def judged(files: dict[str, str], *names: str, command: str = "", of: Foreign | None = None) -> Found:
    """What is found in the clean stack once the machines of these names have other user data."""
    data = encoded(cloud_config(files, *([command] if command else [])))
    changed = [_told(each, data) if each.name in names else each for each in (of or Foreign()).resources()]
    facts = read_facts(changed)
    return [found for rule in RULES if rule.level != "disabled" for found in rule.check(facts)]


def _told(machine: Resource, data: str) -> Resource:
    above = "virtualMachineProfile." if machine.name == "pool" else ""
    return with_property(machine, f"{above}osProfile.customData", data)


def unit(line: str, *more: str) -> str:
    return "\n".join(["[Service]", *more, f"ExecStart={line}", ""])


def sysctls() -> dict[str, str]:
    return {"/etc/sysctl.d/90-arp.conf": "".join(f"{key}={value}\n" for key, value in Foreign().sysctls.items())}


def violations(found: Found) -> set[str]:
    return {each.rule for each in found if isinstance(each, Violation)}


def undecided(found: Found) -> dict[str, str]:
    return {each.rule: each.field for each in found if isinstance(each, Undecided)}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (unit("/usr/bin/etcd --config-file=/etc/etcd.yaml"), "config-file /etc/etcd.yaml"),
        (unit("/usr/bin/etcd", "EnvironmentFile=-/etc/default/etcd"), "EnvironmentFile /etc/default/etcd"),
        (unit("/usr/bin/etcd $ETCD_OPTS", "EnvironmentFile=/etc/etcd.env"), "EnvironmentFile /etc/etcd.env"),
        (unit("/usr/bin/etcd $OPTS"), "what $OPTS holds"),
    ],
)
@pytest.mark.parametrize("names", [("etcd-1-2",), ("etcd-1-1", "etcd-1-2", "etcd-1-3")])
def test_etcds_settings_that_the_image_has_are_undecided_and_no_count_is_told(
    names: tuple[str, ...], text: str, where: str
) -> None:
    found = judged({ETCD: text, **sysctls()}, *names)
    assert violations(found) == set()
    told = undecided(found)
    assert told["etcd-quota"] == told["etcd-client-tls"] == where
    assert told["etcd-members-enough"] == told["etcd-zones"] == where


def test_what_stands_beside_an_environment_file_of_the_image_is_judged() -> None:
    text = unit("/usr/bin/etcd --quota-backend-bytes=1", "EnvironmentFile=/etc/etcd.env")
    found = judged({ETCD: text, **sysctls()}, "etcd-1-2")
    assert violations(found) == {"etcd-quota"}


def test_of_a_file_that_is_named_and_there_etcd_reads_nothing_else() -> None:
    flags = Foreign().members[1, 2]
    text = unit("/usr/bin/etcd --config-file=/etc/etcd/own --quota-backend-bytes=1")
    other = {"/etc/default/etcd": "ETCD_NAME=other\nETCD_AUTO_TLS=true\n"}
    files = {ETCD: text, "/etc/etcd/own": yaml.safe_dump(flags), **other, **sysctls()}
    assert judged(files, "etcd-1-2") == []


def test_a_file_that_is_named_and_is_no_yaml_is_undecided() -> None:
    text = unit("/usr/bin/etcd --config-file=/etc/etcd.yaml")
    found = judged({ETCD: text, "/etc/etcd.yaml": "name: !!int x\n", **sysctls()}, "etcd-1-2")
    assert violations(found) == set()
    assert undecided(found)["etcd-quota"] == "config-file /etc/etcd.yaml"


def test_a_setting_that_a_variable_holds_is_undecided_alone() -> None:
    flags = {**Foreign().members[1, 2], "quota-backend-bytes": "${QUOTA}"}
    text = unit("/usr/bin/etcd " + " ".join(f"--{name}={value}" for name, value in flags.items()))
    found = judged({ETCD: text, **sysctls()}, "etcd-1-2")
    assert violations(found) == set()
    assert {rule for rule in undecided(found) if rule.startswith("etcd-")} == {
        "etcd-quota",
        "etcd-quota-ceiling",
        "etcd-quota-equal",
    }


KUBELET_RULES = {"kubelet-parallel-pulls", "kubelet-anonymous"}


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("/usr/bin/kubelet --config=/etc/kubelet.yaml", "config /etc/kubelet.yaml"),
        ("/usr/bin/kubelet --config-dir=/etc/kubelet.d", "config-dir /etc/kubelet.d"),
        ("/usr/bin/kubelet $KUBELET_EXTRA_ARGS", "what $KUBELET_EXTRA_ARGS holds"),
    ],
)
def test_kubelets_settings_that_the_image_has_are_undecided(line: str, where: str) -> None:
    found = judged({KUBELETS: unit(line), **sysctls()}, "pool")
    assert violations(found) == set()
    assert undecided(found) == dict.fromkeys(KUBELET_RULES, where)


def test_a_flag_of_kubelet_is_judged_whatever_its_file_says() -> None:
    line = "/usr/bin/kubelet --config=/etc/kubelet.yaml --anonymous-auth=true"
    assert violations(judged({KUBELETS: unit(line), **sysctls()}, "pool")) == {"kubelet-anonymous"}


def test_kubelets_file_in_user_data_is_judged() -> None:
    own: dict[str, Any] = {**KUBELET, "maxParallelImagePulls": 101}
    files = {KUBELETS: unit("/usr/bin/kubelet --config=/etc/kubelet.yaml"), "/etc/kubelet.yaml": yaml.safe_dump(own)}
    assert violations(judged({**files, **sysctls()}, "pool")) == {"kubelet-parallel-pulls"}


def test_a_node_that_joins_by_kubeadm_is_undecided_and_no_pass() -> None:
    found = judged(sysctls(), "pool", command="kubeadm join 10.0.0.4:6443 --token $TOKEN")
    assert violations(found) == set()
    assert undecided(found) == dict.fromkeys(KUBELET_RULES, "kubeadm's configuration")


def test_of_a_control_plane_by_kubeadm_what_kubeadm_does_itself_is_undecided_and_the_rest_judged() -> None:
    document = {
        "kind": "ClusterConfiguration",
        "apiServer": {"extraArgs": [{"name": "profiling", "value": True}, {"name": "anonymous-auth"}]},
        "etcd": {"local": {"extraArgs": {"quota-backend-bytes": 8 * 1024**3}}},
    }
    files = {"/etc/kubeadm.yaml": yaml.safe_dump(document), **sysctls()}
    found = [
        each
        for each in judged(files, "api-1", command="kubeadm init --config /etc/kubeadm.yaml")
        if each.resource.endswith("::api-1")
    ]
    told = undecided(found)
    assert violations(found) >= {"apiserver-profiling", "apiserver-anonymous", "etcd-compaction"}
    assert told["apiserver-authorization"] == told["etcd-client-tls"] == "kubeadm's own settings"
    assert told["etcd-members-enough"] == "kubeadm's own settings"
    assert not {"etcd-quota", "etcd-client-tls"} & violations(found)


def test_a_second_control_plane_that_joins_by_kubeadm_counts() -> None:
    found = judged(sysctls(), "api-1", command="kubeadm join 10.0.0.4:6443 --control-plane")
    assert not {"apiserver-count", "apiserver-zones"} & violations(found)


def test_of_partial_settings_the_known_are_told_and_others_are_undecided() -> None:
    own = Partial({"a": "1"}, "file /f", among={"b"})
    assert (own["a"], own.get("c", "none"), "c" in own, dict(own), len(own)) == ("1", "none", False, {"a": "1"}, 1)
    with pytest.raises(UndecidedError, match="file /f is not known yet"):
        own.get("b")
    with pytest.raises(UndecidedError):
        "c" in Partial({}, "file /f")  # noqa: B015 - it is the question that is undecided
