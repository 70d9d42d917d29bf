"""The boot data of an etcd member."""

from kilonode.boot.machine import BootData, File, dump_yaml
from kilonode.boot.sysctl import fixed_machine_rows
from kilonode.etcd.config import PATH, member_config
from kilonode.etcd.plan import EtcdClusterPlan
from kilonode.limits import NODES
from kilonode.machines.plan import FixedMachine


def member_boot(cluster: EtcdClusterPlan, member: FixedMachine) -> BootData:
    """Who the member is; units and the start-up program are in the image."""
    return BootData(
        hostname=member.name,
        files=(File(PATH, dump_yaml(member_config(cluster, member))),),
        units=("etcd.service",),
        # Only API servers and members talk to it, at planned addresses: the same for every ceiling and cloud.
        sysctls=fixed_machine_rows(NODES.value, reuses_addresses=False),
    )
