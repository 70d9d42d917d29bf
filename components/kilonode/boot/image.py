"""What is on a machine's disk before its first boot: packages, programs, units and settings all regions share.

One image serves every role: roles differ in boot data, which names the units to start.
"""

from dataclasses import dataclass
from functools import cache

from kilonode.apiserver import bootstrap
from kilonode.apiserver.controllers import CONTROLLER_MANAGER, KUBECONFIG, SCHEDULER, kubeconfig, scheduler_flags
from kilonode.apiserver.flags import AUDIT_POLICY, AUTHENTICATION
from kilonode.apiserver.settings import audit_policy, authentication
from kilonode.boot.machine import File, dump_yaml
from kilonode.boot.secrets import FOLDER
from kilonode.boot.templates import render, tree
from kilonode.etcd.config import DATA, MOUNT

ROLES = ("base", "fixed", "etcd", "api", "load-balancer", "simulator")
BOOT_TEMPLATES = frozenset({"/etc/haproxy/haproxy.cfg"})
"""Templates that boot data renders, so that the image does not carry them."""

PACKAGES = ("haproxy",)
"""Debian packages of the roles, beside what any machine needs to boot."""

PROGRAMS = {
    "etcd": ("etcd", "etcdctl", "etcdutl"),
    "kubernetes": ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"),
    "kwok": ("kwok",),
}
"""Tool to the programs of it that the image carries in /usr/local/bin."""

KWOK_STAGES = "/usr/share/kilonode/kwok-stages.yaml"
EXECUTABLES = "/usr/lib/kilonode/"
UNITS = "/etc/systemd/system/"
ROLE_UNITS = f"{UNITS}multi-user.target.d/20-kilonode-roles.conf"
BOOTSTRAP = "kilonode-bootstrap"

SHARES = {"kilonode-simulated-nodes": "kwok"}
"""Services that read another service's credentials, being the same client of the API."""

_CREDENTIALS: dict[str, tuple[str, ...]] = {
    "etcd": (
        "ca.crt",
        "client-ca.crt",
        "peer-ca.crt",
        "server.crt",
        "server.key",
        "peer.crt",
        "peer.key",
        "client.crt",
        "client.key",
    ),
    "kube-apiserver": (
        "ca.crt",
        "etcd-ca.crt",
        "front-proxy-ca.crt",
        "server.crt",
        "server.key",
        "etcd-client.crt",
        "etcd-client.key",
        "kubelet-client.crt",
        "kubelet-client.key",
        "front-proxy-client.crt",
        "front-proxy-client.key",
        "service-account.key",
        "encryption.yaml",
    ),
    CONTROLLER_MANAGER: ("ca.crt", "client.crt", "client.key"),
    SCHEDULER: ("ca.crt", "client.crt", "client.key"),
    BOOTSTRAP: ("ca.crt", "client.crt", "client.key"),
    "haproxy": ("ca.crt",),
    "kwok": ("ca.crt", "client.crt", "client.key"),
}


@dataclass(frozen=True)
class MachineImage:
    """The image as data; a cloud turns it into a disk."""

    packages: tuple[str, ...]
    programs: dict[str, tuple[str, ...]]
    files: tuple[File, ...]


@cache
def machine_image() -> MachineImage:
    """The image of every fixed machine."""
    rendered = [
        File(path, _rendered(role, path, text), 0o755 if path.startswith(EXECUTABLES) else 0o644)
        for role in ROLES
        for path, text in tree(role).items()
        if path not in BOOT_TEMPLATES
    ]
    units = sorted(file.path.removeprefix(UNITS) for file in rendered if file.path.endswith(".service"))
    wants = File(ROLE_UNITS, f"[Unit]\nWants={' '.join([*units, 'haproxy.service'])}\n")
    return MachineImage(PACKAGES, PROGRAMS, (*rendered, *_settings(), wants))


def _settings() -> tuple[File, ...]:
    services = (CONTROLLER_MANAGER, SCHEDULER, BOOTSTRAP)
    kubeconfigs = (File(KUBECONFIG.format(service=service), dump_yaml(kubeconfig(service))) for service in services)
    objects = "---\n".join(dump_yaml(value) for value in bootstrap.objects())
    return (
        File(AUTHENTICATION, dump_yaml(authentication())),
        File(AUDIT_POLICY, dump_yaml(audit_policy())),
        File(bootstrap.PATH, objects),
        *kubeconfigs,
    )


def _rendered(role: str, path: str, text: str) -> str:
    """Render a unit that takes credentials; every other file stands as it is."""
    if "{%" not in text and "{{" not in text:
        return text
    service = path.removeprefix(UNITS).split(".service")[0]
    owner = SHARES.get(service, service)
    values: dict[str, object] = {"credentials": _CREDENTIALS[owner], "folder": f"{FOLDER}/{owner}"}
    if service == "etcd":
        values |= {"mount": MOUNT, "data": DATA}
    if service == SCHEDULER:
        values |= {"flags": " ".join(scheduler_flags())}
    if service == BOOTSTRAP:
        values |= {"kubeconfig": KUBECONFIG.format(service=BOOTSTRAP), "objects": bootstrap.PATH}
    return render(role, path, values)
