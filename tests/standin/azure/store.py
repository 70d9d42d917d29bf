"""The cloud's own memory, in a folder of the test: resources, what was deleted softly, and a log of requests.

One file per resource. Several plugin processes may share a folder (the engine starts one per provider), and tests look
into it and change it between runs, so everything happens under a lock and is read anew when another has written.
"""

import fcntl
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any, Final

from . import ids
from .kinds import KINDS, Kind

GENERATION: Final = "generation"


@dataclass
class Stored:
    """A resource as the cloud holds it: what was asked for, and what the cloud made of it."""

    id: str
    token: str
    body: dict[str, Any]
    server: dict[str, Any] = field(default_factory=dict)
    # Not made by a request of its own: given by the test, or as a part of the resource above.
    origin: str = "request"

    @property
    def kind(self) -> Kind:
        """Its row."""
        return KINDS[self.token]

    @property
    def name(self) -> str:
        """Its own name."""
        return self.id.rpartition("/")[2]


class Store:
    """What exists, by id without regard to case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # That of the provider which looks at the cloud through this store.
        self.subscription = ids.SUBSCRIPTION
        for part in ("resources", "deleted"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        self._guard = RLock()
        self._depth = 0
        self._seen = ""
        self._resources: dict[str, Stored] = {}
        self._deleted: dict[str, Stored] = {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder: nobody else reads or writes meanwhile."""
        with self._guard:
            if self._depth:
                yield
                return
            with (self.folder / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self._depth += 1
                try:
                    self._refresh()
                    yield
                finally:
                    self._depth -= 1

    def get(self, identifier: str) -> Stored | None:
        """The resource of this id."""
        with self.held():
            return self._resources.get(ids.key(identifier))

    def all(self, *tokens: str) -> list[Stored]:
        """Every resource, or those of these types."""
        with self.held():
            return [each for each in self._resources.values() if not tokens or each.token in tokens]

    def beneath(self, identifier: str) -> list[Stored]:
        """Every resource that lies within this one."""
        start = ids.key(identifier) + "/"
        return [each for each in self.all() if ids.key(each.id).startswith(start)]

    def put(self, resource: Stored) -> None:
        """Write a resource."""
        with self.held():
            self._resources[ids.key(resource.id)] = resource
            self._write("resources", resource)

    def remove(self, identifier: str, *, softly: bool = False) -> None:
        """Take a resource away; softly: into what may be recovered."""
        with self.held():
            gone = self._resources.pop(ids.key(identifier))
            self._path("resources", identifier).unlink()
            if softly:
                self._deleted[ids.key(identifier)] = gone
                self._write("deleted", gone)
            self._advance()

    def deleted(self, identifier: str) -> Stored | None:
        """The softly deleted resource of this id."""
        with self.held():
            return self._deleted.get(ids.key(identifier))

    def all_deleted(self) -> list[Stored]:
        """Everything that was deleted softly and is not purged."""
        with self.held():
            return list(self._deleted.values())

    def forget(self, identifier: str) -> Stored:
        """Take a softly deleted resource out: recovered or purged."""
        with self.held():
            gone = self._deleted.pop(ids.key(identifier))
            self._path("deleted", identifier).unlink()
            self._advance()
            return gone

    def log(self, **entry: Any) -> None:
        """Add a request to the log."""
        with self.held(), (self.folder / "log.jsonl").open("a") as log:
            log.write(json.dumps(entry) + "\n")

    def logged(self) -> list[dict[str, Any]]:
        """Every request, in order."""
        path = self.folder / "log.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def _refresh(self) -> None:
        path = self.folder / GENERATION
        generation = path.read_text() if path.exists() else ""
        if generation != self._seen:
            self._resources = self._read("resources")
            self._deleted = self._read("deleted")
            self._seen = generation

    def _read(self, part: str) -> dict[str, Stored]:
        found = [Stored(**json.loads(path.read_text())) for path in sorted((self.folder / part).glob("*.json"))]
        return {ids.key(each.id): each for each in found}

    def _write(self, part: str, resource: Stored) -> None:
        self._path(part, resource.id).write_text(json.dumps(asdict(resource), indent=1))
        self._advance()

    def _path(self, part: str, identifier: str) -> Path:
        return self.folder / part / f"{hashlib.sha256(ids.key(identifier).encode()).hexdigest()[:24]}.json"

    def _advance(self) -> None:
        self._seen = str(int(self._seen or 0) + 1)
        (self.folder / GENERATION).write_text(self._seen)
