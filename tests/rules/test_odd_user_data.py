"""Whatever stands in the YAML of user data, no rule crashes; and nobody unpacks gigabytes to judge it."""

import base64
import gzip
import tracemalloc
from collections.abc import Iterator
from copy import deepcopy
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read import aws
from kilonode.rules.read.decode import decode
from kilonode.rules.read.decoded import TOO_MUCH
from kilonode.rules.read.documents import SIZE_MAX, document, documents
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.userdata import read
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import Foreign
from tests.rules.foreign_flags import KUBELET
from tests.rules.written import encoded, made, unit

POD: dict[str, Any] = {
    "kind": "Pod",
    "spec": {"containers": [{"command": ["kube-apiserver", "--profiling=false"], "args": ["--event-ttl=1h"]}]},
}
KUBEADM: dict[str, Any] = {
    "kind": "ClusterConfiguration",
    "apiServer": {"extraArgs": [{"name": "profiling", "value": "false"}]},
    "controllerManager": {"extraArgs": {"profiling": False}},
    "etcd": {"local": {"extraArgs": [{"name": "quota-backend-bytes", "value": 3}]}},
}
ETCD: dict[str, Any] = {
    "name": "m",
    "data-dir": "/d",
    "initial-cluster": "m=https://10.0.0.1:2380",
    "quota-backend-bytes": 3,
    "client-transport-security": {"cert-file": "/c"},
}
ACCESS: dict[str, Any] = {"anonymous": {"enabled": True, "conditions": [{"path": "/livez"}]}}
ROLES: dict[str, dict[str, Any]] = {
    "etcd": {"/etc/etcd.yaml": ETCD, "/etc/systemd/system/etcd.service": unit("etcd", {"config-file": "/etc/etcd.yaml"})},
    "api server": {
        "/etc/kubernetes/manifests/api.yaml": POD,
        "/etc/access.yaml": ACCESS,
        "/etc/systemd/system/kube-apiserver.service": unit("kube-apiserver", {"authentication-config": "/etc/access.yaml"}),
    },
    "kubeadm": {"/etc/kubeadm.conf": KUBEADM},
    "kubelet": {
        "/etc/kubelet.yaml": KUBELET,
        "/etc/systemd/system/kubelet.service": unit("kubelet", {"config": "/etc/kubelet.yaml"}),
    },
}  # fmt: skip


def config(files: dict[str, Any]) -> dict[str, Any]:
    """A cloud-config whose files are still structured."""
    rows = [{"path": path, "encoding": "text/plain", "content": content} for path, content in files.items()]
    return {"write_files": rows, "runcmd": ["true", ["kubeadm", "init"]], "bootcmd": ["true"]}


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    rows: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in rows:
        yield (*above, step)
        yield from places(each, (*above, step))


def replaced(value: Any, place: tuple[Any, ...], by: Any) -> Any:
    changed = deepcopy(value)
    inside = changed
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = by
    return changed


def written(config: Any) -> str:
    """The text of it: what is structured in a file is written as YAML first."""
    for row in config["write_files"] if isinstance(config.get("write_files"), list) else ():
        if isinstance(row, dict) and isinstance(row.get("content"), dict):
            row["content"] = yaml.safe_dump(row["content"])
    return "#cloud-config\n" + yaml.safe_dump(config)


def judge_all(text: str) -> None:
    machine = made("azure-native:compute:VirtualMachine", "m", {"osProfile": {"customData": encoded(text)}})
    facts = read_facts([*Foreign().resources(), machine])
    for rule in RULES:
        assert {type(found) for found in rule.check(facts)} <= {Violation, Undecided}


ODD = (None, 5, -1.5, float("inf"), True, "", "x", [], [5], [None], ["x"], [["x"]], [{}], {}, {"x": "x"}, {5: 5}, b"x")
PLACES = [(role, place) for role, files in ROLES.items() for place in places(config(files))]


def test_the_machines_that_are_made_odd_start_their_programs() -> None:
    started = [set(_data(written(config(files))).programs) for files in ROLES.values()]
    assert [{"etcd"} <= started[0], {"kube-apiserver"} <= started[1], {"etcd"} <= started[2]] == [True] * 3
    assert {"kubelet"} <= started[3]


def _data(text: str) -> UserData:
    found = read(text, encoded=False)
    assert isinstance(found, UserData)
    return found


@pytest.mark.parametrize(
    ("role", "place"), PLACES, ids=lambda each: each if isinstance(each, str) else ".".join(map(str, each))
)
def test_an_odd_value_anywhere_in_user_data_crashes_no_reading(role: str, place: tuple[Any, ...]) -> None:
    for odd in ODD:
        read(written(replaced(config(ROLES[role]), place, odd)), encoded=False)


@given(case=st.sampled_from(PLACES), odd=st.sampled_from(ODD))
@settings(max_examples=60, deadline=None)
def test_an_odd_value_anywhere_in_user_data_crashes_no_rule(case: tuple[str, tuple[Any, ...]], odd: Any) -> None:
    judge_all(written(replaced(config(ROLES[case[0]]), case[1], odd)))


SCALARS = (
    "2021-99-99", "!!int x", "!!int ''", "!!float ''", "!!bool x", "!!timestamp x", "!!binary é", "!!null x", "&a [*a]", "*a",
    "[" * 5_000, "0x" + "f" * 5_000, "9" * 5_000, "{? {a: b} : c}", "!!python/object:os.x {}", "!!set x", ".nan", "\\ud800",
)  # fmt: skip


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda text: text[:20])
def test_yaml_that_pyyaml_itself_falls_over_crashes_no_rule(scalar: str) -> None:
    kubelet = f"kind: KubeletConfiguration\nmaxParallelImagePulls: {scalar}\n"
    judge_all(f"#cloud-config\nwrite_files: {scalar}\n")
    judge_all(f"#cloud-config-archive\n- {scalar}\n")
    for path in ("/etc/kubelet.yaml", "/etc/any.conf"):
        judge_all(f"#cloud-config\n{yaml.safe_dump({'write_files': [{'path': path, 'content': kubelet}]})}")


def test_aliases_that_make_much_of_little_are_not_written_out() -> None:
    """Seven lines of ten aliases each would be twenty million values."""
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 8))]
    bomb = "\n".join(["kind: KubeletConfiguration", *lines, ""])
    assert documents(bomb) is None
    assert document("a: &a [x]\nb: *a\n") == {"a": ["x"], "b": ["x"]}

    tracemalloc.start()
    try:
        judge_all(f"#cloud-config\n{yaml.safe_dump({'write_files': [{'path': '/k.yaml', 'content': bomb}]})}")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Written out they are over a hundred million characters, by whoever writes them.
    assert peak < 32 * 1024**2


BOMB = gzip.compress(b"#" * (SIZE_MAX + 1), mtime=0)
FITS = gzip.compress(b"#" * (SIZE_MAX // 2), mtime=0)


def parts(*contents: bytes) -> bytes:
    whole = MIMEMultipart()
    for content in contents:
        whole.attach(MIMEApplication(content, "x-gzip"))
    return whole.as_bytes()


def file(content: bytes) -> bytes:
    row = {"path": "/x", "encoding": "gz+b64", "content": base64.b64encode(content).decode()}
    return b"#cloud-config\n" + yaml.safe_dump({"write_files": [row]}).encode()


@pytest.mark.parametrize(
    "data", [BOMB, parts(BOMB), parts(FITS, FITS), file(BOMB)], ids=("whole", "a part", "two parts together", "a file")
)
def test_what_unpacks_to_more_than_anybody_reads_is_undecided(data: bytes) -> None:
    assert len(data) < 64 * 1024
    assert read(base64.b64encode(data).decode(), encoded=True) == Unknown(TOO_MUCH)


@pytest.mark.parametrize("data", [FITS, parts(FITS), file(FITS)], ids=("whole", "a part", "a file"))
def test_what_unpacks_to_less_is_read(data: bytes) -> None:
    assert isinstance(read(base64.b64encode(data).decode(), encoded=True), UserData)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("## template: jinja\n#cloud-config\nruncmd: []\n", "a template of jinja in user data"),
        ("#include\nhttps://example.com/x\n", "what user data includes"),
    ],
)
def test_what_the_machine_makes_something_else_of_is_undecided(text: str, where: str) -> None:
    assert read(text, encoded=False) == Unknown(where)


def test_archives_in_archives_are_undecided_before_anything_is_too_deep() -> None:
    nested = "#!/bin/sh\n"
    for _ in range(12):
        nested = "#cloud-config-archive\n" + yaml.safe_dump([{"content": nested}])
    assert read(nested, encoded=False) == Unknown("user data in parts of parts")


@pytest.mark.parametrize(
    ("script", "commands"),
    [("cat <<E\n" * 20_000, 20_000), ("echo " + "a " * 200_000, 1), ("etcd " * 60_000, 1), ("etcd --name=a \\\n" * 20_000, 1)],
    ids=["heredocs that never end", "one line", "one word", "one command"],
)  # fmt: skip
def test_a_long_script_is_read_to_its_end(script: str, commands: int) -> None:
    """Were the work to grow with the square of the length, these would take minutes."""
    packed = base64.b64encode(gzip.compress(f"#!/bin/sh\n{script}".encode())).decode()
    assert len(decode(packed, encoded=True).commands) == commands + 1
    assert isinstance(read(packed, encoded=True), UserData)


def test_what_many_blocks_close_is_told_of_many_buckets() -> None:
    many = range(300)
    buckets = [made(aws.BUCKETS[0], f"b{each}", {"bucket": f"b{each}"}) for each in many]
    ways = dict.fromkeys(("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True)
    blocks = [
        made(aws.BLOCK, f"k{each}", {"bucket": f"b{each}", **ways, "blockPublicAcls": each != 7}) for each in many
    ]
    public = [each.name for each in read_facts([*buckets, *blocks]).storage if each.opened]
    assert public == ["b7"]
