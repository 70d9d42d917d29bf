"""Containers of a pod: what each runs, and which of them is the cluster autoscaler."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kilonode.rules.facts.machines import Options
from kilonode.rules.read import snapshots
from kilonode.rules.read.containers import program
from kilonode.rules.read.resource import at, typed
from kilonode.rules.read.settings import bare, flags
from kilonode.rules.read.starts import serves, started
from kilonode.rules.read.wrappers import SHELLS
from kilonode.rules.unknown import Fact, Partial, Unknown, first_unknown

AUTOSCALER = "cluster-autoscaler"
_SCALES = re.compile(rf"(?:.*-)?{AUTOSCALER}(?:-(?:amd64|arm64|s390x|rhel\d+))?", re.ASCII)
_PAUSES = re.compile(r"(?:.*-)?pause")
_KINDS = ("initContainers", "containers")
_SAY = frozenset({"echo", "printf"})
"""Programs that only write what they are given."""


@dataclass(frozen=True)
class Container:
    """A container; ``words`` are its command line, with the name of its image for the command that it does not have."""

    image: Fact[str | None]
    words: tuple[Fact[str], ...]
    first: bool = False
    """Whether it ends before the others start."""

    @cached_property
    def starts(self) -> list[tuple[str, list[str]]]:
        """Each program that it starts, with the words behind it, up to what is not known yet."""
        known: list[str] = []
        for word in self.words:
            if isinstance(word, Unknown):
                break
            known.append(word)
        return list(started(known))

    @property
    def hidden(self) -> Unknown | None:
        """What of its command line is not known yet."""
        return first_unknown(self.words)

    @property
    def pauses(self) -> Fact[bool]:
        """Whether its image does nothing."""
        if isinstance(self.image, Unknown):
            return self.image
        return bool(_PAUSES.fullmatch(program(self.image or "")))

    @property
    def saves(self) -> Fact[bool]:
        """Whether it saves a snapshot of etcd, by the words of a command."""
        said = (" ".join([name, *after]) for name, after in self.starts if name not in _SAY)
        return any(map(snapshots.saves, said)) or self.hidden or False

    def autoscalers(self) -> Iterator[Fact[Options]]:
        """The flags of each autoscaler that it starts; Unknown where it may be one, and nobody can tell."""
        own = [after for name, after in self.starts if _SCALES.fullmatch(name)]
        yield from (self.hidden or _options(after) for after in own if self.hidden or serves(after))
        if own:
            return
        last = self.starts[-1][0] if self.starts else ""
        if self.hidden and (not last or last in SHELLS):
            yield self.hidden
        elif isinstance(self.image, str) and _SCALES.fullmatch(program(self.image)):
            yield Unknown(f"what {last} starts")


def containers(spec: Any) -> tuple[Container, ...]:
    """The containers of a pod; where nobody can tell which, one of which nothing is known."""
    return tuple(_container(row, kind) for kind in _KINDS for row in _rows(spec, kind))


def images(containers: Iterable[Container], spec: Any) -> tuple[Fact[str], ...]:
    """The images of a pod's containers and volumes, those not known yet last."""
    volumes = (typed(at(row, "image.reference"), str, "volumes.image.reference") for row in _rows(spec, "volumes"))
    found = [*(each.image for each in containers), *volumes]
    return tuple(sorted((each for each in found if each is not None), key=lambda each: isinstance(each, Unknown)))


def _rows(spec: Any, key: str) -> list[Any]:
    """Rows of a pod; what is no row is Unknown."""
    rows = typed(at(spec, key), list, key)
    return [rows] if isinstance(rows, Unknown) else [typed(row, Mapping, key) or Unknown(key) for row in rows or ()]


def _container(row: Any, kind: str) -> Container:
    image = typed(at(row, "image"), str, f"{kind}.image")
    command, arguments = _words(row, kind, "command"), _words(row, kind, "args")
    if not command and (image is not None or arguments):
        command = [program(image) if isinstance(image, str) else image or Unknown(f"{kind}.image")]
    return Container(image, (*command, *arguments), first=kind != "containers")


def _words(row: Any, kind: str, key: str) -> list[Fact[str]]:
    path = f"{kind}.{key}"
    given = typed(at(row, key), list, path)
    return [given] if isinstance(given, Unknown) else [typed(each, str, path) or "" for each in given or ()]


def _options(arguments: list[str]) -> Options:
    """Flags, of which those with a variable are not known: the kubelet or a shell puts its value in."""
    given = flags(AUTOSCALER, arguments)
    hidden = {name: value for name, value in given.items() if "$" in value}
    variable = bare(arguments)
    if not hidden and not variable:
        return given
    left = {name: value for name, value in given.items() if name not in hidden}
    return Partial(left, f"what {variable or next(iter(hidden.values()))} holds", None if variable else hidden)
