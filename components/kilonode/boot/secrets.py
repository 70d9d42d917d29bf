"""Where a machine's own secrets lie, apart from boot data, and where each service sees its copy."""

import base64
import json
import re

from kilonode.boot.passwords import password_in
from kilonode.boot.signs import SIGNS

FOLDER = "/etc/kilonode/secrets"
"""Root-only; filled by the cloud (local: a read-only bind of the machine's folder)."""


def credential(service: str, file: str) -> str:
    """Path at which ``<service>.service`` reads ``file``: systemd copies it there for the service's user alone."""
    return f"/run/credentials/{service}.service/{file}"


def delivered(service: str, file: str) -> str:
    """Path at which the cloud delivers it, readable by root."""
    return f"{FOLDER}/{service}/{file}"


CLUSTER = "/etc/kilonode/cluster"
"""The durable marks of the machine's etcd cluster: which members have ever been part of it."""


_WEB_TOKEN = re.compile(r"(?<![\w-])(?P<head>e[yw][\w-]{8,})\.[\w-]{2,}\.[\w-]{2,}", re.ASCII)


_BASE64 = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{40,}(?:\r?\n[ \t]{0,32}[A-Za-z0-9+/]{1,76})*={0,2}")


def key_in(text: str) -> str | None:
    """What a text holds that opens something, also in base64.

    Boot data's constructor and the rule ``user-data-secrets`` both ask here.
    """
    return _key_in(text) or next((what for each in _BASE64.finditer(text) if (what := _key_in(_plain(each[0])))), None)


def _plain(given: str) -> str:
    """The text that base64 holds; nothing where it holds none."""
    joined = "".join(given.split())
    try:
        return base64.b64decode(joined + "=" * (-len(joined) % 4)).decode()
    except ValueError:
        return ""


def _key_in(text: str) -> str | None:
    found = next((what for what, pattern in SIGNS.items() if pattern.search(text)), None)
    if found is None and any(_signed(each["head"]) for each in _WEB_TOKEN.finditer(text)):
        return "a JSON web token"
    return "a password" if found is None and password_in(text) else found


def _signed(head: str) -> bool:
    """Whether base64url is the head of a JSON web token: an object that says the algorithm."""
    try:
        said = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and "alg" in said
