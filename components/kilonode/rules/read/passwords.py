"""Whether user data lets somebody log in with a password: what cloud-init and sshd are told of it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kilonode.rules.read.documents import rows
from kilonode.rules.read.resource import at
from kilonode.rules.read.starts import started
from kilonode.rules.read.text import words
from kilonode.rules.unknown import Fact, Unknown

_SSHD = re.compile(r"/sshd_config(?:\.d/.+\.conf)?$")
_SAID = re.compile(r"PasswordAuthentication[\s=\"']+(yes|no)\b", re.IGNORECASE)
_WORDS = {**dict.fromkeys(("true", "1", "on", "yes"), True), **dict.fromkeys(("false", "0", "off", "no"), False)}
"""What cloud-init takes for a truth; anything else leaves sshd as it is (cloud-init, cc_set_passwords)."""

_SETS = ("passwd", "hashed_passwd", "plain_text_passwd")


def passwords(configs: Iterable[Mapping[str, Any]], files: Mapping[str, str], commands: Iterable[str]) -> Fact[bool]:
    """Whether sshd is told to take passwords; where it is told nothing, whether anybody has one."""
    known, lines = [*configs], [*commands]
    if told := {*_told_by_cloud_init(known), *_told_by_files(files), *_told_by_commands(lines)}:
        return True in told
    if any(map(_gives, known)) or any(map(_runs_chpasswd, lines)):
        return True
    # Flatcar's sshd takes them, and Fedora CoreOS's does not.
    return Unknown("PasswordAuthentication, where an account has a password,") if any(map(_hashed, known)) else False


def _told_by_cloud_init(configs: Iterable[Mapping[str, Any]]) -> Iterator[bool]:
    for config in configs:
        if (told := _truth(config.get("ssh_pwauth"))) is not None:
            yield told


def _told_by_files(files: Mapping[str, str]) -> Iterator[bool]:
    for path, text in files.items():
        for line in text.splitlines() if _SSHD.search(path) else ():
            if said := _SAID.match(line.strip()):
                yield said[1].lower() == "yes"


def _told_by_commands(lines: Iterable[str]) -> Iterator[bool]:
    """Of what an editor of streams looks for and writes the last word holds."""
    for line in lines:
        if "sshd_config" in line and (said := _SAID.findall(line)):
            yield said[-1].lower() == "yes"


def _truth(value: Any) -> bool | None:
    return _WORDS.get(str(value).lower())


def _gives(config: Mapping[str, Any]) -> bool:
    """Whether somebody is given a password; a user's own is locked unless it is said not to be."""
    chpasswd = config.get("chpasswd")
    lists = (chpasswd.get("list"), chpasswd.get("users")) if isinstance(chpasswd, Mapping) else ()
    return bool(config.get("password") or any(lists)) or any(
        isinstance(user, Mapping) and _truth(user.get("lock_passwd")) is False and any(user.get(key) for key in _SETS)
        for user in (*rows(config.get("users")), config.get("user"))
    )


def _hashed(config: Mapping[str, Any]) -> bool:
    """Whether Ignition gives somebody a password."""
    return any(at(user, "passwordHash") for user in rows(at(config, "passwd.users")))


def _runs_chpasswd(line: str) -> bool:
    return "chpasswd" in line and any(program == "chpasswd" for program, _ in started(words(line)))
