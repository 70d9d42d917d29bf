"""Names that Azure takes and names that it does not, per type."""

import pytest

from tests.standin.azure import names
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.values import UNKNOWN
from tests.standin.inputs import good

GUID = "0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b90"
PLAIN = (["a", "a.b-c_", "A" * 80], ["", "-a", "a-", "a b", "A" * 81])
MACHINE = (["a", "region-api-0", "a" * 64], ["", "_a", "a.", "a-", "a b", "a/b", "a" * 65])

NAMES: dict[str, tuple[list[str], list[str]]] = {
    "resources:ResourceGroup": (["a", "(rg)_1.x-", "g" * 90], ["", "rg.", "r g", "g" * 91]),
    "network:VirtualNetwork": (["ab", "a" * 64], ["a", "ab-", "a" * 65]),
    "network:Subnet": PLAIN,
    "network:VirtualNetworkPeering": PLAIN,
    "network:NetworkSecurityGroup": PLAIN,
    "network:SecurityRule": PLAIN,
    "network:NatGateway": PLAIN,
    "network:PublicIPAddress": PLAIN,
    "network:PublicIPPrefix": PLAIN,
    "network:NetworkInterface": PLAIN,
    "network:LoadBalancer": PLAIN,
    "network:RouteTable": PLAIN,
    "privatedns:PrivateZone": (
        ["a.b", "one.kilonode.internal"],
        ["internal", "a..b", "a.b.", ".".join(["a"] * 35), "a." + "b" * 62],
    ),
    "privatedns:VirtualNetworkLink": PLAIN,
    "privatedns:PrivateRecordSet": (["@", "*", "*.a", "_etcd._tcp"], ["", "a.*", "a..b", "a" * 64, "a." * 126 + "ab"]),
    "compute:VirtualMachine": MACHINE,
    "compute:VirtualMachineScaleSet": MACHINE,
    "compute:Disk": (["d", "a_b-c"], ["", "a.b", "d" * 81]),
    "compute:AvailabilitySet": PLAIN,
    "compute:ProximityPlacementGroup": PLAIN,
    "compute:Gallery": (["g", "a.b_c"], ["a-b", "a.", "", "g" * 81]),
    "compute:GalleryImage": (["node", "a-b.c"], ["-a", "a-", "", "i" * 81]),
    "compute:GalleryImageVersion": (["1.0.0", "1.20260101.3"], ["1.0", "v1.0.0", "1.0.0.0", "1.0.99999999999"]),
    "managedidentity:UserAssignedIdentity": (["abc", "a-_", "i" * 128], ["ab", "-ab", "a.b", "i" * 129]),
    "authorization:RoleAssignment": ([GUID], ["reads", GUID[:-1]]),
    "authorization:RoleDefinition": ([GUID], ["reads", GUID + "0"]),
    "keyvault:Vault": (["abc", "a-1", "v" * 24], ["ab", "1bc", "a--b", "ab-", "a_b", "v" * 25]),
    "keyvault:Secret": (["a", "A-9", "s" * 127], ["", "a_b", "a.b", "s" * 128]),
    "storage:StorageAccount": (["abc", "a" * 24], ["ab", "aB1", "a-b", "a" * 25]),
    "storage:BlobContainer": (["abc", "a-b", "c" * 63], ["ab", "-ab", "a--b", "ab-", "aB1", "c" * 64]),
    "storage:BlobContainerImmutabilityPolicy": (["default"], ["policy"]),
    "storage:ManagementPolicy": (["default"], ["Default"]),
    "virtualmachineimages:VirtualMachineImageTemplate": (["t", "a_b.c-d"], ["", "a b", "t" * 65]),
}


@pytest.mark.parametrize("token", NAMES)
def test_azures_rule_for_a_types_name(token: str) -> None:
    kind = KINDS[token]
    taken, refused = NAMES[token]
    for name in [*taken, *refused]:
        found = names.judge(kind, token, good(token, **{kind.name_input: name}))
        assert ([each.path for each in found] == [kind.name_input]) == (name in refused), name


def test_every_type_has_a_rule() -> None:
    assert sorted(NAMES) == sorted(KINDS) == sorted(names.RULES)


@pytest.mark.parametrize(
    ("token", "path", "value"),
    [
        ("network:NetworkInterface", "resourceGroupName", "rg."),
        ("network:NetworkInterface", "resourceGroupName", "g" * 91),
        ("network:VirtualNetwork", "subnets", [{"name": "-a"}]),
        ("network:NetworkSecurityGroup", "securityRules", [{"name": "a b"}]),
        ("network:NetworkInterface", "ipConfigurations[0].name", "a/b"),
        ("network:LoadBalancer", "frontendIPConfigurations[0].name", "-a"),
        ("network:LoadBalancer", "backendAddressPools[0].name", "-a"),
        ("network:LoadBalancer", "probes[0].name", "-a"),
        ("network:LoadBalancer", "loadBalancingRules[0].name", "-a"),
        ("network:LoadBalancer", "outboundRules", [{"name": "-a"}]),
        ("compute:VirtualMachine", "osProfile.computerName", "a.b."),
        *(
            ("compute:VirtualMachineScaleSet", "virtualMachineProfile.osProfile.computerNamePrefix", value)
            for value in ("p" * 59, "", "_p", "p.", "p q")
        ),
    ],
)
def test_names_within_a_resource_have_rules_too(token: str, path: str, value: object) -> None:
    found = names.judge(KINDS[token], token, good(token, **{path: value}))
    assert len(found) == 1
    assert names.judge(KINDS[token], token, good(token, **{path: UNKNOWN})) == []
