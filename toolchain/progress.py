"""What a person sees while a tool is being built."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Final, TextIO

TERMINAL_SECONDS: Final = 1.0
PLAIN_SECONDS: Final = 15.0


class Progress:
    """One tool's line: rewritten every second on a terminal, a new line every 15 s elsewhere."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self.label = label
        self.stream = stream or sys.stderr
        self.started = time.monotonic()
        self.terminal = self.stream.isatty()
        self.open_line = False

    @property
    def interval(self) -> float:
        """Seconds between two updates."""
        return TERMINAL_SECONDS if self.terminal else PLAIN_SECONDS

    @property
    def elapsed(self) -> int:
        """Whole seconds since the tool's turn began."""
        return int(time.monotonic() - self.started)

    def update(self, text: str) -> None:
        """Say what is going on, with the seconds elapsed; on a terminal over the last such line."""
        line = f"{self.label}: {text}, {self.elapsed} s"
        if self.terminal:
            self.stream.write(f"\r\x1b[K{line}")
            self.open_line = True
        else:
            self.stream.write(f"{line}\n")
        self.stream.flush()

    def say(self, text: str) -> None:
        """Say something that stays on screen."""
        if self.open_line:
            self.stream.write("\r\x1b[K")
            self.open_line = False
        self.stream.write(f"{self.label}: {text}\n")
        self.stream.flush()


def tail(path: Path, lines: int) -> str:
    """The last lines of a log, indented."""
    content = path.read_text(errors="replace", encoding="utf-8").splitlines() if path.exists() else []
    return "\n".join(f"    {line}" for line in content[-lines:])
