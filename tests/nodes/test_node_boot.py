"""What of a pool's settings its nodes' boot data cannot hold."""

import pytest

from kilonode.nodes.boot import node_pool_user_data
from kilonode.refusal import Refusal, RefusedError
from tests import plans


def refused(**pool: object) -> Refusal:
    of_workers = plans.settings()["nodePools"][1] | pool
    plan = plans.plan(nodePools=[of_workers])
    with pytest.raises(RefusedError) as error:
        node_pool_user_data(plan.machine_pools[0].spec, plans.node_boots(plan)["workers"])
    (found,) = error.value.refusals
    return found


def test_a_token_among_the_labels_is_refused_as_one_and_not_shown() -> None:
    found = refused(labels={"example.com/VAULT_TOKEN": "lake-side"})
    assert found.field == "nodePools workers"
    assert "keys, tokens and passwords" in found.allowed
    assert "/etc/kubernetes/kubelet.env holds an access token" in found.why
    assert found.fix.startswith("take it out")
    assert "lake-side" not in str(found)


def test_what_is_too_large_is_refused_with_how_much_there_is_of_what() -> None:
    names = [f"{'a' * 200}{number:02}" for number in range(32)]
    images = [
        {"reference": f"r.example.com/{name}:{'v' * 128}@sha256:{'0' * 64}", "archive": f"/srv/{name[-180:]}.tar"}
        for name in names
    ]
    mirrors = [
        {
            "registry": f"r{number}.example.com",
            "endpoints": [f"https://{each}.example.com/{'b' * 200}" for each in "abcd"],
        }
        for number in range(8)
    ]
    found = refused(images=images, mirrors=mirrors, labels={"example.com/team": "one"})
    assert found.given == "32 images, 8 mirrors, 1 labels, 0 taints"
    assert "the limit is 32767" in found.why
    assert found.fix == "shorten names, leave some out, or split the pool"
