"""The requests that wait for a certificate, when each is to be looked at, and who was let in lately."""

from collections.abc import Iterable
from datetime import datetime
from threading import Condition

from approver.api import Document
from approver.judge import JOINING
from approver.requests import CLIENT

RECENT = 120  # seconds a machine that was let in has to register its Node


class Book:
    """Shared by the watches, which write into it, and the workers, who take one request each from it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._open: dict[str, Document] = {}
        self._due: dict[str, float] = {}
        self._busy: set[str] = set()
        self._versions: dict[str, int] = {}
        self._joining: dict[str, set[str]] = {}
        self._latest: dict[str, str] = {}
        self._let_in: dict[str, tuple[float, str]] = {}

    def see(self, request: Document) -> None:
        """Take note of a request as it is now; an older state than the one known is passed over."""
        name, version = request["metadata"]["name"], int(request["metadata"]["resourceVersion"])
        user, status = request["spec"]["username"], request.get("status", {})
        conditions = {each["type"]: each for each in status.get("conditions", [])}
        with self._changed:
            if version <= self._versions.get(name, 0):
                return
            self._versions[name] = version
            if "Approved" in conditions and joins(request):
                moment = datetime.fromisoformat(conditions["Approved"]["lastUpdateTime"]).timestamp()
                if moment > self._let_in.get(user, (0.0, ""))[0]:
                    self._let_in[user] = moment, name
            if status.get("certificate") or {"Denied", "Failed"} & conditions.keys():
                self._close(name)
            else:
                self._open[name], self._due[name] = request, 0
                if joins(request):
                    self._joining.setdefault(user, set()).add(name)
                    self._latest[user] = max(self._latest.get(user, name), name, key=self._age)
            self._changed.notify_all()

    def gone(self, name: str) -> None:
        """Forget a request that was deleted."""
        with self._changed:
            self._versions.pop(name, None)
            self._close(name)

    def only(self, signer: str, present: Iterable[str]) -> None:
        """Forget the requests to ``signer`` that are not among those ``present``."""
        with self._changed:
            known = {name for name, request in self._open.items() if request["spec"]["signerName"] == signer}
        for name in known - set(present):
            self.gone(name)

    def take(self, moment: float, patience: float) -> Document | None:
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

    def done(self, name: str, due: float | None) -> None:
        """Give a request back: to be looked at again when ``due``, or when it changes and not before."""
        with self._changed:
            self._busy.discard(name)
            if name in self._open and name not in self._due:
                if due is None:
                    self._leave(name)
                else:
                    self._due[name] = due
            self._changed.notify_all()

    def superseded(self, request: Document) -> bool:
        """Whether the same machine has asked to join again since."""
        name: str = request["metadata"]["name"]
        with self._changed:
            return self._latest.get(request["spec"]["username"], name) != name

    def let_in(self, request: Document, moment: float) -> bool:
        """Note that the machine that made ``request`` is let in; False when one was so lately by another request."""
        user, name = request["spec"]["username"], request["metadata"]["name"]
        with self._changed:
            before, by = self._let_in.get(user, (0.0, ""))
            if by not in ("", name) and moment - before < RECENT:
                return False
            self._let_in[user] = moment, name
            return True

    def _first(self, moment: float) -> str | None:
        return next((name for name, due in self._due.items() if due <= moment and name not in self._busy), None)

    def _close(self, name: str) -> None:
        self._due.pop(name, None)
        if name in self._open:
            self._leave(name)
            del self._open[name]

    def _leave(self, name: str) -> None:
        """A request that will not be approved as it is stands in no other's way."""
        user = self._open[name]["spec"]["username"]
        waiting = self._joining.get(user, set())
        waiting.discard(name)
        if waiting:
            self._latest[user] = max(waiting, key=self._age)
        else:
            self._joining.pop(user, None)
            self._latest.pop(user, None)

    def _age(self, name: str) -> tuple[str, int]:
        metadata = self._open[name]["metadata"]
        return metadata["creationTimestamp"], int(metadata["resourceVersion"])


def joins(request: Document) -> bool:
    """Whether a machine asks to become a node."""
    spec = request["spec"]
    return bool(spec["signerName"] == CLIENT and spec["username"].startswith(f"{JOINING}:"))
