"""Kernel modules of a node as rows, loaded at boot before the settings they bring are raised.

One image serves every role, so the other machines load them too: some hundred kilobytes that nobody uses.

br_netfilter is not among them: a pod's veth is routed by its node (CNI ptp), so no bridge carries packets that netfilter
would otherwise miss. What creates links brings its own modules.
"""

from collections.abc import Iterable
from dataclasses import dataclass

PATH = "/usr/lib/modules-load.d/kilonode.conf"
"""Read by systemd-modules-load, which takes a module that is built in for loaded."""


@dataclass(frozen=True)
class Module:
    """One module by its name in Debian's kernel, why it is loaded, and who says so."""

    name: str
    why: str
    source: str


_PROXY = "kube-proxy: pkg/proxy/nftables/proxier.go"
_ONE_TRANSACTION = "kube-proxy sends all its rules at once and one unknown word refuses them all"

MODULES = (
    Module("overlay", "containerd's snapshots", "containerd.service loads it before containerd"),
    Module(
        "nf_conntrack",
        "its settings exist only once it is there, and kube-proxy reads them when it starts",
        "amazon-eks-ami, modules-load.d/conntrack.conf",
    ),
    Module("nf_tables", f"{_ONE_TRANSACTION}; a kernel without it says so at boot", _PROXY),
    Module("nft_chain_nat", "chains that translate Service addresses", _PROXY),
    Module("nft_ct", "ct state, ct status", _PROXY),
    Module("nft_fib_ipv4", "fib daddr type local, for NodePorts", f"{_PROXY}; siderolabs/pkgs#951"),
    Module(
        "nft_fib_ipv6",
        "the same in its table of IPv6, which it has where the kernel does",
        f"{_PROXY}; siderolabs/pkgs#951",
    ),
    Module("nft_masq", "masquerade", _PROXY),
    Module("nft_nat", "dnat to an endpoint", _PROXY),
    Module("nft_numgen", "numgen random: the choice among endpoints", _PROXY),
    Module("nft_reject_ipv4", "reject, for Services without endpoints", _PROXY),
    Module("nft_reject_ipv6", "the same for IPv6", _PROXY),
)


def modules_file(rows: Iterable[Module]) -> str:
    """The rows as modules-load.d(5) has them."""
    return "".join(f"# {row.why}\n{row.name}\n" for row in rows)
