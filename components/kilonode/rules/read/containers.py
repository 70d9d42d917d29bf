"""What the command line of a container's runtime says: which image, which command, which variables."""

import re
from dataclasses import dataclass, field

_VERBS = frozenset({"run", "create"})
_BARE = frozenset(
    {"detach", "interactive", "tty", "rm", "init", "privileged", "publish-all", "read-only", "sig-proxy", "quiet"}
    | {"oom-kill-disable", "no-healthcheck", "disable-content-trust", "use-api-socket"}
    | {"replace", "no-hosts", "no-hostname", "rmi", "env-host", "http-proxy", "rootfs", "tls-verify"}
    | {"net-host", "null-io", "allow-new-privs", "seccomp", "cgroup-v2", "no-pivot", "inherit-env", "read-only-tmpfs"}
)
"""Options without a value of their own (docker/cli, cli/command/container; podman-run(1); ctr run --help)."""

_SHORT_BARE = "ditPq"
_PLATFORM = re.compile(r"-(?:amd64|arm64)$")


@dataclass
class Container:
    """A container; ``environment`` is words of NAME=VALUE, and names alone."""

    image: str
    command: list[str] = field(default_factory=list)
    entrypoint: str = ""
    environment: list[str] = field(default_factory=list)
    env_files: list[str] = field(default_factory=list)


def read(runtime: str, arguments: list[str]) -> Container | None:
    """The container that is started, if one is."""
    start = next((at for at, word in enumerate(arguments) if word in _VERBS), None)
    if start is None:
        return None
    options, rest = _options(arguments[start + 1 :])
    if not rest:
        return None
    # ctr has a container's name behind its image.
    own = Container(rest[0], rest[2 if runtime == "ctr" else 1 :])
    own.entrypoint = next((value for name, value in options if name == "entrypoint"), "")
    own.environment = [value for name, value in options if name in {"e", "env"}]
    own.env_files = [value for name, value in options if name == "env-file"]
    return own


def program(image: str) -> str:
    """The program that an image is named after."""
    name = image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    return _PLATFORM.sub("", name)


def _options(arguments: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Options with their values, and the words from the image on."""
    found: list[tuple[str, str]] = []
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        word = arguments[place]
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            apart = not equals and name not in _BARE
        else:
            letters = word[1:].lstrip(_SHORT_BARE)
            name, value = letters[:1], letters[1:].removeprefix("=")
            apart = len(letters) == 1
        if apart:
            value = next(iter(arguments[place + 1 : place + 2]), "")
        found.append((name, value))
        place += 1 + apart
    return found, arguments[place:]
