"""Networks and stores of two clouds that nobody made with this library, each of a kind and all of them closed."""

from dataclasses import replace

from kilonode.apiserver.probe import PROBE
from kilonode.rules.read import aws
from kilonode.rules.read.aws_addresses import ADDRESS, ASSOCIATION, CARD
from kilonode.rules.read.aws_classic import ATTACHED, CLASSIC
from kilonode.rules.read.aws_storage import ACCOUNT_BLOCK
from kilonode.rules.read.azure.balancers import NAT_RULE, POOL
from kilonode.rules.read.azure.kinds import ACCOUNT, CONTAINER, NETWORK
from kilonode.rules.read.resource import Resource
from tests.rules.foreign import NATIVE, Foreign
from tests.rules.written import made, with_property

WAYS = dict.fromkeys(("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True)
GRANTS = [{"grantee": {"uri": "http://acs.amazonaws.com/groups/s3/LogDelivery"}}]
STATEMENT = {
    "Effect": "Allow",
    "Principal": "*",
    "Action": "s3:*",
    "Condition": {"StringEquals": {"aws:SourceVpce": "v"}},
}
FORWARDED = {"targetGroupArn": "tg-1"}
ADDRESSES = [
    {"privateIPAddress": "10.0.0.7", "loadBalancerBackendAddressPools": [{"id": "/lb/b/backendAddressPools/p"}]}
]
POOLED = [{"ipAddress": "10.0.0.7"}]


def _amazon() -> list[Resource]:
    bucket = {"bucket": "b", "acl": "private", "grants": [{"uri": ""}], "policy": {"Statement": [STATEMENT]}}
    listener = {"loadBalancerArn": "arn:nlb", "port": 443, "defaultActions": [FORWARDED]}
    classic = {
        "name": "elb",
        "internal": True,
        "listeners": [{"lbPort": 443, "instancePort": 443}],
        "instances": ["i-1"],
    }
    return [
        made(aws.BUCKETS[1], "bucket", bucket, id="b"),
        made(aws.BLOCK, "block", {"bucket": "b", **WAYS}),
        made(ACCOUNT_BLOCK, "account-block", {**WAYS}),
        made("aws:s3/bucketPolicy:BucketPolicy", "policy", {"bucket": "b", "policy": {"Statement": STATEMENT}}),
        made("aws:s3/bucketAcl:BucketAcl", "acl", {"bucket": "b", "accessControlPolicy": {"grants": GRANTS}}),
        made(aws.SUBNET, "subnet", {"cidrBlock": "10.0.0.0/20", "mapPublicIpOnLaunch": False}, id="subnet-1"),
        made(aws.INSTANCE, "by-subnet", {"subnetId": "subnet-1"}, id="i-1"),
        made(aws.INSTANCE, "by-template", {"launchTemplate": {"id": "lt-1"}, "subnetId": "subnet-1"}, id="i-2"),
        made(aws.INSTANCE, "by-card", {"networkInterfaces": [{"networkInterfaceId": "eni-1"}]}, id="i-3"),
        made(aws.TEMPLATE, "template", {"networkInterfaces": [{"associatePublicIpAddress": False}]}, id="lt-1"),
        made(CARD, "interface", {"subnetId": "subnet-1"}, id="eni-1"),
        made(ADDRESS, "nat", {"domain": "vpc"}),
        made("aws:lb/loadBalancer:LoadBalancer", "nlb", {"internal": True}, outputs={"arn": "arn:nlb"}),
        made("aws:alb/listener:Listener", "listener", listener),
        made(
            "aws:alb/targetGroup:TargetGroup", "group", {"port": 443, "healthCheck": {"protocol": "HTTPS"}}, id="tg-1"
        ),
        made("aws:alb/targetGroupAttachment:TargetGroupAttachment", "target", {**FORWARDED, "targetId": "i-1"}),
        made(CLASSIC[0], "elb", {**classic, "healthCheck": {"target": f"HTTPS:443{PROBE}"}}, id="elb"),
        made(ATTACHED[0], "attached", {"elb": "elb", "instance": "i-2"}),
        made(ASSOCIATION, "association", {"allocationId": "eip-1"}),
    ]


def _azure() -> list[Resource]:
    network = {"networkRuleSet": {"defaultAction": "Deny", "ipRules": []}, "publicNetworkAccess": "Enabled"}
    balancer = {
        "loadBalancerName": "b",
        "frontendIPConfigurations": [{"privateIPAddress": "10.0.0.5"}],
        "loadBalancingRules": [{"frontendPort": 443, "backendPort": 443, "probe": {"id": "/lb/b/probes/p"}}],
        "probes": [{"name": "p", "protocol": "Https", "requestPath": PROBE}],
        "inboundNatRules": [{"frontendPort": 50_001, "backendPort": 22}],
        "inboundNatPools": [{"frontendPortRangeStart": 50_002, "backendPort": 22}],
        "backendAddressPools": [{"loadBalancerBackendAddresses": POOLED}],
    }
    return [
        made(f"{NATIVE}{ACCOUNT}", "account", {"accountName": "a", "allowBlobPublicAccess": True, **network}),
        made(f"{NATIVE}{CONTAINER}", "container", {"accountName": "a", "publicAccess": "None"}),
        made(
            f"{NATIVE}{NETWORK}", "network", {"subnets": [{"name": "s", "addressPrefixes": ["10.4.0.0/17"]}]}, id="/v"
        ),
        made(f"{NATIVE}network:LoadBalancer", "balancer", balancer, id="/lb/b"),
        made(f"{NATIVE}{POOL}", "backends", {"loadBalancerName": "b", "loadBalancerBackendAddresses": POOLED}),
        made(f"{NATIVE}{NAT_RULE}", "nat-rule", {"loadBalancerName": "b", "frontendPort": 50_003, "backendPort": 22}),
        made(f"{NATIVE}network:NetworkInterface", "joined", {"ipConfigurations": ADDRESSES}, id="/cards/joined"),
    ]


def networks() -> list[Resource]:
    """A clean stack: nothing in it is open, and a pool and an API server of Azure are in its network."""
    inside = {
        "pool": ("virtualMachineProfile.networkProfile.networkInterfaceConfigurations.0.ipConfigurations.0.subnet.id", "/v/subnets/s"),
        "api-1": ("networkProfile", {"networkInterfaces": [{"id": "/cards/joined"}]}),
        "api-2": ("networkProfile", {"networkInterfaceConfigurations": [{"ipConfigurations": ADDRESSES}]}),
    }  # fmt: skip
    machines = [with_property(each, *inside[each.name]) for each in Foreign().resources() if each.name in inside]
    return [*_amazon(), *_azure(), *(replace(each, depends={}) for each in machines)]
