"""The stand-in under the real engine: a small control plane and a pool, from first run to last."""

from copy import deepcopy
from typing import Any

import pytest

from tests.standin.azure.stack import PulumiError, Stack
from tests.standin.azure_program import GIVEN, PROGRAM

pytestmark = pytest.mark.engine

VM, VMSS, NIC = "compute:VirtualMachine", "compute:VirtualMachineScaleSet", "network:NetworkInterface"
REPLACED = {"replace_on_changes": ["osProfile.customData"], "delete_before_replace": True}


def given(**changes: Any) -> dict[str, Any]:
    return deepcopy(GIVEN) | changes


@pytest.fixture
def program(stack: Stack) -> Stack:
    """The program in a stack of its own, not yet deployed."""
    return stack.write(PROGRAM, **given()).init()


def test_a_stack_comes_up_stays_unchanged_and_goes(program: Stack) -> None:
    assert len(program.steps()["create"]) == 18
    assert program.cloud.requests() == []
    program.up()
    assert len(program.cloud.requests("create")) == 17
    program.unchanged()
    assert program.cloud.requests("update") == []
    outputs = program.resources()["api-0"]["outputs"]
    assert "customData" not in outputs["osProfile"]
    assert outputs["networkProfile"]["networkInterfaces"][0]["id"].split("/")[4] == "RG-ONE"
    assert (
        program.resources()["key"]["outputs"]["properties"]["secretUri"]
        == "https://kilonode-vault.vault.azure.net/secrets/key"
    )
    states = [path for path in (program.folder / "state").rglob("*") if path.is_file()]
    assert [path for path in states if GIVEN["secret"].encode() in path.read_bytes()] == []
    program.destroy()
    assert program.cloud.names() == []
    assert program.cloud.deleted() == ["keyvault:Secret key", "keyvault:Vault kilonode-vault"]
    assert [each for each in program.cloud.requests("delete") if each.details["swept"]] == []


def test_bad_inputs_fail_the_preview_and_bad_addresses_the_run_before_anything_else_is_made(program: Stack) -> None:
    program.give(**given(size="L8s"))
    with pytest.raises(
        PulumiError, match=r'compute:VirtualMachine api-[01]: hardwareProfile.vmSize is "L8s"; allowed: a size'
    ):
        program.pulumi("preview")
    assert program.cloud.requests() == []
    program.give(**given(machines={"api-0": "10.0.1.10"}))
    program.pulumi("preview")
    with pytest.raises(PulumiError, match=r"api-0-nic.*ipConfigurations\[\].privateIPAddress.*an address of control"):
        program.up()
    assert program.cloud.resources(NIC) == {}
    # Once its subnet exists, the preview can tell too.
    with pytest.raises(PulumiError, match="an address of control"):
        program.pulumi("preview")
    program.give(**given())
    program.up()
    assert len(program.cloud.requests("create")) == 17


def test_a_change_the_cloud_refuses_needs_a_replacement_that_deletes_first(program: Stack) -> None:
    program.up()
    changed = given(boot="#cloud-config\nruncmd: []\n")
    program.give(**changed)
    assert program.steps() == {"update": ["api-0", "api-1"]}
    with pytest.raises(PulumiError, match=r'Status=409 Code="PropertyChangeNotAllowed".*customData'):
        program.up()
    program.give(**changed, machine_options=REPLACED | {"delete_before_replace": False})
    with pytest.raises(PulumiError, match="cannot create already existing resource"):
        program.up()
    before = {name: each.server["guid"] for name, each in program.cloud.resources(VM).items()}
    program.give(**changed, machine_options=REPLACED)
    program.up()
    after = {name: each.server["guid"] for name, each in program.cloud.resources(VM).items()}
    assert all(before[name] != after[name] for name in before)
    assert program.cloud.requests("delete", NIC) == []
    program.unchanged()


def test_a_failed_request_is_made_up_for_by_the_next_run(program: Stack) -> None:
    program.cloud.order("throttled", "network:Subnet", request=2)
    with pytest.raises(PulumiError, match='Status=429 Code="TooManyRequests"'):
        program.up()
    program.cloud.order("half-made", VM, name="api-1")
    with pytest.raises(PulumiError, match='Code="AllocationFailed"'):
        program.up()
    # The engine has what the cloud made, and that it went wrong.
    assert "AllocationFailed" in program.resources()["api-1"]["initErrors"][0]
    program.up()
    created = [(each.token, each.name) for each in program.cloud.requests("create") if "answer" not in each.details]
    assert len(created) == len(set(created)) == 17
    program.unchanged()
    program.cloud.order("lost", VMSS)
    program.cloud.remove(VMSS, "pool")
    program.refresh()
    with pytest.raises(PulumiError, match="AllocationFailed"):
        program.up()
    # The engine does not know of it, the cloud does.
    with pytest.raises(PulumiError, match="cannot create already existing resource"):
        program.up()


def test_the_autoscalers_machines_are_taken_away_unless_the_state_is_refreshed_first(program: Stack) -> None:
    program.give(**given(ignore=["sku.capacity"]))
    program.up()
    program.cloud.set_capacity("pool", 9)
    program.up()
    assert program.cloud.lowered() == []
    program.give(**given(ignore=["sku.capacity"], tags={"a": "b"}))
    program.up("--refresh")
    assert program.cloud.resources(VMSS)["pool"].body["sku"]["capacity"] == 9
    program.cloud.set_capacity("pool", 11)
    program.give(**given(ignore=["sku.capacity"], tags={"a": "c"}))
    program.up()
    # ignore_changes sends the capacity of the last state, not none.
    assert [each.details["lowered"] for each in program.cloud.lowered()] == [[11, 9]]


def test_a_vaults_name_is_taken_after_a_destroy_and_refresh_sees_what_was_done_by_hand(program: Stack) -> None:
    program.up()
    program.cloud.change("network:NatGateway", "nat", "idleTimeoutInMinutes", 30)
    program.cloud.remove(VM, "api-1")
    program.refresh()
    assert program.steps() == {"create": ["api-1"], "update": ["nat"]}
    program.up()
    program.unchanged()
    program.destroy()
    with pytest.raises(PulumiError, match='Status=409 Code="ConflictError"'):
        program.up()
    program.give(**given(vault_mode="recover"))
    # The vault comes back; the secret deleted before it does not, and is in the way.
    with pytest.raises(PulumiError, match="deleted but recoverable state"):
        program.up()
    program.cloud.purge("keyvault:Secret", "key")
    program.up()
    program.unchanged()


SHARED = """
import json, os
import pulumi
import pulumi_azure_native as azure

given = json.loads(os.environ["GIVEN"])
network = azure.network.VirtualNetwork.get("shared", given["network"])
pulumi.export("range", network.address_space.address_prefixes[0])
group = azure.resources.get_resource_group(resource_group_name="rg-one")
table = azure.network.RouteTable("made-up", resource_group_name=group.name)
west = azure.Provider("west", location="westeurope")
other = azure.network.RouteTable("other", resource_group_name=group.name, opts=pulumi.ResourceOptions(provider=west))
pulumi.export("other", other.location)
pulumi.export("place", table.location)
pulumi.export("name", table.name)
"""


def test_what_no_program_made_can_be_looked_up_and_names_left_out_are_made_up(stack: Stack) -> None:
    where = {"resourceGroupName": "rg-one", "location": "southcentralus"}
    stack.cloud.place("resources:ResourceGroup", where)
    network = stack.cloud.place(
        "network:VirtualNetwork",
        {**where, "virtualNetworkName": "shared", "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}},
    )
    stack.write(SHARED, network=network).init()
    stack.up()
    assert stack.pulumi("stack", "output", "range").strip() == "10.0.0.0/16"
    assert stack.pulumi("stack", "output", "place").strip() == "southcentralus"
    assert stack.pulumi("stack", "output", "other").strip() == "westeurope"
    assert stack.pulumi("stack", "output", "name").strip() in stack.cloud.resources("network:RouteTable")
    stack.unchanged()
    stack.give(network=network + "x")
    with pytest.raises(PulumiError):
        stack.up()
    stack.destroy()
    assert stack.cloud.names() == ["network:VirtualNetwork shared", "resources:ResourceGroup rg-one"]
