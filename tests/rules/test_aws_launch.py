"""What an instance and a group do not say themselves their launch template says, or their launch configuration."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read import aws, aws_launch, aws_volumes
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign_aws import ZONES, amazon
from tests.rules.foreign_flags import member_flags
from tests.rules.foreign_pools import etcd, group, groups, template
from tests.rules.test_aws import findings
from tests.rules.written import encoded, made, with_property

HIDDEN = Unknown("hidden")
PLACE = {"placement": {"availabilityZone": "us-east-1c"}}
MIXED = "mixedInstancesPolicy.launchTemplate"


def instance(kind: str = aws.INSTANCE, **own: Any) -> dict[str, Resource]:
    """The clean stack on AWS, in which the third member has all it says in a launch template."""
    said = template("third", etcd(member_flags(1, 3, len(ZONES))), **PLACE)
    named = {"launchTemplate": {"id": "lt-third"}, **own}
    return amazon() | {"template-3": said, "member-3": made(kind, "member-3", named, protect=True)}


def told(resources: dict[str, Resource]) -> list[tuple[str, str]]:
    assert all(isinstance(each, Violation) for each in findings(resources))
    return [(each.rule, each.resource.rpartition("::")[2]) for each in findings(resources)]


def rules(resources: dict[str, Resource], kind: type) -> set[str]:
    return {each.rule for each in findings(resources) if isinstance(each, kind)}


def test_an_instance_whose_template_says_it_all_is_a_member() -> None:
    assert findings(instance()) == []
    assert [len(each.members) for each in read_facts(instance().values()).clusters] == [3]


@pytest.mark.parametrize(
    ("rule", "path", "value"),
    [
        ("etcd-local-disk", "instanceType", "m7i.large"),
        ("control-plane-no-spot", "instanceMarketOptions", {"marketType": "spot"}),
        ("public-address", "networkInterfaces.0.associatePublicIpAddress", "true"),
        ("etcd-zones", "placement.availabilityZone", "us-east-1a"),
        ("user-data-secrets", "userData", encoded(etcd(member_flags(1, 3, 3)) + "# token: abcdef.0123456789abcdef\n")),
    ],
)
def test_a_fault_of_a_template_is_its_instances_unless_the_instance_says_otherwise(
    rule: str, path: str, value: Any
) -> None:
    own = instance()
    good = own["template-3"]
    own["template-3"] = with_property(good, path, value)
    at = {"etcd-zones": "member-1"}.get(rule, "member-3")
    assert told(own) == [(rule, at)]
    words = {
        "etcd-local-disk": {"instanceType": "i4i.2xlarge"},
        "control-plane-no-spot": {"instanceMarketOptions": {"marketType": "capacity-block"}},
        "public-address": {"associatePublicIpAddress": False},
        "etcd-zones": {"availabilityZone": "us-east-1c"},
        "user-data-secrets": {"userData": etcd(member_flags(1, 3, 3))},
    }
    said = instance(**words[rule])
    assert findings(said | {"template-3": own["template-3"]}) == []


@pytest.mark.parametrize(
    ("template_says", "instance_says", "broken"),
    [(3_000, 100, True), (16_000, 100, False), (100, 16_000, False), (100, 200, True)],
)
def test_network_disks_of_the_template_are_the_instances_too(
    template_says: int, instance_says: int, broken: bool
) -> None:
    own = instance(instanceType="m7i.large", ebsBlockDevices=[{"iops": instance_says}])
    own["template-3"] = with_property(own["template-3"], "blockDeviceMappings", [{"ebs": {"iops": template_says}}])
    assert told(own) == ([("etcd-local-disk", "member-3")] if broken else [])


@pytest.mark.parametrize(
    ("root", "kind"),
    [
        ({"volumeType": "io2", "iops": 20_000}, None),
        ({"iops": 16_000}, None),
        ({"volumeType": "gp3"}, Violation),
        ({"volumeType": "gp2", "volumeSize": 6_000}, None),
        ({"volumeSize": 6_000, "encrypted": True}, Violation),
        (HIDDEN, Undecided),
        ({"volumeType": HIDDEN}, Undecided),
    ],
)
def test_the_disk_of_the_system_is_as_good_as_another(root: Any, kind: type | None) -> None:
    found = findings(instance(instanceType="m7i.large", rootBlockDevice=root))
    assert [(type(each), each.rule) for each in found] == ([(kind, "etcd-local-disk")] if kind else [])


FAST, SLOW = {"type": "io2", "iops": 20_000, "size": 100}, {"type": "gp3", "size": 100}


@pytest.mark.parametrize(
    ("volume", "where", "what", "kind"),
    [
        (FAST, "i-3", "vol-1", None),
        (SLOW, "i-3", "vol-1", Violation),
        (FAST, "i-elsewhere", "vol-1", Violation),
        (FAST, None, None, Undecided),
        (SLOW, None, None, Violation),
        (FAST, "i-3", "vol-elsewhere", Undecided),
        (FAST, HIDDEN, "vol-1", Undecided),
        ({**FAST, "iops": HIDDEN}, "i-3", "vol-1", Undecided),
    ],
)
def test_a_volume_that_is_attached_is_its_instances(volume: Any, where: Any, what: Any, kind: type | None) -> None:
    own = instance(instanceType="m7i.large")
    own["member-3"] = replace(own["member-3"], id="i-3")
    own["v"] = made(aws_volumes.VOLUME, "v", volume, id="vol-1")
    if where:
        own["a"] = made(aws_volumes.ATTACHMENT, "a", {"instanceId": where, "volumeId": what})
    found = {(type(each), each.rule) for each in findings(own)}
    assert found == ({(kind, "etcd-local-disk")} if kind else set())


def test_a_group_may_attach_a_volume_by_itself() -> None:
    own = mixed({"instanceType": "m7i.large"})
    assert rules(own, Violation) == {"etcd-local-disk"}
    own["v"] = made(aws_volumes.VOLUME, "v", FAST, id="vol-1")
    assert rules(own, Undecided) == {"etcd-local-disk"}
    assert rules(own, Violation) == set()


def test_an_instance_is_in_the_zone_of_its_templates_subnet() -> None:
    own = instance()
    for zone, broken in (("us-east-1a", ["etcd-zones"]), ("us-east-1c", [])):
        own["net"] = made(aws.SUBNET, "net", {"availabilityZone": zone}, id="subnet-9")
        own["template-3"] = replace(
            with_property(own["template-3"], "placement", None),
            properties={
                **own["template-3"].properties,
                "placement": None,
                "networkInterfaces": [{"subnetId": "subnet-9"}],
            },
        )
        assert [rule for rule, _ in told(own)] == broken


@pytest.mark.parametrize("named", [{"id": "lt-elsewhere"}, {"name": "elsewhere"}, {"id": HIDDEN}, HIDDEN, {}])
def test_an_instance_whose_template_cannot_be_seen_is_undecided(named: Any) -> None:
    own = instance(launchTemplate=named)
    assert rules(own, Violation) == set()
    assert {"etcd-members-enough", "etcd-quota", "public-address", "user-data-size"} <= rules(own, Undecided)
    said = {"userData": "#!/bin/sh\n", "associatePublicIpAddress": False}
    assert "etcd-quota" not in rules(instance(launchTemplate=named, **said), Undecided)


def test_a_template_that_is_named_is_known_before_its_id_is() -> None:
    own = instance(launchTemplate={"id": HIDDEN})
    own["template-3"] = replace(own["template-3"], id=None)
    own["member-3"] = replace(own["member-3"], depends={"launchTemplate": (own["template-3"].urn,)})
    assert findings(own) == []


def test_a_request_for_a_spot_instance_is_an_instance_that_is_spot() -> None:
    assert told(instance(aws_launch.SPOT_REQUEST)) == [("control-plane-no-spot", "member-3")]
    public = instance(aws_launch.SPOT_REQUEST, associatePublicIpAddress=True)
    assert ("public-address", "member-3") in told(public)


def in_groups(**changes: Any) -> dict[str, Resource]:
    """The clean stack on AWS with its members in groups, of which the first is changed."""
    own = {name: each for name, each in amazon().items() if not name.startswith("member-")} | groups()
    for path, value in changes.items():
        own["etcd-a"] = with_property(own["etcd-a"], path, value)
    return own


def configured(**properties: Any) -> dict[str, Resource]:
    own = in_groups(launchTemplate=None, launchConfiguration="lc-a")
    said = {
        "instanceType": "i4i.2xlarge",
        "userData": etcd(member_flags(1, 1, 3)),
        "associatePublicIpAddress": False,
    }
    return own | {"lc": made(aws_launch.CONFIGURATION, "lc", said | properties, id="lc-a")}


@pytest.mark.parametrize(
    ("properties", "rule"),
    [
        ({}, None),
        ({"userData": None, "userDataBase64": encoded(etcd(member_flags(1, 1, 3)))}, None),
        ({"instanceType": "m7i.large"}, "etcd-local-disk"),
        ({"instanceType": "m7i.large", "ebsBlockDevices": [{"iops": 16_000}]}, None),
        ({"associatePublicIpAddress": True}, "public-address"),
        ({"spotPrice": "0.1"}, "control-plane-no-spot"),
    ],
)
def test_a_group_with_a_launch_configuration_is_judged_by_it(properties: dict[str, Any], rule: str | None) -> None:
    assert told(configured(**properties)) == ([(rule, "etcd-a")] if rule else [])


def mixed(*overrides: dict[str, Any], **distribution: Any) -> dict[str, Resource]:
    policy = {
        "launchTemplate": {
            "launchTemplateSpecification": {"launchTemplateName": "lt-by-name"},
            "overrides": list(overrides),
        },
        "instancesDistribution": distribution,
    }
    own = in_groups(launchTemplate=None, mixedInstancesPolicy=policy)
    own["etcd-a-template"] = with_property(own["etcd-a-template"], "name", "lt-by-name")
    return own


ALL, BASE = "onDemandPercentageAboveBaseCapacity", "onDemandBaseCapacity"


@pytest.mark.parametrize(
    ("distribution", "kind"),
    [
        ({}, None),
        ({ALL: 100}, None),
        ({ALL: 99}, Violation),
        ({ALL: 0}, Violation),
        ({ALL: 0, BASE: 1}, None),
        ({ALL: HIDDEN}, Undecided),
        ({ALL: 0, BASE: HIDDEN}, Undecided),
    ],
)
def test_a_group_with_a_policy_of_mixed_instances_is_spot_unless_all_are_on_demand(
    distribution: dict[str, Any], kind: type | None
) -> None:
    found = findings(mixed(**distribution))
    assert [(type(each), each.rule) for each in found] == ([(kind, "control-plane-no-spot")] if kind else [])


def test_a_base_of_which_nobody_knows_whether_it_is_all_is_undecided() -> None:
    own = mixed(**{ALL: 0, BASE: 1})
    own["etcd-a"] = with_property(own["etcd-a"], "maxSize", HIDDEN)
    own["etcd-a"] = with_property(own["etcd-a"], "desiredCapacity", 1)
    assert "control-plane-no-spot" in rules(own, Undecided)
    own["etcd-a"] = with_property(own["etcd-a"], "maxSize", None)
    assert rules(own, Violation) == {"control-plane-no-spot"}


@pytest.mark.parametrize(
    ("overrides", "kind", "rule"),
    [
        ([{"instanceType": "i4i.2xlarge"}], None, ""),
        ([{}], None, ""),
        ([{"instanceType": "m7i.large"}], Violation, "etcd-local-disk"),
        ([{"instanceType": "i4i.2xlarge"}, {"instanceType": "i3.large"}], None, ""),
        ([{"instanceType": "m7i.large"}, {"instanceType": "m6i.large"}], Violation, "etcd-local-disk"),
        ([{"instanceType": "i4i.2xlarge"}, {"instanceType": "m7i.large"}], Undecided, "etcd-local-disk"),
        ([{"instanceType": "i4i.2xlarge"}, {"instanceType": HIDDEN}], Undecided, "etcd-local-disk"),
        ([{"instanceType": "m7i.large"}, {"instanceRequirements": {}}], Undecided, "etcd-local-disk"),
        ([{"instanceRequirements": {}}], Undecided, "etcd-local-disk"),
        ([{"weightedCapacity": "2"}], Undecided, "etcd-members-enough"),
        ([{"launchTemplateSpecification": {"launchTemplateId": "lt-9"}}], Undecided, "etcd-members-enough"),
    ],
)
def test_what_overrides_say_otherwise_is_what_holds(
    overrides: list[dict[str, Any]], kind: type | None, rule: str
) -> None:
    found = {(type(each), each.rule) for each in findings(mixed(*overrides))}
    assert ((kind, rule) in found) if kind else (found == set())
    assert kind is Violation or not [each for each, _ in found if each is Violation]


def override(**named: Any) -> dict[str, Any]:
    return {"instanceType": "i4i.2xlarge", "launchTemplateSpecification": named}


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ([override(launchTemplateId="lt-open")], Violation),
        ([override(launchTemplateName="open")], Violation),
        ([{"instanceType": "i4i.large"}, override(launchTemplateId="lt-open")], Violation),
        ([override(launchTemplateId="lt-elsewhere"), override(launchTemplateId="lt-open")], Violation),
        ([override(launchTemplateId="lt-etcd-b")], None),
        ([override(launchTemplateId="lt-elsewhere")], Undecided),
        ([override(launchTemplateId=HIDDEN)], Undecided),
        ([override()], Undecided),
        ([HIDDEN], Undecided),
        (HIDDEN, Undecided),
    ],
)
def test_machines_may_be_of_any_template_that_overrides_name(overrides: Any, said: type | None) -> None:
    own = mixed()
    own["etcd-a"] = with_property(own["etcd-a"], f"{MIXED}.overrides", overrides)
    card = {"associatePublicIpAddress": True}
    own["open"] = made(aws_launch.TEMPLATE, "open", {"name": "open", "networkInterfaces": [card]}, id="lt-open")
    found = [type(each) for each in findings(own) if each.rule == "public-address"]
    assert found == ([said] if said else [])


def test_what_a_template_says_is_undecided_where_an_override_names_another() -> None:
    own = mixed(override(launchTemplateId="lt-etcd-b"))
    (pool,) = (each for each in read_facts(own.values()).pools if each.name == "etcd-a")
    untold = Unknown(f"{MIXED}.overrides.launchTemplateSpecification")
    assert (pool.spot, pool.disks, pool.data, pool.addresses) == (untold,) * 4


def test_overrides_that_are_not_known_yet_leave_what_they_may_say_undecided() -> None:
    own = mixed()
    own["etcd-a"] = with_property(own["etcd-a"], f"{MIXED}.overrides", HIDDEN)
    assert {"etcd-members-enough", "etcd-quota"} <= rules(own, Undecided)
    assert rules(own, Violation) == set()


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ({"availabilityZones": ["us-east-1b"]}, Violation),
        ({"availabilityZones": None, "vpcZoneIdentifiers": ["subnet-b"]}, Violation),
        ({"availabilityZones": None, "vpcZoneIdentifiers": ["subnet-a"]}, None),
        ({"availabilityZones": None, "vpcZoneIdentifiers": ["subnet-elsewhere"]}, Undecided),
        ({"availabilityZones": None}, Undecided),
        ({"availabilityZones": HIDDEN}, Undecided),
        ({"availabilityZones": None, "vpcZoneIdentifiers": HIDDEN}, Undecided),
    ],
)
def test_a_group_is_in_the_zones_that_are_said_else_in_those_of_its_subnets(
    where: dict[str, Any], kind: type | None
) -> None:
    own = in_groups(**where)
    for zone in "ab":
        own[zone] = made(aws.SUBNET, zone, {"availabilityZone": f"us-east-1{zone}"}, id=f"subnet-{zone}")
    found = [type(each) for each in findings(own) if each.rule == "etcd-zones"]
    assert found == ([kind] if kind else [])


def test_a_group_without_any_template_is_undecided() -> None:
    facts = read_facts([group("etcd-a", "a", launchTemplate=None)])
    assert [each.field for each in facts.unread] == ["launchTemplate"]
