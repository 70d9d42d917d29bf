"""Images that are on a node before its first pod."""

import json
import tomllib

import pytest

from kilonode.apiserver import dns
from kilonode.network.spec import NetworkSpec
from kilonode.nodes.containerd import config_toml, containerd_settings
from kilonode.nodes.images import COREDNS, FOLDER, HOST, PAUSE, SYSTEM, PreloadedImage, images_document
from kilonode.nodes.platform import MACHINE
from tests.nodes.pools import DIGEST, machine_pool
from toolchain.recipes import TOOLS

ROWS = tuple(PreloadedImage(name, DIGEST, f"{FOLDER}/{number}.tar") for number, name in enumerate(SYSTEM))


def test_a_node_reads_reference_digest_and_archive_in_the_order_given() -> None:
    assert json.loads(images_document(ROWS)) == [
        {"reference": PAUSE, "digest": DIGEST, "archive": f"{FOLDER}/0.tar"},
        {"reference": COREDNS, "digest": DIGEST, "archive": f"{FOLDER}/1.tar"},
    ]
    assert json.loads(images_document(())) == []


def test_one_reference_twice_is_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match=rf"preloaded twice: {HOST}/pause"):
        images_document((*ROWS, ROWS[0]))


def test_the_sandbox_image_is_one_of_the_preloaded_under_the_very_same_name() -> None:
    """Case K04: under another name it would be unused, collected when the disk is full, and never found again."""
    named = tomllib.loads(config_toml(containerd_settings(machine_pool(), MACHINE), "2"))
    older = tomllib.loads(config_toml(containerd_settings(machine_pool(), MACHINE), "1.7"))
    preloaded = [row["reference"] for row in json.loads(images_document(ROWS))]
    assert named["plugins"]["io.containerd.cri.v1.images"]["pinned_images"]["sandbox"] == PAUSE
    assert older["plugins"]["io.containerd.grpc.v1.cri"]["sandbox_image"] == PAUSE
    assert PAUSE in preloaded


def test_cluster_dns_runs_the_preloaded_image() -> None:
    assert COREDNS in SYSTEM
    assert COREDNS in str(dns.objects(NetworkSpec.model_validate({"range": "10.64.0.0/14"}), 100))


def test_no_registry_is_ever_asked_for_a_system_image() -> None:
    assert all(reference.startswith(f"{HOST}/") for reference in SYSTEM)
    assert HOST.endswith(".internal")


@pytest.mark.parametrize(("reference", "tool"), [(PAUSE, "pause"), (COREDNS, "coredns")])
def test_a_system_image_s_tag_is_the_version_of_its_program(reference: str, tool: str) -> None:
    assert reference == f"{HOST}/{tool}:{TOOLS[tool].version_text}"
