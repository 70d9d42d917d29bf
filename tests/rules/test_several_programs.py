"""Of two etcds on one machine only what both have alike is judged; what they have differently is undecided, and no pass."""

import pytest
import yaml

from kilonode.rules.unknown import Partial, UndecidedError
from tests.rules.test_settings_elsewhere import judged, sysctls, undecided, unit, violations
from tests.rules.written import programs

MAIN, EVENTS = "/etc/systemd/system/etcd-a.service", "/etc/systemd/system/etcd-b.service"
EACH = "the settings of each etcd (there are several)"
ONE, TWO = (
    {"name": "m", "data-dir": "/a", "cert-file": "/c"},
    {"name": "m", "data-dir": "/b", "quota-backend-bytes": "1"},
)


def line(flags: dict[str, str]) -> str:
    return " ".join(["etcd", *(f"--{name}={value}" for name, value in flags.items())])


def pod(flags: dict[str, str]) -> str:
    return yaml.safe_dump({"kind": "Pod", "spec": {"containers": [{"command": line(flags).split()}]}})


def variables(flags: dict[str, str]) -> str:
    return "".join(f"ETCD_{name.upper().replace('-', '_')}={value}\n" for name, value in flags.items())


def peers(flags: dict[str, str]) -> str:
    return yaml.safe_dump({**flags, "listen-peer-urls": f"https://10.0.0.1{flags['data-dir']}"})


@pytest.mark.parametrize(
    "files",
    [
        {MAIN: unit(line(ONE)), EVENTS: unit(line(TWO))},
        {"/etc/kubernetes/manifests/a.yaml": pod(ONE), "/etc/kubernetes/manifests/b.yaml": pod(TWO)},
        {MAIN: unit(line(ONE)), "/etc/kubernetes/manifests/b.yaml": pod(TWO)},
        {"/etc/default/a": variables(ONE), "/etc/default/b": variables(TWO)},
        {MAIN: unit("etcd", "EnvironmentFile=/etc/a"), EVENTS: unit("etcd", "EnvironmentFile=/etc/b"),
         "/etc/a": variables(ONE), "/etc/b": variables(TWO)},
        {"/etc/a.yaml": peers(ONE), "/etc/b.yaml": peers(TWO)},
    ],
    ids=["units", "pods", "a unit and a pod", "variables", "variables of units", "files"],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True])
def test_what_two_etcds_have_differently_is_of_neither(files: dict[str, str], turned: bool) -> None:
    own = programs(dict(reversed(files.items())) if turned else files, [])[0]["etcd"]
    assert isinstance(own, Partial)
    assert dict(own) == {"name": "m"}
    assert own.get("cors") is None
    for name in ("data-dir", "cert-file", "quota-backend-bytes"):
        with pytest.raises(UndecidedError) as undecided:
            own.get(name)
        assert undecided.value.field == EACH


def test_two_that_name_a_file_each_are_undecided_altogether() -> None:
    files = {
        MAIN: unit("etcd --config-file=/etc/a.yaml"), EVENTS: unit("etcd --config-file=/etc/b.yaml"),
        "/etc/a.yaml": peers(ONE), "/etc/b.yaml": peers(ONE),
    }  # fmt: skip
    with pytest.raises(UndecidedError) as undecided:
        programs(files, [])[0]["etcd"].get("name")
    assert undecided.value.field == EACH


@pytest.mark.parametrize(
    "files",
    [
        {MAIN: unit(line(ONE)), EVENTS: unit(line(ONE))},
        {"/etc/default/a": "ETCD_NAME=m\nETCD_DATA_DIR=/a\n", "/etc/default/b": "ETCD_NAME=m\nETCD_CERT_FILE=/c\n"},
        {MAIN: unit("etcd", "EnvironmentFile=/etc/x", "EnvironmentFile=/etc/y"), "/etc/x": variables(TWO), "/etc/y": variables(ONE | TWO | ONE)},
    ],
)  # fmt: skip
def test_one_etcd_that_is_told_in_two_places_is_one(files: dict[str, str]) -> None:
    own = programs(files, [])[0]["etcd"]
    assert not isinstance(own, Partial)
    assert ONE.items() <= dict(own).items()


def test_of_several_variables_that_of_all_flags_is_named() -> None:
    own = programs({}, ["etcd --name=$NAME", "etcd $ALL"])[0]["etcd"]
    with pytest.raises(UndecidedError) as undecided:
        own.get("cors")
    assert undecided.value.field == "what $ALL holds"


@pytest.mark.parametrize("flag", ["--version", "--help", "-h", "-version"])
def test_a_program_that_only_says_something_does_not_run(flag: str) -> None:
    assert programs({}, [f"/opt/etcd {flag}"])[0] == {}
    assert programs({}, [f"/opt/etcd {flag}", "etcd --name=m"])[0] == {"etcd": {"name": "m"}}
    assert "etcd" in programs({}, [f"/opt/etcd {flag}=false"])[0]


@pytest.mark.parametrize("text", ["grep ^ETCD_NAME= /etc/etcd.env\n", "# ETCD_NAME=\n", "ETCD_LOG_LEVEL=info\n"])
def test_a_file_that_only_names_a_variable_makes_no_member(text: str) -> None:
    assert programs({"/opt/check.sh": f"#!/bin/sh\n{text}"}, [])[0] == {}


def test_variables_of_a_container_are_its_programs() -> None:
    rows = [{"name": "ETCD_NAME", "value": "m"}, {"name": "ETCD_CORS", "valueFrom": {}}, "x"]
    document = {"kind": "Pod", "spec": {"containers": [{"command": ["etcd"], "env": rows}]}}
    assert programs({"/m.yaml": yaml.safe_dump(document)}, [])[0] == {"etcd": {"name": "m"}}


def test_a_stack_with_main_and_events_on_one_machine_is_undecided_and_no_count_is_told() -> None:
    bad = {
        "name": "m",
        "data-dir": "/a",
        "initial-cluster": "m=http://10.0.0.1:2380",
        "listen-client-urls": "http://0.0.0.0:2379",
    }
    good = {
        **bad,
        "data-dir": "/b",
        "initial-cluster": "m=https://10.0.0.1:2382",
        "listen-client-urls": "https://10.0.0.1:2381",
    }
    found = judged({MAIN: unit(line(bad)), EVENTS: unit(line(good)), **sysctls()}, "etcd-1-2")
    told = undecided(found)
    assert told["etcd-members-odd"] == told["etcd-data-mode"] == EACH
    # What neither has is a fault of both.
    assert "etcd-quota" in violations(found)
    assert "etcd-members-odd" not in violations(found)


@pytest.mark.parametrize(("head", "runs"), [("", True), ("#!/bin/sh\n", False)])
def test_a_file_of_variables_makes_a_member_and_a_script_that_sets_one_does_not(head: str, runs: bool) -> None:
    found, _ = programs({"/etc/default/etcd": f"{head}ETCD_NAME=m\n"}, [])
    assert ("etcd" in found) is runs
