"""Kernel settings as rows: which machines get them, by which rule they are set, and whose they are."""

from dataclasses import dataclass
from typing import Literal

from kilonode.boot.neighbours import table_for
from kilonode.tuning import Row


@dataclass(frozen=True)
class Sysctl(Row):
    """One kernel setting; the value is whole numbers as the kernel writes them, several in one text."""

    scope: Literal["network namespace", "kernel"]
    """Whose it is: a container has a network namespace of its own, and what is the kernel's is its host's to set."""

    rule: Literal["floor", "exact"] = "floor"
    """A floor is applied where the image has less, each number by itself; an exact value whatever the image has."""

    @property
    def line(self) -> str:
        """The row as /usr/lib/kilonode/sysctl-floors reads it."""
        return f"{self.key} {'=' if self.rule == 'floor' else ':='} {self.value}\n"


def fixed_machine_rows(ceiling: int, *, reuses_addresses: bool) -> tuple[Sysctl, ...]:
    """The settings of etcd machines, API servers, load balancers and simulators."""
    return *neighbour_rows(ceiling, reuses_addresses=reuses_addresses), *CONNECTIONS


def machine_pool_rows(ceiling: int, *, reuses_addresses: bool) -> tuple[Sysctl, ...]:
    """The settings of node machines: what every machine has, what kubelet demands, what pods need of their node."""
    return *fixed_machine_rows(ceiling, reuses_addresses=reuses_addresses), *KUBELET, *NODE


def neighbour_rows(ceiling: int, *, reuses_addresses: bool) -> tuple[Sysctl, ...]:
    """Thresholds of the neighbour tables, the same for v4 and v6.

    ``reuses_addresses`` is a trait of the cloud: an address may belong to another machine within seconds, so what is no
    longer used must be forgotten. That lowers the first threshold to 0, which no floor can.
    """
    table = table_for(ceiling)
    why = (
        f"the kernel's 1,024 overflow at a few hundred nodes with pods; this is the step for up to {table.nodes} nodes"
    )
    rows: list[Sysctl] = []
    for family in ("ipv4", "ipv6"):
        keys = [f"net.{family}.neigh.default.gc_thresh{step}" for step in (1, 2, 3)]
        first, *others = (
            Sysctl(*row, why, table.source, "kernel") for row in zip(keys, table.thresholds.values, strict=True)
        )
        rows += [_forgetful(first.key) if reuses_addresses else first, *others]
    return tuple(rows)


def _forgetful(key: str) -> Sysctl:
    return Sysctl(
        key,
        0,
        "fewer neighbours than this are kept for ever, and here an address soon is another machine's",
        "kubernetes/kubernetes#23395 and #27682; kops on AWS",
        "kernel",
        "exact",
    )


CONNECTIONS = (
    Sysctl(
        "net.core.somaxconn",
        32_768,
        "thousands of nodes reconnect at once after a restart",
        "between AKS's 16,384 and kops's 65,535",
        "network namespace",
    ),
    Sysctl(
        "net.ipv4.tcp_max_syn_backlog",
        8_192,
        "the same burst, one step earlier",
        "twice what the kernel gives a big machine; AKS 16,384",
        "network namespace",
    ),
    Sysctl(
        "fs.inotify.max_user_instances",
        8_192,
        "the default of 128 stops programs that watch their certificates",
        "kops sysctls",
        "kernel",
    ),
)

_DEMANDED = "kubelet's setupKernelTunables: with protectKernelDefaults it starts with exactly this value"
KUBELET = (
    Sysctl(
        "vm.overcommit_memory", 1, "the limits of pods decide, not the kernel's guess", _DEMANDED, "kernel", "exact"
    ),
    Sysctl("vm.panic_on_oom", 0, "one pod out of memory must not end the node", _DEMANDED, "kernel", "exact"),
    Sysctl("kernel.panic", 10, "a node that panicked is back by itself", _DEMANDED, "kernel", "exact"),
    Sysctl("kernel.panic_on_oops", 1, "after an oops a kernel may do anything", _DEMANDED, "kernel", "exact"),
    Sysctl("kernel.keys.root_maxkeys", 1_000_000, "a keyring for each container", _DEMANDED, "kernel", "exact"),
    Sysctl("kernel.keys.root_maxbytes", 25_000_000, "25 bytes for each of those keys", _DEMANDED, "kernel", "exact"),
)

NODE = (
    Sysctl(
        "net.ipv4.ip_forward",
        1,
        "the node is the router between its link and its pods",
        "Kubernetes docs, container runtimes: prerequisites",
        "network namespace",
        "exact",
    ),
    Sysctl(
        "net.ipv4.ip_local_port_range",
        "32768 60999",
        "a wider range takes kubelet's 10250 or a NodePort for an outgoing connection, as some images have it",
        "the kernel's default; kubernetes/kops#6342, bottlerocket#1560, kubernetes/kubernetes#111697",
        "network namespace",
        "exact",
    ),
    Sysctl(
        "net.netfilter.nf_conntrack_buckets",
        262_144,
        "a quarter of the entries, the proportion kube-proxy keeps when the maximum is its own",
        "kube-proxy: pkg/proxy/conntrack/sysctls.go",
        "kernel",
    ),
    Sysctl(
        "net.netfilter.nf_conntrack_max",
        1_048_576,
        "what kube-proxy computes for 32 cores and more; set here, with its maxPerCore 0, so that only one decides",
        "kube-proxy: 32,768 per core, at most 1,048,576; OpenShift's tuned profile; kubernetes/kops#2223",
        "kernel",
    ),
    Sysctl(
        "net.core.netdev_max_backlog",
        16_384,
        "a pod's packets pass its veth through one core's backlog; the default of 1,000 drops bursts without a word",
        "kops sysctls; oracle/bpftune#178",
        "kernel",
    ),
    Sysctl(
        "net.core.rmem_max",
        16_777_216,
        "16 MiB fill 100 Gbit/s over 1.3 ms, for programs that ask for a buffer themselves",
        "kops sysctls",
        "kernel",
    ),
    Sysctl("net.core.wmem_max", 16_777_216, "the same, to send", "kops sysctls", "kernel"),
    Sysctl(
        "net.ipv4.tcp_rmem",
        "4096 131072 16777216",
        "the same for TCP, which sizes its own; only the last is above the kernel's default, and pods start with it",
        "kops sysctls; kernel: tcp_sk_init copies the first namespace's",
        "network namespace",
    ),
    Sysctl(
        "net.ipv4.tcp_wmem",
        "4096 16384 16777216",
        "the same, to send",
        "kops sysctls; kernel: tcp_sk_init copies the first namespace's",
        "network namespace",
    ),
    Sysctl(
        "fs.inotify.max_user_watches",
        524_288,
        "kubelet, the runtime and every pod that follows files share root's count",
        "kops sysctls, amazon-eks-ami",
        "kernel",
    ),
    Sysctl(
        "kernel.pid_max",
        4_194_304,
        "eight ranks with their data loaders and threads in each pod; the default is 32,768",
        "the kernel's limit on 64 bits; amazon-eks-ami, OpenShift's tuned profile",
        "kernel",
    ),
    Sysctl(
        "vm.max_map_count",
        524_288,
        "data loaders map every shard and collectives every peer; the default of 65,530 ends a job with ENOMEM",
        "amazon-eks-ami",
        "kernel",
    ),
)
