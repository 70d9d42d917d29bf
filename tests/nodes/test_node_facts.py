"""What a node works out from its own address: the program of the image, against the plan."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from ipaddress import IPv4Network
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilonode.boot
from kilonode.limits import RESERVED_AT_START
from kilonode.network.pool import PoolAddresses

PROGRAM = Path(kilonode.boot.__file__).parent / "rootfs/node/usr/lib/kilonode/node-facts"


def loaded() -> ModuleType:
    spec = spec_from_loader("node_facts", SourceFileLoader("node_facts", str(PROGRAM)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


facts = loaded()


def document(addresses: PoolAddresses) -> dict[str, Any]:
    return {
        "range": str(addresses.range),
        "network": "10.0.0.0/8",
        "pods_per_node": addresses.pods_per_node,
        "reserved_at_start": RESERVED_AT_START.value,
    }


pools = st.builds(
    PoolAddresses,
    st.integers(12, 22).flatmap(lambda prefix: st.just(IPv4Network(f"10.64.0.0/{prefix}"))),
    st.integers(1, 250),
)


@given(pools, st.data())
def test_a_nodes_slice_is_the_plans(addresses: PoolAddresses, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, addresses.capacity - 1))
    assert facts.slice_of(addresses.node(index), document(addresses)) == addresses.pods(index)


@given(pools, st.data())
def test_an_address_of_no_node_is_refused(addresses: PoolAddresses, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, addresses.capacity - 1))
    pod = addresses.node(index) + data.draw(st.integers(1, addresses.pods_per_node))
    with pytest.raises(SystemExit, match="no node's address"):
        facts.slice_of(pod, document(addresses))


def test_addresses_outside_the_pool_and_reserved_ones_are_refused() -> None:
    addresses = PoolAddresses(IPv4Network("10.66.0.0/16"), 30)
    for address in (addresses.range[0], addresses.range[3], IPv4Network("10.67.0.0/16")[4]):
        with pytest.raises(SystemExit, match="no node's address"):
            facts.slice_of(address, document(addresses))


def test_pods_have_addresses_of_the_regions_network_behind_their_node_and_are_not_translated() -> None:
    addresses = PoolAddresses(IPv4Network("10.66.0.0/16"), 30)
    plugin = facts.cni(addresses.node(1), document(addresses))["plugins"][0]
    assert plugin["ipMasq"] is False
    assert plugin["ipam"]["ranges"] == [
        [{"subnet": "10.0.0.0/8", "rangeStart": "10.66.0.36", "rangeEnd": "10.66.0.65", "gateway": "10.66.0.35"}]
    ]
    assert plugin["ipam"]["dataDir"].startswith("/run/"), "a reboot leaves no pod, so no address may stay taken"


def test_facts_are_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = PoolAddresses(IPv4Network("10.66.0.0/16"), 30)
    (tmp_path / "pool.json").write_text(facts.json.dumps(document(addresses)))
    monkeypatch.setattr(facts, "CNI", tmp_path / "cni" / "net.conflist")
    monkeypatch.setattr(facts, "FACTS", tmp_path / "node.env")
    monkeypatch.setattr(facts, "own_address", lambda: addresses.node(0))
    monkeypatch.setattr(facts, "zone", lambda _pool: "2")
    facts.main(tmp_path / "pool.json")
    assert (tmp_path / "node.env").read_text() == (
        'NODE_FLAGS="--node-ip=10.66.0.4 --node-labels=topology.kubernetes.io/zone=2"\n'
    )
    assert facts.json.loads((tmp_path / "cni" / "net.conflist").read_text())["cniVersion"] == "1.0.0"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cni", "node.env", "pool.json"]
