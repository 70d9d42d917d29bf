"""Passing on what a program writes, as it writes it."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterator
from typing import IO, Final, Literal

CHUNK_BYTES: Final = 64 * 1024

Stream = Literal["stdout", "stderr"]


def chunks(streams: dict[Stream, IO[bytes]]) -> Iterator[tuple[Stream, bytes]]:
    """What comes out of the streams, in order of arrival, until all have ended."""
    arrived: queue.SimpleQueue[tuple[Stream, bytes]] = queue.SimpleQueue()

    def pump(name: Stream, stream: IO[bytes]) -> None:
        with stream:
            while data := os.read(stream.fileno(), CHUNK_BYTES):
                arrived.put((name, data))
        arrived.put((name, b""))

    for name, stream in streams.items():
        threading.Thread(target=pump, args=(name, stream), daemon=True).start()
    ended = 0
    while ended < len(streams):
        name, data = arrived.get()
        if data:
            yield name, data
        else:
            ended += 1
