"""What addresses Azure gives, and which it refuses: in a subnet, in a network, between peers and in a scale set."""

import pytest

from tests.standin.answers import refused
from tests.standin.azure import ids
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import CONTROL, NET, NODES, create, good, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"

WINDOW = "storage:BlobContainerImmutabilityPolicy"

PROFILE = "virtualMachineProfile"


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
