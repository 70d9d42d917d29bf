"""What a living region cannot take back."""

import json
from typing import Any

import pytest

from kilonode.refusal import Refusal
from kilonode.region.birth import birth_facts, refusals
from kilonode.region.record import BirthProvider
from tests.clouds.azure import regions
from tests.plans import plan, pool, spec

MAIN, EVENTS, LEASES = ({"name": name, "members": 3} for name in ("main", "events", "leases"))


def judge(**changes: Any) -> list[Refusal]:
    """What is said when the region of ``tests.plans.SETTINGS`` is edited so."""
    return refusals(birth_facts(spec()), birth_facts(spec(**changes)))


@pytest.mark.parametrize(
    ("changes", "field", "given", "allowed"),
    [
        ({"name": "east"}, "name", "east", "west"),
        ({"ceiling": 999}, "ceiling", "999", "1000"),
        ({"ceiling": 1001}, "ceiling", "1001", "1000"),
        ({"network": {"range": "10.64.0.0/13"}}, "network.range", "10.64.0.0/13", "10.64.0.0/14"),
        ({"network": {"range": "10.64.0.0/14", "services": "172.24.0.0/16"}},
         "network.services", "172.24.0.0/16", "172.20.0.0/16"),
        ({"network": {"range": "10.64.0.0/14", "domain": "x.local"}}, "network.domain", "x.local", "cluster.local"),
        ({"etcd": [MAIN, EVENTS, LEASES]}, "etcd", "a new row 'leases'", "events, main"),
        ({"etcd": [MAIN | {"members": 5}, EVENTS]}, "etcd main: members of the first bootstrap", "5", "3"),
        ({"etcd": [MAIN, EVENTS | {"members": 1}]}, "etcd events: members of the first bootstrap", "1", "3"),
        ({"etcd": [MAIN | {"members": 5, "bornWith": 1}, EVENTS]},
         "etcd main: members of the first bootstrap", "1", "3"),
    ],
)  # fmt: skip
def test_an_edit_a_living_region_cannot_take_is_refused(
    changes: dict[str, Any], field: str, given: str, allowed: str
) -> None:
    (refused,) = judge(**changes)
    assert (refused.field, refused.given) == (field, given)
    assert refused.allowed.endswith(allowed)
    assert refused.why
    assert refused.fix


def test_a_row_that_was_there_at_birth_cannot_be_taken_out() -> None:
    born = birth_facts(spec(etcd=[MAIN, EVENTS, LEASES]))
    (refused,) = refusals(born, birth_facts(spec(etcd=[MAIN, EVENTS])))
    assert refused.given == "no row 'leases'"
    assert "lost" in refused.why
    assert refused.fix == "put the row {name: leases} back"


def test_members_that_grew_without_saying_so_are_told_what_to_write() -> None:
    (refused,) = judge(etcd=[MAIN | {"members": 5}, EVENTS])
    assert refused.fix == "set bornWith: 3 beside the new members"
    assert judge(etcd=[MAIN | {"members": 5, "bornWith": 3}, EVENTS]) == []


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"etcd": [MAIN | {"members": 7, "bornWith": 3}, EVENTS | {"members": 5, "bornWith": 3}]},
        {"etcd": [EVENTS, MAIN]},
        {"etcd": [MAIN | {"quota": "12GiB"}, EVENTS]},
        {"apiServers": {"count": 9}},
        {"apiServers": {"count": 1}},
        {"nodePools": []},
        {"nodePools": [pool("new", 1, "10.66.0.0/16"), pool("sim", 0, "10.65.0.0/16", nodes=900)]},
    ],
    ids=str,
)
def test_an_edit_a_living_region_can_take_is_not_refused(changes: dict[str, Any]) -> None:
    assert judge(**changes) == []


def test_a_cluster_born_with_one_member_grows_by_saying_so() -> None:
    born = birth_facts(spec(etcd=[MAIN | {"members": 1}, EVENTS]))
    assert refusals(born, birth_facts(spec(etcd=[MAIN | {"members": 3, "bornWith": 1}, EVENTS]))) == []


def test_every_fault_is_said_at_once() -> None:
    found = judge(name="east", ceiling=500, etcd=[MAIN, EVENTS, LEASES])
    assert [refused.field for refused in found] == ["name", "ceiling", "etcd"]


def test_facts_are_plain_values_that_a_state_file_keeps() -> None:
    facts = birth_facts(spec())
    assert json.loads(json.dumps(facts)) == facts
    assert set(facts) == {"name", "ceiling", "range", "services", "domain", "etcd", "cloud", "zones"}
    on_azure = birth_facts(regions.spec())
    assert json.loads(json.dumps(on_azure)) == on_azure
    assert set(on_azure) - set(facts) == {"location", "image"}


@pytest.mark.parametrize("cloud", ["local", "azure"])
def test_facts_that_an_older_record_does_not_have_refuse_nothing(cloud: str) -> None:
    facts = birth_facts(spec() if cloud == "local" else regions.spec())
    for absent in (("domain",), ("cloud", "zones", "location", "image")):
        assert refusals({key: value for key, value in facts.items() if key not in absent}, facts) == []


@pytest.mark.parametrize(
    ("changes", "field", "given", "allowed"),
    [
        ({"location": "uksouth"}, "cloud.location", "uksouth", "westeurope"),
        ({"zones": ["2", "1", "3"]}, "cloud.zones", "['2', '1', '3']", "['1', '2', '3']"),
        ({"zones": ["1", "2"]}, "cloud.zones", "['1', '2']", "['1', '2', '3']"),
        ({"image": {"kind": "given", "id": regions.PLAIN}}, "cloud.image", "plain", "gallery"),
    ],
)
def test_where_a_region_on_azure_is_stays_as_it_was(
    changes: dict[str, Any], field: str, given: str, allowed: str
) -> None:
    (refused,) = refusals(birth_facts(regions.spec()), birth_facts(regions.spec(cloud=changes)))
    assert (refused.field, refused.given, refused.allowed) == (field, given, allowed)
    assert refused.why
    assert refused.fix


@pytest.mark.parametrize(
    "changes",
    [
        {"etcd": {"size": "Standard_L16s_v3"}}, {"apiServers": {"size": "Standard_E64s_v5"}}, {"tags": {"a": "b"}}, {"operatorRanges": []},
        {"image": {"kind": "given", "id": regions.GALLERY.replace("1.0.0", "1.0.1")}}, {"sshRanges": ["10.1.0.0/24"]},
        {"image": {"kind": "template", "version": "1.0.0", "source": "https://a.example.com/b", "checksums": "0" * 64}},
    ],
    ids=str,
)  # fmt: skip
def test_what_a_region_on_azure_can_take_is_not_refused(changes: dict[str, Any]) -> None:
    assert refusals(birth_facts(regions.spec()), birth_facts(regions.spec(cloud=changes))) == []


def test_no_region_moves_to_another_cloud() -> None:
    moved = refusals(birth_facts(spec()), birth_facts(regions.spec()))
    assert ("cloud.kind", "azure", "local") in [(refused.field, refused.given, refused.allowed) for refused in moved]


def test_every_address_of_the_plan_follows_from_facts_of_birth_and_the_rows_themselves() -> None:
    """Were there another setting that moves machines, it would have to be a fact as well."""
    moved = plan(ceiling=10_000, network={"range": "10.64.0.0/14", "services": "172.24.0.0/16", "domain": "x.local"})
    assert [machine.address for machine in moved.machines] == [machine.address for machine in plan().machines]


def test_the_record_refuses_before_anything_else_moves() -> None:
    born, now = birth_facts(spec()), birth_facts(spec(ceiling=2000))
    (failure,) = BirthProvider().check({"facts": born}, {"facts": now}).failures or []
    assert failure.reason.startswith("refused: ceiling\n    given:   2000\n    allowed: 1000\n")
    assert not BirthProvider().check({}, {"facts": now}).failures
    assert not BirthProvider().check({"facts": born}, {"facts": born}).failures
