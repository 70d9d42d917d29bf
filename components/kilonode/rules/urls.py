"""URLs as etcd and kube-apiserver are given them: a list with commas, spaces around them, in any case."""

from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from kilonode.rules.unknown import UndecidedError

_OWN = frozenset({"unix", "unixs"})
"""Sockets in the file system, which nobody reaches over a network."""


def listed(text: str, separator: str = ",") -> list[str]:
    """The entries of a list."""
    return [each for part in text.split(separator) if (each := part.strip())]


def host(url: str) -> str | None:
    """The name or address of the machine, with a port or without; None where it names none."""
    parts = _split(url if "//" in url else f"//{url}")
    return parts.hostname if parts else None


def port(url: str) -> int | None:
    """The port, where it is said in figures."""
    parts = _split(url if "//" in url else f"//{url}")
    return parts.port if parts else None


def on_the_machine(url: str) -> bool:
    """Whether it names the machine that asks: localhost, by name or address."""
    return _loopback(host(url))


def in_the_clear(urls: str) -> Iterator[str]:
    """Those of a list that anybody on the network reads along with: no TLS, and more than the machine itself.

    Raises:
        UndecidedError: after the others, when a variable stands where the machine would be named.
    """
    unknown = None
    for url in listed(urls):
        parts = _split(url)
        if parts and (parts.scheme in _OWN or parts.scheme == "https" or _loopback(parts.hostname)):
            continue
        if parts and "$" in parts.netloc:
            unknown = unknown or url
        else:
            yield url
    if unknown:
        raise UndecidedError(f"what {unknown} listens on")


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError:
        return None
    return parts


def _loopback(name: str | None) -> bool:
    try:
        return name == "localhost" or ip_address(name or "").is_loopback
    except ValueError:
        return False
