"""Hosts of registries and mirrors, as images' names and URLs have them: one grammar wherever a person names one."""

import re
from ipaddress import AddressValueError, IPv4Address

HOST_LENGTH = 255
"""Characters of a host with its port: a registry's folder on a node has this name, and file systems take no longer one."""

PORT_MAX = 65535
DOCKER = "docker.io"
DOCKER_FORMER = "index.docker.io"
"""Docker Hub, and a name that no image keeps: programs read it as the other (distribution/reference, normalize.go)."""

HOST_ALLOWED = (
    f"a host of letters in lower case, digits, inner dashes and dots, with a port from 1 to {PORT_MAX} if it has one, "
    f"at most {HOST_LENGTH} characters"
)

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?P<name>(?:{_LABEL}\.)*(?P<last>{_LABEL}))(?::(?P<port>[1-9][0-9]{{0,4}}))?", re.ASCII)


def is_host(text: str) -> bool:
    """Whether ``text`` is a host, with or without a port, that a machine can ask."""
    found = _HOST.fullmatch(text)
    if not found or len(text) > HOST_LENGTH or int(found["port"] or 1) > PORT_MAX:
        return False
    return not found["last"].isdigit() or _is_address(found["name"])


def is_registry(text: str) -> bool:
    """Whether ``text`` is a host that is taken for one in an image's name: ``team`` in ``team/train`` is none."""
    return is_host(text) and (text == "localhost" or bool({".", ":"} & set(text)))


def _is_address(name: str) -> bool:
    """A name that ends in a number is read as an address, and no top-level domain is a number (RFC 3696)."""
    try:
        IPv4Address(name)
    except AddressValueError:
        return False
    return True
