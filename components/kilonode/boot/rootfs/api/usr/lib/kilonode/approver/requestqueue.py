"""The requests that wait for a certificate, when each is to be looked at, and which nodes were let in lately."""

from dataclasses import dataclass, replace
from datetime import datetime
from threading import Condition

from approver.api import Document
from approver.limits import Limits
from approver.requester import JOINING, NAMES_GROUP
from approver.requests import CLIENT, UnreadableError, read_document

RECENT = 120  # seconds a machine that was let in has to register its Node
FORGOTTEN = 3600  # seconds after which it is of no interest any more; clocks of API servers may differ
CLOSED = 10_000  # requests whose last state is remembered, in case an older one is told of late


@dataclass(frozen=True)
class Waiting:
    """A request as it was last seen."""

    document: Document
    node: str
    """The node that a machine asks to become; empty when it asks for anything else."""

    age: tuple[str, int]
    told: str = ""
    """Why it was refused, once an Event has said so."""

    @classmethod
    def of(cls, document: Document) -> "Waiting":
        """Read what its place in the queue rests on."""
        metadata, spec = document["metadata"], document["spec"]
        node = ""
        if spec["signerName"] == CLIENT and spec["username"].startswith(f"{JOINING}:"):
            try:
                node = read_document(spec).node
            except UnreadableError:
                node = ""
        return cls(document, node, (metadata["creationTimestamp"], int(metadata["resourceVersion"])))

    @property
    def name(self) -> str:
        """The request's own name."""
        name: str = self.document["metadata"]["name"]
        return name

    @property
    def version(self) -> int:
        """How new this state of it is."""
        return int(self.document["metadata"]["resourceVersion"])

    @property
    def user(self) -> str:
        """Who has made it."""
        user: str = self.document["spec"]["username"]
        return user

    @property
    def signer(self) -> str:
        """Whom it asks."""
        signer: str = self.document["spec"]["signerName"]
        return signer

    @property
    def approved(self) -> float | None:
        """When it was approved, in seconds of Unix time."""
        moments = [each["lastUpdateTime"] for each in self._conditions if each["type"] == "Approved"]
        return datetime.fromisoformat(moments[0]).timestamp() if moments else None

    @property
    def is_settled(self) -> bool:
        """Whether it has its certificate, or will never have one."""
        ends = any(each["type"] in ("Denied", "Failed") for each in self._conditions)
        return ends or bool(self.document.get("status", {}).get("certificate"))

    @property
    def is_of_a_pool(self) -> bool:
        """Whether its credential is for many machines."""
        return any(group.startswith(NAMES_GROUP) for group in self.document["spec"].get("groups") or ())

    @property
    def _conditions(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.document.get("status", {}).get("conditions", [])
        return found


class RequestQueue:
    """Shared by the watches, which write into it, and the workers, who take one request each from it.

    Of each user the latest requests are in it, up to a limit; whose request was pushed out has to ask again.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._changed = Condition()
        self._open: dict[str, Waiting] = {}
        self._of: dict[str, set[str]] = {}
        self._due: dict[str, float] = {}
        self._busy: set[str] = set()
        self._closed: dict[str, int] = {}
        self._let_in: dict[str, tuple[float, str]] = {}

    def see(self, document: Document) -> None:
        """Take note of a request as it is now; an older state than the one known is passed over."""
        waiting = Waiting.of(document)
        with self._changed:
            self._see(waiting)
            self._changed.notify_all()

    def load(self, signer: str, listed: "RequestQueue") -> None:
        """Take over what ``listed`` has seen, all that there is to ``signer``, in one step.

        No worker sees a part of it: a request could be let in beside one whose approval comes later in the list.
        """
        with self._changed:
            for name in [each.name for each in self._open.values() if each.signer == signer]:
                if name not in listed._open:
                    self._drop(name)
            for node, (moment, name) in listed._let_in.items():
                self._note(node, moment, name)
            for waiting in listed._open.values():
                self._see(waiting)
            self._changed.notify_all()

    def gone(self, name: str) -> None:
        """Forget a request that was deleted."""
        with self._changed:
            self._closed.pop(name, None)
            self._drop(name)

    def take(self, moment: float, patience: float) -> Waiting | None:
        """A request that is due at ``moment``, for the caller alone until :meth:`done`; waits for one a little."""
        with self._changed:
            name = self._first(moment)
            if name is None:
                self._changed.wait(patience)
                name = self._first(moment)
            if name is None:
                return None
            del self._due[name]
            self._busy.add(name)
            return self._open[name]

    def done(self, waiting: Waiting, due: float | None, told: str) -> None:
        """Give a request back: to be looked at again when ``due``, or when it changes and not before."""
        name = waiting.name
        with self._changed:
            self._busy.discard(name)
            if name in self._open:
                self._open[name] = replace(self._open[name], told=told)
                if due is not None:
                    self._due.setdefault(name, due)
                elif name not in self._due:  # what will not be approved as it is stands in no other's way
                    self._close(self._open[name])
            self._changed.notify_all()

    def superseded(self, waiting: Waiting) -> bool:
        """Whether the same machine has asked to join again since, or more has been asked than is considered."""
        with self._changed:
            if waiting.name not in self._open:
                return True
            others = (self._open[name] for name in self._of[waiting.user])
            return any(other.node == waiting.node and other.age > waiting.age for other in others)

    def let_in(self, waiting: Waiting, moment: float) -> bool:
        """Note that a machine is let in as the node it asks to be; False when one was so lately by another request."""
        with self._changed:
            before, by = self._let_in.get(waiting.node, (0.0, ""))
            if by not in ("", waiting.name) and moment - before < RECENT:
                return False
            self._note(waiting.node, moment, waiting.name)
            return True

    def _see(self, waiting: Waiting) -> None:
        name, known = waiting.name, self._open.get(waiting.name)
        if waiting.version <= (known.version if known else self._closed.get(name, 0)):
            return
        if waiting.node and waiting.approved is not None:
            self._note(waiting.node, waiting.approved, name)
        if waiting.is_settled:
            self._close(waiting)
            return
        self._closed.pop(name, None)
        self._open[name] = replace(waiting, age=known.age, told=known.told) if known else waiting
        self._due[name] = 0
        mine = self._of.setdefault(waiting.user, set())
        mine.add(name)
        if len(mine) > (self.limits.pool if waiting.is_of_a_pool else self.limits.user):
            self._drop(min(mine, key=lambda each: self._open[each].age))

    def _note(self, node: str, moment: float, name: str) -> None:
        if moment > self._let_in.get(node, (0.0, ""))[0]:
            self._let_in.pop(node, None)
            self._let_in[node] = moment, name
        while self._let_in and moment - next(iter(self._let_in.values()))[0] > FORGOTTEN:
            del self._let_in[next(iter(self._let_in))]

    def _first(self, moment: float) -> str | None:
        return next((name for name, due in self._due.items() if due <= moment and name not in self._busy), None)

    def _close(self, waiting: Waiting) -> None:
        self._drop(waiting.name)
        self._closed[waiting.name] = waiting.version
        if len(self._closed) > CLOSED:
            del self._closed[next(iter(self._closed))]

    def _drop(self, name: str) -> None:
        self._due.pop(name, None)
        dropped = self._open.pop(name, None)
        if dropped is not None:
            mine = self._of[dropped.user]
            mine.discard(name)
            if not mine:
                del self._of[dropped.user]
