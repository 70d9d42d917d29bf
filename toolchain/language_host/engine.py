"""Noticing that the engine which started this process wants it to end, or is gone."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from types import FrameType
from typing import Final

POLL_SECONDS: Final = 1.0


class EngineWatch:
    """Watches the engine from the moment it is made, in the main thread.

    The engine asks by SIGINT to our process group, and kills us 5 s later. An engine that was killed cannot ask: then
    the pipe it held on our standard input ends and our parent changes.
    """

    def __init__(self) -> None:
        self._over = threading.Event()
        self._parent = os.getppid()
        self.asked = False
        signal.signal(signal.SIGINT, self._on_signal)
        signal.signal(signal.SIGTERM, self._on_signal)
        if stat.S_ISFIFO(os.fstat(0).st_mode):
            threading.Thread(target=self._read_to_end, daemon=True).start()

    def over(self, seconds: float = POLL_SECONDS) -> bool:
        """Wait up to this long; True once this process should end."""
        return self._over.wait(seconds) or os.getppid() != self._parent

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        self._over.set()

    def _read_to_end(self) -> None:
        # os.read rather than sys.stdin: a reader blocked in there would abort the interpreter's exit.
        while os.read(0, 4096):
            pass
        self._over.set()


def silence_broken_streams() -> None:
    """Keep the interpreter from complaining at exit that nobody reads its output any more."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
