"""What the plugin answers the engine: every judge is asked, and a refresh leaves alone what others maintain."""

import base64
from pathlib import Path
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2 as p

from tests.standin.azure import difference, provider
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.values import read, write
from tests.standin.inputs import GOOD, NET, good, populate, update

NIC, VM, NETWORK = "network:NetworkInterface", "compute:VirtualMachine", "network:VirtualNetwork"


class Context:
    """A call that is ended by an error."""

    def abort(self, code: grpc.StatusCode, words: str) -> None:
        raise AssertionError(words)


CONTEXT: Any = Context()


def urn(token: str) -> str:
    return f"urn:pulumi:s::p::azure-native:{token}::it"


def failures(plugin: provider.Provider, token: str, **changes: Any) -> list[str]:
    request = p.CheckRequest(urn=urn(token), news=write(good(token, **changes)))
    return [each.property for each in plugin.check(request, CONTEXT).failures]


@pytest.mark.parametrize(
    ("token", "path", "value"),
    [
        (NIC, "enableIPForwarding", "yes"),
        (NIC, "networkInterfaceName", "-a"),
        (VM, "userData", base64.b64encode(b"-----BEGIN PRIVATE KEY-----").decode()),
        ("network:NatGateway", "publicIpAddresses", [{"id": f"/subscriptions/{n}"} for n in range(17)]),
        ("compute:Disk", "diskSizeGB", None),
    ],
    ids=["models", "names", "boot data", "counts", "demands"],
)
def test_the_plugin_asks_every_judge(tmp_path: Path, token: str, path: str, value: Any) -> None:
    plugin = provider.Provider(populate(tmp_path))
    assert failures(plugin, token) == []
    assert failures(plugin, token, **{path: value}) == [path]


def test_what_the_plugin_writes_into_inputs_itself_is_no_fault(tmp_path: Path) -> None:
    plugin = provider.Provider(populate(tmp_path))
    assert failures(plugin, "network:RouteTable", routeTableName=None) == []


def test_a_preview_refuses_an_id_that_will_not_exist_and_takes_one_that_will(tmp_path: Path) -> None:
    plugin = provider.Provider(populate(tmp_path))

    def planned(token: str, **changes: Any) -> p.CreateResponse:
        request = p.CreateRequest(urn=urn(token), properties=write(good(token, **changes)), preview=True)
        return plugin.create(request, CONTEXT)

    later = {"ipConfigurations[0].subnet.id": f"{NET}/virtualNetworks/network/subnets/later"}
    with pytest.raises(AssertionError, match="was ever made here"):
        planned(NIC, networkInterfaceName="n", **later)
    planned("network:Subnet", subnetName="later", addressPrefix="10.0.2.0/24")
    # An address in it is held against it once it exists.
    assert planned(NIC, networkInterfaceName="n", **later)


@pytest.mark.parametrize(
    ("token", "path"), [(token, path) for token in GOOD for path in KINDS[token].maintained], ids=str
)
def test_a_refresh_leaves_lists_that_are_resources_too_alone(tmp_path: Path, token: str, path: str) -> None:
    cloud = populate(tmp_path)
    plugin = provider.Provider(cloud)
    found = next(each for each in cloud.store.all(token) if each.body.get(KINDS[token].name_input) != "other")
    inputs = {name: value for name, value in good(token).items() if name != path}
    before = {name: value for name, value in cloud.outputs(found).items() if name != path}
    request = p.ReadRequest(id=found.id, urn=urn(token), inputs=write(inputs), properties=write(before))
    assert path not in read(plugin.read(request, CONTEXT).inputs)


MAINTAINED = {
    NETWORK: ["subnets", "virtualNetworkPeerings"],
    "network:NetworkSecurityGroup": ["securityRules"],
    "network:LoadBalancer": ["backendAddressPools", "inboundNatRules"],
    "network:RouteTable": ["routes"],
}
# The plugin's own: network resources of these types are not among them, as the API's specification has it.
MOVED_BY_REPLACEMENT = {
    "compute:AvailabilitySet",
    "compute:Disk",
    "compute:Gallery",
    "compute:GalleryImage",
    "compute:GalleryImageVersion",
    "compute:ProximityPlacementGroup",
    "compute:VirtualMachine",
    "compute:VirtualMachineScaleSet",
    "managedidentity:UserAssignedIdentity",
    "network:PublicIPAddress",
    "network:VirtualNetwork",
    "privatedns:PrivateZone",
    "privatedns:VirtualNetworkLink",
    "resources:ResourceGroup",
    "storage:StorageAccount",
    "virtualmachineimages:VirtualMachineImageTemplate",
}


def test_these_lists_are_maintained_by_others() -> None:
    assert {token: [*kind.maintained] for token, kind in KINDS.items() if kind.maintained} == MAINTAINED


def replaced(token: str, **changes: Any) -> bool:
    found = difference.detailed(KINDS[token], good(token), good(token, **changes))
    return any(change in difference.REPLACING.values() for change in found.values())


def test_a_move_replaces_what_the_plugin_knows_cannot_move() -> None:
    assert {token for token in GOOD if replaced(token, location="westeurope")} == MOVED_BY_REPLACEMENT


@pytest.mark.parametrize(
    ("token", "path", "value"),
    [
        ("network:PublicIPAddress", "publicIPAddressVersion", "IPv6"),
        ("network:PublicIPAddress", "publicIPPrefix", {"id": "/another"}),
        ("network:PublicIPAddress", "sku.name", "Basic"),
        ("authorization:RoleAssignment", "principalId", "another"),
        ("storage:StorageAccount", "isHnsEnabled", True),
    ],
)
def test_the_plugins_own_table_replaces_for_more_than_names(token: str, path: str, value: Any) -> None:
    assert replaced(token, **{path: value})


@pytest.mark.parametrize(
    ("token", "path"),
    [
        (NIC, "ipConfigurations"),
        ("network:RouteTable", "routes"),
        *[
            ("network:LoadBalancer", part)
            for part in ("frontendIPConfigurations", "backendAddressPools", "probes", "loadBalancingRules")
        ],
        *[("network:LoadBalancer", part) for part in ("outboundRules", "inboundNatRules", "inboundNatPools")],
    ],
)
def test_every_part_of_a_resource_is_answered_with_an_id(tmp_path: Path, token: str, path: str) -> None:
    cloud = populate(tmp_path)
    given = {} if good(token).get(path) else {path: [{"name": "a"}]}
    made = update(cloud, token, **given)
    assert cloud.outputs(made)[path][0]["id"].startswith(f"{made.id}/{path}/")
