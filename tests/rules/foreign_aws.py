"""A stack on AWS that nobody made with this library: three members of etcd, a group of nodes and a bucket."""

from kilonode.rules.read import aws
from kilonode.rules.read.resource import Resource
from tests.rules.foreign_flags import LARGE, member_flags
from tests.rules.written import cloud_config, encoded, made, sysctls, unit

ZONES = ((1, "a"), (2, "b"), (3, "c"))


def _data(cluster: int, number: int) -> str:
    files = {
        "/etc/systemd/system/etcd.service": unit("etcd", member_flags(cluster, number, len(ZONES))),
        "/etc/sysctl.d/90-arp.conf": sysctls(LARGE),
        "/etc/cron.d/backup": "0 * * * * root etcdctl snapshot save /b/now.db\n",
    }
    return cloud_config(files)


def amazon(*, cluster: int = 1, nodes: int = 400) -> dict[str, Resource]:
    """The resources by name; ``nodes`` is how many the group may become."""
    node = encoded(cloud_config({"/etc/motd": "hello\n"}))
    rows = [
        *(
            made(
                aws.INSTANCE,
                f"member-{number}",
                {
                    "instanceType": "i4i.2xlarge",
                    "availabilityZone": f"us-east-1{zone}",
                    "subnetId": "subnet-1",
                    "userDataBase64": encoded(_data(cluster, number)),
                },
                protect=True,
            )
            for number, zone in ZONES
        ),
        made(aws.TEMPLATE, "template", {
            "instanceType": "m7i.4xlarge", "userData": node, "networkInterfaces": [{"ipv4PrefixCount": 2, "associatePublicIpAddress": False}],
        }, id="lt-1"),
        made(
            aws.GROUP,
            "nodes",
            {
                "launchTemplate": {"id": "lt-1"},
                "desiredCapacity": 3,
                "maxSize": nodes,
                "vpcZoneIdentifiers": ["subnet-1"],
                "tags": [{"key": "k8s.io/cluster-autoscaler/enabled", "value": "true"}],
            },
            ignore=("desiredCapacity",),
        ),
        made(aws.SUBNET, "subnet", {"cidrBlock": "10.0.0.0/18"}, id="subnet-1"),
        made(aws.BUCKETS[0], "backups", {"bucket": "b"}, id="b", protect=True),
        made(aws.BLOCK, "block", {"bucket": "b", **dict.fromkeys(
            ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True)}),
    ]  # fmt: skip
    return {each.name: each for each in rows}
