"""The table of what cannot change in place: every path is one the SDK has, every row has a source."""

from importlib import import_module

import pulumi._types as pulumi_types
import pytest

from kilonode.clouds.azure.immutable import TABLE, Immutable, replace_on

MADE = (
    "authorization:RoleAssignment", "compute:Gallery", "compute:GalleryImage", "compute:VirtualMachine", "compute:VirtualMachineScaleSet",
    "keyvault:Vault", "managedidentity:UserAssignedIdentity", "network:LoadBalancer", "network:NatGateway", "network:NetworkInterface",
    "network:NetworkSecurityGroup", "network:PublicIPPrefix", "network:Subnet", "network:VirtualNetwork", "network:VirtualNetworkPeering",
    "privatedns:VirtualNetworkLink", "resources:ResourceGroup", "storage:BlobContainer", "storage:StorageAccount",
    "virtualmachineimages:VirtualMachineImageTemplate",
)  # fmt: skip


def arguments(kind: str) -> type:
    module, name = kind.split(":")
    found: type = getattr(import_module(f"pulumi_azure_native.{module}"), f"{name}Args")
    return found


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.kind} {row.path}")
def test_every_path_leads_somewhere_in_the_sdk(row: Immutable) -> None:
    at: type = arguments(row.kind)
    for step in row.path.split("."):
        at = pulumi_types.input_type_types(at)[step]


@pytest.mark.parametrize("kind", MADE)
def test_somebody_has_looked_at_each_type(kind: str) -> None:
    assert replace_on(kind)
    assert len(set(replace_on(kind))) == len(replace_on(kind))


def test_a_type_nobody_has_looked_at_is_an_error() -> None:
    with pytest.raises(KeyError, match="compute:Disk"):
        replace_on("compute:Disk")


def test_every_row_says_why_and_where_that_stands() -> None:
    known = (
        "https://",
        "PropertyChangeNotAllowed, https://",
        "RoleAssignmentUpdateNotPermitted, https://",
        "terraform-provider-azurerm, ",
    )
    assert all(row.source.startswith(known) and len(row.why) > 8 for row in TABLE)


def test_what_would_cost_a_member_its_disk_replaces_the_machine() -> None:
    """Never an in-place resize: the machine is moved, and its local disks are empty then (case E06)."""
    assert {"hardwareProfile.vmSize", "networkProfile.networkInterfaces", "osProfile.customData"} <= set(
        replace_on("compute:VirtualMachine")
    )


def test_what_a_pool_may_have_changed_in_place_is_not_in_the_table() -> None:
    """Boot data, image, size and capacity of a scale set roll out in batches (cases Z09, Z10)."""
    paths = replace_on("compute:VirtualMachineScaleSet")
    assert not any(
        "customData" in path or "imageReference" in path or path.startswith("sku") or path == "tags" for path in paths
    )
