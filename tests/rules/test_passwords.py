"""Whoever may log in with a password because user data says so is seen, and who has one that sshd does not take is not."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.passwords import passwords
from kilonode.rules.read.userdata import read
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.arithmetic import data, machine, pool
from tests.rules.judged import kinds, stack
from tests.rules.test_arithmetic import findings

SSHD = "/etc/ssh/sshd_config.d/10-own.conf"


def config(**document: Any) -> str:
    return "#cloud-config\n" + yaml.safe_dump(document)


def file(content: str, path: str = SSHD) -> list[dict[str, str]]:
    return [{"path": path, "content": content}]


def user(**more: Any) -> list[Any]:
    return ["default", {"name": "a", **more}]


@pytest.mark.parametrize(
    "text",
    [
        config(ssh_pwauth=True),
        config(ssh_pwauth="yes"),
        config(write_files=file("# ours\npasswordauthentication yes\n")),
        config(write_files=file("PasswordAuthentication=yes", "/etc/ssh/sshd_config")),
        config(write_files=file("PasswordAuthentication yes"), ssh_pwauth=False),
        config(runcmd=["sed -i 's/PasswordAuthentication no/PasswordAuthentication yes/' /etc/ssh/sshd_config"]),
        "#!/bin/sh\necho 'PasswordAuthentication yes' >> /etc/ssh/sshd_config\n",
        config(password="RANDOM"),
        config(chpasswd={"list": "a:RANDOM"}),
        config(chpasswd={"users": [{"name": "a", "type": "RANDOM"}]}, ssh_pwauth="unchanged"),
        config(users=user(lock_passwd=False, plain_text_passwd="x")),
        config(users=user(lock_passwd="no", hashed_passwd="x")),
        config(user={"lock_passwd": False, "passwd": "x"}),
        "#!/bin/sh\necho $USER:$SECRET | sudo chpasswd\n",
    ],
)
def test_a_password_that_somebody_may_log_in_with_is_seen(text: str) -> None:
    assert told(text) is True


@pytest.mark.parametrize(
    "text",
    [
        config(),
        config(ssh_pwauth=False),
        config(ssh_pwauth="unchanged"),
        config(password="RANDOM", ssh_pwauth=False),
        config(chpasswd={"list": "a:RANDOM"}, write_files=file("PasswordAuthentication no")),
        config(chpasswd={"expire": False}),
        config(users=user(lock_passwd=True, passwd="x")),
        config(users=user(passwd="x")),
        config(users=user(lock_passwd=False)),
        config(write_files=file("#PasswordAuthentication yes\n")),
        config(write_files=file("PasswordAuthentication yes", "/usr/share/doc/sshd")),
        config(runcmd=["sed -i 's/PasswordAuthentication yes/PasswordAuthentication no/' /etc/ssh/sshd_config"]),
        config(runcmd=["grep chpasswd /etc/log", "man chpasswd"]),
    ],
)
def test_where_nobody_may_log_in_with_a_password_none_is_seen(text: str) -> None:
    assert told(text) is False


def told(text: str) -> bool:
    found = read(text, encoded=False)
    assert isinstance(found, UserData)
    return found.passwords


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3),
        lambda each: (
            st.lists(each, max_size=3)
            | st.dictionaries(st.sampled_from(("chpasswd", "users", "list", "lock_passwd", "passwd")), each)
        ),
    )
)
def test_no_cloud_config_is_too_odd_to_read(value: Any) -> None:
    for key in ("chpasswd", "users", "user", "password", "ssh_pwauth"):
        assert passwords([{key: value}], {}, []) in {True, False}


PASSWORDS = data(passwords=True)


@pytest.mark.parametrize("subject", [machine(data=PASSWORDS), pool(data=PASSWORDS)])
def test_ssh_keys_only_is_broken_by_user_data_with_passwords(subject: Any) -> None:
    (found,) = findings("ssh-keys-only", subject)
    assert isinstance(found, Violation)
    assert (found.field, found.value) == ("user data", "passwords")
    # One word is cloud-init's, the other is sshd's own, which Ignition's files have.
    assert {"ssh_pwauth", "PasswordAuthentication"} <= set(found.fix.split())


def test_ssh_keys_only_is_undecided_while_user_data_is_unknown_and_kept_without_any() -> None:
    assert findings("ssh-keys-only", machine(data=data())) == findings("ssh-keys-only", machine()) == []
    assert kinds("ssh-keys-only", stack(("api-1", "osProfile.customData", Unknown("d")))) == {Undecided}
