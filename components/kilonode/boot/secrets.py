"""Where a machine's own secrets lie, apart from boot data, and where each service sees its copy."""

import re

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


_KEYS = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|client-key-data:\s*\S"),
    "a bootstrap token": re.compile(r"(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])"),
    "an access key": re.compile(r"\bAKIA[0-9A-Z]{16}\b|\bAccountKey=\S"),
}


def key_in(text: str) -> str | None:
    """What a text holds that opens something; boot data's constructor and the rule ``user-data-secrets`` both ask here."""
    return next((what for what, pattern in _KEYS.items() if pattern.search(text)), None)
