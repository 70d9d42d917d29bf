"""A registry on a region's own network that throttles each connection, as public ones do, and may pause within a layer."""

import asyncio
import hashlib
import re
import subprocess
import tarfile
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

import toolchain
from kilonode.clouds.local.host import oci
from kilonode.clouds.local.programs import program

HOST = "registry.example.com"
"""In images' names; nobody answers there, so every byte comes through the mirror."""

PORT = 5000
MEGABYTE = 1_000_000
LAYER = MEGABYTE
"""Bytes from which on a blob is a layer: pauses fall into layers, never into the documents before them."""

CHUNKS_PER_SECOND = 50
HEAD_LIMIT = 1 << 20
_PORT = re.compile(r"serving on port (\d+)")
_REPOSITORY = re.compile(rb"(?:GET|HEAD) /v2/(.+)/(?:blobs|manifests)/")
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_PASSED_ON = (b"accept:", b"user-agent:")
"""Not ``range:``, which the registry behind reads only with both ends; a client takes the whole instead."""


@dataclass(frozen=True)
class Throttle:
    """How an image is served: ``rate`` bytes per second of each connection, and a pause half way through its layer."""

    rate: int
    pause: float = 0.0
    """Seconds without a byte."""


def mirror(address: IPv4Address) -> dict[str, object]:
    """The row of a pool's ``mirrors``."""
    return {"registry": HOST, "endpoints": [f"http://{address}:{PORT}"]}


def write_image(folder: Path, name: str, size: int) -> Path:
    """An archive of an image that can run, with ``size`` bytes that no compression makes smaller; always the same."""
    payload = folder / f"{name}.bytes"
    with payload.open("wb") as out:
        for begin in range(0, size, MEGABYTE):
            length = min(MEGABYTE, size - begin)
            out.write(hashlib.shake_256(f"{name} {begin}".encode()).digest(length))
    archive = folder / f"{name}.tar"
    files = {"/bin/busybox": program("busybox"), "/payload": payload}
    oci.write_archive(archive, f"{HOST}/{name}:1", files, entrypoint=["/bin/busybox"])
    payload.unlink()
    return archive


class Registry:
    """crane's registry on the loopback, filled there; nodes reach it through a throttle only."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self._port = folder, port
        self._throttles: dict[str, Throttle] = {}

    def add(self, name: str, size: int, throttle: Throttle) -> str:
        """Make and push an image of ``size`` bytes; its reference, as pods name it."""
        archive = write_image(self._folder, name, size)
        with tempfile.TemporaryDirectory(dir=self._folder) as layout:
            with tarfile.open(archive) as opened:
                opened.extractall(layout, filter="data")
            subprocess.run(
                [_crane(), "push", layout, f"127.0.0.1:{self._port}/{name}:1"], check=True, capture_output=True
            )
        archive.unlink()
        self._throttles[name] = throttle
        return f"{HOST}/{name}:1"

    @contextmanager
    def open_to(self, address: IPv4Address) -> Iterator[None]:
        """Serve at an address of this host, from a thread, until left."""
        opened: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        thread = threading.Thread(target=lambda: asyncio.run(self._serve(str(address), opened)), daemon=True)
        thread.start()
        loop, closed = opened.result()
        try:
            yield
        finally:
            loop.call_soon_threadsafe(closed.set)
            thread.join()

    async def _serve(self, address: str, opened: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
        closed = asyncio.Event()
        try:
            server = await asyncio.start_server(self._answer, address, PORT, limit=HEAD_LIMIT)
        except OSError as fault:
            opened.set_exception(fault)
            return
        opened.set_result((asyncio.get_running_loop(), closed))
        await closed.wait()
        server.close()

    async def _answer(self, client: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        """One request of one connection: a client that wants more connects again, and is throttled anew."""
        # Cancelled when the registry closes: streams of Python 3.11 would report that as a fault.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            request = await client.readuntil(b"\r\n\r\n")
            line, *fields = request.split(b"\r\n")
            kept = [field for field in fields if field.lower().startswith(_PASSED_ON)]
            source, ask = await asyncio.open_connection("127.0.0.1", self._port, limit=HEAD_LIMIT)
            try:
                ask.write(b"\r\n".join([line, b"Host: 127.0.0.1", b"Connection: close", *kept, b"", b""]))
                head = await source.readuntil(b"\r\n\r\n")
                out.write(head)
                found = _LENGTH.search(head)
                asked = _REPOSITORY.match(line)
                throttle = self._throttles.get(asked[1].decode()) if asked else None
                await _pass_on(source, out, throttle or Throttle(MEGABYTE), int(found[1]) if found else 0)
            finally:
                ask.close()
        out.close()


@contextmanager
def registry() -> Iterator[Registry]:
    """An empty registry, gone with all its images when left."""
    toolchain.ensure(["crane"])
    with tempfile.TemporaryDirectory(prefix="kilonode-registry-") as folder:
        command = [_crane(), "registry", "serve", "--address=127.0.0.1:0", f"--disk={folder}"]
        child = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True)
        try:
            yield Registry(Path(folder), _port_of(child))
        finally:
            child.terminate()
            child.wait()


async def _pass_on(source: asyncio.StreamReader, out: asyncio.StreamWriter, throttle: Throttle, length: int) -> None:
    clock = asyncio.get_running_loop().time
    begin, sent, half = clock(), 0, length // 2
    while data := await source.read(max(1, throttle.rate // CHUNKS_PER_SECOND)):
        if throttle.pause and length >= LAYER and sent <= half < sent + len(data):
            await asyncio.sleep(throttle.pause)
            begin = clock() - sent / throttle.rate
        out.write(data)
        await out.drain()
        sent += len(data)
        await asyncio.sleep(max(0.0, begin + sent / throttle.rate - clock()))


def _port_of(child: "subprocess.Popen[str]") -> int:
    """The port that the registry chose. What it says later, a line for each request, is read and dropped."""
    assert child.stderr  # noqa: S101 - it is a pipe
    for line in child.stderr:
        if found := _PORT.search(line):
            threading.Thread(target=deque, args=(child.stderr, 0), daemon=True).start()
            return int(found[1])
    raise RuntimeError(f"crane registry ended with {child.wait()} before it served")


def _crane() -> str:
    return str(toolchain.locate("crane") / "crane")
