"""What a command line starts, and what only has a program's name in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.rules.read.programs import PROGRAMS, programs
from kilonode.rules.read.starts import RUNTIMES, SHELLS, WRAPPERS, started
from kilonode.rules.read.text import words

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
]


@pytest.mark.parametrize("line", STARTS)
def test_a_program_that_is_started_is_found_with_its_settings(line: str) -> None:
    found, _ = programs({}, [line])
    assert {name: options["name"] for name, options in found.items()} == {"etcd": "one"}


@pytest.mark.parametrize("line", NAMES)
def test_a_path_or_a_word_that_is_a_program_s_name_starts_nothing(line: str) -> None:
    assert programs({}, [line])[0] == {}


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
