"""User data is read as cloud-init reads it, and settings are found wherever they stand."""

import base64
import gzip
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kilonode.boot.cloudinit import user_data
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Unknown
from tests import plans

UNIT = "[Service]\nEnvironmentFile=-/etc/etcd.env\nExecStart=/usr/bin/etcd $EXTRA \\\n  --name=one\n"
POD = {"kind": "Pod", "spec": {"containers": [{"command": ["etcd", "--quota-backend-bytes=3", "--name=one"]}]}}
KUBEADM = {"kind": "ClusterConfiguration", "etcd": {"local": {"extraArgs": {"quota-backend-bytes": 3, "name": "one"}}}}


def config(**document: Any) -> str:
    return "#cloud-config\n" + yaml.safe_dump(document)


def files(*rows: dict[str, Any]) -> str:
    return config(write_files=list(rows))


CASES = {
    "a unit with an environment file": files(
        {"path": "/etc/systemd/system/etcd.service", "content": UNIT},
        {"path": "/etc/etcd.env", "content": 'EXTRA="--quota-backend-bytes=3"\n'},
    ),
    "etcd's own variables": files({"path": "/etc/default/etcd", "content": "ETCD_NAME=one\nETCD_QUOTA_BACKEND_BYTES=3\n"}),
    "etcd's own file": files(
        {"path": "/etc/etcd/e.yml", "content": yaml.safe_dump({"name": "one", "data-dir": "/d", "quota-backend-bytes": 3})}
    ),
    "a static pod": files({"path": "/etc/kubernetes/manifests/etcd.yaml", "content": yaml.safe_dump(POD)}),
    "kubeadm": files({"path": "/etc/kubeadm.yaml", "content": yaml.safe_dump(KUBEADM)}),
    "a command": config(runcmd=["etcd --name one --quota-backend-bytes 3", ["systemctl", "restart", "etcd"]]),
    "a script": "#!/bin/sh\nexec /usr/bin/etcd --name one \\\n  --quota-backend-bytes 3\n",
    "a script that writes a file": "#!/bin/sh\ncat > /etc/default/etcd <<'EOT'\nETCD_NAME=one\nETCD_QUOTA_BACKEND_BYTES=3\nEOT\n",
    "a file in base64": files(
        {"path": "/etc/default/etcd", "encoding": "gz+b64", "content": base64.b64encode(
            gzip.compress(b"ETCD_NAME=one\nETCD_QUOTA_BACKEND_BYTES=3\n")).decode()}
    ),
    "a file that a second row adds to": files(
        {"path": "/etc/default/etcd", "content": "ETCD_NAME=one\n"},
        {"path": "/etc/default/etcd", "content": "ETCD_QUOTA_BACKEND_BYTES=3\n", "append": True},
    ),
    "a file that a second row replaces": files(
        {"path": "/etc/default/etcd", "content": "ETCD_NAME=two\nETCD_CORS=1\n"},
        {"path": "/etc/default/etcd", "content": "ETCD_NAME=one\nETCD_QUOTA_BACKEND_BYTES=3\n", "append": False},
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_settings_are_found(text: str) -> None:
    own = read(text, encoded=False).programs["etcd"]
    assert (own["name"], own["quota-backend-bytes"]) == ("one", "3")


def test_parts_in_gzip_and_mime_are_read_and_the_size_is_before_base64() -> None:
    whole = MIMEMultipart()
    for text in ("#!/bin/sh\nsysctl -w net.core.somaxconn=7\n", CASES["a static pod"]):
        whole.attach(MIMEText(text, "plain"))
    packed = gzip.compress(whole.as_bytes())
    found = read(base64.b64encode(packed).decode(), encoded=True)
    assert found.size == len(packed)
    assert found.programs["etcd"]["name"] == "one"
    assert found.sysctls == {"net.core.somaxconn": "7"}


def whole(*texts: tuple[str, str]) -> str:
    message = MIMEMultipart()
    for kind, text in texts:
        message.attach(MIMEText(text, kind))
    return message.as_string()


BARE = CASES["a command"].removeprefix("#cloud-config\n")


@pytest.mark.parametrize(
    "text",
    [
        whole(("cloud-config", BARE)),
        "From: me\nTo: you\n" + whole(("cloud-config", BARE)),
        whole(("cloud-config-archive", yaml.safe_dump([BARE]))),
        whole(("cloud-boothook", "exec etcd --name=one --quota-backend-bytes=3\n")),
        "#cloud-config-archive\n" + yaml.safe_dump([{"content": BARE}]),
        "#cloud-config-archive\n" + yaml.safe_dump([{"content": BARE, "type": "text/cloud-config"}]),
    ],
)
def test_a_part_is_what_its_type_says_whatever_its_first_line(text: str) -> None:
    assert read(text, encoded=False).programs["etcd"]["name"] == "one"


@pytest.mark.parametrize(
    ("kind", "where"),
    [("jinja2", "a template of jinja in user data"), ("x-include-url", "what user data includes"), ("x-include-once-url", "what user data includes")],
)  # fmt: skip
def test_a_part_that_becomes_something_else_is_undecided_by_its_type(kind: str, where: str) -> None:
    assert read(whole((kind, "https://example.com/x\n")), encoded=False) == Unknown(where)


def test_text_that_is_in_base64_already_is_not_put_into_it_again() -> None:
    text = CASES["a command"]
    packed = base64.encodebytes(text.encode()).decode()
    found = read(packed, encoded=False)
    assert (found.programs["etcd"]["name"], found.size) == ("one", len(text))


@pytest.mark.parametrize(
    "text", ["11f6ad8ec52a2984abaafd7c3b516503785c2072", "a040" * 10, base64.b64encode(b"\xff\xfe\x00").decode()]
)
@pytest.mark.parametrize("encoded", [True, False])
def test_a_hash_and_bytes_that_are_no_text_are_undecided(text: str, encoded: bool) -> None:
    assert read(text, encoded=encoded) == Unknown("user data that is no text")


def test_a_message_with_no_version_or_a_wrong_byte_is_one_and_a_script_that_writes_one_is_none() -> None:
    message = f"Content-Type: text/cloud-config\n\n# caf\xe9\n{BARE}".encode("latin-1")
    assert read(base64.b64encode(message).decode(), encoded=True).programs["etcd"]["name"] == "one"
    assert read("#!/bin/sh\necho MIME-Version: 1.0\netcd --name=one\n", encoded=False).programs["etcd"]["name"] == "one"


def test_a_wrong_byte_makes_no_script_unread() -> None:
    script = b"#!/bin/sh\n# caf\xe9\netcd --name=one\n"
    assert read(base64.b64encode(script).decode(), encoded=True).programs["etcd"]["name"] == "one"


def test_a_program_that_is_only_named_is_not_started() -> None:
    assert read(config(runcmd=["systemctl enable --now etcd", "apt-get install etcd"]), encoded=False).programs == {}


def test_this_librarys_own_machines_are_read_with_what_their_image_holds() -> None:
    boots = plans.boots(plans.plan())
    servers = read(user_data(boots["west-api-1"]), encoded=False)
    assert servers.programs["kube-apiserver"]["event-ttl"] == "1h0m0s"
    assert "/etc/kubernetes/authentication.yaml" in servers.files
    assert "etcd" not in servers.programs
    assert "west-etcd-main-1" in read(user_data(boots["west-etcd-main-1"]), encoded=False).programs["etcd"]["name"]


@given(st.text())
def test_no_text_is_too_odd_to_read(text: str) -> None:
    for encoded in (True, False):
        read(text, encoded=encoded)
        read("#cloud-config\n" + text, encoded=encoded)
        read("#!/bin/sh\n" + text, encoded=encoded)


@pytest.mark.parametrize("encoded", [True, False])
def test_half_a_character_is_no_crash(encoded: bool) -> None:
    read("#cloud-config\nruncmd: ['\ud800']\n", encoded=encoded)
