"""What rules look at: facts of one kind, and what may turn out to be of that kind."""

import pytest

from kilonode.rules import subjects
from kilonode.rules.facts.machines import UserData
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.stack import Facts, Stack, Unread
from kilonode.rules.unknown import Fact, Unknown
from tests.rules.arithmetic import data, pool

NODE, OTHER, HIDDEN = data(programs={"kubelet": {}}), data(), Unknown("customData")


@pytest.mark.parametrize(
    ("autoscaled", "told", "kind"),
    [
        (True, None, NodePool),
        (True, HIDDEN, NodePool),
        (False, NODE, NodePool),
        (Unknown("tags"), NODE, NodePool),
        (Unknown("tags"), OTHER, Unread),
        (False, HIDDEN, Unread),
        (False, OTHER, None),
        (False, None, None),
    ],
)
def test_a_pool_is_of_nodes_if_it_starts_kubelet_or_the_autoscaler_has_it(
    autoscaled: Fact[bool], told: Fact[UserData | None], kind: type | None
) -> None:
    facts = Facts(Stack("urn", 1), pools=(pool(autoscaled=autoscaled, data=told),))
    assert [type(each) for each in subjects.node_pools(facts)] == ([kind] if kind else [])
    assert [type(each) for each in subjects.nodes(facts)] == (
        [NodePool] if told is NODE else [Unread] if told is HIDDEN else []
    )
