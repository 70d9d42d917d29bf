"""A program run on behalf of the engine, in a process group of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from .output import Stream

# Less than the 5 s after which the engine kills us and could no longer leave this to us.
GRACE_SECONDS: Final = 3.5


class Child:
    """A started program. Its streams are ours, or pipes when `piped`; `ask` is the signal that asks it to end."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        folder: str | Path | None = None,
        environment: dict[str, str] | None = None,
        piped: bool = False,
        ask: signal.Signals = signal.SIGINT,
    ) -> None:
        stream = subprocess.PIPE if piped else None
        self._ask = ask
        self._process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            process_group=0,
        )

    @property
    def streams(self) -> dict[Stream, IO[bytes]]:
        """The pipes it writes to, when piped."""
        process = self._process
        return {"stdout": process.stdout, "stderr": process.stderr} if process.stdout and process.stderr else {}

    def wait(self, seconds: float | None = None) -> int | None:
        """The exit code, as a shell gives it (128 + signal), or None if it still runs after this long."""
        try:
            code = self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        return 128 - code if code < 0 else code

    def interrupt(self) -> None:
        """Ask its whole process group to end."""
        self._signal(self._ask)

    def end(self, grace: float = GRACE_SECONDS) -> None:
        """Ask it to end, and kill its group if it still runs after `grace` seconds."""
        self.interrupt()
        if self.wait(grace) is None:
            self._signal(signal.SIGKILL)
            self.wait()

    def _signal(self, number: int) -> None:
        # Not once it has been reaped: its id may be another group's by then.
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
