"""What Azure's custom script extension runs is one more script of its machine, and what it keeps to itself is never shown."""

import base64
import gzip
from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource, sealed
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Fact, Unknown
from tests.rules.doors import DOORS
from tests.rules.foreign import NATIVE, Foreign
from tests.rules.judged import said
from tests.rules.written import made, urn, with_property

COMMAND = "etcd --name=one --listen-client-urls=http://10.0.0.9:2379"
KEY = f"-----BEGIN PRIVATE KEY-----\n{'MIIEvQIBADANBgkqhkiG9w0B' * 9}\n-----END PRIVATE KEY-----\n"
MACHINE, SET = f"{NATIVE}compute:VirtualMachineExtension", f"{NATIVE}compute/v20240301:VirtualMachineScaleSetExtension"


def settings(place: str = "settings", kind: Any = "CustomScript", **own: Any) -> dict[str, Any]:
    return {"publisher": "Microsoft.Azure.Extensions", "type": kind, place: own}


def packed(text: str, *, gz: bool) -> str:
    return base64.b64encode(gzip.compress(text.encode()) if gz else text.encode()).decode()


def stack(*more: Resource, profile: Any = None, bare: bool = False) -> list[Resource]:
    """The clean stack with a machine and a set that run nothing, and extensions."""
    resources = Foreign().resources()
    own = [each for each in resources if each.name in {"api-1", "pool"}]
    data = {"api-1": "osProfile.customData", "pool": "virtualMachineProfile.osProfile.customData"}
    own = [
        with_property(each, data[each.name], "" if bare else base64.b64encode(b"#!/bin/sh\n").decode()) for each in own
    ]
    own = [with_property(each, "vmScaleSetName", "pool") if each.name == "pool" else each for each in own]
    if profile is not None:
        own = [
            with_property(each, "virtualMachineProfile.extensionProfile", {"extensions": profile})
            if each.name == "pool"
            else each
            for each in own
        ]
    return [*(each for each in resources if each.name not in data), *own, *more]


def alone(row: dict[str, Any], name: Any = "api-1", **options: Any) -> Resource:
    return made(MACHINE, "more", {"vmName": name, **row}, **options)


def of_set(row: dict[str, Any], name: Any = "pool") -> Resource:
    return made(SET, "more", {"vmScaleSetName": name, **row})


def data(resources: list[Resource], name: str) -> Fact[UserData | None]:
    facts = read_facts(resources)
    found: dict[str, Fact[UserData | None]] = {each.name: each.data for each in facts.machines}
    return (found | {each.name: each.data for each in facts.pools})[name]


def runs(resources: list[Resource], name: str) -> bool:
    found = data(resources, name)
    return isinstance(found, UserData) and found.programs.get("etcd", {}).get("name") == "one"


ROWS = [
    settings(commandToExecute=COMMAND),
    settings(kind="customscriptForLinux", commandToExecute=COMMAND),
    settings("protectedSettings", commandToExecute=COMMAND),
    settings(script=packed(f"#!/bin/sh\n{COMMAND}\n", gz=False)),
    settings("protectedSettings", script=packed(COMMAND, gz=True)),
    settings(commandToExecute=f"cat > /run.sh <<E\n#!/bin/sh\n{COMMAND}\nE\nsh /run.sh"),
    {
        **settings(commandToExecute=COMMAND),
        "protectedSettings": {"script": packed("true", gz=False), "storageAccountKey": "k"},
    },
]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("bare", [False, True])
def test_what_an_extension_runs_its_machine_runs(row: dict[str, Any], bare: bool) -> None:
    assert runs(stack(alone(row), bare=bare), "api-1")
    assert runs(stack(of_set(row, "POOL"), bare=bare), "pool")
    assert runs(stack(profile=[{"type": "AADSSHLogin"}, {"name": "x", **row}], bare=bare), "pool")


def test_a_machine_whose_name_is_not_known_yet_is_found_by_what_its_name_comes_from() -> None:
    of = {"vmName": (urn(f"{NATIVE}compute/v20240301:VirtualMachine", "api-1"), "urn:group")}
    resources = stack(alone(ROWS[0], Unknown("vmName"), depends=of))
    assert runs(resources, "api-1")
    assert not runs(resources, "api-2")


@pytest.mark.parametrize(
    "more",
    [
        (alone(ROWS[0], "another"),),
        (alone(ROWS[0], "api-2"),),
        (of_set(ROWS[0], "api-1"),),
        (alone(settings(kind="CustomScriptExtension", commandToExecute=COMMAND)),),
        (alone(settings(kind="AzureMonitorLinuxAgent", fileUris=["https://example.com/x"])),),
        (alone({"type": "CustomScript"}),),
        (alone(settings(script="")),),
        (made(f"{NATIVE}compute:VirtualMachineScaleSetVMExtension", "more", {"vmScaleSetName": "pool", **ROWS[0]}),),
    ],
)
def test_what_runs_nothing_on_a_machine_leaves_it_as_it_is(more: tuple[Resource, ...]) -> None:
    assert data(stack(*more), "api-1") == data(stack(), "api-1")
    assert data(stack(bare=True), "api-1") is None


SECRET = "protectedSettings (a secret; `pulumi stack export --show-secrets` has it)"


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (settings(fileUris=["https://example.com/x"], commandToExecute="sh x"), "settings.fileUris"),
        (settings("protectedSettings", fileUris=["https://example.com/x?sig=s"]), "protectedSettings.fileUris"),
        ({"type": "CustomScript", "protectedSettingsFromKeyVault": {"secretUrl": "x"}}, "protectedSettingsFromKeyVault"),
        (settings(commandToExecute=Unknown("settings.commandToExecute")), "settings.commandToExecute"),
        (settings(script=7), "settings.script"),
        (settings() | {"protectedSettings": Unknown(SECRET)}, SECRET),
        (settings(kind=Unknown("type"), commandToExecute=COMMAND), "type"),
    ],
)  # fmt: skip
def test_what_an_extension_fetches_or_nobody_can_see_is_undecided(row: dict[str, Any], field: str) -> None:
    assert data(stack(alone(row)), "api-1") == Unknown(f"{field} of extension more")
    assert data(stack(profile=[row]), "pool") == Unknown(f"{field} of an extension")
    assert {type(each) for each in said("apiserver-count", stack(alone(row)))} == {Undecided}


def test_a_script_that_is_no_base64_runs_nothing() -> None:
    found, before = (data(stack(*more), "api-1") for more in ((alone(settings(script="no base64!")),), ()))
    assert isinstance(found, UserData)
    assert isinstance(before, UserData)
    assert (found.commands, found.programs) == (before.commands, before.programs)


def test_an_extension_of_which_nothing_is_known_is_no_crash() -> None:
    of = {"vmName": (urn(f"{NATIVE}compute/v20240301:VirtualMachine", "api-1"),)}
    nothing: Any = Unknown("everything")
    resources = stack(replace(alone({}), properties=nothing, depends=of))
    assert data(resources, "api-1") == Unknown("everything of extension more")
    assert isinstance(data(resources, "api-2"), UserData)


def test_an_extension_that_may_be_any_machines_leaves_each_undecided_and_no_set() -> None:
    resources = stack(alone(ROWS[0], Unknown("vmName")))
    assert data(resources, "api-2") == Unknown("vmName of extension more")
    assert isinstance(data(resources, "pool"), UserData)
    assert data(stack(profile=Unknown("profile")), "pool") == Unknown("profile")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (settings(commandToExecute=COMMAND), True),
        (settings("protectedSettings", commandToExecute=COMMAND), False),
        (settings("protectedSettings", script=packed(COMMAND, gz=True)), False),
    ],
)
def test_of_what_is_protected_nothing_is_shown(row: dict[str, Any], shown: bool, door: str) -> None:
    for resources in (stack(alone(row)), stack(profile=[row])):
        told = [each for each in DOORS[door](resources, {}) if each.rule == "etcd-client-tls"]
        assert told
        assert any("10.0.0.9" in each.text for each in told) is shown


def test_of_what_its_program_keeps_secret_nothing_is_shown() -> None:
    resources = stack(alone(settings(**sealed({"commandToExecute": COMMAND}))))
    facts = read_facts(resources)
    found = [str(each) for rule in RULES if rule.level != "disabled" for each in rule.check(facts)]
    assert any("[secret]" in each for each in found)
    assert not any("10.0.0.9" in each for each in found)


@pytest.mark.parametrize(("place", "kinds"), [("settings", [Violation]), ("protectedSettings", [])])
def test_a_key_is_a_fault_where_everybody_reads_it_and_none_where_it_is_protected(
    place: str, kinds: list[type]
) -> None:
    rows = (settings(place, commandToExecute=f"cat > /key <<E\n{KEY}E"), settings(place, script=packed(KEY, gz=True)))
    for row in rows:
        for resources in (stack(alone(row)), stack(alone(row), bare=True), stack(profile=[row])):
            assert [type(each) for each in said("user-data-secrets", resources)] == kinds
