"""What kubeadm starts on a machine, and which settings are its own."""

from collections.abc import Mapping
from typing import Any

from kilonode.rules.read.documents import rows
from kilonode.rules.read.resource import at
from kilonode.rules.read.settings import flag, text

_SECTIONS = {
    "kube-apiserver": "apiServer",
    "kube-controller-manager": "controllerManager",
    "kube-scheduler": "scheduler",
    "etcd": "etcd.local",
}
OWN: Mapping[str, frozenset[str]] = {
    "kube-apiserver": frozenset(
        {"authorization-mode", "enable-admission-plugins", "etcd-servers", "service-cluster-ip-range", "secure-port"}
    ),
    "kube-controller-manager": frozenset(),
    "kube-scheduler": frozenset(),
    "etcd": frozenset(
        {"name", "data-dir", "initial-cluster", "initial-cluster-state", "initial-advertise-peer-urls"}
        | {"listen-client-urls", "listen-peer-urls", "advertise-client-urls", "snapshot-count"}
        | {"cert-file", "key-file", "trusted-ca-file", "client-cert-auth"}
        | {"peer-cert-file", "peer-key-file", "peer-trusted-ca-file", "peer-client-cert-auth"}
    ),
}
"""Flags that kubeadm writes itself and that rules ask for (kubernetes/kubernetes, cmd/kubeadm/app/phases)."""


_COMMANDS = frozenset(
    {"init", "join", "alpha", "certs", "completion", "config", "kubeconfig", "reset", "token", "upgrade"}
    | {"version", "help"}
)
"""What kubeadm is told to do; only flags of its own stand before it (kubeadm --help)."""

_TRUE = frozenset(("--control-plane", value) for value in ("", "1", "t", "T", "true", "TRUE", "True"))
"""Ways to say that a flag holds (Go's strconv.ParseBool)."""


def started(arguments: list[str]) -> tuple[str, ...]:
    """The programs of a command of kubeadm; whatever they are told is told by the cluster or by kubeadm."""
    command = next((each for each in arguments if each in _COMMANDS), "")
    controls = any(each.startswith("--control-plane") and each.partition("=")[::2] in _TRUE for each in arguments)
    if command == "init" or (command == "join" and controls):
        return ("kubelet", "kube-apiserver", "etcd")
    return ("kubelet",) if command == "join" else ()


def external(document: Mapping[str, Any]) -> bool:
    """Whether a cluster configuration has its etcd elsewhere."""
    return document.get("kind") == "ClusterConfiguration" and at(document, "etcd.external") is not None


def flags(document: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Program to the flags that a cluster configuration adds: a mapping, or rows of name and value since v1beta4."""
    found: dict[str, dict[str, str]] = {}
    for program, section in _SECTIONS.items():
        given = at(document, f"{section}.extraArgs")
        if isinstance(given, Mapping):
            found[program] = {flag(program, str(key)): text(value) for key, value in given.items()}
        elif named := [row for row in rows(given) if at(row, "name") is not None and at(row, "value") is not None]:
            found[program] = {flag(program, str(row["name"])): text(row["value"]) for row in named}
    return found
