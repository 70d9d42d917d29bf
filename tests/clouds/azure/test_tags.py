"""Tags by which the cluster autoscaler knows what a node of an empty scale set would be."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.clouds.azure import tags
from kilonode.clouds.azure.plan import AzurePlan
from kilonode.cloudspec.azure_tags import OWN_TAGS, TAGS_MAX
from kilonode.limits import AZURE_DNS_TAGS, AZURE_TAGS
from kilonode.nodes.kubelet import node_labels
from kilonode.nodes.labels import LABELS_MAX, TAINTS_MAX
from tests.clouds.azure.regions import plan, pool

KEY = st.from_regex(
    r"([a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?(\.[a-z]{1,10}){0,3}/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?",
    fullmatch=True,
)
FORBIDDEN = set("<>%&\\?/")


def read_by_the_autoscaler(found: dict[str, str]) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """Labels and taints as its source has it (cloudprovider/azure/azure_template.go): a part behind a prefix, ``_``, then ``~2``."""
    labels = {
        name.split(tags.LABEL)[1].replace("_", "/").replace("~2", "_"): value
        for name, value in found.items()
        if tags.LABEL in name
    }
    taints = [
        (name.split(tags.TAINT)[1].replace("_", "/").replace("~2", "_"), *value.split(":", 1))
        for name, value in found.items()
        if tags.TAINT in name and re.match("(.*):(?:NoSchedule|NoExecute|PreferNoSchedule)", value)
    ]
    return labels, taints  # type: ignore[return-value]


def of(made: AzurePlan, number: int = 0) -> dict[str, str]:
    first = made.pools[0]
    return tags.autoscaler_tags(made.name, first.spec, first.sets[number])


@given(KEY)
def test_a_key_survives_the_way_through_a_tag_s_name(key: str) -> None:
    assert tags.unescaped(tags.escaped(key)) == key
    assert not FORBIDDEN & set(tags.escaped(key))


@given(
    st.dictionaries(
        st.sampled_from(["example.com/team", "a_b", "example.com/a_b-c.d", "x"]), st.sampled_from(["", "a", "a_b"])
    ),
    st.sets(st.sampled_from(["example.com/team", "nvidia.com/gpu", "a_b"])),
    st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
)
def test_the_autoscaler_reads_what_kubelet_will_register(labels: dict[str, str], taints: set[str], effect: str) -> None:
    rows = [{"key": key, "value": "v", "effect": effect} for key in sorted(taints)]
    made = plan(nodePools=[pool(labels=labels, taints=rows, azure={"size": "Standard_ND96isr_H100_v5"})])
    read, tainted = read_by_the_autoscaler(of(made))
    assert read == node_labels(made.pools[0].spec)
    assert read["kubernetes.azure.com/accelerator"] == "nvidia"
    assert sorted(tainted) == [(key, "v", effect) for key in sorted(taints)]


def test_the_names_are_those_of_the_autoscaler_s_own_documents() -> None:
    taints = [{"key": "example.com/foo", "value": "bar", "effect": "NoSchedule"}]
    found = of(plan(nodePools=[pool(labels={"cpu_arch": "a"}, taints=taints)]))
    assert found["k8s.io_cluster-autoscaler_node-template_label_cpu~2arch"] == "a"
    assert found["k8s.io_cluster-autoscaler_node-template_label_node.kubernetes.io_pool"] == "workers"
    assert found["k8s.io_cluster-autoscaler_node-template_taint_example.com_foo"] == "bar:NoSchedule"
    assert (found["cluster-autoscaler-enabled"], found["cluster-autoscaler-name"]) == ("true", "west")


def test_each_set_says_its_own_most() -> None:
    made = plan(ceiling=2000, nodePools=[pool(nodes=2, azure={"max": 1500})])
    assert [(of(made, number)["min"], of(made, number)["max"]) for number in (0, 1)] == [("1", "1000"), ("0", "500")]


def test_gpus_are_said_where_there_are_any() -> None:
    name = "k8s.io_cluster-autoscaler_node-template_resources_nvidia.com_gpu"
    assert of(plan(nodePools=[pool(azure={"size": "Standard_ND96isr_H100_v5"})]))[name] == "8"
    assert name not in of(plan())


def test_the_most_tags_that_may_be_asked_for_still_fit_a_resource() -> None:
    labels = {f"example.com/label-{number}": "a" * 63 for number in range(LABELS_MAX)}
    taints = [
        {"key": f"example.com/taint-{number}", "value": "b" * 63, "effect": "PreferNoSchedule"}
        for number in range(TAINTS_MAX)
    ]
    given_tags = {f"t{number}": "x" for number in range(TAGS_MAX)}
    made = plan(
        nodePools=[pool(labels=labels, taints=taints, azure={"size": "Standard_ND96isr_H100_v5"})],
        cloud={"tags": given_tags},
    )
    own = tags.own_tags(made.name, "node", made.cloud.tags, "workers")
    assert len(own) == len(given_tags) + OWN_TAGS <= AZURE_DNS_TAGS.value
    assert len(tags.fitting({**own, **of(made)})) <= AZURE_TAGS.value


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({f"t{number}": "" for number in range(51)}, "51 tags: at most 50"),
        ({"a": "", "A": ""}, "differ by case only: ['A', 'a']"),
        ({"a/b": ""}, "tag 'a/b': none of <>%&\\?/ may be in its name"),
        ({"a" * 513: ""}, "its name has 513 characters, the limit is 512"),
        ({"a": "x" * 257}, "tag 'a': its value has 257 characters, the limit is 256"),
    ],
)
def test_tags_that_azure_would_not_take_are_an_error(bad: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        tags.fitting(bad)
