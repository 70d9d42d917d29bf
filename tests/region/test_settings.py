"""From a stack's settings to a spec."""

from typing import Any

import pytest

from kilonode.refusal import RefusedError
from kilonode.region.settings import KEY, read_settings
from kilonode.region.spec import RegionSpec
from tests.plans import pool, settings, spec


def test_the_region_s_key_is_read_and_keys_of_others_are_theirs() -> None:
    assert read_settings({KEY: settings(), "aws:region": "us-east-1", "encryptionsalt": "x"}) == spec()


def test_keys_may_be_written_as_python_writes_them() -> None:
    snake = settings()
    snake["api_servers"] = snake.pop("apiServers")
    assert RegionSpec.read(snake, KEY) == spec()


def test_a_region_of_few_words_is_a_whole_one() -> None:
    few = {key: settings()[key] for key in ("name", "cloud", "ceiling", "network")}
    made = RegionSpec.read(few, KEY)
    assert [(cluster.name, cluster.members) for cluster in made.etcd] == [("main", 5), ("events", 5)]
    assert made.api_servers.count == 5
    assert made.node_pools == ()
    assert made.warnings() == []


def test_a_single_api_server_is_taken_with_a_warning() -> None:
    assert ["apiServers.count is 1" in warning for warning in spec(apiServers={"count": 1}).warnings()] == [True]


def test_a_region_passes_on_the_warnings_of_its_clusters() -> None:
    rows = [{"name": name, "members": 3, "quota": "9GiB"} for name in ("main", "events")]
    assert len(spec(etcd=rows).warnings()) == 2


def test_nodes_up_to_the_ceiling_fit_and_one_more_does_not() -> None:
    rows = [pool("one", 0, "10.65.0.0/16", nodes=999), pool("two", 1, "10.66.0.0/16", nodes=1)]
    assert spec(ceiling=1000, nodePools=rows)
    with pytest.raises(RefusedError, match=r"1000 nodes in all\n.*at most the ceiling of 999"):
        RegionSpec.read(settings(ceiling=999, nodePools=rows), KEY)


@pytest.mark.parametrize("where", [("ceiling",), ("network", "range"), ("etcd", 0, "members"), ("nodePools", 0)])
def test_a_secret_is_refused_wherever_it_stands(where: tuple[Any, ...]) -> None:
    edited = settings()
    inner: Any = edited
    for step in where[:-1]:
        inner = inner[step]
    inner[where[-1]] = {"secure": "v1:abc"}
    with pytest.raises(RefusedError, match="a secret\n") as refused:
        read_settings({KEY: edited})
    assert "abc" not in str(refused.value)


def test_a_key_of_ours_that_nobody_reads_is_refused_though_the_region_is_fine() -> None:
    with pytest.raises(RefusedError, match="kilonode:regions\n"):
        read_settings({KEY: settings(), "kilonode:regions": {}})


def test_keys_that_are_no_text_belong_to_nobody() -> None:
    odd: Any = {KEY: settings(), 5: "x", True: "y"}
    assert read_settings(odd) == spec()


def test_a_spec_cannot_be_changed_once_made() -> None:
    with pytest.raises(ValueError, match="frozen"):
        spec().ceiling = 5  # type: ignore[misc]
