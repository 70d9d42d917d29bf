"""What Azure refuses for what there is already: references, addresses, uses, parents, deletions, changes in place."""

from pathlib import Path
from typing import Any

import pytest

from tests.standin.azure import ids, immutable
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import BALANCER, CONTROL, GOOD, GROUP, NET, NODES, create, good, populate, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"
WINDOW = "storage:BlobContainerImmutabilityPolicy"
PROFILE = "virtualMachineProfile"


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    """One good resource of each type."""
    return populate(tmp_path)


def refused(cloud: Cloud, token: str, code: str, *, words: str = "", **changes: Any) -> None:
    with pytest.raises(ArmError) as fault:
        create(cloud, token, **changes)
    assert f'Code="{code}"' in str(fault.value)
    assert words in str(fault.value)


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


ADDRESSES = [
    ("10.0.1.10", "an address of control"),
    ("10.0.0.0", "none of the first 4"),
    ("10.0.0.3", "none of the first 4"),
    ("10.0.0.255", "or the last"),
    ("10.0.0.10", "an address that is free"),
    ("10.0.0.4", "an address that is free"),
]


@pytest.mark.parametrize(("address", "words"), ADDRESSES)
def test_an_interfaces_address_is_in_its_subnet_not_reserved_and_free(cloud: Cloud, address: str, words: str) -> None:
    changes = {"networkInterfaceName": "n", "ipConfigurations[0].privateIPAddress": address}
    refused(cloud, NIC, "InvalidRequestFormat", words=words, **changes)


@pytest.mark.parametrize(("address", "words"), [row for row in ADDRESSES if row[0] != "10.0.0.4"])
def test_so_is_a_front_ends(cloud: Cloud, address: str, words: str) -> None:
    changes = {
        "loadBalancerName": "l",
        "frontendIPConfigurations[0].privateIPAddress": address,
        "loadBalancingRules": [],
    }
    refused(cloud, "network:LoadBalancer", "InvalidRequestFormat", words=words, **changes)


def test_an_address_of_a_subnet_that_is_only_planned_is_taken_on_trust(cloud: Cloud) -> None:
    later = f"{NET}/virtualNetworks/network/subnets/later"
    inputs = good(NIC, networkInterfaceName="n", **{"ipConfigurations[0].subnet.id": later})
    cloud.judge(KINDS[NIC], NIC, ids.make(KINDS[NIC], inputs), inputs, planned=lambda given: given == later)


def test_two_configurations_of_one_interface_have_two_addresses(cloud: Cloud) -> None:
    same = {"privateIPAddress": "10.0.0.11", "privateIPAllocationMethod": "Static", "subnet": {"id": CONTROL}}
    both = [{"name": "a", "primary": True, **same}, {"name": "b", **same}]
    refused(cloud, NIC, "InvalidRequestFormat", words="free", networkInterfaceName="n", ipConfigurations=both)


def test_a_dynamic_configuration_gets_a_free_address_and_keeps_it(cloud: Cloud) -> None:
    dynamic = [{"name": name, "primary": name == "a", "subnet": {"id": CONTROL}} for name in "ab"]
    made = create(cloud, NIC, networkInterfaceName="n", ipConfigurations=dynamic)
    given = [each["privateIPAddress"] for each in cloud.outputs(made)["ipConfigurations"]]
    assert given == ["10.0.0.5", "10.0.0.6"]
    again = update(cloud, NIC, networkInterfaceName="n", ipConfigurations=dynamic, tags={"a": "b"})
    assert [each["privateIPAddress"] for each in cloud.outputs(again)["ipConfigurations"]] == given


def test_subnets_lie_in_their_network_apart_and_what_is_used_stays(cloud: Cloud) -> None:
    outside = {"subnetName": "s", "addressPrefix": "10.2.0.0/24"}
    refused(cloud, "network:Subnet", "InvalidRequestFormat", words="a range within 10.0.0.0/15", **outside)
    refused(
        cloud,
        "network:Subnet",
        "InvalidRequestFormat",
        words="clear of 10.0.0.0/24",
        subnetName="s",
        addressPrefix="10.0.0.0/25",
    )
    with pytest.raises(ArmError, match="InUsePrefixCannotBeDeleted"):
        update(cloud, "network:Subnet", addressPrefix="10.0.0.0/25")
    create(cloud, "network:Subnet", subnetName="s", addressPrefix="10.0.2.0/24")
    assert (
        update(cloud, "network:Subnet", subnetName="s", addressPrefix="10.0.3.0/24").body["addressPrefix"]
        == "10.0.3.0/24"
    )
    with pytest.raises(ArmError, match=r"a range within 10\.0\.0\.0/24"):
        update(cloud, "network:VirtualNetwork", **{"addressSpace.addressPrefixes": ["10.0.0.0/24"]})


def test_peers_do_not_overlap(cloud: Cloud) -> None:
    inputs = good("network:VirtualNetwork", virtualNetworkName="same")
    cloud.create(KINDS["network:VirtualNetwork"], "n", inputs)
    words = {"virtualNetworkPeeringName": "p", "remoteVirtualNetwork.id": f"{NET}/virtualNetworks/same"}
    refused(cloud, "network:VirtualNetworkPeering", "InvalidRequestFormat", words="clear of 10.0.0.0/15", **words)


def test_a_scale_set_fits_its_subnet_and_a_network_65536_addresses(cloud: Cloud) -> None:
    # nodes is a /20: 4,096 addresses less five; each machine has four.
    update(cloud, VMSS, **{"sku.capacity": 30})
    refused(
        cloud,
        VMSS,
        "InvalidRequestFormat",
        words="at most 4,091 addresses in nodes",
        vmScaleSetName="p",
        **{"sku.capacity": 1000},
    )
    create(cloud, "network:Subnet", subnetName="large", addressPrefix="10.1.0.0/16")
    large = NODES.replace("/nodes", "/large")
    configurations = [{"name": f"ip{n}", "primary": n == 0, "subnet": {"id": large}} for n in range(65)]
    path = f"{PROFILE}.networkProfile.networkInterfaceConfigurations[0].ipConfigurations"
    create(cloud, VMSS, vmScaleSetName="p", **{"sku.capacity": 1000, path: configurations})
    create(cloud, "network:Subnet", subnetName="more", addressPrefix="10.0.32.0/20")
    more = [each | {"subnet": {"id": NODES.replace("/nodes", "/more")}} for each in configurations[:4]]
    refused(
        cloud,
        VMSS,
        "InvalidRequestFormat",
        words="at most 65,536",
        vmScaleSetName="q",
        **{"sku.capacity": 200, path: more},
    )


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


# Type, path, another value, the code of the answer: what cannot change in place.
CHANGES: list[tuple[str, str, Any, str]] = [
    (VM, "osProfile.customData", "bmV3", "PropertyChangeNotAllowed"),
    (VM, "osProfile.adminUsername", "another", "PropertyChangeNotAllowed"),
    (VM, "osProfile.adminPassword", "another", "PropertyChangeNotAllowed"),
    (VM, "osProfile.computerName", "another", "PropertyChangeNotAllowed"),
    (VM, "osProfile.linuxConfiguration.ssh.publicKeys[0].keyData", "ssh-rsa", "PropertyChangeNotAllowed"),
    (VM, "osProfile.linuxConfiguration.disablePasswordAuthentication", False, "PropertyChangeNotAllowed"),
    (VM, "osProfile.linuxConfiguration.provisionVMAgent", False, "PropertyChangeNotAllowed"),
    (VM, "zones", ["2"], "PropertyChangeNotAllowed"),
    (VM, "placement", {"zonePlacementPolicy": "Any"}, "PropertyChangeNotAllowed"),
    (VM, "availabilitySet", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VM, "virtualMachineScaleSet", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VM, "platformFaultDomain", 1, "PropertyChangeNotAllowed"),
    (VM, "priority", "Spot", "PropertyChangeNotAllowed"),
    (VM, "evictionPolicy", "Delete", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.id", "/another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.publisher", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.offer", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.sku", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.version", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.name", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.createOption", "Attach", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.osType", "Windows", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.diffDiskSettings", {"option": "Local"}, "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.diskSizeGB", 32, "PropertyChangeNotAllowed"),
    (VM, "securityProfile.securityType", "TrustedLaunch", "PropertyChangeNotAllowed"),
    (VM, "securityProfile.uefiSettings", {"vTpmEnabled": True}, "PropertyChangeNotAllowed"),
    (VM, "plan", {"name": "another"}, "PropertyChangeNotAllowed"),
    (VMSS, "zones", ["1", "2"], "PropertyChangeNotAllowed"),
    (VMSS, "platformFaultDomainCount", 5, "PropertyChangeNotAllowed"),
    (VMSS, "singlePlacementGroup", True, "PropertyChangeNotAllowed"),
    (VMSS, "orchestrationMode", "Flexible", "PropertyChangeNotAllowed"),
    (VMSS, "hostGroup", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VMSS, "proximityPlacementGroup", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VMSS, "zoneBalance", True, "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.osProfile.adminUsername", "another", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.osProfile.computerNamePrefix", "another", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.priority", "Spot", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.evictionPolicy", "Delete", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.capacityReservation", {"capacityReservationGroup": {}}, "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.storageProfile.imageReference.publisher", "another", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.storageProfile.imageReference.offer", "another", "PropertyChangeNotAllowed"),
    (
        VMSS,
        f"{PROFILE}.storageProfile.osDisk.managedDisk.storageAccountType",
        "Standard_LRS",
        "PropertyChangeNotAllowed",
    ),
    (VMSS, f"{PROFILE}.storageProfile.osDisk.diffDiskSettings", {"option": "Local"}, "PropertyChangeNotAllowed"),
    (
        VMSS,
        f"{PROFILE}.networkProfile.networkInterfaceConfigurations[0].ipConfigurations[2].subnet.id",
        f"{NET}/virtualNetworks/other/subnets/nodes",
        "PropertyChangeNotAllowed",
    ),
    ("compute:Disk", "creationData.createOption", "Copy", "PropertyChangeNotAllowed"),
    ("compute:Disk", "zones", ["2"], "PropertyChangeNotAllowed"),
    ("compute:Disk", "diskSizeGB", 32, "PropertyChangeNotAllowed"),
    ("compute:Disk", "hyperVGeneration", "V1", "PropertyChangeNotAllowed"),
    ("compute:AvailabilitySet", "platformFaultDomainCount", 3, "PropertyChangeNotAllowed"),
    ("compute:AvailabilitySet", "platformUpdateDomainCount", 3, "PropertyChangeNotAllowed"),
    ("compute:AvailabilitySet", "sku.name", "Classic", "PropertyChangeNotAllowed"),
    ("compute:ProximityPlacementGroup", "zones", ["2"], "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "osType", "Windows", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "osState", "Specialized", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "hyperVGeneration", "V1", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "architecture", "Arm64", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "identifier.sku", "2", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "purchasePlan", {"name": "p"}, "PropertyChangeNotAllowed"),
    ("compute:GalleryImageVersion", "storageProfile.source.id", "/another", "PropertyChangeNotAllowed"),
    ("compute:GalleryImageVersion", "publishingProfile.replicationMode", "Shallow", "PropertyChangeNotAllowed"),
    ("compute:GalleryImageVersion", "publishingProfile.storageAccountType", "Standard_LRS", "PropertyChangeNotAllowed"),
    (NIC, "ipConfigurations[0].subnet.id", f"{NET}/virtualNetworks/other/subnets/control", "InvalidRequest"),
    ("network:PublicIPAddress", "sku.name", "Basic", "SkuCannotBeChangedOnUpdate"),
    ("network:PublicIPAddress", "zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    ("network:PublicIPAddress", "publicIPAddressVersion", "IPv6", "PropertyChangeNotAllowed"),
    ("network:PublicIPAddress", "publicIPAllocationMethod", "Dynamic", "PropertyChangeNotAllowed"),
    ("network:PublicIPAddress", "publicIPPrefix", {"id": "/another"}, "PropertyChangeNotAllowed"),
    ("network:PublicIPPrefix", "prefixLength", 31, "PropertyChangeNotAllowed"),
    ("network:PublicIPPrefix", "sku.name", "StandardV2", "PropertyChangeNotAllowed"),
    ("network:PublicIPPrefix", "zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    ("network:LoadBalancer", "sku.name", "Basic", "SkuCannotBeChangedOnUpdate"),
    ("network:LoadBalancer", "frontendIPConfigurations[0].zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    (
        "network:LoadBalancer",
        "frontendIPConfigurations[0].subnet.id",
        f"{NET}/virtualNetworks/other/subnets/control",
        "PropertyChangeNotAllowed",
    ),
    ("network:NatGateway", "sku.name", "StandardV2", "PropertyChangeNotAllowed"),
    ("network:NatGateway", "zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    (
        "network:VirtualNetworkPeering",
        "remoteVirtualNetwork.id",
        f"{NET}/virtualNetworks/network",
        "CannotChangeRemoteVirtualNetwork",
    ),
    ("privatedns:VirtualNetworkLink", "virtualNetwork.id", f"{NET}/virtualNetworks/other", "PropertyChangeNotAllowed"),
    ("authorization:RoleAssignment", "principalId", ids.TENANT, "RoleAssignmentUpdateNotPermitted"),
    ("authorization:RoleAssignment", "roleDefinitionId", "/another", "RoleAssignmentUpdateNotPermitted"),
    ("authorization:RoleAssignment", "principalType", "User", "RoleAssignmentUpdateNotPermitted"),
    (
        "authorization:RoleAssignment",
        "delegatedManagedIdentityResourceId",
        "/another",
        "RoleAssignmentUpdateNotPermitted",
    ),
    ("keyvault:Vault", "properties.tenantId", ids.CLIENT, "BadRequest"),
    ("keyvault:Vault", "properties.softDeleteRetentionInDays", 90, "BadRequest"),
    ("storage:StorageAccount", "sku.name", "Standard_LRS", "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "sku.name", "Premium_LRS", "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "kind", "BlobStorage", "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "enableNfsV3", True, "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "immutableStorageWithVersioning", {"enabled": True}, "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "encryption.requireInfrastructureEncryption", True, "AccountPropertyCannotBeUpdated"),
    ("storage:BlobContainer", "immutableStorageWithVersioning", {"enabled": True}, "ContainerPropertyCannotBeUpdated"),
    ("storage:BlobContainer", "defaultEncryptionScope", "another", "ContainerPropertyCannotBeUpdated"),
    *[
        ("virtualmachineimages:VirtualMachineImageTemplate", path, value, "Conflict")
        for path, value in {
            "source.sku": "13",
            "customize[0].inline": ["false"],
            "distribute[0].runOutputName": "another",
            "validate": {},
            "optimize": {},
            "buildTimeoutInMinutes": 60,
            "vmProfile.vmSize": "Standard_D4s_v5",
        }.items()
    ],
    *[(token, "location", "westeurope", "InvalidResourceLocation") for token in GOOD if "location" in GOOD[token]],
]


@pytest.mark.parametrize(("token", "path", "value", "code"), CHANGES, ids=[f"{row[0]}-{row[1]}" for row in CHANGES])
def test_what_cannot_change_in_place_is_answered_409(token: str, path: str, value: Any, code: str) -> None:
    before = good(token)
    immutable.refuse(KINDS[token], before, good(token))
    with pytest.raises(ArmError) as fault:
        immutable.refuse(KINDS[token], before, good(token, **{path: value}))
    assert (fault.value.status, fault.value.code) == (409, code)


def test_every_row_of_what_cannot_change_has_a_source_and_a_change_above() -> None:
    rows = [(token, row) for token, listed in immutable.ROWS.items() for row in listed]
    assert all(len(row.source) > 10 for _, row in rows)
    tried = {(token, path.replace("[0]", "[]").replace("[2]", "[]")) for token, path, _, _ in CHANGES}
    only_down = {
        ("keyvault:Vault", "properties.enableSoftDelete"),
        ("keyvault:Vault", "properties.enablePurgeProtection"),
    }
    missing = {
        (token, row.path)
        for token, row in rows
        if not any(token == other and (path.startswith(row.path) or row.path.startswith(path)) for other, path in tried)
    }
    assert missing == only_down


@pytest.mark.parametrize(
    ("token", "path", "before", "after", "fine"),
    [
        (VMSS, "singlePlacementGroup", True, False, True),
        (VMSS, "singlePlacementGroup", None, True, True),
        (VM, "hardwareProfile.vmSize", "Standard_D16s_v5", "Standard_D32s_v5", True),
        (VM, "storageProfile.osDisk.diskSizeGB", 64, 128, True),
        (VM, "tags", {"a": "b"}, {"a": "c"}, True),
        (VM, "location", "southcentralus", "South Central US", True),
        (VM, "storageProfile.imageReference.id", "/subscriptions/A/b", "/subscriptions/a/B", True),
        (VMSS, "sku.capacity", 2, 3, True),
        (VMSS, f"{PROFILE}.osProfile.customData", "b25l", "dHdv", True),
        (NIC, "ipConfigurations[0].subnet.id", CONTROL, NODES, True),
        ("storage:StorageAccount", "sku.name", "Standard_LRS", "Standard_GRS", True),
        ("storage:StorageAccount", "sku.name", "Standard_LRS", "Premium_LRS", False),
        ("keyvault:Vault", "properties.enablePurgeProtection", None, True, True),
        ("keyvault:Vault", "properties.enablePurgeProtection", True, None, False),
        ("keyvault:Vault", "properties.enableSoftDelete", True, False, False),
        ("keyvault:Vault", "properties.enableSoftDelete", False, True, True),
    ],
)
def test_some_properties_change_one_way_only(token: str, path: str, before: Any, after: Any, fine: bool) -> None:
    def with_value(value: Any) -> dict[str, Any]:
        inputs = good(token, **{path: "there"})
        return good(token, **{path: value}) if value is not None else _without(inputs, path)

    try:
        immutable.refuse(KINDS[token], with_value(before), with_value(after))
    except ArmError:
        assert not fine
    else:
        assert fine


def _without(inputs: dict[str, Any], path: str) -> dict[str, Any]:
    *steps, last = path.split(".")
    holder = inputs
    for step in steps:
        holder = holder[step]
    del holder[last]
    return inputs
