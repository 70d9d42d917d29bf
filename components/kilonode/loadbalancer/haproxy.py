"""The local twin of a cloud's internal load balancer: haproxy, passing TLS through to the API servers."""

from kilonode.apiserver.probe import PROBE
from kilonode.boot.machine import BootData, File
from kilonode.boot.secrets import credential
from kilonode.boot.sysctl import fixed_machine_rows
from kilonode.boot.templates import render
from kilonode.region.plan import API_PORT, RegionPlan
from kilonode.tuning import Row

PATH = "/etc/haproxy/haproxy.cfg"

PROBE_INTERVAL = Row(
    "inter",
    "1s",
    "a dead API server is out after two probes; five servers cost five requests a second",
    "kilonode; measured gap under five seconds",
)
PROBE_FALL = Row("fall", 2, "one lost probe is no outage", "Azure's and AWS's smallest threshold")
PROBE_RISE = Row("rise", 1, "a server that answers /readyz is ready", "Kubernetes docs, API health endpoints")
IDLE = Row(
    "timeout",
    "1h",
    "watches are long and quiet; Kubernetes closes them itself within the hour",
    "kube-apiserver: --min-request-timeout is 30 to 60 minutes",
)


def values(plan: RegionPlan) -> dict[str, object]:
    """What the template is given."""
    return {
        "port": API_PORT,
        "address": str(plan.load_balancer.address),
        "servers": [(machine.name, str(machine.address)) for machine in plan.api_servers],
        "authority": credential("haproxy", "ca.crt"),
        "probe": PROBE,
        "probe_interval": PROBE_INTERVAL.value,
        "probe_fall": PROBE_FALL.value,
        "probe_rise": PROBE_RISE.value,
        "idle": IDLE.value,
    }


def load_balancer_boot(plan: RegionPlan) -> BootData:
    """The boot data of the load balancer's machine."""
    text = render("load-balancer", PATH, values(plan))
    return BootData(
        hostname=plan.load_balancer.name,
        files=(File(PATH, text),),
        units=("haproxy.service",),
        sysctls=fixed_machine_rows(plan.spec.ceiling, reuses_addresses=plan.spec.cloud.reuses_addresses),
    )
