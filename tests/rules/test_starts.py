"""What a command line starts, and what only has a program's name in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.rules.read.programs import PROGRAMS
from kilonode.rules.read.starts import RUNTIMES, started
from kilonode.rules.read.text import words
from kilonode.rules.read.wrappers import SHELLS, WRAPPERS
from kilonode.rules.unknown import UndecidedError
from tests.rules.written import programs

STARTS = [
    "/usr/local/bin/etcd --name=one",
    "exec etcd --name=one",
    "FOO=bar nohup /opt/etcd --name=one &",
    "sudo -u etcd nice -n -10 etcd --name=one",
    "mkdir -p /var/lib/etcd && etcd --name=one",
    "if true; then etcd --name=one; fi",
    "sh -c 'umask 077; exec etcd --name=one'",
    "env -u HOME FOO=bar /bin/bash -c 'sudo sh -c \"etcd --name=one\"'",
    "docker run --net=host quay.io/coreos/etcd:v3.5 --name=one",
    "docker run --net=host quay.io/coreos/etcd:v3.5 /usr/local/bin/etcd --name=one",
    "docker run quay.io/coreos/etcd:v3.5 -name one",
    "docker run -d --name other --restart always registry.k8s.io/etcd-amd64:3.5 --name=one",
    "podman run -itd -v /d:/d --replace quay.io/coreos/etcd sh -ec 'etcd --name=one'",
    "ctr -n k8s.io run --rm --net-host quay.io/coreos/etcd:v3.5 member /usr/local/bin/etcd --name=one",
    "docker run --entrypoint /usr/local/bin/etcd example.com/tools:1 --name=one",
    "docker run --entrypoint=etcd -e ETCD_NAME=one example.com/tools:1",
    "docker run --env ETCD_NAME=two quay.io/coreos/etcd:v3.5 --name=one",
    "docker run -eETCD_NAME=one quay.io/coreos/etcd:v3.5",
    "ETCD_NAME=one etcd",
    "export ETCD_NAME=one; exec etcd",
    "bash -ec 'export ETCD_NAME=one\nexec etcd'",
    "bash -o pipefail -c 'true # not yet; etcd --name=two\netcd --name=one'",
    "su - etcd -c 'etcd --name=one'",
    "runuser -u etcd -- etcd --name=one",
    "runuser -l etcd -c 'etcd --name=one'",
    "> /var/log/etcd etcd --name=one",
    "docker run --rm quay.io/coreos/etcd:v3.5 --name=one",
    "eval 'etcd --name=one'",
    ">/var/log/etcd etcd --name=one 2>&1",
    "etcd > /var/log/etcd --name=one",
    "(etcd --name=one) || exit 1",
    "(cd /srv; etcd --name=one)",
    "cd /srv;etcd --name=one",
    "true&&etcd --name=one &",
    "OUT=$(etcd --name=one)",
    'echo "$(etcd --name=one)"',
    "HOST=$(hostname -s) etcd --name=one",
    "HOST=`hostname -s` etcd --name=one",
    "etcd --data-dir=$(realpath /d --strip) --name=one",
    "timeout -k 5 600 etcd --name=one",
    "cloud-init-per once etcd-starts etcd --name=one",
    "flock -n /run/lock etcd --name=one",
    "start) etcd --name=one ;;",
    'case "$1" in start) etcd --name=one;; esac',
    "start() { etcd --name=one; }",
    "start(){ etcd --name=one; }",
]
NAMES = [
    "mkdir -p /srv/backups/etcd",
    "test -d /var/lib/etcd",
    "[ -d /var/lib/etcd ] || mkdir /var/lib/etcd",
    "git clone https://github.com/etcd-io/etcd",
    "apt-get install -y etcd --no-install-recommends",
    "curl -Lo /usr/local/bin/kubelet https://dl.example.com/kubelet",
    "chmod +x /usr/local/bin/kubelet",
    "install -m 755 etcd --target-directory=/usr/local/bin",
    "systemctl enable --now etcd kubelet containerd",
    "sudo -u etcd touch /var/lib/etcd",
    "docker pull quay.io/coreos/etcd:v3.5 && echo etcd",
    "/opt/etcd/etcd --version",
    "etcd -h",
    "command -v etcd >/dev/null || apt-get install -y etcd-client",
    "if ! command -v kubelet; then echo none; fi",
    "docker run --rm --entrypoint etcdctl quay.io/coreos/etcd:v3.5 --endpoints=https://10.0.0.1:2379 snapshot save /b",
    "docker run --rm quay.io/coreos/etcd:v3.5 etcdctl --endpoints=https://10.0.0.1:2379 endpoint health",
    "docker run -d --name etcd --restart always example.com/etcd-browser:v1",
    "docker run -l etcd --restart=always example.com/web:v1",
    "docker run",
    "etcd grpc-proxy start --endpoints=https://10.0.0.1:2379",
    "containerd config default > /etc/containerd/config.toml",
    "grep -E 'etcd|kubelet' /var/log/syslog",
    "true # later; etcd",
    "kubelet) echo one ;;",
    "kubeadm token create; kubeadm config images pull; kubeadm reset -f",
]
KUBEADM = [
    "kubeadm init",
    "kubeadm --v=5 init",
    "kubeadm -v 5 init --config /etc/k.yaml",
    "timeout 600 kubeadm init --config /etc/k.yaml",
    "(kubeadm init --config /etc/k.yaml) || exit 1",
    "OUT=$(kubeadm init --config /etc/k.yaml)",
    "cloud-init-per once init kubeadm init",
    ">/var/log/k.log kubeadm init",
    "  kubeadm init'",
    "kubeadm init>/var/log/k.log",
    "`kubeadm init`",
    "OUT=`kubeadm init --config /etc/k.yaml` || exit 1",
    "kubeadm join api:6443 --control-plane=true --token x",
    "kubeadm join api:6443 --control-plane",
]


@pytest.mark.parametrize("line", STARTS)
def test_a_program_that_is_started_is_found_with_its_settings(line: str) -> None:
    found, _ = programs({}, [line])
    assert {name: options["name"] for name, options in found.items()} == {"etcd": "one"}


@pytest.mark.parametrize("line", NAMES)
def test_a_path_or_a_word_that_is_a_program_s_name_starts_nothing(line: str) -> None:
    assert programs({}, [line])[0] == {}


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("a;b&&c|d", ["a", ";", "b", "&&", "c", "|", "d"]),
        ("""a 'b;c' "d|e" f\\;g""", ["a", "b;c", "d|e", "f;g"]),
        ("a 2>&1 &>b --c=/events#d;e F=g;h", ["a", "2>&1", "&>b", "--c=/events#d;e", "F=g;h"]),
    ],
)
def test_operators_are_words_where_nobody_has_quoted_them(line: str, read: list[str]) -> None:
    assert words(line) == read


@pytest.mark.parametrize("line", KUBEADM)
def test_what_kubeadm_makes_a_control_plane_is_one(line: str) -> None:
    assert set(programs({}, [line])[0]) == {"kubelet", "kube-apiserver", "etcd"}


@pytest.mark.parametrize("more", ["", " --control-plane=false", " --control-plane-endpoint=api"])
def test_what_kubeadm_makes_a_node_is_no_control_plane(more: str) -> None:
    assert set(programs({}, [f"kubeadm join api:6443{more}"])[0]) == {"kubelet"}


EXTERNAL = "kind: ClusterConfiguration\netcd: {external: {endpoints: ['https://10.0.0.1:2379']}}\n"
LOCAL = "kind: ClusterConfiguration\netcd: {local: {dataDir: /d}}\n"


@pytest.mark.parametrize(("text", "has"), [(EXTERNAL, False), (LOCAL, True)])
def test_a_control_plane_whose_etcd_is_elsewhere_has_none(text: str, has: bool) -> None:
    found, _ = programs({"/etc/k.yaml": text}, ["kubeadm init --config /etc/k.yaml"])
    assert ("etcd" in found, "kube-apiserver" in found) == (has, True)


def test_members_beside_such_a_control_plane_are_members() -> None:
    found, _ = programs({"/etc/k.yaml": EXTERNAL}, ["kubeadm init --config /etc/k.yaml", "etcd --name=one"])
    assert found["etcd"]["name"] == "one"


@pytest.mark.parametrize(
    "lines",
    [
        ["export ETCD_NAME=one", "etcd"],
        ["ETCD_NAME=one", "export ETCD_NAME", "etcd"],
        ["set -a", "ETCD_NAME=one", "set +a", "etcd"],
        ["if true; then export ETCD_NAME=one; fi", "exec etcd"],
    ],
)
def test_what_a_script_exports_is_a_setting(lines: list[str]) -> None:
    found, _ = programs({}, lines)
    assert dict(found["etcd"]) == {"name": "one"}


def test_what_a_script_keeps_for_itself_is_none() -> None:
    assert programs({}, ["ETCD_NAME=one", "etcd"])[0] == {"etcd": {}}


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (["export ETCD_NAME=one", "export ETCD_NAME=two", "etcd"], "what $ETCD_NAME holds"),
        (["export ETCD_NAME=$(hostname -s)", "etcd"], "what $(hostname -s) holds"),
        (["docker run -e ETCD_NAME quay.io/coreos/etcd:v3.5"], "what $ETCD_NAME holds"),
        (["docker run --env-file=/etc/e quay.io/coreos/etcd:v3.5"], "env-file /etc/e"),
        ([". /etc/default/etcd", "export ETCD_DATA_DIR", "etcd"], "env-file /etc/default/etcd"),
        (["set -a; source /etc/member.env; set +a", "etcd"], "env-file /etc/member.env"),
        (["docker run --env-file /etc/e quay.io/coreos/etcd:v3.5"], "env-file /etc/e"),
    ],
)
def test_a_variable_that_nobody_can_tell_is_undecided(lines: list[str], where: str) -> None:
    found, _ = programs({}, lines)
    with pytest.raises(UndecidedError) as told:
        found["etcd"].get("name")
    assert told.value.field == where


@pytest.mark.parametrize(
    "lines",
    [
        ["docker run --env-file /etc/etcd quay.io/coreos/etcd:v3.5 --name=one"],
        ["set -a", ". /etc/etcd", ". /etc/os-release", "etcd --name=one"],
    ],
)
def test_a_file_of_variables_in_user_data_is_read(lines: list[str]) -> None:
    found, _ = programs({"/etc/etcd": "ETCD_NAME=two\nETCD_DATA_DIR=/d\n"}, lines)
    assert dict(found["etcd"]) == {"name": "one", "data-dir": "/d"}
    found, _ = programs({"/etc/etcd": "ETCD_DATA_DIR=/d\n"}, lines)
    assert dict(found["etcd"]) == {"name": "one", "data-dir": "/d"}


def test_who_only_looks_for_a_variable_of_etcd_sets_none() -> None:
    script = "#!/bin/sh\n# reads ETCD_NAME= of the member\nssh m1 grep ^ETCD_NAME= /etc/etcd.env\n"
    assert programs({"/usr/local/bin/check.sh": script}, [])[0] == {}


@given(
    st.sampled_from(("cp", "ls", "tar", "echo", "/usr/bin/rsync")),
    st.lists(st.sampled_from((*PROGRAMS, *(f"/opt/{name}" for name in PROGRAMS), "-x", "--flag", "a=b")), max_size=6),
)
def test_no_argument_of_another_program_starts_anything(first: str, others: list[str]) -> None:
    assert programs({}, [" ".join([first, *others])])[0] == {}


@given(
    st.lists(
        st.sampled_from(
            (*SHELLS, *WRAPPERS, *RUNTIMES, "-c", "-u", "&&", ";", "then", "'etcd", "etcd'", "kubeadm", "etcd", "A=b")
        )
    )
)
def test_whatever_words_there_are_they_are_read(line: list[str]) -> None:
    text = " ".join(line)
    assert all(isinstance(name, str) for name, _ in started(words(text)))
    assert programs({}, [text])[1] == [text]
