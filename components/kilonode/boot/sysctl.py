"""Sysctl floors of the fixed machines, as rows; a floor is applied only where the image has less."""

from kilonode.tuning import Row

NEIGHBOURS_DEFAULT = (128, 512, 1024)  # the kernel's gc_thresh1, 2, 3
NEIGHBOURS = (80_000, 90_000, 100_000)
NEIGHBOURS_SOURCE = "2018 post; the AKS API allows up to exactly these"


def neighbour_rows() -> tuple[Row, ...]:
    """Neighbour table thresholds, v4 and v6: one table per kernel holds every node and pod of a flat network."""
    why = "a control-plane machine talks to every node; the kernel's 1,024 overflow at a few hundred nodes with pods"
    return tuple(
        Row(f"net.{family}.neigh.default.gc_thresh{step}", value, why, NEIGHBOURS_SOURCE)
        for family in ("ipv4", "ipv6")
        for step, value in enumerate(NEIGHBOURS, start=1)
    )


def fixed_machine_rows() -> tuple[Row, ...]:
    """The floors of etcd machines, API servers and load balancers; the same for every ceiling."""
    return (
        *neighbour_rows(),
        Row(
            "net.core.somaxconn",
            32_768,
            "thousands of nodes reconnect at once after a restart",
            "kube-up and kops use 32,768",
        ),
        Row("net.ipv4.tcp_max_syn_backlog", 8_192, "the same burst, one step earlier", "kops sysctls"),
        Row(
            "fs.inotify.max_user_instances",
            8_192,
            "the default of 128 stops programs that watch their certificates",
            "kops sysctls",
        ),
    )
