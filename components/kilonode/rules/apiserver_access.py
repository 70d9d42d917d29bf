"""Rules about what an API server lets whom do."""

from collections.abc import Iterator
from typing import Any

from kilonode.apiserver.settings import PROBE_PATHS
from kilonode.rules import subjects
from kilonode.rules.apiserver_files import loaded, mapping
from kilonode.rules.facts.controlplane import ApiServer
from kilonode.rules.go import truth
from kilonode.rules.parameter import Parameter
from kilonode.rules.read.documents import rows
from kilonode.rules.read.resource import at
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import UndecidedError


@rule(
    "apiserver-anonymous", subjects.api_servers, severity="critical", benchmark="CIS 1.2.1, CKV_K8S_68",
    why="whoever reaches the port is somebody to the cluster", source="CIS Kubernetes 1.2.1",
    fix="allow anonymous requests for the probe paths alone, in authentication-config; anonymous-auth=false is as good where the load balancer's probe has credentials",
)  # fmt: skip
def anonymous(server: ApiServer) -> Iterator[Fault]:
    """Anonymous requests see the probe paths and nothing else."""
    path = server.flags.get("authentication-config")
    if path is None:
        given = server.flags.get("anonymous-auth")
        if truth(given) is not False:
            yield Fault("anonymous-auth", given, "false")
        return
    if path not in server.files:
        raise UndecidedError(f"authentication-config {path}")
    allowed = mapping(
        loaded(server, "authentication-config").get("anonymous") or {"enabled": True}, "authentication-config"
    )
    paths = {_path(row) for row in rows(allowed.get("conditions"))}
    if allowed.get("enabled", True) and (not paths or paths - set(PROBE_PATHS)):
        shown = ", ".join(sorted(paths)) or "every path"
        yield Fault("authentication-config: anonymous", shown, f"at most {', '.join(PROBE_PATHS)}")


def _path(row: Any) -> str:
    path = at(row, "path")
    if not isinstance(path, str):
        raise UndecidedError("authentication-config, where a condition has no path,")
    return path


def _listed(server: ApiServer, flag: str) -> list[str]:
    return [each for each in server.flags.get(flag, "").split(",") if each]


@rule(
    "apiserver-node-restriction", subjects.api_servers, severity="high", benchmark="CIS 1.2.14, CKV_K8S_85",
    why="a node that was taken over could change every other node and read every secret",
    source="CIS Kubernetes 1.2.14", fix="add NodeRestriction to enable-admission-plugins",
)  # fmt: skip
def node_restriction(server: ApiServer) -> Iterator[Fault]:
    """A node changes only itself and its pods."""
    if "NodeRestriction" not in _listed(server, "enable-admission-plugins"):
        yield Fault("enable-admission-plugins", server.flags.get("enable-admission-plugins"), "with NodeRestriction")


@rule(
    "apiserver-authorization", subjects.api_servers, severity="critical",
    benchmark="CIS 1.2.6, CIS 1.2.7, CIS 1.2.8, CKV_K8S_74, CKV_K8S_75, CKV_K8S_77",
    why="every client, each of thousands of nodes, could do everything", source="CIS Kubernetes 1.2.6 to 1.2.8",
    fix="set authorization-mode=Node,RBAC",
)  # fmt: skip
def authorization(server: ApiServer) -> Iterator[Fault]:
    """Requests are authorized by Node and RBAC, and none by AlwaysAllow."""
    path = server.flags.get("authorization-config")
    if path is None:
        field, given = "authorization-mode", server.flags.get("authorization-mode")
        modes = _listed(server, field)
    else:
        # With a file the flag must not be there (Kubernetes docs, Authorization).
        field, modes = "authorization-config: authorizers", _types(server, path)
        given = ", ".join(modes) or None
    if {"Node", "RBAC"} - {*modes} or "AlwaysAllow" in modes:
        yield Fault(field, given, "Node,RBAC")


def _types(server: ApiServer, path: str) -> list[str]:
    """The kinds of authorizers in the file, in its order."""
    if path not in server.files:
        raise UndecidedError(f"authorization-config {path}")
    found = [at(row, "type") for row in rows(loaded(server, "authorization-config").get("authorizers"))]
    if not all(isinstance(each, str) for each in found):
        raise UndecidedError("authorization-config, where an authorizer has no type,")
    return found


@rule(
    "apiserver-profiling", subjects.api_servers, severity="low", benchmark="CIS 1.2.15, CKV_K8S_90",
    why="profiles show memory, and with it secrets", source="CIS Kubernetes 1.2.15", fix="set profiling=false",
)  # fmt: skip
def profiling(server: ApiServer) -> Iterator[Fault]:
    """Profiles are off."""
    if truth(server.flags.get("profiling")) is not False:
        yield Fault("profiling", server.flags.get("profiling"), "false")


@rule(
    "apiserver-always-pull", subjects.api_servers, severity="medium", benchmark="CIS 1.2.11, CKV_K8S_80",
    why="decided against the benchmark: every start of every pod would ask the registry, which once banned a cluster's "
    "address; images are pinned by digest, and nodes belong to one team",
    source="2018 post", fix="remove AlwaysPullImages, or set the parameter wanted where tenants do not trust each other",
    wanted=Parameter(False, "whether this stack decided for AlwaysPullImages"),
)  # fmt: skip
def always_pull(server: ApiServer, *, wanted: bool) -> Iterator[Fault]:
    """AlwaysPullImages is as decided."""
    there = "AlwaysPullImages" in _listed(server, "enable-admission-plugins")
    if there != wanted:
        given = server.flags.get("enable-admission-plugins")
        yield Fault("enable-admission-plugins", given, f"{'with' if wanted else 'without'} AlwaysPullImages")


RULES = (
    anonymous, node_restriction, authorization, profiling, always_pull,
)  # fmt: skip
