"""What Ignition is told becomes the files, units and commands that cloud-init would have made, and what it fetches is undecided."""

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.ignition import DEPTH_MAX
from kilonode.rules.read.userdata import read
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules import foreign
from tests.rules.foreign import Foreign
from tests.rules.judged import said
from tests.rules.test_reading_user_data import KUBEADM, POD

UNITS = "/etc/systemd/system"
ETCD = "[Service]\nEnvironmentFile=/opt/etcd.env\nExecStart=/usr/bin/etcd --name=one\n"
QUOTA = "ETCD_QUOTA_BACKEND_BYTES=3\n"
FETCHED = {"source": "https://example.com/x?sig=s"}


def config(version: str = "3.4.0", **parts: Any) -> str:
    merged = parts.pop("config", {})
    return json.dumps({"ignition": {"version": version, "config": merged}, **parts})


def percent(text: str) -> dict[str, Any]:
    return {"source": f"data:,{quote(text)}"}


def base(text: str) -> dict[str, Any]:
    return {"source": f"data:text/plain;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"}


def packed(text: str) -> dict[str, Any]:
    whole = base64.b64encode(gzip.compress(text.encode())).decode()
    return {"source": f"data:;base64,{whole}", "compression": "gzip"}


def file(path: str, contents: Any, **more: Any) -> dict[str, Any]:
    return {"path": path, "contents": contents, "mode": 420, **more}


def files(*rows: Any) -> str:
    return config(storage={"files": list(rows)})


def units(*rows: Any, **storage: Any) -> str:
    return config(systemd={"units": list(rows)}, storage=storage)


def etcd(**more: Any) -> dict[str, Any]:
    return {"name": "etcd.service", "contents": ETCD, "enabled": True, **more}


def told(text: str) -> UserData:
    found = read(text, encoded=False)
    assert isinstance(found, UserData)
    return found


@pytest.mark.parametrize("how", [percent, base, packed])
@pytest.mark.parametrize(
    "made",
    [
        lambda how: units(etcd(), files=[file("/opt/etcd.env", how(QUOTA))]),
        lambda how: units(etcd(), files=[file("/opt/etcd.env", None, append=[how("# x\n"), how(QUOTA)])]),
        lambda how: files(
            file(f"{UNITS}/etcd.service", how("[Service]\nExecStart=etcd --name=one --quota-backend-bytes=3\n"))
        ),
        lambda how: files(file("/etc/kubernetes/manifests/etcd.yaml", how(yaml.safe_dump(POD)))),
        lambda how: files(file("/etc/kubeadm.yaml", how(yaml.safe_dump(KUBEADM)))),
        lambda how: config(
            config={"merge": [how(files(file("/opt/etcd.env", how(QUOTA))))]}, systemd={"units": [etcd()]}
        ),
        lambda how: config(
            config={"merge": [how(files(file("/opt/etcd.env", {}, append=[how(QUOTA)])))]},
            systemd={"units": [etcd()]},
            storage={"files": [file("/opt/etcd.env", how("# x\n"))]},
        ),
        lambda how: config(
            "3.0.0", config={"replace": how(units(etcd(), files=[file("/opt/etcd.env", how(QUOTA))]))}, systemd="x"
        ),
    ],
    ids=["a unit", "what is added", "a unit as a file", "a pod", "kubeadm", "merged", "merged and added", "replaced"],
)
def test_settings_are_found(made: Callable[[Any], str], how: Callable[[str], dict[str, Any]]) -> None:
    own = told(made(how)).programs["etcd"]
    assert (own["name"], own["quota-backend-bytes"]) == ("one", "3")


def test_drop_ins_are_the_units() -> None:
    dropped = {"name": "10.conf", "contents": "[Service]\nExecStart=\nExecStart=etcd --name=two\n"}
    assert told(units(etcd(dropins=[dropped]))).programs["etcd"]["name"] == "two"
    assert told(units({"name": "etcd.service", "dropins": [dropped]})).programs["etcd"]["name"] == "two"


@pytest.mark.parametrize(
    ("row", "others", "starts"),
    [
        (etcd(), (), True),
        ({"name": "etcd.service", "contents": ETCD}, (), True),
        (etcd(mask=True), (), False),
        (etcd(mask=True, dropins=[{"name": "a.conf", "contents": ETCD}]), (), False),
        (etcd(mask=False), (), True),
        (etcd(enabled=False), ({"name": "etcd-not.service", "contents": "[Service]\nExecStart=etcd-not\n"},), False),
        (
            etcd(enabled=False),
            ({"name": "x.service", "contents": "[Service]\nExecStart=systemctl start other\n"},),
            False,
        ),
        (etcd(enabled=False, dropins=[{"name": "a.conf", "contents": ETCD}]), (), False),
        (
            etcd(enabled=False),
            ({"name": "x.service", "contents": "[Service]\nExecStart=systemctl start etcd\n"},),
            True,
        ),
        (etcd(enabled=False), ({"name": "etcd.timer", "contents": "[Timer]\nOnBootSec=5\n"},), True),
        (etcd(enabled=False), ({"name": "x.service", "contents": "[Unit]\nRequires=etcd.service\n"},), True),
    ],
)
def test_a_unit_that_is_masked_or_that_nothing_starts_does_not_run(
    row: dict[str, Any], others: tuple[Any, ...], starts: bool
) -> None:
    for rows in ((row, *others), (*others, row)):
        assert ("etcd" in told(units(*rows)).programs) is starts


@pytest.mark.parametrize(
    ("row", "command"),
    [
        ({}, "install -d /d"),
        ({"mode": 448, "user": {"name": "etcd"}}, "install -d -m 0700 -o etcd /d"),
        ({"mode": 493, "user": {"id": 0}}, "install -d -m 0755 -o 0 /d"),
        ({"mode": "0700", "user": {}}, "install -d /d"),
    ],
)
def test_a_folder_is_made_with_its_mode_and_owner(row: dict[str, Any], command: str) -> None:
    assert told(config(storage={"directories": [{"path": "/d", **row}]})).commands == (command,)


def test_what_is_fetched_is_undecided_where_settings_are_and_elsewhere_as_if_the_image_had_it() -> None:
    for row in (file("/etc/x.conf", FETCHED), file("/etc/x.conf", percent("a"), append=[FETCHED])):
        assert read(files(row), encoded=False) == Unknown("/etc/x.conf, which Ignition fetches,")
    own = told(units(etcd(), files=[file("/opt/etcd.env", FETCHED), file("/opt/bin/etcd", FETCHED)])).programs["etcd"]
    with pytest.raises(Exception, match=r"EnvironmentFile /opt/etcd\.env"):
        own.get("quota-backend-bytes")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (config(config={"merge": [FETCHED]}), "a configuration that Ignition fetches"),
        (config(config={"replace": FETCHED}), "a configuration that Ignition fetches"),
        (config("2.3.0"), "a configuration of Ignition of another version than 3"),
        (config(config={"merge": [percent(config("2.3.0"))]}), "a configuration of Ignition of another version than 3"),
        ('{"ignition": 3}', "a configuration of Ignition of another version than 3"),
    ],
)
def test_a_configuration_that_is_elsewhere_or_of_another_form_is_undecided(text: str, where: str) -> None:
    assert read(text, encoded=False) == Unknown(where)


def test_configurations_in_configurations_come_to_an_end() -> None:
    text = units(etcd())
    for _ in range(DEPTH_MAX):
        text = config(config={"replace": base(text)})
    assert "etcd" in told(text).programs
    text = config(config={"replace": base(text)})
    assert read(text, encoded=False) == Unknown("configurations of Ignition in configurations")


def test_a_unit_that_is_a_file_is_masked_too_and_a_file_without_a_path_is_none() -> None:
    row = file(f"{UNITS}/etcd.service", percent(ETCD))
    assert "etcd" in told(units(files=[row])).programs
    assert told(units({"name": "etcd.service", "mask": True}, files=[row])).programs == {}
    assert told(files({"path": 7, "contents": percent("x")})).files == {}


@pytest.mark.parametrize("text", ['{"ignition": {"version": "3.4.0"}', '{"storage": {}}', "[" * 9_000, "{" * 9_000])
def test_what_is_no_configuration_says_nothing(text: str) -> None:
    assert told(text).files == {}


def test_keys_in_files_are_seen_however_they_are_written() -> None:
    key = f"-----BEGIN PRIVATE KEY-----\n{'MIIEvQIBADANBgkqhkiG9w0B' * 9}\n-----END PRIVATE KEY-----\n"
    for how in (percent, base, packed):
        resources = [
            foreign.with_property(each, "osProfile.customData", foreign.encoded(files(file("/opt/key", how(key)))))
            if each.name == "api-1"
            else each
            for each in Foreign().resources()
        ]
        (found,) = said("user-data-secrets", resources)
        assert isinstance(found, Violation)


def test_a_password_is_undecided_unless_sshd_is_told() -> None:
    hashed = {"users": [{"name": "core", "passwordHash": "$6$x"}]}
    sshd = {"files": [file("/etc/ssh/sshd_config.d/1.conf", percent("PasswordAuthentication no\n"))]}
    assert isinstance(told(config(passwd=hashed)).passwords, Unknown)
    assert told(config(passwd=hashed, storage=sshd)).passwords is False
    assert told(config(passwd={"users": [{"name": "core", "sshAuthorizedKeys": ["k"]}]})).passwords is False


def ignition(made: dict[str, str], *commands: str) -> str:
    """The foreign stack's machines, as Butane would have them."""
    folders = [{"path": line.split()[-1], "mode": 0o700, "user": {"name": "etcd"}} for line in commands]
    own = {path: text for path, text in made.items() if path.startswith(UNITS)}
    rows = [file(path, packed(text)) for path, text in made.items() if path not in own]
    return units(
        *({"name": path.rpartition("/")[2], "contents": text, "enabled": True} for path, text in own.items()),
        files=rows,
        directories=folders,
    )


def test_a_stack_of_machines_with_ignition_is_judged_as_one_with_cloud_init(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "cloud_config", ignition)
    of = Foreign()

    def found() -> list[Violation | Undecided]:
        facts = read_facts(of.resources())
        return [each for rule in RULES if rule.level != "disabled" for each in rule.check(facts)]

    assert found() == []
    del of.members[1, 1]["quota-backend-bytes"]
    of.servers[2]["profiling"] = "true"
    assert {(each.rule, each.resource.rpartition("::")[2]) for each in found()} == {
        ("etcd-quota", "etcd-1-1"),
        ("etcd-quota-equal", "etcd-1-1"),
        ("apiserver-profiling", "api-2"),
    }


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from(["data:,x", "/etc/x", "a.service"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "path",
                    "contents",
                    "source",
                    "append",
                    "name",
                    "dropins",
                    "mask",
                    "enabled",
                    "mode",
                    "user",
                    "id",
                    "files",
                    "units",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(ANY, ANY, ANY, ANY)
def test_no_configuration_is_too_odd_to_read(one: Any, two: Any, three: Any, four: Any) -> None:
    rows = [one, {"path": "/a", "name": "a.service", "contents": two, "append": [three], "user": four, "mode": one}]
    read(config(storage={"files": rows, "directories": rows}, systemd={"units": rows}, passwd=four), encoded=False)
    read(config(storage=one, systemd=two, passwd={"users": three}, config=four), encoded=False)
