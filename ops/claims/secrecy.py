"""Claims about where keys are not: boot data, process arguments, the engine's plain state, the machine image's files."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

from kilonode.clouds.local.host import cgroup, paths
from ops.claims.claim import must
from ops.ready import Region

STATE = "state"  # certificates stand in it, and that is right: the keys beside them are ciphertext
MARKS = ("PRIVATE KEY", "BEGIN CERTIFICATE")
TOKEN = re.compile(rb"\b[a-z0-9]{6}\.[a-z0-9]{16}\b|eyJhbGciOi")
"""A bootstrap token, or the head of a JSON web token."""

SHORTEST = 40  # characters of a line of key material; shorter lines occur by chance


def keys_are_nowhere_else(region: Region) -> str:
    """No line of any machine's keys is in boot data, arguments, environments or state, plain or in base64."""
    name = region.plan.spec.name
    lines = set(_key_lines(paths.region(name) / "secrets"))
    must(bool(lines), "no keys found to look for")
    needles = [*lines, *(_inside_base64(line) for line in lines)]
    places: list[tuple[str, bytes]] = [
        *_boot_data(paths.region(name) / "machines"),
        *_processes(name),
        *_states(paths.home() / "state", region.stack.name),
    ]
    for place, text in places:
        for needle in needles:
            must(needle not in text, f"{place} holds key material")
        if not place.startswith(STATE):
            must(not any(mark.encode() in text for mark in MARKS), f"{place} holds a PEM block")
            must(not TOKEN.search(text), f"{place} holds a token")
    return f"{len(lines)} lines of keys looked for in {len(places)} texts"


def _key_lines(folder: Path) -> Iterator[bytes]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.name.endswith(".crt"):
            text = file.read_text(encoding="utf-8")
            if file.name == "kubeconfig":
                continue  # its key is the file client.key, in base64
            for line in text.splitlines():
                word = line.removeprefix("      secret: ").strip().split(" ")[-1]
                if len(word) >= SHORTEST and "-----" not in word:
                    yield word.encode()


def _inside_base64(line: bytes) -> bytes:
    """What of ``line`` shows in a base64 text that encodes it at an offset that is a multiple of three."""
    return base64.b64encode(line)[: len(line)]


def _boot_data(machines: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(machines.glob("*/upper/var/lib/cloud/seed/nocloud/*")):
        yield f"boot data {file}", file.read_bytes()


def _processes(region: str) -> Iterator[tuple[str, bytes]]:
    for pid in cgroup.pids(region):
        for kind in ("cmdline", "environ"):
            try:
                yield f"{kind} of process {pid}", Path(f"/proc/{pid}/{kind}").read_bytes()
            except OSError:
                continue


def _states(folder: Path, stack: str) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob(f"*{stack}*")):
        if file.is_file():
            yield f"{STATE} {file}", file.read_bytes()
