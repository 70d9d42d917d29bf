"""What programs of the image spell out for themselves is what the library says."""

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

import kilonode.boot
from kilonode.nodes import boot, containerd
from kilonode.nodes.labels import POOL_LABEL
from kilonode.nodes.plan import NUMBER, node_name
from tests.plans import images, plan

ROOTFS = Path(kilonode.boot.__file__).parent / "rootfs"


def program(path: str) -> ModuleType:
    loader = SourceFileLoader(path.rpartition("/")[2].replace("-", "_"), str(ROOTFS / path))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_node_facts_writes_where_kubelet_and_containerd_read() -> None:
    facts = program("node/usr/lib/kilonode/node-facts")
    assert str(facts.FACTS) == boot.FACTS
    assert str(facts.CNI.parent) == containerd.CNI_CONFIGURATION


def test_simulated_nodes_have_the_names_and_the_label_of_their_pool() -> None:
    simulated = program("simulator/usr/lib/kilonode/simulated-nodes")
    pool = {
        "prefix": "west-sim", "name": "sim", "zones": ["1"], "first_address": "10.65.0.4", "per_node": 31,
        "resources": {}, "taints": [],
    }  # fmt: skip
    made = simulated.node(pool, 7)
    assert made["metadata"]["name"] == node_name("west", "sim", 7)
    assert made["metadata"]["labels"][POOL_LABEL] == "sim"


def test_a_nodes_number_matches_its_pattern() -> None:
    assert re.fullmatch(f"west-sim-{NUMBER}", node_name("west", "sim", 9_999))


@pytest.mark.parametrize("lost", [0, 1])
def test_a_machine_image_without_an_image_of_the_system_is_an_error(lost: int) -> None:
    planned = plan()
    pool = planned.spec.machine_pools[0]
    found = list(images(pool))
    gone = found.pop(lost)
    with pytest.raises(ValueError, match=re.escape(gone.reference)):
        boot.node_pool_boot(planned, pool, found)
