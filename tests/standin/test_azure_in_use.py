"""What Azure does not delete, as something that is there uses it, and what goes or stays with what is deleted."""

import pytest

from tests.standin.azure import ids
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import BALANCER, GOOD, GROUP, NET, create, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"

WINDOW = "storage:BlobContainerImmutabilityPolicy"

PROFILE = "virtualMachineProfile"


HELD = [
    ("network:Subnet", "control", "InUseSubnetCannotBeDeleted"),
    ("network:VirtualNetwork", "network", "InUseSubnetCannotBeDeleted"),
    (NIC, "api-0", "NicInUse"),
    ("network:NetworkSecurityGroup", "nsg", "InUseNetworkSecurityGroupCannotBeDeleted"),
    ("network:RouteTable", "routes", "InUseRouteTableCannotBeDeleted"),
    ("network:NatGateway", "nat", "InUseNatGatewayCannotBeDeleted"),
    ("network:PublicIPAddress", "out", "PublicIPAddressCannotBeDeleted"),
    ("network:PublicIPPrefix", "prefix", "InUsePublicIpPrefixCannotBeDeleted"),
    ("compute:Disk", "disk", "DiskIsAttachedToVirtualMachine"),
    ("compute:AvailabilitySet", "set", "OperationNotAllowed"),
    ("compute:ProximityPlacementGroup", "near", "OperationNotAllowed"),
    ("network:LoadBalancer", "api", "LoadBalancerInUseByVirtualMachineScaleSet"),
    (
        "authorization:RoleDefinition",
        GOOD["authorization:RoleDefinition"]["roleDefinitionId"],
        "RoleDefinitionHasAssignments",
    ),
    ("privatedns:PrivateZone", "one.kilonode.internal", "CannotDeleteResource"),
    ("compute:Gallery", "gallery", "CannotDeleteResource"),
    ("compute:GalleryImage", "node", "CannotDeleteResource"),
]


@pytest.mark.parametrize(("token", "name", "code"), HELD, ids=[row[0] for row in HELD])
def test_what_is_in_use_cannot_be_deleted(cloud: Cloud, token: str, name: str, code: str) -> None:
    group = f"{GROUP}/providers"
    update(cloud, "network:NatGateway", publicIpPrefixes=[{"id": f"{NET}/publicIPPrefixes/prefix"}])
    near = {"proximityPlacementGroup": {"id": f"{group}/Microsoft.Compute/proximityPlacementGroups/near"}}
    pools = [{"id": f"{BALANCER}/backendAddressPools/servers"}]
    path = f"{PROFILE}.networkProfile.networkInterfaceConfigurations[0].ipConfigurations[0].loadBalancerBackendAddressPools"
    update(cloud, VMSS, **{path: pools})
    data = [{"lun": 0, "createOption": "Attach", "managedDisk": {"id": f"{group}/Microsoft.Compute/disks/disk"}}]
    update(cloud, VM, **near, **{"storageProfile.dataDisks": data})
    nic = create(cloud, NIC, networkInterfaceName="n", **{"ipConfigurations[0].privateIPAddress": "10.0.0.11"})
    grouped = {"availabilitySet": {"id": f"{group}/Microsoft.Compute/availabilitySets/set"}, "zones": None}
    own = {"networkProfile.networkInterfaces[0].id": nic.id, "storageProfile.osDisk.name": "b"}
    create(cloud, VM, vmName="b", **grouped, **own)
    role = {"roleDefinitionId": cloud.store.all("authorization:RoleDefinition")[0].id}
    create(cloud, "authorization:RoleAssignment", roleAssignmentName="0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b91", **role)
    held = next(each for each in cloud.store.all(token) if each.name == name)
    with pytest.raises(ArmError, match=code):
        cloud.delete(held.id)
    assert cloud.store.get(held.id) is not None


def test_an_interface_alone_holds_its_subnet_and_its_network(cloud: Cloud) -> None:
    network = create(
        cloud, "network:VirtualNetwork", virtualNetworkName="n", subnets=[{"name": "s", "addressPrefix": "10.0.0.0/24"}]
    )
    subnet = f"{network.id}/subnets/s"
    pools = {"ipConfigurations[0].loadBalancerBackendAddressPools": []}
    create(cloud, NIC, networkInterfaceName="n", **{"ipConfigurations[0].subnet.id": subnet}, **pools)
    for held in (subnet, network.id):
        with pytest.raises(ArmError, match="InUseSubnetCannotBeDeleted"):
            cloud.delete(held)


def test_an_interface_alone_holds_its_public_address_and_its_security_group(cloud: Cloud) -> None:
    address = create(cloud, "network:PublicIPAddress", publicIpAddressName="own")
    group = create(cloud, "network:NetworkSecurityGroup", networkSecurityGroupName="own")
    names = {"networkSecurityGroup": {"id": group.id}, "ipConfigurations[0].publicIPAddress": {"id": address.id}}
    create(cloud, NIC, networkInterfaceName="n", **{"ipConfigurations[0].privateIPAddress": "10.0.0.11"}, **names)
    for held, code in (
        (address.id, "PublicIPAddressCannotBeDeleted"),
        (group.id, "InUseNetworkSecurityGroupCannotBeDeleted"),
    ):
        with pytest.raises(ArmError, match=code):
            cloud.delete(held)


def test_what_only_points_at_a_thing_does_not_hold_it(cloud: Cloud) -> None:
    other = next(each for each in cloud.store.all("network:VirtualNetwork") if each.name == "other")
    cloud.delete(other.id)
    for token in (VM, VMSS, NIC):
        cloud.delete(cloud.store.all(token)[0].id)
    cloud.delete(cloud.store.all("network:LoadBalancer")[0].id)
    cloud.delete(f"{NET}/virtualNetworks/network")
    assert cloud.store.all("network:Subnet") == []
    cloud.delete(cloud.store.all("managedidentity:UserAssignedIdentity")[0].id)
    assert cloud.store.all("managedidentity:UserAssignedIdentity") == []


def test_rules_roles_images_and_templates_do_not_hold_what_they_name(cloud: Cloud) -> None:
    loose = create(cloud, "network:Subnet", subnetName="loose", addressPrefix="10.0.2.0/24")
    rules = {"virtualNetworkRules": [{"id": loose.id}], "bypass": "None", "defaultAction": "Deny"}
    update(cloud, "keyvault:Vault", **{"properties.networkAcls": rules})
    account = {"virtualNetworkRules": [{"virtualNetworkResourceId": loose.id}], "defaultAction": "Deny"}
    update(cloud, "storage:StorageAccount", networkRuleSet=account)
    name = {"imageTemplateName": "t", "vmProfile.vnetConfig": {"subnetId": loose.id}}
    create(cloud, "virtualmachineimages:VirtualMachineImageTemplate", **name)
    role = {"roleAssignmentName": "0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b91", "scope": loose.id}
    create(cloud, "authorization:RoleAssignment", **role)
    cloud.delete(loose.id)
    cloud.delete(f"{GROUP}/providers/Microsoft.Compute/disks/disk")
    cloud.delete(f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/machine")
    assert {each.name for each in cloud.store.all()} & {"loose", "disk", "machine"} == set()


def test_an_interface_does_not_hold_the_balancer_whose_pool_it_is_in(cloud: Cloud) -> None:
    cloud.delete(BALANCER)
    assert cloud.store.get(BALANCER) is None


def test_a_group_takes_everything_in_it_along(cloud: Cloud) -> None:
    cloud.delete(GROUP)
    assert {each.token for each in cloud.store.all()} <= {
        "authorization:RoleAssignment",
        "authorization:RoleDefinition",
    }
    (request,) = [each for each in cloud.store.logged() if each["verb"] == "delete"]
    assert f"{NET}/natGateways/nat" in request["swept"]


def test_a_machines_disks_outlive_it_unless_it_says_to_delete_them(cloud: Cloud) -> None:
    assert sorted(each.name for each in cloud.store.all("compute:Disk")) == ["api-0", "disk"]
    own = next(each for each in cloud.store.all("compute:Disk") if each.name == "api-0")
    assert own.id == ids.make(own.kind, own.body)
    assert (own.body["location"], own.body["creationData"]) == ("southcentralus", {"createOption": "FromImage"})
    cloud.delete(cloud.store.all(VM)[0].id)
    assert sorted(each.name for each in cloud.store.all("compute:Disk")) == ["api-0", "disk"]
    with pytest.raises(ArmError, match="Disk 'api-0' already exists"):
        create(cloud, VM)
    data = {"lun": 0, "createOption": "Empty", "diskSizeGB": 8, "managedDisk": {"storageAccountType": "Premium_LRS"}}
    disk = "storageProfile.osDisk"
    gone = {
        f"{disk}.deleteOption": "Delete",
        "storageProfile.dataDisks": [data | {"deleteOption": "Delete"}, data | {"lun": 1}],
    }
    made = create(cloud, VM, **{f"{disk}.name": None, **gone})
    names = {each.name.rpartition("_")[0] for each in cloud.store.all("compute:Disk")}
    assert {"api-0_OsDisk", "api-0_disk0", "api-0_disk1"} <= names
    cloud.delete(made.id)
    names = {each.name.rpartition("_")[0] for each in cloud.store.all("compute:Disk")}
    assert "api-0_disk1" in names
    assert not {"api-0_OsDisk", "api-0_disk0"} & names
    ephemeral = {f"{disk}.diffDiskSettings": {"option": "Local"}, f"{disk}.name": "none"}
    create(cloud, VM, **ephemeral)
    assert "none" not in {each.name for each in cloud.store.all("compute:Disk")}
