"""Where a machine's own secrets lie, apart from boot data, and where each service sees its copy."""

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
