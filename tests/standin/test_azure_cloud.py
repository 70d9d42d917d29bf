"""What Azure refuses for what there is already: references, what has one user only, parents, principals."""

from pathlib import Path
from typing import Any

import pytest

from tests.standin.answers import refused
from tests.standin.azure import ids
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import BALANCER, CONTROL, GOOD, GROUP, NET, create, populate, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"
WINDOW = "storage:BlobContainerImmutabilityPolicy"
PROFILE = "virtualMachineProfile"


def test_one_of_each_type_can_be_made_updated_read_and_deleted(cloud: Cloud) -> None:
    assert {each.token for each in cloud.store.all()} == set(GOOD)
    for token in GOOD:
        update(cloud, token)
    for each in cloud.store.all():
        assert cloud.outputs(each)["name"] == each.name
    for token in [
        "authorization:RoleAssignment",
        "virtualmachineimages:VirtualMachineImageTemplate",
        VMSS,
        VM,
        NIC,
        "network:LoadBalancer",
        *reversed(GOOD),
    ]:
        for each in cloud.store.all(token):
            if token == WINDOW:
                with pytest.raises(ArmError, match="incorrect etag"):
                    cloud.delete(each.id)
            else:
                cloud.delete(each.id)
    assert cloud.store.all() == []


@pytest.mark.parametrize(
    ("token", "path", "value"),
    [
        (NIC, "ipConfigurations[0].subnet.id", f"{NET}/virtualNetworks/network/subnets/none"),
        (NIC, "ipConfigurations[0].loadBalancerBackendAddressPools[0].id", f"{BALANCER}/backendAddressPools/none"),
        (NIC, "ipConfigurations[0].loadBalancerBackendAddressPools[0].id", f"{NET}/loadBalancers/none/backendAddressPools/a"),
        ("network:LoadBalancer", "loadBalancingRules[0].probe.id", f"{BALANCER}/probes/none"),
        (VM, "identity.userAssignedIdentities[0]", f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/none"),
        (VM, "storageProfile.imageReference", {"id": f"{GROUP}/providers/Microsoft.Compute/images/none"}),
        ("authorization:RoleAssignment", "scope", f"{GROUP}/providers/Microsoft.KeyVault/vaults/none"),
        ("authorization:RoleAssignment", "scope", GROUP.removeprefix("/") + "x"),
        ("authorization:RoleAssignment", "roleDefinitionId", f"/subscriptions/{ids.SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{ids.TENANT}"),
        ("virtualmachineimages:VirtualMachineImageTemplate", "distribute[0].galleryImageId", f"{GROUP}/providers/Microsoft.Compute/galleries/gallery/images/none/versions/1.0.0"),
        (NIC, "networkSecurityGroup", {"id": "/subscriptions/another/resourceGroups/rg-one/providers/Microsoft.Network/networkSecurityGroups/nsg"}),
    ],
)  # fmt: skip
def test_an_id_that_was_never_made_is_refused(cloud: Cloud, token: str, path: str, value: Any) -> None:
    kind = KINDS[token]
    inputs = {kind.name_input: "0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b91" if kind.module == "authorization" else "another"}
    refused(cloud, token, "InvalidResourceReference", words="was ever made here", **inputs, **{path: value})


def test_an_image_template_may_name_a_group_and_a_version_that_it_will_make(cloud: Cloud) -> None:
    group = f"/subscriptions/{ids.SUBSCRIPTION}/resourceGroups/staging"
    assert create(
        cloud, "virtualmachineimages:VirtualMachineImageTemplate", imageTemplateName="t", stagingResourceGroup=group
    )


def test_ids_are_the_same_in_other_letters(cloud: Cloud) -> None:
    made = create(cloud, NIC, networkInterfaceName="n", **{
        "ipConfigurations[0].subnet.id": CONTROL.upper().replace("/SUBSCRIPTIONS/", "/subscriptions/"),
        "ipConfigurations[0].privateIPAddress": "10.0.0.11",
    })  # fmt: skip
    assert made.name == "n"


def test_a_role_may_be_given_on_the_whole_subscription_and_on_no_other(cloud: Cloud) -> None:
    role = {"roleAssignmentName": "0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b91"}
    refused(cloud, "authorization:RoleAssignment", "InvalidResourceReference", scope="subscriptions/another", **role)
    assert create(cloud, "authorization:RoleAssignment", scope=f"subscriptions/{ids.SUBSCRIPTION}", **role)


def test_some_things_have_one_user_only(cloud: Cloud) -> None:
    refused(cloud, VM, "NetworkInterfaceAlreadyInUse", vmName="another")
    refused(cloud, "network:NatGateway", "PublicIPAddressInUse", natGatewayName="another")
    out = {"id": f"{NET}/publicIPAddresses/out"}
    inside = {"networkInterfaceName": "n", "ipConfigurations[0].privateIPAddress": "10.0.0.11"}
    refused(cloud, NIC, "PublicIPAddressInUse", **inside, **{"ipConfigurations[0].publicIPAddress": out})
    front = [{"name": "front", "publicIPAddress": out}]
    names = {"loadBalancerName": "n", "frontendIPConfigurations": front, "loadBalancingRules": None, "probes": None}
    refused(cloud, "network:LoadBalancer", "PublicIPAddressInUse", **names)
    disk = {
        "lun": 0,
        "createOption": "Attach",
        "managedDisk": {"id": f"{GROUP}/providers/Microsoft.Compute/disks/disk"},
    }
    update(cloud, VM, **{"storageProfile.dataDisks": [disk]})
    nic = create(cloud, NIC, networkInterfaceName="n", **{"ipConfigurations[0].privateIPAddress": "10.0.0.11"})
    words = {"vmName": "b", "networkProfile.networkInterfaces[0].id": nic.id, "storageProfile.dataDisks": [disk]}
    refused(cloud, VM, "AttachDiskWhileBeingAttached", **words)


def test_a_resource_lies_in_a_group_and_in_what_its_id_says(tmp_path: Path) -> None:
    cloud = populate(tmp_path, until="network:NetworkSecurityGroup")
    refused(cloud, "network:RouteTable", "ResourceGroupNotFound", resourceGroupName="rg-two")
    refused(cloud, "network:SecurityRule", "ParentResourceNotFound")
    create(cloud, "storage:StorageAccount")
    refused(cloud, "storage:BlobContainerImmutabilityPolicy", "ParentResourceNotFound")


def test_what_exists_cannot_be_made_again(cloud: Cloud) -> None:
    refused(
        cloud,
        "network:RouteTable",
        "Conflict",
        words="cannot create already existing resource",
        routeTableName="ROUTES",
    )


def test_a_principal_exists_and_a_new_ones_type_is_said(cloud: Cloud) -> None:
    name = {"roleAssignmentName": "0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b91"}
    role = "authorization:RoleAssignment"
    refused(cloud, role, "InvalidRequestFormat", words="principalType is null", principalType=None, **name)
    refused(
        cloud,
        role,
        "InvalidRequestFormat",
        words="the principal of an identity that exists",
        principalId=ids.TENANT,
        **name,
    )
    assert create(cloud, role, principalId=ids.PRINCIPAL, principalType=None, **name)
