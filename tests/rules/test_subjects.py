"""What rules look at: facts of one kind, and what may turn out to be of that kind."""

import pytest

from kilonode.rules import subjects
from kilonode.rules.facts.machines import UserData
from kilonode.rules.facts.network import LoadBalancer
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.stack import Facts, Stack, Unread
from kilonode.rules.facts.workloads import PriorityClass
from kilonode.rules.rule import Over
from kilonode.rules.subjects_balancers import api_balancers
from kilonode.rules.unknown import Fact, Unknown
from tests.rules.arithmetic import data, machine, pool

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


STACK = Stack("urn", 1)


@pytest.mark.parametrize(
    ("over", "facts"),
    [
        (subjects.subnets, Facts(STACK, pools=(pool(subnets=Unknown("subnet")),))),
        (subjects.balloons, Facts(STACK, priority_classes=(PriorityClass("urn", "c", -1, Unknown("images")),))),
        (
            api_balancers,
            Facts(STACK, balancers=(LoadBalancer("urn", public=False, forwards=Unknown("ports")),)),
        ),
        (subjects.members, Facts(STACK, unread=(Unread("urn", "customData"),))),
        (subjects.api_servers, Facts(STACK, unread=(Unread("urn", "customData"),))),
        (subjects.fixed, Facts(STACK, unread=(Unread("urn", "customData"),))),
        (subjects.cluster_machines, Facts(STACK, machines=(machine(data=Unknown("customData")),))),
        (subjects.booting, Facts(STACK, machines=(machine(data=Unknown("customData")),))),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_undecided_is_what_may_be_of_the_kind(over: Over, facts: Facts) -> None:
    assert [type(each) for each in over(facts)] == [Unread]
