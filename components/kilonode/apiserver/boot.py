"""The boot data of an API server machine."""

from kilonode.apiserver import dns
from kilonode.apiserver.controllers import SCHEDULER_CONFIG, controller_manager_flags, scheduler_config
from kilonode.apiserver.flags import kube_apiserver_flags
from kilonode.boot.machine import BootData, File, dump_all, dump_yaml, environment
from kilonode.boot.sysctl import fixed_machine_rows
from kilonode.machines.plan import FixedMachine
from kilonode.region.plan import RegionPlan

FLAGS = "/etc/kubernetes/kube-apiserver.env"
UNITS = (
    "kube-apiserver.service",
    "kube-controller-manager.service",
    "kube-scheduler.service",
    "kilonode-bootstrap.service",
    "kilonode-node-approver.service",
)


def api_server_boot(plan: RegionPlan, machine: FixedMachine) -> BootData:
    """What differs by region and machine; everything all API servers share is in the image."""
    return BootData(
        hostname=machine.name,
        files=(
            File(FLAGS, environment("FLAGS", kube_apiserver_flags(plan, machine))),
            File("/etc/kubernetes/kube-controller-manager.env", environment("FLAGS", controller_manager_flags(plan))),
            File(SCHEDULER_CONFIG, dump_yaml(scheduler_config(plan))),
            File(dns.PATH, dump_all(dns.objects(plan.spec.network, plan.spec.ceiling))),
        ),
        units=UNITS,
        sysctls=fixed_machine_rows(plan.spec.ceiling, reuses_addresses=plan.spec.cloud.reuses_addresses),
    )
