"""What is on a machine's disk before its first boot: packages, programs, units and settings all regions share.

One image serves every role: roles differ in boot data, which names the units to start.
"""

from dataclasses import dataclass
from functools import cache

from kilonode.apiserver import bootstrap, dns, joining
from kilonode.apiserver.controllers import CONTROLLER_MANAGER, LOCAL_API, SCHEDULER, scheduler_flags
from kilonode.apiserver.flags import AUDIT_POLICY, AUTHENTICATION
from kilonode.apiserver.settings import audit_policy, authentication
from kilonode.boot.kubeconfig import KUBECONFIG, kubeconfig
from kilonode.boot.machine import File, dump_all, dump_yaml
from kilonode.boot.modules import MODULES, modules_file
from kilonode.boot.modules import PATH as MODULES_PATH
from kilonode.boot.secrets import FOLDER
from kilonode.boot.templates import UNIT_FOLDER, mode_of, render, tree
from kilonode.etcd.config import DATA, MOUNT
from kilonode.nodes import boot as nodes
from kilonode.nodes import containerd, kubeproxy
from kilonode.pki.users import APPROVER

ROLES = ("base", "fixed", "etcd", "api", "load-balancer", "simulator", "node")
BOOT_TEMPLATES = frozenset({"/etc/haproxy/haproxy.cfg"})
"""Templates that boot data renders, so that the image does not carry them."""

OS_PACKAGES = ("ca-certificates", "cloud-init", "iproute2", "kmod", "procps", "systemd", "systemd-sysv")
"""What any machine needs to boot and to be told who it is."""

PACKAGES = (
    "containernetworking-plugins",
    "haproxy",
    "nftables",
    "python3-cryptography",
    "runc",
)
"""Debian packages of the roles, beside what any machine needs to boot."""

PROGRAMS = {
    "etcd": ("etcd", "etcdctl", "etcdutl"),
    "kubernetes": (
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kubectl",
        "kubelet",
        "kube-proxy",
    ),
    "containerd": ("containerd", "containerd-shim-runc-v2", "ctr"),
    "kwok": ("kwok",),
}
"""Tool to the programs of it that the image carries in :data:`PROGRAMS_FOLDER`."""

PROGRAMS_FOLDER = "/usr/local/bin"
ROLE_UNITS = f"{UNIT_FOLDER}multi-user.target.d/20-kilonode-roles.conf"
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
        "client-ca.crt",
        "kubelet-ca.crt",
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
    APPROVER: ("ca.crt", "client.crt", "client.key", "nodes.crt", "nodes.key"),
    "haproxy": ("ca.crt",),
    "kubelet": ("ca.crt", "bootstrap.crt", "bootstrap.key"),
    "kube-proxy": ("ca.crt", "client.crt", "client.key"),
    "kwok": ("ca.crt", "client.crt", "client.key"),
}


_VALUES: dict[str, dict[str, object]] = {
    "etcd": {"mount": MOUNT, "data": DATA},
    SCHEDULER: {"flags": " ".join(scheduler_flags())},
    BOOTSTRAP: {"kubeconfig": KUBECONFIG.format(service=BOOTSTRAP), "objects": bootstrap.PATH, "dns": dns.PATH},
    APPROVER: {"limits": " ".join(f"{row.key}={row.value}" for row in joining.APPROVER_LIMITS)},
    "containerd": {"mount": containerd.MOUNT, "config": containerd.PATH},
    "kilonode-images": {"index": nodes.IMAGES},
    "kilonode-node": {"pool": nodes.POOL},
    "kubelet": {"facts": nodes.FACTS},
    "kube-proxy": {"config": kubeproxy.PATH},
}
"""What a unit's template is given beside its credentials."""


@dataclass(frozen=True)
class MachineImage:
    """The image as data; a cloud turns it into a disk."""

    packages: tuple[str, ...]
    programs: dict[str, tuple[str, ...]]
    files: tuple[File, ...]

    def landings(self, *, without: tuple[str, ...] = ()) -> dict[str, str]:
        """Where each program lands, by its name; every cloud puts the same one at the same path."""
        names = (name for tool, own in self.programs.items() if tool not in without for name in own)
        return {name: f"{PROGRAMS_FOLDER}/{name}" for name in names}


@cache
def machine_image() -> MachineImage:
    """The image of every fixed machine."""
    rendered = [
        File(path, _rendered(role, path, text), mode_of(path))
        for role in ROLES
        for path, text in tree(role).items()
        if path not in BOOT_TEMPLATES
    ]
    units = sorted(file.path.removeprefix(UNIT_FOLDER) for file in rendered if file.path.endswith(".service"))
    wants = File(ROLE_UNITS, f"[Unit]\nWants={' '.join([*units, 'haproxy.service'])}\n")
    return MachineImage(PACKAGES, PROGRAMS, (*rendered, *_settings(), wants))


def _settings() -> tuple[File, ...]:
    services = (CONTROLLER_MANAGER, SCHEDULER, BOOTSTRAP)
    kubeconfigs = (
        File(KUBECONFIG.format(service=service), dump_yaml(kubeconfig(service, LOCAL_API))) for service in services
    )
    objects = dump_all(bootstrap.objects())
    return (
        File(MODULES_PATH, modules_file(MODULES)),
        File(AUTHENTICATION, dump_yaml(authentication())),
        File(AUDIT_POLICY, dump_yaml(audit_policy())),
        File(bootstrap.PATH, objects),
        *kubeconfigs,
    )


def _rendered(role: str, path: str, text: str) -> str:
    """Render a unit that takes credentials; every other file stands as it is."""
    if "{%" not in text and "{{" not in text:
        return text
    service = path.removeprefix(UNIT_FOLDER).split(".service")[0]
    values: dict[str, object] = dict(_VALUES.get(service, {}))
    owner = SHARES.get(service, service)
    if owner in _CREDENTIALS:
        values |= {"credentials": _CREDENTIALS[owner], "folder": f"{FOLDER}/{owner}"}
    return render(role, path, values)
