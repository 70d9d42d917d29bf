"""A unit of the image, run on a throw-away machine as systemd would: user, credentials, folders, commands, readiness.

Only what the units of this project use is understood.
"""

import os
import shlex
import shutil
import socket
from contextlib import suppress

from tests.oracles.machine import Machine, Running, wait_for

FOLDERS = ("/usr/lib/systemd/system", "/etc/systemd/system")
NOTIFY = "/run/notify"


class Unit:
    """One service of ``machine``, from its unit file and drop-ins; ``environment`` comes on top of the unit's own."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine, self.name = machine, name
        self.settings: dict[str, list[str]] = {}
        files = [machine.path(f"{folder}/{name}.service") for folder in FOLDERS]
        drop_ins = sorted(machine.path(f"{FOLDERS[-1]}/{name}.service.d").glob("*.conf"))
        for file in (*[file for file in files if file.is_file()][-1:], *drop_ins):
            for line in file.read_text().splitlines():
                key, equals, value = line.partition("=")
                if equals and not line.startswith(("#", "[")):
                    self.settings.setdefault(key, []).append(value)
        self.user = self.settings.get("User", [""])[0]
        self.said = ""
        """What the commands before the main one said."""

        self.running: Running
        self.after: Running | None = None
        self._socket: socket.socket
        self._told = b""

    def start(self) -> Running:
        """Run the commands before the main one, then start it; the command after it waits for :meth:`settle`.

        Raises:
            RefusedStartError: when a command before the main one fails.
        """
        self._deliver()
        self._folders()
        environment = self._environment()
        self.said = ""
        for line in self.settings.get("ExecStartPre", []):
            root, words = line.startswith("+"), self._words(line.lstrip("+"), environment)
            done = self.machine.run(words, user="" if root else self.user, environment=environment)
            self.said += done.stdout + done.stderr
            if done.returncode:
                raise RefusedStartError(self.said)
        self._listen()
        words = self._words(self.settings["ExecStart"][0], environment)
        self.running = self.machine.start(words, user=self.user, environment=environment)
        self.after = None
        return self.running

    def up(self) -> Running:
        """Start it, wait until it says it is ready, and start the command after it."""
        running = self.start()
        running.until(self.notified, f"{self.name} on {self.machine.name}")
        self.settle()
        return running

    def settle(self) -> None:
        """Start the command after the main one; :meth:`settled` tells when it is done."""
        for line in self.settings.get("ExecStartPost", []):
            environment = self._environment()
            self.after = self.machine.start(self._words(line.lstrip("+"), environment), environment=environment)

    def settled(self) -> bool:
        """Whether the command after the main one has done its work."""
        assert self.after is not None
        code = self.after.process.poll()
        assert not code, self.after.tail()
        return code == 0

    def notified(self) -> bool:
        """Whether the program has told systemd that it is ready."""
        if b"READY=1" not in self._told:
            with suppress(BlockingIOError):
                self._told += self._socket.recv(4096)
        return b"READY=1" in self._told

    def stop(self) -> None:
        """End the program, as a power loss would."""
        self._socket.close()
        self.running.kill()
        if self.after is not None and self.after.process.poll() is None:
            self.after.kill()

    def to_its_end(self) -> int:
        """Run a oneshot unit; its exit code."""
        return self.start().ends()

    def _deliver(self) -> None:
        """What LoadCredential= does: copies for the service's user alone."""
        folder = self.machine.path(f"/run/credentials/{self.name}.service")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        owner = self.machine.owner(self.user or "root")
        for line in self.settings.get("LoadCredential", []):
            file, source = line.split(":", 1)
            copied = folder / file
            with suppress(FileNotFoundError):  # a broken copy may lack it; a real unit would not start at all
                copied.write_bytes(self.machine.path(source).read_bytes())
                copied.chmod(0o400)
                os.chown(copied, *owner)
        folder.chmod(0o500)
        os.chown(folder, *owner)

    def _folders(self) -> None:
        for key, place in (("RuntimeDirectory", "/run"), ("LogsDirectory", "/var/log")):
            for name in self.settings.get(key, []):
                folder = self.machine.path(f"{place}/{name}")
                folder.mkdir(parents=True, exist_ok=True)
                folder.chmod(int(self.settings.get(f"{key}Mode", ["0755"])[0], 8))
                os.chown(folder, *self.machine.owner(self.user or "root"))

    def _listen(self) -> None:
        path = self.machine.path(NOTIFY)
        path.unlink(missing_ok=True)
        self._told = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind(str(path))
        path.chmod(0o666)

    def _environment(self) -> dict[str, str]:
        found = {"CREDENTIALS_DIRECTORY": f"/run/credentials/{self.name}.service"}
        if self.settings.get("Type") == ["notify"]:
            found["NOTIFY_SOCKET"] = NOTIFY
        pairs = [word for line in self.settings.get("Environment", []) for word in shlex.split(line)]
        for line in self.settings.get("EnvironmentFile", []):
            path = self.machine.path(line.removeprefix("-"))
            if path.is_file() or not line.startswith("-"):
                pairs += shlex.split(path.read_text(), comments=True)
        return found | dict(pair.split("=", 1) for pair in pairs)

    @staticmethod
    def _words(line: str, environment: dict[str, str]) -> list[str]:
        """systemd's own rule: ``$NAME`` as a word of its own is taken apart at white space."""
        words: list[str] = []
        for word in shlex.split(line):
            words += environment.get(word[1:], "").split() if word.startswith("$") else [word]
        return words


class RefusedStartError(Exception):
    """A command before the main one failed; the text is what it said."""


def all_settled(units: list[Unit]) -> None:
    """Wait until the commands after the main ones have done their work."""
    wait_for(
        lambda: all(unit.settled() for unit in units),
        "settled",
        lambda: "\n".join(unit.after.tail() for unit in units if unit.after),
    )
