"""How images come to a node: how many at once, how fast, how long, and from where."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator

from kilonode.explain import Allowed
from kilonode.nodes.hosts import DOCKER, DOCKER_FORMER, HOST_ALLOWED, is_host, is_registry
from kilonode.nodes.images import HOST
from kilonode.refusal import refuse
from kilonode.spec import Spec

INT32_MAX = 2**31 - 1  # kubelet's type for rates
BURST = 2  # times the pulls per second
AT_ONCE_MAX = 100  # more only divide one link and one disk
MIRRORS_MAX = 8
ENDPOINTS_MAX = 4
"""Rows; they are part of boot data."""

URL_LENGTH = 256
"""Characters of an endpoint, for the same reason."""

_DURATION = re.compile(r"[1-9][0-9]{0,4}[smh]", re.ASCII)
_DURATION_ALLOWED = "a whole number above 0 with its unit s, m or h, such as '30m'"
_URL = re.compile(r"(?P<scheme>https?)://(?P<host>[^/]+)(?P<path>(?:/[\w.~-]+)*)/?", re.ASCII)
_PORTS = {"http": ":80", "https": ":443"}


def _duration(value: object) -> str:
    if not isinstance(value, str) or not _DURATION.fullmatch(value):
        raise refuse(
            allowed=_DURATION_ALLOWED,
            why="containerd takes 0 for no end at all, and a pull that hangs keeps its place for ever",
            fix="write '30m'",
        )
    return value


Duration = Annotated[
    str,
    BeforeValidator(_duration),
    WithJsonSchema({"type": "string", "pattern": "^[1-9][0-9]{0,4}[smh]$"}),
    Allowed(_DURATION_ALLOWED),
]


class PullsSpec(Spec):
    """Pulling, for images that are not preloaded."""

    parallel: Annotated[int, Field(ge=1, le=AT_ONCE_MAX)] = 10
    """Images a node pulls at once; 1 is one after the other, as kubelet does by default: a 17 GB image then holds up all others for half an hour (2018 post)."""

    qps: Annotated[int, Field(ge=0, le=INT32_MAX)] = 20
    """Pulls a node may begin each second; kubelet's 5 fail with "pull QPS exceeded" when jobs start, and 0, no limit, is how a registry came to ban a cluster's address (2018 post)."""

    burst: Annotated[int | None, Field(ge=1, le=INT32_MAX)] = None
    """Pulls a node may begin at once; twice qps if not given, as kubelet's own 10 are to its 5. kubelet reads 0 as 10."""

    concurrent_downloads: Annotated[int, Field(ge=1, le=AT_ONCE_MAX)] = 10
    """Layers a node downloads at once, of all images together; with containerd 1.7, of each image (2018 post: 10)."""

    progress_timeout: Duration = "30m"
    """A pull that has got no byte for so long is given up (2018 post: 30 minutes); containerd's 5m are short of a busy disk's pauses."""

    @property
    def serialize(self) -> bool:
        """Whether kubelet pulls one image after the other; never a setting, as kubelet refuses it beside a larger ``parallel``."""
        return self.parallel == 1

    @property
    def rate(self) -> dict[str, int]:
        """kubelet's own keys; without a limit there is nothing a burst could exceed."""
        if self.qps == 0:
            return {"registryPullQPS": 0}
        return {"registryPullQPS": self.qps, "registryBurst": self.burst or min(BURST * self.qps, INT32_MAX)}

    def warnings(self) -> list[str]:
        """What is allowed but unwise, a sentence each."""
        if self.burst is None:
            return []
        if self.qps == 0:
            return [f"pulls.burst {self.burst} has no effect: pulls.qps 0 is no limit at all"]
        if self.burst < self.qps:
            return [f"pulls.burst {self.burst} is below pulls.qps {self.qps}, so that rate is never reached at once"]
        return []


class MirrorSpec(Spec):
    """Where a registry's images are asked for first; the registry itself comes last."""

    registry: str
    """The host in the images' names, with its port if it has one."""

    endpoints: Annotated[tuple[str, ...], Field(strict=False)]
    """URLs of mirrors, tried in this order; they are believed when they say which image a tag is."""

    @field_validator("registry")
    @classmethod
    def _registry(cls, value: str) -> str:
        if not is_registry(value) or value == DOCKER_FORMER:
            raise refuse(
                allowed="a host such as docker.io or registry.example.com:5000, without scheme and path",
                why="containerd looks for a folder of exactly the name that images' full names begin with",
                fix=f"write {_host(value)!r}",
            )
        if value.partition(":")[0] == HOST:
            raise refuse(
                allowed=f"any host but {HOST}",
                why="its images are the system's own, which every node has: nobody is ever asked for them",
                fix="remove the row",
            )
        return value

    @field_validator("endpoints")
    @classmethod
    def _endpoints(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not 1 <= len(value) <= ENDPOINTS_MAX:
            raise refuse(
                allowed=f"1 to {ENDPOINTS_MAX} URLs",
                why="every pull may try them all, one after the other",
                fix="list the nearest mirrors",
            )
        for index, url in enumerate(value):
            if len(url) > URL_LENGTH:
                raise refuse(
                    field=f"[{index}]",
                    given=f"{len(url)} characters",
                    allowed=f"at most {URL_LENGTH}",
                    why="it is part of every node's boot data, which clouds limit",
                    fix="serve the mirror under a shorter name",
                )
            if not _asked(url):
                raise refuse(
                    field=f"[{index}]",
                    given=_without_user(url),
                    allowed=f"http:// or https://, {HOST_ALLOWED}, and if need be a path without . or .. as a step",
                    why="containerd asks there for the registry's API; a password would stand in plain boot data",
                    fix="for instance https://mirror.example.com",
                )
            if _asked(url) in map(_asked, value[:index]):
                raise refuse(
                    field=f"[{index}]",
                    given=url,
                    allowed="a mirror that no other row has, however its URL is written",
                    why="a mirror that fails would be asked twice",
                    fix="remove one of the two",
                )
        return value

    def warnings(self) -> list[str]:
        """What is allowed but unwise, a sentence each."""
        return [
            f"mirror {url} of {self.registry} is reached without TLS: whoever is between decides which image a tag is"
            for url in self.endpoints
            if url.startswith("http://")
        ]


def _host(value: str) -> str:
    near = value.rpartition("://")[2].partition("/")[0].lower()
    if near == DOCKER_FORMER:
        return DOCKER
    return near if is_registry(near) else "registry.example.com"


def _asked(url: str) -> tuple[str, str, str] | None:
    """Scheme, host and path that containerd asks (its docker/config/hosts.go adds /v2 where it is missing), or None."""
    found = _URL.fullmatch(url)
    if not found or not is_host(found["host"]) or {".", ".."} & set(found["path"].split("/")):
        return None
    return found["scheme"], found["host"].removesuffix(_PORTS[found["scheme"]]), found["path"].removesuffix("/v2")


def _without_user(url: str) -> str:
    """A URL as it may be shown: without what stands before an @."""
    if "@" not in url:
        return url
    try:
        return urlsplit(url)._replace(netloc=f"…@{url.rpartition('@')[2].partition('/')[0]}").geturl()
    except ValueError:
        return "…@…"
