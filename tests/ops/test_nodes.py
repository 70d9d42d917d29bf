"""Which Node objects `make up` removes; the API is played."""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from kilonode.clouds.local.host import machines
from kilonode.nodes.labels import POOL_LABEL
from ops import nodes
from ops.https import Answer
from tests.plans import plan

OLD, NEW = "a" * 32, "b" * 32


class Api:
    """Nodes by name; records what is deleted, and by which uid."""

    def __init__(self, found: list[dict[str, Any]], status: int = 200) -> None:
        self.found, self.status = found, status
        self.deleted: dict[str, str] = {}

    def call(self, url: str, method: str = "GET", body: Any = None, timeout: float = 5) -> Answer:
        if method == "DELETE":
            self.deleted[urlsplit(url).path.rpartition("/")[2]] = body["preconditions"]["uid"]
            return Answer(self.status, "")
        # Two pages, to see that both are read.
        half = len(self.found) // 2
        first = urlsplit(url).query.endswith("continue=")
        token = "more" if first else ""
        items = self.found[:half] if first else self.found[half:]
        return Answer(200, json.dumps({"items": items, "metadata": {"continue": token}}))


class Region:
    """What the function reads of a region."""

    def __init__(self, api: Api) -> None:
        self.api, self.plan = api, plan()


def node(name: str, machine: str = NEW, pool: str = "workers") -> dict[str, Any]:
    return {
        "metadata": {"name": name, "uid": f"uid-of-{name}", "labels": {POOL_LABEL: pool}},
        "status": {"nodeInfo": {"machineID": machine}},
    }


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "machine_id", lambda _region, _name: NEW)


def forgotten(*found: dict[str, Any], status: int = 200) -> tuple[list[str], dict[str, str]]:
    api = Api(list(found), status)
    return nodes.forget_gone(Region(api)), api.deleted  # type: ignore[arg-type]


def test_nodes_whose_machines_registered_them_stay() -> None:
    assert forgotten(node("west-workers-00000"), node("west-workers-00001")) == ([], {})


def test_a_node_whose_machine_was_made_anew_goes_and_only_that_very_object() -> None:
    gone, deleted = forgotten(node("west-workers-00000", OLD), node("west-workers-00001"))
    assert gone == ["west-workers-00000"]
    assert deleted == {"west-workers-00000": "uid-of-west-workers-00000"}


def test_nodes_the_region_has_no_more_go() -> None:
    gone, _ = forgotten(node("west-workers-00002"), node("west-old-pool-00000", pool="old-pool"))
    assert gone == ["west-workers-00002", "west-old-pool-00000"]


def test_simulated_nodes_are_their_own_machines_to_remove() -> None:
    assert forgotten(node("west-sim-00099", "", pool="sim"), node("west-sim-00001", "", pool="sim")) == ([], {})


def test_nodes_of_others_stay() -> None:
    assert forgotten(node("laptop", OLD), node("west-workers-1", OLD), node("east-workers-00000", OLD)) == ([], {})


def test_a_node_that_was_registered_anew_meanwhile_stays() -> None:
    gone, deleted = forgotten(node("west-workers-00000", OLD), status=409)
    assert (gone, list(deleted)) == ([], ["west-workers-00000"])


def test_a_refused_deletion_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="403"):
        forgotten(node("west-workers-00000", OLD), status=403)
