"""How many Azure allows, and what it finds missing or contradictory in inputs of the right form."""

import re
from typing import Any

import pytest
from azure.mgmt.compute.models import OSProfile

from tests.standin.azure import counts, judge
from tests.standin.azure.demands import table as demands
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.values import UNKNOWN
from tests.standin.inputs import CONTROL, IMAGE, RULE, good
from tests.standin.removable import texts

NIC, VM, VMSS, LB = (
    "network:NetworkInterface",
    "compute:VirtualMachine",
    "compute:VirtualMachineScaleSet",
    "network:LoadBalancer",
)
PROFILE = "virtualMachineProfile"
INTERFACES = f"{PROFILE}.networkProfile.networkInterfaceConfigurations"
HEALTH = {
    "extensions": [{"name": "health", "publisher": "Microsoft.ManagedServices", "type": "ApplicationHealthLinux"}]
}
TEMPLATE = "virtualmachineimages:VirtualMachineImageTemplate"
SHA256 = "ab" * 32
FILE = {"type": "File", "sourceUri": "https://a.b/c", "destination": "/tmp/c", "sha256Checksum": SHA256}  # noqa: S108
MANAGED_IMAGE = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/i"


def configurations(count: int) -> list[dict[str, Any]]:
    return [{"name": f"ip{n}", "primary": n == 0, "subnet": {"id": CONTROL}} for n in range(count)]


COUNTS: list[tuple[str, dict[str, Any], list[str]]] = [
    (NIC, {"ipConfigurations": configurations(256)}, []),
    (NIC, {"ipConfigurations": configurations(257)}, ["ipConfigurations"]),
    (VMSS, {f"{INTERFACES}[0].ipConfigurations": configurations(257)}, [f"{INTERFACES}[].ipConfigurations"]),
    (VMSS, {"sku.capacity": 1000}, []),
    (VMSS, {"sku.capacity": 1001}, ["sku.capacity"]),
    (VMSS, {"sku.capacity": 600, f"{PROFILE}.storageProfile.imageReference": {"id": MANAGED_IMAGE}}, []),
    (VMSS, {"sku.capacity": 601, f"{PROFILE}.storageProfile.imageReference": {"id": MANAGED_IMAGE}}, ["sku.capacity"]),
    (VMSS, {"sku.capacity": 300, "singlePlacementGroup": True}, []),
    (VMSS, {"sku.capacity": 301, "singlePlacementGroup": True}, ["sku.capacity"]),
    (VMSS, {"sku.capacity": 100, "singlePlacementGroup": True, "sku.name": "Standard_D96s_v5"}, []),
    (VMSS, {"sku.capacity": 101, "singlePlacementGroup": True, "sku.name": "Standard_D96s_v5"}, ["sku.capacity"]),
    (
        "network:NatGateway",
        {"publicIpAddresses": [{"id": f"/subscriptions/{n}"} for n in range(17)]},
        ["publicIpAddresses"],
    ),
    ("network:NatGateway", {"publicIpAddresses": [{"id": f"/subscriptions/{n}"} for n in range(16)]}, []),
]


@pytest.mark.parametrize(("token", "changes", "paths"), COUNTS)
def test_there_is_a_most_of_everything(token: str, changes: dict[str, Any], paths: list[str]) -> None:
    assert [each.path for each in counts.judge(KINDS[token], token, good(token, **changes))] == paths


RULES = "securityRules"
NSG = "network:NetworkSecurityGroup"
ULTRA = {"lun": 0, "createOption": "Empty", "diskSizeGB": 64, "managedDisk": {"storageAccountType": "UltraSSD_LRS"}}
DEMANDS: list[tuple[str, dict[str, Any], str]] = [
    ("network:VirtualNetwork", {"addressSpace": {"addressPrefixes": []}}, "addressSpace.addressPrefixes"),
    ("network:VirtualNetwork", {"addressSpace.addressPrefixes": ["10.0.0.1/16"]}, "addressSpace.addressPrefixes"),
    ("network:VirtualNetwork", {"addressSpace.addressPrefixes": ["10.0.0.0/30"]}, "addressSpace.addressPrefixes"),
    (
        "network:VirtualNetwork",
        {"subnets": [{"name": "a", "addressPrefix": "10.9.0.0/24"}]},
        "subnets[0].addressPrefix",
    ),
    (
        "network:VirtualNetwork",
        {"subnets": [{"name": "a", "addressPrefix": "10.0.0.0"}, {"name": "b"}]},
        "subnets[0].addressPrefix",
    ),
    (
        "network:VirtualNetwork",
        {"subnets": [{"name": "a", "addressPrefix": "10.0.0.0/24"}, {"name": "b", "addressPrefix": "10.0.0.128/25"}]},
        "subnets[1].addressPrefix",
    ),
    ("network:Subnet", {"addressPrefixes": ["10.0.0.0/24"]}, "addressPrefix"),
    ("network:Subnet", {"addressPrefix": None}, "addressPrefix"),
    ("network:Subnet", {"addressPrefix": "10.0.0.0/30"}, "addressPrefix"),
    ("network:SecurityRule", {"priority": 99}, "priority"),
    ("network:SecurityRule", {"priority": 4097}, "priority"),
    ("network:SecurityRule", {"sourcePortRange": None}, "sourcePortRange"),
    ("network:SecurityRule", {"destinationPortRanges": ["1"]}, "destinationPortRange"),
    ("network:SecurityRule", {"sourceAddressPrefix": None}, "sourceAddressPrefix"),
    ("network:SecurityRule", {"destinationAddressPrefix": None}, "destinationAddressPrefix"),
    (NSG, {RULES: [{"name": "a", **RULE, "priority": 7}]}, f"{RULES}[0].priority"),
    (NSG, {RULES: [{"name": "a", **RULE}, {"name": "b", **RULE}]}, RULES),
    ("network:PublicIPAddress", {"publicIPAllocationMethod": "Dynamic"}, "publicIPAllocationMethod"),
    ("network:PublicIPAddress", {"idleTimeoutInMinutes": 31}, "idleTimeoutInMinutes"),
    ("network:NatGateway", {"sku": None}, "sku.name"),
    ("network:NatGateway", {"idleTimeoutInMinutes": 3}, "idleTimeoutInMinutes"),
    (NIC, {"ipConfigurations": []}, "ipConfigurations"),
    (NIC, {"ipConfigurations": [each | {"primary": True} for each in configurations(2)]}, "ipConfigurations[].primary"),
    (NIC, {"ipConfigurations": [each | {"name": "same"} for each in configurations(2)]}, "ipConfigurations[].name"),
    (NIC, {"ipConfigurations[0].subnet": None}, "ipConfigurations[0].subnet"),
    (NIC, {"ipConfigurations[0].privateIPAddress": None}, "ipConfigurations[0].privateIPAddress"),
    (NIC, {"ipConfigurations[0].privateIPAllocationMethod": "Dynamic"}, "ipConfigurations[0].privateIPAddress"),
    (LB, {"frontendIPConfigurations[0].publicIPAddress": {"id": "x"}}, "frontendIPConfigurations[0]"),
    (LB, {"frontendIPConfigurations[0].privateIPAddress": None}, "frontendIPConfigurations[0].privateIPAddress"),
    (LB, {"loadBalancingRules[0].frontendIPConfiguration": None}, "loadBalancingRules[0].frontendIPConfiguration"),
    (LB, {"probes[0].requestPath": None}, "probes[0].requestPath"),
    (LB, {"probes[0].protocol": "Tcp"}, "probes[0].requestPath"),
    (LB, {"probes[0].protocol": "Http", "probes[0].requestPath": None}, "probes[0].requestPath"),
    (NIC, {"ipConfigurations[0].name": None}, "ipConfigurations[].name"),
    ("privatedns:PrivateRecordSet", {"recordType": "B"}, "recordType"),
    ("privatedns:PrivateRecordSet", {"recordType": "AAAA"}, "aaaaRecords"),
    ("privatedns:PrivateRecordSet", {"ttl": None}, "ttl"),
    (VM, {"hardwareProfile": None}, "hardwareProfile.vmSize"),
    (VM, {"hardwareProfile.vmSize": "L8s"}, "hardwareProfile.vmSize"),
    (VM, {"networkProfile.networkInterfaces": []}, "networkProfile.networkInterfaces"),
    (
        VM,
        {"networkProfile.networkInterfaces": [{"id": "a"}, {"id": "b"}]},
        "networkProfile.networkInterfaces[].primary",
    ),
    (VM, {"zones": ["1", "2"]}, "zones"),
    (VM, {"availabilitySet": {"id": "x"}}, "availabilitySet"),
    (VM, {"osProfile.adminUsername": None}, "osProfile.adminUsername"),
    (VM, {"osProfile.adminUsername": "Admin"}, "osProfile.adminUsername"),
    (VM, {"osProfile.linuxConfiguration": {}}, "osProfile.linuxConfiguration.ssh.publicKeys"),
    (
        VM,
        {"storageProfile.osDisk.managedDisk.storageAccountType": "UltraSSD_LRS"},
        "storageProfile.osDisk.managedDisk.storageAccountType",
    ),
    (
        VM,
        {
            "storageProfile.dataDisks": [ULTRA | {"caching": "ReadOnly"}],
            "additionalCapabilities": {"ultraSSDEnabled": True},
        },
        "storageProfile.dataDisks[0].caching",
    ),
    (VM, {"storageProfile.dataDisks": [ULTRA]}, "additionalCapabilities.ultraSSDEnabled"),
    (
        VM,
        {"storageProfile.dataDisks": [ULTRA], "additionalCapabilities": {"ultraSSDEnabled": True}, "zones": None},
        "zones",
    ),
    (VMSS, {"sku": {"capacity": 1}}, "sku.name"),
    (VMSS, {"sku.capacity": None}, "sku.capacity"),
    (VMSS, {"upgradePolicy": None}, "upgradePolicy.mode"),
    (VMSS, {"upgradePolicy.mode": "Rolling"}, f"{PROFILE}.networkProfile.healthProbe"),
    (VMSS, {"automaticRepairsPolicy": {"enabled": True}}, f"{PROFILE}.networkProfile.healthProbe"),
    (VMSS, {"orchestrationMode": "Flexible", "overprovision": True}, "overprovision"),
    (VMSS, {"zones": None, "zoneBalance": True}, "zoneBalance"),
    (VMSS, {INTERFACES: []}, INTERFACES),
    (VMSS, {f"{INTERFACES}[0].primary": False}, f"{INTERFACES}[].primary"),
    (VMSS, {f"{INTERFACES}[0].ipConfigurations[1].primary": True}, f"{INTERFACES}[].ipConfigurations[].primary"),
    (VMSS, {f"{PROFILE}.osProfile.adminUsername": "root"}, f"{PROFILE}.osProfile.adminUsername"),
    (VMSS, {f"{PROFILE}.storageProfile.dataDisks": [ULTRA]}, "additionalCapabilities.ultraSSDEnabled"),
    ("compute:Disk", {"diskSizeGB": None}, "diskSizeGB"),
    ("compute:Disk", {"sku.name": "UltraSSD_LRS", "zones": None}, "zones"),
    (TEMPLATE, {"identity.userAssignedIdentities": []}, "identity.userAssignedIdentities"),
    (TEMPLATE, {"buildTimeoutInMinutes": 5}, "buildTimeoutInMinutes"),
    (TEMPLATE, {"buildTimeoutInMinutes": 961}, "buildTimeoutInMinutes"),
    (TEMPLATE, {"customize[0].inline": ["x" * 1_048_576]}, "customize"),
    (
        TEMPLATE,
        {"customize[0].scriptUri": "https://a.b/c", "customize[0].sha256Checksum": SHA256},
        "customize[0].inline",
    ),
    (TEMPLATE, {"customize[0].inline": None}, "customize[0].inline"),
    (TEMPLATE, {"customize[0]": {"type": "Shell", "scriptUri": "https://a.b/c"}}, "customize[0].sha256Checksum"),
    (TEMPLATE, {"customize[0]": FILE | {"sha256Checksum": SHA256.upper()}}, "customize[0].sha256Checksum"),
    (TEMPLATE, {"customize[0]": FILE | {"destination": "/etc/a"}}, "customize[0].destination"),
    (TEMPLATE, {"distribute[0].galleryImageId": f"{IMAGE}/versions/1.0"}, "distribute[0].galleryImageId"),
    ("keyvault:Vault", {"properties.enablePurgeProtection": False}, "properties.enablePurgeProtection"),
    ("keyvault:Vault", {"properties.softDeleteRetentionInDays": 6}, "properties.softDeleteRetentionInDays"),
    ("keyvault:Vault", {"properties.softDeleteRetentionInDays": 91}, "properties.softDeleteRetentionInDays"),
    ("storage:StorageAccount", {"sku.name": "Premium_ZRS"}, "sku.name"),
    ("storage:StorageAccount", {"kind": "BlockBlobStorage"}, "sku.name"),
    (
        "storage:BlobContainerImmutabilityPolicy",
        {"immutabilityPeriodSinceCreationInDays": 0},
        "immutabilityPeriodSinceCreationInDays",
    ),
    (
        "storage:BlobContainerImmutabilityPolicy",
        {"immutabilityPeriodSinceCreationInDays": None},
        "immutabilityPeriodSinceCreationInDays",
    ),
]


@pytest.mark.parametrize(("token", "changes", "path"), DEMANDS)
def test_what_is_missing_or_contradictory_is_refused(token: str, changes: dict[str, Any], path: str) -> None:
    inputs = good(token, **changes)
    assert judge.judge(KINDS[token], token, inputs) == []
    assert [each.path for each in demands.judge(KINDS[token], token, inputs)] == [path]


@pytest.mark.parametrize(
    ("token", "changes"),
    [
        (VMSS, {"upgradePolicy.mode": "Rolling", f"{PROFILE}.extensionProfile": HEALTH}),
        (VMSS, {"upgradePolicy.mode": "Rolling", f"{PROFILE}.networkProfile.healthProbe": {"id": "x"}}),
        (VMSS, {"upgradePolicy": None, "orchestrationMode": "Flexible"}),
        (VM, {"osProfile.linuxConfiguration": {}, "osProfile.adminPassword": "x"}),
        (VM, {"hardwareProfile": UNKNOWN, "networkProfile": UNKNOWN, "zones": UNKNOWN}),
        (VM, {"storageProfile.dataDisks": [ULTRA], "additionalCapabilities": {"ultraSSDEnabled": True}}),
        (
            VM,
            {
                "storageProfile.dataDisks": [ULTRA | {"caching": "None"}],
                "additionalCapabilities": {"ultraSSDEnabled": True},
            },
        ),
        (VM, {"osProfile": None}),
        (VM, {"osProfile": UNKNOWN, "storageProfile": UNKNOWN}),
        (VM, {"storageProfile.dataDisks": [ULTRA | {"managedDisk": {}, "caching": "ReadOnly"}]}),
        (VM, {"storageProfile.dataDisks": [UNKNOWN]}),
        (VMSS, {PROFILE: UNKNOWN}),
        (NIC, {"ipConfigurations[0].subnet": UNKNOWN, "ipConfigurations[0].privateIPAddress": UNKNOWN}),
        ("network:VirtualNetwork", {"addressSpace": UNKNOWN}),
        ("keyvault:Vault", {"properties.enablePurgeProtection": True}),
        (TEMPLATE, {"customize[0]": FILE, "buildTimeoutInMinutes": 960}),
        (TEMPLATE, {"customize": UNKNOWN, "identity": UNKNOWN, "distribute": UNKNOWN}),
        (TEMPLATE, {"distribute[0].galleryImageId": IMAGE}),
    ],
)
def test_what_is_complete_or_unknown_yet_is_not(token: str, changes: dict[str, Any]) -> None:
    assert demands.judge(KINDS[token], token, good(token, **changes)) == []


# Azure, Storage account overview: what each kind of account may be.
REDUNDANT = ("LRS", "ZRS", "GRS", "RAGRS", "GZRS", "RAGZRS")
KINDS_AND_SKUS = {
    "StorageV2": {*(f"Standard_{each}" for each in REDUNDANT), "Premium_LRS"},
    "BlockBlobStorage": {"Premium_LRS", "Premium_ZRS"},
    "FileStorage": {"Premium_LRS", "Premium_ZRS"},
    "BlobStorage": {"Standard_LRS", "Standard_GRS", "Standard_RAGRS"},
    "Storage": {"Standard_LRS", "Standard_ZRS", "Standard_GRS", "Standard_RAGRS", "Premium_LRS"},
}


@pytest.mark.parametrize("kind", KINDS_AND_SKUS)
@pytest.mark.parametrize("sku", [*(f"Standard_{each}" for each in REDUNDANT), "Premium_LRS", "Premium_ZRS"])
def test_a_storage_kind_goes_with_some_skus(kind: str, sku: str) -> None:
    token = "storage:StorageAccount"
    found = demands.judge(KINDS[token], token, good(token, kind=kind, **{"sku.name": sku}))
    assert (found == []) == (sku in KINDS_AND_SKUS[kind])
    assert all(f"as the kind is {kind}" in each.allowed for each in found)


def test_every_user_name_that_the_model_disallows_is_refused() -> None:
    listed = str(OSProfile.__doc__).partition("**Disallowed values:**")[2].partition("<br>")[0]
    names = re.findall(r'"([^"]+)"', listed)
    assert len(names) > 20
    for name in names:
        (found,) = demands.judge(KINDS[VM], VM, good(VM, **{"osProfile.adminUsername": name}))
        assert found.path == "osProfile.adminUsername"


RECORDS: dict[str, dict[str, Any]] = {
    "A": {"aRecords": [{}]},
    "AAAA": {"aaaaRecords": [{}]},
    "CNAME": {"cnameRecord": {"cname": "a"}},
    "MX": {"mxRecords": [{}]},
    "PTR": {"ptrRecords": [{}]},
    "SOA": {"soaRecord": {"host": "a"}},
    "SRV": {"srvRecords": [{}]},
    "TXT": {"txtRecords": [{}]},
}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_set_has_records_of_its_type(kind: str) -> None:
    token = "privatedns:PrivateRecordSet"
    assert demands.judge(KINDS[token], token, good(token, recordType=kind, **RECORDS[kind])) == []
    empty = good(token, recordType=kind, aRecords=None)
    assert [each.path for each in demands.judge(KINDS[token], token, empty)] == [*RECORDS[kind]]


def test_every_refusal_in_the_source_is_a_bad_input_above_with_its_words() -> None:
    bad = [(token, good(token, **changes)) for token, changes, _ in [*DEMANDS, *COUNTS]]
    said = [
        each.allowed
        for token, inputs in bad
        for each in demands.judge(KINDS[token], token, inputs) + counts.judge(KINDS[token], token, inputs)
    ]
    files = [f"demands/{part}.py" for part in ("compute", "data", "network")] + ["counts.py"]
    silent = [
        f"{file}:{line}"
        for file in files
        for line, words in texts(file)
        if not any(words.fullmatch(each) for each in said)
    ]
    assert silent == []
