"""What things are called on Azure: within its rules, and nothing twice."""

import re
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.clouds.azure import names
from kilonode.clouds.azure.plan import AzurePlan
from kilonode.names import POOL_MAX, REGION_MAX
from tests.clouds.azure.regions import plan, pool

LABEL = st.from_regex(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?", fullmatch=True)
LONGEST_REGION, LONGEST_POOL = "r" * REGION_MAX, "p" * POOL_MAX
PLACES = ("rg", "westeurope")


def named(of: AzurePlan) -> list[tuple[str, str]]:
    """Every name of a plan with the kind of what has it."""
    found = [
        ("resources:ResourceGroup", of.resource_group),
        ("network:LoadBalancer", of.load_balancer.name),
        ("privatedns:PrivateZone", of.dns_zone),
        ("keyvault:Vault", of.key_vault),
        ("storage:StorageAccount", of.storage_account),
        ("compute:Gallery", of.gallery),
        *(("storage:BlobContainer", each) for each in (*of.marks.values(), of.snapshots, of.checkpoints)),
        *(("network:VirtualNetworkPeering", each.name) for each in of.peerings),
    ]
    for each in of.machines:
        found += [(kind, each.machine.name) for kind in ("compute:VirtualMachine", "network:NetworkInterface")]
        found += [(kind, each.machine.name) for kind in ("keyvault:Secret", "managedidentity:UserAssignedIdentity")]
    for each in of.pools:
        found += [("keyvault:Secret", each.secret), ("managedidentity:UserAssignedIdentity", each.identity)]
        found += [("compute:VirtualMachineScaleSet", one.name) for one in each.sets]
    for vnet in of.vnets:
        found += [
            ("network:VirtualNetwork", vnet.name),
            ("network:NatGateway", vnet.nat.name),
            ("network:PublicIPPrefix", vnet.nat.name),
        ]
        for subnet in vnet.subnets:
            found += [("network:Subnet", subnet.name), ("network:NetworkSecurityGroup", subnet.security_group)]
            found += [
                ("network:SecurityRule", f"{rule.name} of {subnet.name}".replace(" ", "_")) for rule in subnet.rules
            ]
    return found


def regions(draw: st.DrawFn) -> dict[str, Any]:
    pools = draw(st.lists(LABEL, unique=True, min_size=1, max_size=4))
    rows = [
        pool(name=name, range=f"10.{65 + number % 3}.{64 * (number // 3)}.0/18") for number, name in enumerate(pools)
    ]
    return {"name": draw(LABEL), "nodePools": rows}


@given(st.composite(regions)())
def test_every_name_is_one_that_azure_takes_and_stands_once_among_its_kind(shape: dict[str, Any]) -> None:
    found = named(plan(**shape))
    assert all(names.checked(kind, name) == name for kind, name in found)
    assert len(set(found)) == len(found)


def test_the_longest_names_fit() -> None:
    row = pool(name=LONGEST_POOL, nodes=0, podsPerNode=1, azure={"size": "Standard_ND96isr_H100_v5", "max": 10_000})
    made = plan(name=LONGEST_REGION, ceiling=10_000, nodePools=[row])
    assert all(names.checked(kind, name) for kind, name in named(made))
    node = made.pools[0].sets[-1].name + "zzzzzz"
    assert len(node) <= 63
    assert (len(made.key_vault), len(made.storage_account)) == (24, 24)


@given(st.lists(LABEL, unique=True, min_size=2, max_size=2), st.integers(0, 99), st.integers(0, 36**6 - 1))
def test_no_node_of_one_pool_has_a_name_that_one_of_another_could_have(
    pools: list[str], number: int, instance: int
) -> None:
    digits = ""
    for _ in range(6):
        instance, digit = divmod(instance, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    node = names.scale_set("west", pools[0], number) + digits
    forms = [re.escape(names.node_prefix("west", each)) + f"[0-9a-z]{{{names.NODE_DIGITS}}}" for each in pools]
    assert [bool(re.fullmatch(form, node)) for form in forms] == [True, False]


@given(
    st.lists(st.tuples(LABEL, LABEL, st.sampled_from(["westeurope", "eastus"])), unique=True, min_size=2, max_size=5)
)
def test_vaults_and_accounts_of_two_regions_are_called_differently(places: list[tuple[str, str, str]]) -> None:
    """They are one namespace among all customers; and a region's are the same every time."""
    for one, other in combinations(places, 2):
        assert names.key_vault(*one) != names.key_vault(*other)
        assert names.storage_account(*one) != names.storage_account(*other)
        assert names.key_vault(*one) == names.key_vault(*one)


def test_a_region_with_two_dashes_in_a_row_has_a_vault_with_one() -> None:
    assert re.fullmatch(r"a-b-[a-z2-7]{10}", names.key_vault("a--b", *PLACES))
    assert re.fullmatch(r"aaaaaaaaaaaa-[a-z2-7]{10}", names.key_vault("aaaaaaaaaaaa-bbb", *PLACES))
    assert re.fullmatch(r"ab[a-z2-7]{10}", names.storage_account("a--b", *PLACES))


@pytest.mark.parametrize(
    ("kind", "name"),
    [("keyvault:Vault", "a--b"), ("keyvault:Vault", "a" * 25), ("storage:StorageAccount", "a-b"), ("network:Subnet", "a-"),
     ("compute:VirtualMachineScaleSet", "a" * 65), ("privatedns:PrivateZone", "internal"), ("resources:ResourceGroup", "a.")],
)  # fmt: skip
def test_a_name_that_azure_would_not_take_is_an_error_here(kind: str, name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{kind} {name!r}")):
        names.checked(kind, name)


def test_a_pool_has_no_more_sets_than_names_have_numbers_for() -> None:
    with pytest.raises(ValueError, match="no name for its scale set 100"):
        names.scale_set("west", "workers", 100)
