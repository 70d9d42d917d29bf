"""A throw-away machine for real programs: the machine image under an overlay, in namespaces of its own.

What is written lands in memory, what is bound lands on the machine's own network: the host sees neither.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from kilonode.boot.machine import File
from kilonode.clouds.local.host import overlay
from kilonode.clouds.local.host.images import BuiltImage

PATIENCE = 300  # seconds a program may take on a busy machine; nothing that is well comes near it
HOLD = ("setpriv", "--pdeathsig", "KILL")
"""A namespace ends with the tests, also when they are killed."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NAMESPACES = ("--mount", "--net", "--pid", "--uts")


class Machine:
    """Use as a context manager; every process started in it ends with it.

    ``disk`` is where an empty disk of its own is mounted; ``binds`` are folders of the host by their path inside.
    """

    def __init__(
        self, image: BuiltImage, name: str, *, own: str = "", disk: str = "", binds: Mapping[str, Path] | None = None
    ) -> None:
        self.image, self.name, self.own, self.disk, self.binds = image, name, own, disk, binds or {}

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="kilonode-oracle-"))
        self._root = self.folder / "root"
        for name in ("layer", "root"):
            (self.folder / name).mkdir()
        with (self.folder / "setup.log").open("w") as said:
            self.holder = subprocess.Popen(
                [*HOLD, "unshare", *NAMESPACES, "--fork", "--kill-child", "sh", "-c", self._setup()],
                stdin=subprocess.DEVNULL, stderr=said, start_new_session=True,
            )  # fmt: skip
        wait_for(self._is_up, "the machine's namespaces")
        self.pid = int(Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children").read_text().split()[0])
        self.run(["systemd-sysusers"], check=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self.pid, signal.SIGKILL)  # the kernel ends every other process of its namespace first
        self.holder.wait()
        shutil.rmtree(self.folder)

    def _is_up(self) -> bool:
        assert self.holder.poll() is None, (self.folder / "setup.log").read_text()
        return (self.folder / "ready").exists()

    def _setup(self) -> str:
        layer, root = self.folder / "layer", self._root
        lines = [
            "set -e",
            f"hostname {self.name}",
            f"mount -t tmpfs none {layer}",
            f"mkdir {layer}/upper {layer}/work",
            f"mount -t overlay -o {overlay.options(self.image.layers, layer / 'upper', layer / 'work')} none {root}",
            f"mount --rbind /dev {root}/dev",
            f"mount -t sysfs -o ro none {root}/sys",
            f"mount -t proc none {root}/proc",
            # Only a network namespace's own settings are the machine's; the rest would be the host's.
            f"mount --bind {root}/proc/sys {root}/proc/sys",
            f"mount --bind {root}/proc/sys/net {root}/proc/sys/net",
            f"mount -o remount,bind,ro {root}/proc/sys",
            f"mount -t tmpfs none {root}/run",
            "ip link set lo up",
        ]
        if self.own:
            lines.append(f"ip address add {self.own}/32 dev lo")
        if self.disk:
            lines += [f"mkdir -p {root}{self.disk}", f"mount -t tmpfs none {root}{self.disk}"]
        for path, folder in self.binds.items():
            lines += [f"mkdir -p {root}{path}", f"mount --bind {folder} {root}{path}"]
        lines += [f"touch {self.folder}/ready", "exec env -i container=oracle sleep infinity"]
        return "\n".join(lines)

    def path(self, path: str) -> Path:
        """A path of the machine as the host reaches it; not below /proc/sys, which answers whoever asks about himself."""
        assert not path.startswith(("/proc", "/sys")), path
        return Path(f"/proc/{self.pid}/root{self._root}{path}")

    def read(self, path: str) -> str:
        """A file's text."""
        return self.path(path).read_text(errors="replace")

    def write(self, files: Iterable[File]) -> None:
        """Put files where they land on a machine."""
        for file in files:
            landed = self.path(file.path)
            landed.parent.mkdir(parents=True, exist_ok=True)
            landed.write_text(file.content)
            landed.chmod(file.mode)

    def command(
        self, words: Sequence[str], *, user: str = "", environment: Mapping[str, str] | None = None
    ) -> list[str]:
        """The host's command that runs ``words`` inside, with nothing of the host's environment."""
        known = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8"} | dict(environment or {})
        who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"] if user else []
        return [
            "nsenter", f"--target={self.pid}", *NAMESPACES, "chroot", str(self._root),
            "env", "-i", *(f"{key}={value}" for key, value in known.items()), *who, *words,
        ]  # fmt: skip

    def run(
        self, words: Sequence[str], *, check: bool = False, user: str = "", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        command = self.command(words, user=user, environment=environment)
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=check, timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self, words: Sequence[str], *, user: str = "", environment: Mapping[str, str] | None = None) -> "Running":
        """Start a program that keeps running."""
        name = f"{Path(words[0]).name}-{time.monotonic_ns()}"
        return Running(self.command(words, user=user, environment=environment), self.folder / f"{name}.log")

    def owner(self, user: str) -> tuple[int, int]:
        """User and group number of a user of the machine."""
        for line in self.read("/etc/passwd").splitlines():
            entry = pwd.struct_passwd(line.split(":"))
            if entry.pw_name == user:
                return int(entry.pw_uid), int(entry.pw_gid)
        raise LookupError(f"{self.name} has no user {user}")


class Running:
    """A started program and its log."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self.log = log
        with log.open("w") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def until(self, ready: Callable[[], bool], what: str) -> None:
        """Wait until ``ready``; fail with the program's last lines when it ends or takes too long."""

        def check() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"{what}: ended with {self.process.returncode}\n{self.tail()}")
            return ready()

        wait_for(check, what, self.tail)

    def ends(self, patience: float = PATIENCE) -> int:
        """Wait until it ends; its exit code."""
        return self.process.wait(timeout=patience)

    def fails(self, patience: float) -> None:
        """Wait until it ends by itself with a failure."""
        try:
            code = self.ends(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still runs after {patience} s\n{self.tail()}") from None
        assert code, self.tail()

    def text(self) -> str:
        """All it has said."""
        return self.log.read_text(errors="replace")

    def tail(self) -> str:
        """Its last lines."""
        return "\n".join(self.text().splitlines()[-15:])

    def kill(self) -> None:
        """End it at once, as a power loss would: all that it started, not only who waits for it."""
        for each in below(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        self.process.wait()


def below(process: int) -> list[int]:
    """Processes that a process has started, parents first."""
    children = [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return [*children, *(each for child in children for each in below(child))]


def wait_for(ready: Callable[[], bool], what: str, explain: Callable[[], str] = str) -> None:
    """Poll until ``ready``."""
    end = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not ready after {PATIENCE} s\n{explain()}")
        time.sleep(0.1)
