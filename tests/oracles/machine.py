"""A throw-away machine for real programs: the host's files under an overlay, in mount and network namespaces of its own.

What is written lands on the overlay, what is bound lands on the namespace's loopback: the host sees neither.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import toolchain
from kilonode.boot.machine import File

PROGRAMS = ("etcd", "kubernetes", "kwok")
PATIENCE = 90  # seconds a program may take to become ready on a busy machine


class Machine:
    """Use as a context manager; every process started in it ends with it."""

    def __init__(self, addresses: Iterable[str]) -> None:
        self.addresses = tuple(addresses)

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="kilonode-oracle-"))
        for name in ("layer", "root"):
            (self.folder / name).mkdir()
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", self._setup()],
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self.root = self.folder / "root"
        wait_for(lambda: (self.folder / "ready").exists(), "the machine's namespaces")
        self.pid = int(Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children").read_text().split()[0])
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.holder.kill()
        self.holder.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _setup(self) -> str:
        layer, root = self.folder / "layer", self.folder / "root"
        lines = [
            "set -e",
            f"mount -t tmpfs none {layer}",
            f"mkdir {layer}/upper {layer}/work",
            f"mount -t overlay -o lowerdir=/,upperdir={layer}/upper,workdir={layer}/work none {root}",
            *(f"mount --rbind /{name} {root}/{name}" for name in ("dev", "sys")),
            f"mount -t proc proc {root}/proc",
            f"mount -t tmpfs none {root}/run",
            "ip link set lo up",
            *(f"ip address add {address}/32 dev lo" for address in self.addresses),
            f"touch {self.folder}/ready",
            "exec sleep infinity",
        ]
        return "\n".join(lines)

    def _enter(self, words: Sequence[str], folder: str = "/") -> list[str]:
        bins = ":".join(str(toolchain.locate(tool)) for tool in PROGRAMS)
        return [
            "nsenter", f"--target={self.pid}", "--mount", "--net", "--pid", "chroot", str(self.root),
            "env", f"PATH={bins}:{os.environ['PATH']}", "HOME=/tmp", *words,
        ]  # fmt: skip

    def write(self, files: Iterable[File]) -> None:
        """Put files where they land on a machine."""
        for file in files:
            script = f"mkdir -p '{Path(file.path).parent}' && cat > '{file.path}' && chmod {file.mode:o} '{file.path}'"
            subprocess.run(self._enter(["sh", "-c", script]), input=file.content.encode(), check=True)

    def run(self, words: Sequence[str], check: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        return subprocess.run(self._enter(words), capture_output=True, text=True, check=check, timeout=PATIENCE)

    def start(self, words: Sequence[str]) -> "Running":
        """Start a program that keeps running."""
        log = self.folder / f"{Path(words[0]).name}-{time.monotonic_ns()}.log"
        process = subprocess.Popen(
            self._enter(words), stdin=subprocess.DEVNULL, stdout=log.open("w"), stderr=subprocess.STDOUT
        )
        return Running(process, log)


class Running:
    """A started program and its log."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log

    def until(self, ready: Callable[[], bool], what: str) -> None:
        """Wait until ``ready``; fail with the program's last lines when it ends or takes too long."""

        def check() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"{what}: ended with {self.process.returncode}\n{self.tail()}")
            return ready()

        wait_for(check, what, self.tail)

    def ends(self) -> int:
        """Wait until it ends; its exit code."""
        return self.process.wait(timeout=PATIENCE)

    def tail(self) -> str:
        """Its last lines."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])


def wait_for(ready: Callable[[], bool], what: str, explain: Callable[[], str] = str) -> None:
    """Poll until ``ready``."""
    end = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not ready after {PATIENCE} s\n{explain()}")
        time.sleep(0.2)
