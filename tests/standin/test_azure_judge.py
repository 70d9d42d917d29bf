"""Every input of an Azure resource is held against Azure's own models, and against what the plugin sends."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.standin.azure import bootdata, counts, judge, names, shapes
from tests.standin.azure.demands import table as demands
from tests.standin.azure.kinds import KINDS, Kind, NotServedError, kind_of
from tests.standin.azure.values import UNKNOWN
from tests.standin.inputs import GOOD, good

SERVED = """
authorization:RoleAssignment authorization:RoleDefinition compute:AvailabilitySet compute:Disk compute:Gallery
compute:GalleryImage compute:GalleryImageVersion compute:ProximityPlacementGroup compute:VirtualMachine
compute:VirtualMachineScaleSet keyvault:Secret keyvault:Vault managedidentity:UserAssignedIdentity network:LoadBalancer
network:NatGateway network:NetworkInterface network:NetworkSecurityGroup network:PublicIPAddress network:PublicIPPrefix
network:RouteTable network:SecurityRule network:Subnet network:VirtualNetwork network:VirtualNetworkPeering
privatedns:PrivateRecordSet privatedns:PrivateZone privatedns:VirtualNetworkLink resources:ResourceGroup
storage:BlobContainer storage:BlobContainerImmutabilityPolicy storage:ManagementPolicy storage:StorageAccount
virtualmachineimages:VirtualMachineImageTemplate
"""


def test_these_types_are_served_and_each_has_good_inputs() -> None:
    assert sorted(KINDS) == SERVED.split()
    assert sorted(GOOD) == SERVED.split()


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: str(kind.token))
def test_each_type_speaks_the_api_that_the_plugin_s_class_names(kind: Kind) -> None:
    made = getattr(import_module(f"pulumi_azure_native.{kind.module}"), kind.token.partition(":")[2])
    source = Path(str(import_module(made.__module__).__file__)).read_text()
    assert set(re.findall(r"Azure REST API version (\S+)\.", source)) == {kind.api}


@pytest.mark.parametrize("token", GOOD)
def test_good_inputs_pass_every_judge(token: str) -> None:
    kind, inputs = KINDS[token], good(token)
    for each in (judge.judge, names.judge, bootdata.judge, counts.judge, demands.judge):
        assert each(kind, token, inputs) == []


NIC, VM, VMSS, TEMPLATE = (
    "network:NetworkInterface",
    "compute:VirtualMachine",
    "compute:VirtualMachineScaleSet",
    "virtualmachineimages:VirtualMachineImageTemplate",
)
INTERFACES = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"
# Type, path, value, and what the refusal must say is allowed.
BAD: list[tuple[str, str, Any, str]] = [
    (NIC, "publicIPAddress", {}, "no such property"),
    (NIC, "enable_ip_forwarding", True, "no such property"),
    (NIC, "ipConfigurations[0].private_ip_address", "10.0.0.5", "no such property of NetworkInterfaceIPConfiguration"),
    (NIC, "etag", "x", "read-only"),
    (NIC, "ipConfigurations[0].subnet.provisioningState", "Succeeded", "read-only"),
    (NIC, "resourceGroupName", 7, "of type string"),
    (NIC, "enableIPForwarding", "yes", "of type boolean"),
    (NIC, "ipConfigurations", {"name": "own"}, "of type list"),
    (NIC, "ipConfigurations[0].subnet", "an id", "of type object"),
    (NIC, "tags", ["a"], "of type map"),
    (NIC, "tags.owner", 7, "of type string"),
    (NIC, "ipConfigurations[0].privateIPAllocationMethod", "Fixed", "one of Static, Dynamic"),
    ("network:PublicIPAddress", "idleTimeoutInMinutes", True, "of type integer"),
    ("network:PublicIPAddress", "idleTimeoutInMinutes", 4.5, "of type integer"),
    (VM, "billingProfile.maxPrice", "1", "of type number"),
    (VM, "zones[0]", 1, "of type string"),
    (VM, "location", None, "required"),
    (VM, "storageProfile.osDisk.createOption", None, "required"),
    ("network:LoadBalancer", "loadBalancingRules[0].protocol", None, "required"),
    ("network:SecurityRule", "access", None, "required"),
    ("storage:StorageAccount", "kind", None, "required"),
    ("authorization:RoleAssignment", "principalId", None, "required"),
    ("authorization:RoleAssignment", "createdOn", "now", "read-only"),
    ("storage:StorageAccount", "kind", "StorageV3", "one of Storage, StorageV2"),
    ("storage:StorageAccount", "supportsHttpsTrafficOnly", True, "no such property"),
    (TEMPLATE, "source", "an id", "of type union"),
    (TEMPLATE, "source.type", "Floppy", "one of ManagedImage, PlatformImage, SharedImageVersion"),
    (TEMPLATE, "source.sku", 12, "of type string"),
    (TEMPLATE, "source.imageId", "x", "no such property of type PlatformImage"),
    (TEMPLATE, "distribute[0].galleryImageId", None, "required"),
    # The newest API has these; the version that azure-native speaks has not, and it would drop them without a word.
    (VMSS, f"{INTERFACES}[0].ipConfigurations[0].privateIPAddressPrefixLength", 28, "does not send it"),
    (VM, "resiliencyProfile", {}, "does not send it"),
]


@pytest.mark.parametrize(("token", "path", "value", "allowed"), BAD, ids=[f"{row[0]}-{row[1]}" for row in BAD])
def test_a_bad_input_is_refused_with_resource_path_value_and_what_is_allowed(
    token: str, path: str, value: Any, allowed: str
) -> None:
    found = judge.judge(KINDS[token], f"{token} name", good(token, **{path: value}))
    assert [(each.resource, each.path, each.given) for each in found] == [(f"{token} name", path, value)]
    assert allowed in found[0].allowed
    assert all(part in str(found[0]) for part in (f"{token} name", path, allowed))


@pytest.mark.parametrize(
    "path", ["ipConfigurations", "ipConfigurations[0]", "ipConfigurations[0].subnet.id", "location"]
)
def test_what_is_unknown_yet_is_taken_on_trust(path: str) -> None:
    assert judge.judge(KINDS[NIC], NIC, good(NIC, **{path: UNKNOWN})) == []


def test_what_the_model_leaves_open_is_not_looked_into() -> None:
    extension = {"name": "health", "settings": {"port": 8080, "list": [1]}}
    assert (
        judge.judge(
            KINDS[VMSS], VMSS, good(VMSS, **{"virtualMachineProfile.extensionProfile": {"extensions": [extension]}})
        )
        == []
    )


def test_a_reference_needs_only_an_id_where_the_whole_thing_would_need_more() -> None:
    inputs = good(NIC) | {
        "ipConfigurations": [{"name": "own", "loadBalancerInboundNatRules": [{"id": "/subscriptions/x"}]}]
    }
    assert judge.judge(KINDS[NIC], NIC, inputs) == []
    rule = {"networkSecurityGroup": {"securityRules": [{"name": "r", "priority": 100}]}}
    found = judge.judge(KINDS["network:Subnet"], "s", good("network:Subnet") | rule)
    assert [each.path.rpartition(".")[2] for each in found] == ["access", "direction", "protocol"]


def test_every_input_of_the_plugin_has_its_place_in_a_model() -> None:
    # A query parameter of the request, which no body has.
    known = [("network:VirtualNetworkPeering", "syncRemoteAddressSpace")]
    missing = [
        (key, name) for key, shape in shapes.shapes().items() for name, spec in shape.items() if spec.get("unmodelled")
    ]
    assert missing == known


def test_names_the_plugin_gives_otherwise_than_the_api_keep_the_models_type() -> None:
    found = shapes.shapes()
    account = found["storage:StorageAccount"]
    assert (account["enableHttpsTrafficOnly"]["type"], account["networkRuleSet"]["type"]) == ("boolean", "object")
    assert found["authorization:RoleDefinition"]["roleType"]["type"] == "string"


def test_ids_and_types_are_arms_own() -> None:
    assert KINDS["network:Subnet"].type == "Microsoft.Network/virtualNetworks/subnets"
    assert KINDS["storage:BlobContainer"].type == "Microsoft.Storage/storageAccounts/blobServices/containers"
    assert kind_of("urn:pulumi:s::p::kilonode:index:X$azure-native:compute:Disk::d") is KINDS["compute:Disk"]
    with pytest.raises(NotServedError, match="serves no azure-native:sql:Server"):
        kind_of("azure-native:sql:Server")


def test_shapes_are_read_from_a_file_named_by_the_versions(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KILONODE_CACHE", str(tmp_path))
    monkeypatch.setattr(shapes, "build", lambda: {"a": {}})
    shapes.shapes.cache_clear()
    assert shapes.shapes() == {"a": {}}
    (written,) = (tmp_path / "standin").iterdir()
    written.write_text('{"b": {}}')
    shapes.shapes.cache_clear()
    assert shapes.shapes() == {"b": {}}
    monkeypatch.setattr(shapes, "version", lambda _name: "0")
    shapes.shapes.cache_clear()
    assert shapes.shapes() == {"a": {}}
    shapes.shapes.cache_clear()
