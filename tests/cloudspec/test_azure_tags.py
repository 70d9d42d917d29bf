"""Tags a person may give to everything on Azure, and labels and taints that become tags."""

import pytest

from kilonode.cloudspec.azure_tags import TAGS_MAX
from tests.clouds.azure.regions import one, pool, spec

GPUS = {"size": "Standard_ND96isr_H100_v5"}


def test_tags_that_every_resource_takes_are_taken() -> None:
    tags = {"costCenter": "", "a.b_c-1": "anything <>%&\\?/ at all"}
    made = spec(cloud={"tags": tags})
    assert made.cloud.kind == "azure"
    assert made.cloud.tags == tags


@pytest.mark.parametrize("name", ["", "a b", "1a", "a/b", "a<", "ä", "a" * 129])
def test_a_name_that_some_resource_does_not_take_is_refused(name: str) -> None:
    assert one(cloud={"tags": {name: "x"}}).field == f"region.cloud.tags.{name}".rstrip(".")


@pytest.mark.parametrize("name", ["min", "MAX", "cluster-autoscaler-enabled", "Kilonode-region", "k8s.io_anything"])
def test_a_name_that_means_something_to_programs_is_refused(name: str) -> None:
    assert "is not min, max" in one(cloud={"tags": {name: "x"}}).allowed


def test_names_that_differ_by_case_are_one_to_azure() -> None:
    assert one(cloud={"tags": {"team": "a", "Team": "b"}}).allowed == "another name than 'team'"


def test_a_few_tags_are_left_to_the_region_itself() -> None:
    assert spec(cloud={"tags": {f"t{number}": "x" for number in range(TAGS_MAX)}})
    assert one(cloud={"tags": {f"t{number}": "x" for number in range(TAGS_MAX + 1)}}).allowed == f"at most {TAGS_MAX}"


def test_a_long_value_is_refused_without_being_repeated() -> None:
    assert one(cloud={"tags": {"a": "x" * 257}}).given == "257 characters"


@pytest.mark.parametrize("name", ["microsoftTeam", "Azure", "windows.team"])
def test_beginnings_that_are_azures_own_are_refused(name: str) -> None:
    assert one(cloud={"tags": {name: "x"}}).allowed == "a name that does not begin with microsoft, azure, windows"


@pytest.mark.parametrize("value", ["a\nb", "a\x00", "\x1b[31m", "a\u202eb", "\ud800"])
def test_a_value_that_cannot_be_printed_is_refused_and_printed_escaped(value: str) -> None:
    found = one(cloud={"tags": {"a": value}})
    assert found.allowed == "text of one line, without control characters"
    assert found.given == ascii(value)


def test_a_value_is_counted_as_azure_counts() -> None:
    assert spec(cloud={"tags": {"a": "😀" * 128}})
    assert one(cloud={"tags": {"a": "😀" * 129}}).given == "258 characters"


def test_a_private_key_is_refused_and_not_repeated() -> None:
    found = one(cloud={"tags": {"a": "-----BEGIN PRIVATE KEY-----hunter2"}})
    assert found.given == "a private key"
    assert "hunter2" not in str(found)


@pytest.mark.parametrize("key", ["node.kubernetes.io/POOL", "kubernetes.azure.com/Accelerator"])
def test_a_label_that_differs_from_one_of_the_nodes_own_by_case_is_refused(key: str) -> None:
    """Its tag would be the same, and a set of tags with both is refused when resources are being made already."""
    found = one(nodePools=[pool(azure=GPUS, labels={key: "x"})])
    assert (found.field, found.allowed) == (f"region.nodePools[0].labels.{key}", "each key once, however it is spelt")


def test_the_pool_s_own_label_may_stand_there() -> None:
    assert spec(nodePools=[pool(labels={"node.kubernetes.io/pool": "workers"})])


def test_the_label_by_which_gpus_are_known_is_not_the_person_s() -> None:
    labels = {"kubernetes.azure.com/accelerator": "none"}
    assert one(nodePools=[pool(azure=GPUS, labels=labels)]).fix == "remove it: nodes have this label without it"
    assert spec(nodePools=[pool(labels=labels)])


@pytest.mark.parametrize("key", ["ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler"])
def test_a_taint_by_which_the_autoscaler_ends_nodes_is_refused(key: str) -> None:
    assert "about to end" in one(nodePools=[pool(taints=[{"key": key, "effect": "NoSchedule"}])]).why
