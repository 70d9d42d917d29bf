"""What kubeadm starts on a machine, and which settings are its own."""

from collections.abc import Mapping
from typing import Any

from kilonode.rules.read.documents import rows
from kilonode.rules.read.resource import at
from kilonode.rules.read.settings import text

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


def started(arguments: list[str]) -> tuple[str, ...]:
    """The programs of a command of kubeadm; whatever they are told is told by the cluster or by kubeadm."""
    if arguments[0] == "join":
        return ("kubelet", "kube-apiserver", "etcd") if "--control-plane" in arguments else ("kubelet",)
    return ("kubelet", "kube-apiserver", "etcd") if arguments[0] == "init" else ()


def flags(document: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Program to the flags that a cluster configuration adds: a mapping, or rows of name and value since v1beta4."""
    found: dict[str, dict[str, str]] = {}
    for program, section in _SECTIONS.items():
        given = at(document, f"{section}.extraArgs")
        if isinstance(given, Mapping):
            found[program] = {str(key): text(value) for key, value in given.items()}
        elif named := [row for row in rows(given) if at(row, "name") is not None and at(row, "value") is not None]:
            found[program] = {str(row["name"]): text(row["value"]) for row in named}
    return found
