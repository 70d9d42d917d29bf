"""What the scripts of user data write and run, and what kernel settings they make."""

import pytest
import yaml

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.heredocs import heredocs
from kilonode.rules.read.sysctls import sysctls
from kilonode.rules.read.userdata import read

BODY = "net.core.somaxconn=7\n"


def data(text: str) -> UserData:
    found = read(text, encoded=False)
    assert isinstance(found, UserData)
    return found


def listed(*words: str) -> UserData:
    return data("#cloud-config\n" + yaml.safe_dump({"runcmd": [list(words)]}))


@pytest.mark.parametrize(
    "words",
    [
        ("etcd", "--name=one", "--data-dir=/d"),
        ("sh", "-c", "etcd --name=one --data-dir=/d"),
        ("bash", "-ec", "true\n# not yet: etcd --name=two\nexec etcd \\\n  --name=one --data-dir=/d\n"),
        (
            "sh",
            "-c",
            "cat > /etc/systemd/system/etcd.service <<E\n[Service]\nExecStart=etcd --name=one --data-dir=/d\nE",
        ),
    ],
)
def test_a_command_that_is_a_list_keeps_its_words(words: tuple[str, ...]) -> None:
    assert dict(listed(*words).programs["etcd"]) == {"name": "one", "data-dir": "/d"}


def test_kubeadm_in_a_list_makes_a_control_plane() -> None:
    assert "kube-apiserver" in listed("sh", "-c", "kubeadm init --config /etc/k.yaml").programs


def test_an_empty_list_is_no_command() -> None:
    assert listed().commands == ()


@pytest.mark.parametrize(
    "opening",
    [
        "cat > /x <<E",
        'cat > "/x" <<E',
        "cat <<'E' >/x && true",
        "cat <<E | sudo tee /x >/dev/null",
        "sudo tee '/x' <<E 2>/dev/null",
        "D=\ncat 2>/dev/null 1>$D/x <<E",
        'D="/"\nsudo cat >"${D}x" <<E',
    ],
)
def test_a_file_is_found_however_its_path_is_written(opening: str) -> None:
    files, _ = heredocs(f"{opening}\n{BODY}E\n")
    assert files == {"/x": BODY}


@pytest.mark.parametrize("opening", ["cat >> /x <<E", "tee -a /x <<E"])
def test_what_is_added_to_a_file_stands_behind_what_it_had(opening: str) -> None:
    files, _ = heredocs(f"{opening}\n1\nE\n{opening}\n2\nE\n", {"/x": "0\n"})
    assert files == {"/x": "0\n1\n2\n"}


def test_a_file_that_is_written_anew_has_nothing_of_what_it_had() -> None:
    assert heredocs("cat > /x <<E\n1\nE\n", {"/x": "0\n"})[0] == {"/x": "1\n"}


def test_a_unit_is_one_wherever_a_variable_puts_it() -> None:
    script = "#!/bin/sh\ncat > $U/etcd.service <<E\n[Service]\nExecStart=etcd --name=one\nE\n"
    assert data(script).programs["etcd"]["name"] == "one"


@pytest.mark.parametrize(
    "opening",
    ["sudo bash -s <<E", "bash <<'E'", "cat <<E | sh -x", "bash -s -- one two <<E", "cat <<E >/x && etcd --name=one"],
)
def test_what_a_shell_is_given_to_read_runs(opening: str) -> None:
    assert data(f"#!/bin/sh\n{opening}\netcd --name=one\nE\n").programs["etcd"]["name"] == "one"


@pytest.mark.parametrize(
    "opening", ["ssh m1 bash -s <<E", "python3 - <<E", "kubectl apply -f - <<E", "bash /opt/x <<E", ": <<E"]
)
def test_what_something_else_is_given_to_read_does_not(opening: str) -> None:
    assert data(f"#!/bin/sh\n{opening}\netcd --name=one\nE\n").programs == {}


@pytest.mark.parametrize(
    "command",
    [
        "sysctl -w net.core.somaxconn=7",
        "sh -c 'sysctl -qw net/core/somaxconn=7'",
        "echo 7 > /proc/sys/net/core/somaxconn",
        'echo "7" >/proc/sys/net/core/somaxconn',
        "echo 7 | sudo tee /proc/sys/net/core/somaxconn",
        "sh -c 'echo 7 > /proc/sys/net/core/somaxconn'",
        "echo 'net.core.somaxconn = 7' >> /etc/sysctl.conf && sysctl -p",
        "echo net.core.somaxconn=7 | tee -a /etc/sysctl.d/9.conf",
        r"printf 'a.b=1\nnet.core.somaxconn=7\n' > /etc/sysctl.d/9.conf",
    ],
)
def test_a_command_sets_what_the_kernel_takes(command: str) -> None:
    assert sysctls({"/etc/sysctl.d/1.conf": "net.core.somaxconn=1\n"}, [command])["net.core.somaxconn"] == "7"


def test_a_unit_s_command_sets_it_too() -> None:
    unit = "[Service]\nExecStartPre=/sbin/sysctl -w net.core.somaxconn=7\nExecStart=etcd\n"
    files = {"write_files": [{"path": "/etc/systemd/system/etcd.service", "content": unit}]}
    assert data("#cloud-config\n" + yaml.safe_dump(files)).sysctls == {"net.core.somaxconn": "7"}


@pytest.mark.parametrize(
    "command", ["echo 7 > /srv/x", "echo sysctl net.core.somaxconn=7", "cat /proc/sys/net/core/somaxconn"]
)
def test_what_is_only_said_sets_nothing(command: str) -> None:
    assert sysctls({}, [command]) == {}


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("/etc/sysctl.d/50-a.conf", "/usr/lib/sysctl.d/90-a.conf"),
        ("/usr/lib/sysctl.d/50-a.conf", "/etc/sysctl.d/90-a.conf"),
        ("/usr/lib/sysctl.d/90-a.conf", "/etc/sysctl.d/90-a.conf"),
        ("/run/sysctl.d/90-a.conf", "/etc/sysctl.d/90-a.conf"),
        ("/usr/lib/sysctl.d/90-a.conf", "/run/sysctl.d/90-a.conf"),
        ("/etc/sysctl.d/90-a.conf", "/etc/sysctl.conf"),
        ("/etc/sysctl.conf", "/usr/lib/sysctl.d/99-z.conf"),
    ],
)
def test_of_two_files_the_later_name_holds_and_of_one_name_the_administrator_s(first: str, last: str) -> None:
    own = {first: "net.core.somaxconn=1\n", last: BODY}
    for files in (own, dict(reversed(own.items()))):
        assert sysctls(files, []) == {"net.core.somaxconn": "7"}


@pytest.mark.parametrize("piece", ["echo ", "$( ", "(", "a=b ", "docker run --a=b ", "export ETCD_A", "'", "`"])
def test_a_line_without_end_is_read_to_its_end(piece: str) -> None:
    assert data(f"#!/bin/sh\netcd /sys {piece * (400_000 // len(piece))}\n").commands
