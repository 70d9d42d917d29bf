"""A program of plain azure-native, aws and kubernetes resources on the real engine: the pack finds what is wrong with it."""

from pathlib import Path

import pytest

from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from tests.engine.foreign import foreign_stack
from tests.engine.pack import PACK, told
from tests.rules.changes import flag, machine, pool, put, server, thresholds
from tests.rules.foreign import Foreign
from tests.rules.foreign_aws import amazon
from tests.rules.written import with_property
from tests.standin.azure.stack import PulumiError

pytestmark = [pytest.mark.engine, pytest.mark.tools]

JUDGES_NOTHING_UNKNOWN = {"required-tags", "stack-size", "gpu-preflight-taint", "store-protected"}
"""How many resources there are, and whether they are protected, is known; tags nobody has asked for, nor for the taint of a test."""


def resources(of: Foreign, aws: dict[str, Resource] | None = None) -> list[Resource]:
    """Members and nodes on two clouds: together less than the many nodes that need five of everything."""
    return [*of.resources(), *(aws or amazon(cluster=3, nodes=50)).values()]


def ten_faults() -> tuple[list[Resource], set[str]]:
    """The resources, and the ids of what is wrong with them."""
    of, aws = Foreign(), amazon(cluster=3, nodes=50)
    faults = {
        "etcd-quota-equal": flag("quota-backend-bytes", "4294967296"),
        "etcd-zones": machine("etcd-1-2", zones=["1"]),
        "etcd-host-cache": machine("etcd-2-1", storageProfile={"dataDisks": [{"caching": "ReadWrite"}]}),
        "apiserver-audit": server("audit-log-path", None),
        "arp-thresholds-large": thresholds(3, 32_769),
        "scale-set-overprovision": pool("overprovision", True),
        "autoscaler-scale-in": lambda each: each.autoscaler.update({"max-scale-down-parallelism": "50"}),
        "image-latest": put("image", "registry.example.com/app"),
    }
    for change in faults.values():
        change(of)
    aws["member-1"] = with_property(aws["member-1"], "instanceType", "m7i.2xlarge")
    aws["member-2"] = with_property(aws["member-2"], "associatePublicIpAddress", True)
    return resources(of, aws), {*faults, "etcd-local-disk", "public-address"}


def test_a_program_with_ten_faults_is_stopped_with_exactly_those(tmp_path: Path) -> None:
    rows, ids = ten_faults()
    assert len(ids) == 10
    stack = foreign_stack(tmp_path, rows)
    with pytest.raises(PulumiError) as stopped:
        stack.pulumi("preview", "--policy-pack", PACK)
    assert told(str(stopped.value))["mandatory"] == ids


def test_its_clean_twin_comes_up_and_nothing_is_said_of_it(tmp_path: Path) -> None:
    stack = foreign_stack(tmp_path, resources(Foreign()))
    # Ids are not known before the clouds give them; what a resource is made from is.
    for output in (stack.pulumi("preview", "--policy-pack", PACK), stack.up("--policy-pack", PACK)):
        assert told(output) == {"mandatory": set(), "advisory": set()}


def test_what_a_preview_cannot_know_is_said_to_be_undecided_and_found_by_the_update(tmp_path: Path) -> None:
    of = Foreign()
    of.balloon = 0
    stack = foreign_stack(tmp_path, resources(of), outputs=True)
    shown = stack.pulumi("preview", "--policy-pack", PACK)
    assert told(shown) == {"mandatory": set(), "advisory": set(BY_ID) - JUDGES_NOTHING_UNKNOWN}
    assert shown.count("is not known yet") == len(BY_ID) - len(JUDGES_NOTHING_UNKNOWN)
    with pytest.raises(PulumiError) as found:
        stack.up("--policy-pack", PACK)
    assert told(str(found.value)) == {"mandatory": {"balloon-priority"}, "advisory": set()}
