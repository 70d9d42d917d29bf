"""The programs that run at this moment, so that all can be ended together."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .child import GRACE_SECONDS, Child


class Children:
    """Programs between their start and their end; safe for many threads."""

    def __init__(self) -> None:
        self._running: set[Child] = set()
        self._ending = False
        self._guard = threading.Lock()

    @contextmanager
    def running(self, child: Child) -> Iterator[Child]:
        """Hold the child in the set; one that comes too late is ended at once."""
        with self._guard:
            self._running.add(child)
            late = self._ending
        if late:
            child.interrupt()
        try:
            yield child
        finally:
            with self._guard:
                self._running.discard(child)

    def end_all(self) -> None:
        """Interrupt every program at once, and kill those that still run after the common grace."""
        with self._guard:
            self._ending = True
            running = list(self._running)
        deadline = time.monotonic() + GRACE_SECONDS
        for child in running:
            child.interrupt()
        for child in running:
            child.end(grace=max(0.0, deadline - time.monotonic()))
