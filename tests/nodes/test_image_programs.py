"""What programs of the image spell out for themselves is what the library says."""

import json
import re
import subprocess
import sys
import tarfile
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

PRELOAD = "node/usr/lib/kilonode/preload-images"
DIGEST = "sha256:" + "0" * 64
INDEX = json.dumps({"manifests": [{"digest": DIGEST}]})
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


def archive(folder: Path, index: str, *named: str) -> Path:
    """A tar of a folder with an index.json, as `tar` packs it."""
    (folder / "layout").mkdir()
    (folder / "layout" / "index.json").write_text(index)
    subprocess.run(["tar", "-C", folder / "layout", "-cf", folder / "x.tar", *named], check=True)
    return folder / "x.tar"


@pytest.mark.parametrize("name", [".", "index.json"])
def test_preload_images_reads_an_archive_however_its_members_are_named(tmp_path: Path, name: str) -> None:
    made = archive(tmp_path, INDEX, name)
    with tarfile.open(made) as opened:
        assert ("./index.json" in opened.getnames()) is (name == ".")
    assert program(PRELOAD).digest_of(made) == DIGEST


def test_preload_images_gives_ctr_no_name_that_it_could_take_for_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preload = program(PRELOAD)
    said = tmp_path / "said"
    (tmp_path / "ctr").write_text(f'#!/bin/sh\necho "$@" >> {said}\necho REF\n')
    (tmp_path / "ctr").chmod(0o755)
    monkeypatch.setattr(preload, "CTR", (str(tmp_path / "ctr"),))
    row = {"reference": "-a.b/x:v1", "digest": DIGEST, "archive": str(archive(tmp_path, INDEX, "."))}
    preload.preload(row)
    calls = [line.split() for line in said.read_text().splitlines()]
    assert {call[1] for call in calls} == {"list", "import", "tag", "remove", "label"}
    for call in calls:
        options, names = call[2 : call.index("--")], call[call.index("--") + 1 :]
        assert all(option.startswith("--") for option in options)
        assert row["reference"] in names or call[1] not in ("tag", "label")


@pytest.mark.parametrize(
    ("index", "told"),
    [
        ("{", "is no OCI image archive: JSONDecodeError"),
        ("[" * 100_000, "is no OCI image archive: RecursionError"),
        ("[]", "is no OCI image archive: TypeError"),
        ('{"manifests": [{}]}', "is no OCI image archive: KeyError: 'digest'"),
        ('{"manifests": []}', "holds 0 images, one is expected"),
        (None, "is no OCI image archive: KeyError: 'index.json'"),
        (INDEX, "No such file or directory"),  # ctr itself
    ],
    ids=["broken", "deep", "odd", "empty row", "none", "no index", "no ctr"],
)
def test_whatever_fails_in_preload_images_is_one_line(tmp_path: Path, index: str | None, told: str) -> None:
    made = archive(tmp_path, index or "", "--exclude=index.json" if index is None else "--", ".")
    rows = tmp_path / "images.json"
    rows.write_text(json.dumps([{"reference": "a.b/x:v1", "digest": DIGEST, "archive": str(made)}]))
    assert told in line_of(rows)


@pytest.mark.parametrize("rows", ["[", "[{}]", "5", "[5]", "[" * 100_000, None])
def test_a_list_of_images_that_cannot_be_read_is_one_line(tmp_path: Path, rows: str | None) -> None:
    if rows is not None:
        (tmp_path / "images.json").write_text(rows)
    assert str(tmp_path / "images.json") in line_of(tmp_path / "images.json")


def line_of(rows: Path) -> str:
    """The one line preload-images ends with."""
    done = subprocess.run(
        [sys.executable, ROOTFS / PRELOAD, rows], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    return line
