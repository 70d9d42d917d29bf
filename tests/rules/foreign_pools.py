"""Control planes in pools that nobody made with this library: scale sets of Azure, and groups of AWS of any kind."""

from typing import Any

from kilonode.rules.read import aws, aws_launch
from kilonode.rules.read.resource import Resource
from tests.rules.foreign import NATIVE, Foreign
from tests.rules.foreign_aws import amazon
from tests.rules.foreign_flags import LARGE, member_flags, server_flags
from tests.rules.written import cloud_config, encoded, made, sysctls, unit

ETCD, SERVER = "/etc/systemd/system/etcd.service", "/etc/systemd/system/kube-apiserver.service"
REST = {
    "/etc/sysctl.d/90-arp.conf": sysctls(LARGE),
    "/etc/cron.d/backup": "0 * * * * root etcdctl snapshot save /b/now.db\n",
}


def discovering(**flags: str) -> dict[str, str]:
    """Flags of every member of a pool: they find each other, as nobody knows their addresses."""
    own = {name: value for name, value in member_flags(1, 1, 3).items() if name != "name" and "-urls" not in name}
    own.pop("initial-cluster")
    return own | {"discovery-srv": "example.com"} | flags


def etcd(flags: dict[str, str]) -> str:
    return cloud_config({ETCD: unit("etcd", flags), **REST})


def api(flags: dict[str, str]) -> str:
    return cloud_config({SERVER: unit("kube-apiserver", flags), **REST})


def scale_set(name: str, data: str, **properties: Any) -> Resource:
    """A scale set of three in three zones."""
    profile = {
        "osProfile": {"customData": encoded(data), "linuxConfiguration": {"disablePasswordAuthentication": True}},
    }
    usual = {
        "sku": {"name": "Standard_L8s_v3", "capacity": 3},
        "zones": ["1", "2", "3"],
        "overprovision": False,
        "singlePlacementGroup": False,
        "upgradePolicy": {"mode": "Manual"},
        "virtualMachineProfile": profile,
    }
    return made(f"{NATIVE}compute:VirtualMachineScaleSet", name, usual | properties, protect=True)


def azure(*sets: Resource) -> dict[str, Resource]:
    """The clean stack without its machines, and with the sets."""
    kept = [each for each in Foreign(large=True).resources() if not each.type.endswith(":VirtualMachine")]
    return {each.name: each for each in (*kept, *sets)}


def sets() -> dict[str, Resource]:
    """Three members and three API servers in two scale sets."""
    return azure(scale_set("etcd", etcd(discovering())), scale_set("api", api(server_flags())))


def template(name: str, data: str, **properties: Any) -> Resource:
    cards = [{"ipv4PrefixCount": 1, "associatePublicIpAddress": False}]
    usual = {"instanceType": "i4i.2xlarge", "userData": encoded(data), "networkInterfaces": cards}
    return made(aws_launch.TEMPLATE, name, usual | properties, id=f"lt-{name}")


def group(name: str, zone: str, **properties: Any) -> Resource:
    """A group of one machine, as kOps makes one for each member."""
    usual = {
        "launchTemplate": {"id": f"lt-{name}", "version": "$Latest"},
        "minSize": 1,
        "maxSize": 1,
        "availabilityZones": [f"us-east-1{zone}"],
    }
    return made(aws.GROUP, name, usual | properties, protect=True)


def groups(cluster: int = 1) -> dict[str, Resource]:
    """Three groups, each with one member of one cluster."""
    rows = [(f"etcd-{zone}", zone, number) for number, zone in enumerate("abc", 1)]
    return {
        each.name if each.type == aws.GROUP else f"{each.name}-template": each
        for name, zone, number in rows
        for each in (template(name, etcd(member_flags(cluster, number, 3))), group(name, zone))
    }


def every_form() -> dict[str, Resource]:
    """Three members on AWS: of a configuration, of a policy of mixed instances, and an instance with a template."""
    own = groups()
    said = {
        "instanceType": "i4i.2xlarge",
        "userData": etcd(member_flags(1, 1, 3)),
        "associatePublicIpAddress": False,
    }
    specification = {"launchTemplateSpecification": {"launchTemplateId": "lt-etcd-b"}}
    policy = {
        "launchTemplate": {**specification, "overrides": [{"instanceType": "i4i.2xlarge"}]},
        "instancesDistribution": {"onDemandPercentageAboveBaseCapacity": 100, "onDemandBaseCapacity": 1},
    }
    alone = {"launchTemplate": {"id": "lt-etcd-c"}, "availabilityZone": "us-east-1c"}
    return amazon_without_members() | {
        "configuration": made(aws_launch.CONFIGURATION, "configuration", said, id="lc-a"),
        "etcd-a": group("etcd-a", "a", launchTemplate=None, launchConfiguration="lc-a"),
        "etcd-b-template": own["etcd-b-template"],
        "etcd-b": group("etcd-b", "b", launchTemplate=None, mixedInstancesPolicy=policy),
        "etcd-c-template": own["etcd-c-template"],
        "etcd-c": made(aws.INSTANCE, "etcd-c", alone, protect=True),
    }


def amazon_without_members() -> dict[str, Resource]:
    """The clean stack on AWS without its control plane."""
    return {name: each for name, each in amazon().items() if not name.startswith("member-")}
