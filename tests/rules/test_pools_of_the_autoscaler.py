"""Pools that the autoscaler of the same stack is told otherwise than by the usual tags."""

import pytest

from kilonode.rules import subjects
from kilonode.rules.facts.stack import Unread
from kilonode.rules.read.facts import read_facts
from tests.rules.foreign import Foreign, cloud_config, encoded, with_property

OWN, USUAL = "label:team=ml", "label:cluster-autoscaler-enabled=true"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ({"nodes": "1:5000:pool"}, "nodes"),
        ({"node-group-auto-discovery": OWN}, "node-group-auto-discovery"),
        ({"node-group-auto-discovery": USUAL}, None),
        ({}, None),
    ],
)
def test_a_pool_may_be_one_that_the_autoscaler_is_told_by_name_or_by_other_tags(
    flags: dict[str, str], told: str | None
) -> None:
    of = Foreign()
    of.autoscaler |= flags
    of.pool |= {"tags": {"team": "ml"}}
    data = encoded(cloud_config({"/etc/motd": "hello"}))
    path = "virtualMachineProfile.osProfile.customData"
    facts = read_facts(with_property(each, path, data) if each.name == "pool" else each for each in of.resources())
    found = list(subjects.node_pools(facts))
    assert [(type(each), getattr(each, "field", "").count(f"--{told} ")) for each in found] == (
        [(Unread, 1)] if told else []
    )
