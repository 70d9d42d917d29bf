"""The labels and taints a person may give a pool's nodes."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.nodes.labels import KUBELET_DOMAINS, KUBELET_LABELS, OWN_LABELS
from kilonode.refusal import RefusedError
from tests.nodes.pools import machine_pool, one


class TestLabels:
    """Case K11."""

    @pytest.mark.parametrize(
        "key",
        ["example.com/role", "role", "node.kubernetes.io/pool", "node.kubernetes.io/gpu", "kubelet.kubernetes.io/x",
         "a.node.kubernetes.io/x", "notkubernetes.io/x", "k8s.io.example.com/x", "x" * 63, *(set(KUBELET_LABELS) - set(OWN_LABELS))],
    )  # fmt: skip
    def test_a_label_that_kubelet_takes_is_accepted(self, key: str) -> None:
        assert machine_pool(labels={key: "gpu"}).labels == {key: "gpu"}

    @pytest.mark.parametrize(
        "key",
        ["node-role.kubernetes.io/gpu", "foo.k8s.io/x", "k8s.io/x", "kubernetes.io/x", "node-restriction.kubernetes.io/x",
         "topology.kubernetes.io/rack", "xnode.kubernetes.io/x", "kops.k8s.io/instancegroup"],
    )  # fmt: skip
    def test_a_label_that_makes_kubelet_exit_is_refused_with_those_that_do_not(self, key: str) -> None:
        found = one(labels={key: "gpu"})
        assert found.field == f"region.nodePools[0].labels.{key}"
        assert all(f"{domain}/*" in found.allowed for domain in KUBELET_DOMAINS)
        assert all((label in found.allowed) is (label not in OWN_LABELS) for label in KUBELET_LABELS)
        assert found.fix == f"use a domain of your own, such as example.com/{key.rpartition('/')[2]}"

    @pytest.mark.parametrize(
        "key", [f"{domain}kubernetes.io/{what}" for domain in ("", "beta.") for what in ("os", "arch")]
    )
    def test_system_and_architecture_are_each_node_s_own(self, key: str) -> None:
        """Cluster DNS runs on nodes whose kubernetes.io/os is linux."""
        assert key in OWN_LABELS

    @pytest.mark.parametrize("key", OWN_LABELS)
    def test_what_each_node_says_of_itself_is_not_the_pool_s_to_say(self, key: str) -> None:
        assert one(labels={key: "1"}).fix == "remove it: nodes have this label without it"

    def test_a_pool_s_nodes_are_of_that_pool(self) -> None:
        found = one(labels={"node.kubernetes.io/pool": "other"})
        assert (found.given, found.allowed) == ("other", "the pool's own name, 'gpu'")

    @pytest.mark.parametrize(
        "key", ["", "/", "a/", "/a", "A.com/x", "a..b/x", "a b", "a=b", "a,b", "-a", "a-", "x" * 64, f"{'a' * 254}/x", "a/b/c", "ä"]
    )  # fmt: skip
    def test_a_key_the_api_server_refuses_is_refused(self, key: str) -> None:
        assert one(labels={key: "x"}).fix == "give the label another name"

    @pytest.mark.parametrize("value", ["a b", "a,b", "-a", "a_", "x" * 64, "ä", '"', "$X", "a\n"])
    def test_a_value_the_api_server_refuses_is_refused(self, value: str) -> None:
        assert one(labels={"example.com/x": value}).fix == "give it another value"

    def test_a_value_that_yaml_does_not_read_as_text_is_to_be_put_in_quotes(self) -> None:
        assert one(labels={"example.com/x": 1}).fix == "put what you wrote in quotes"

    @pytest.mark.parametrize("key", [1, True, 1.5])
    def test_a_key_is_text(self, key: object) -> None:
        found = one(labels={key: "a"})
        assert found.field == f"region.nodePools[0].labels.{int(key) if key is True else key}"  # type: ignore[call-overload]
        assert (found.given, found.allowed, found.fix) == (json.dumps(key), "text", "put what you wrote in quotes")

    def test_a_key_that_looks_like_the_place_of_a_key_is_a_key(self) -> None:
        assert one(labels={"[key]": 5}).field == "region.nodePools[0].labels.[key]"

    @given(st.text(string.ascii_letters + string.digits + "-._/=, \"'$\\\n", max_size=70), st.text(max_size=70))
    def test_no_label_that_is_accepted_can_break_a_flag(self, key: str, value: str) -> None:
        try:
            pool = machine_pool(labels={key: value})
        except RefusedError:
            return
        assert not set("".join([*pool.labels, *pool.labels.values()])) & set(" ,=\"'$\\\n")


class TestTaints:
    def test_a_taint_is_a_key_and_an_effect_and_may_have_a_value(self) -> None:
        (taint,) = machine_pool(taints=[{"key": "example.com/team", "effect": "NoSchedule"}]).taints
        assert (taint.key, taint.value, taint.effect) == ("example.com/team", "", "NoSchedule")

    @pytest.mark.parametrize("effect", ["noschedule", "NoSchedul", "", None])
    def test_an_effect_that_is_none_is_refused_with_all_three(self, effect: object) -> None:
        found = one(taints=[{"key": "a", "effect": effect}])
        assert found.allowed == "'NoSchedule' or 'PreferNoSchedule' or 'NoExecute'"

    def test_one_key_may_have_two_effects_but_not_one_effect_twice(self) -> None:
        rows = [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}]
        assert len(machine_pool(taints=rows).taints) == 2
        assert one(taints=[*rows, rows[0] | {"value": "b"}]).field == "region.nodePools[0].taints[2].effect"

    @pytest.mark.parametrize(
        "key",
        ["node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "node.kubernetes.io/gpu",
         "node.cloudprovider.kubernetes.io/uninitialized", "node.cloudprovider.kubernetes.io/shutdown"],
    )  # fmt: skip
    def test_a_taint_that_a_controller_of_kubernetes_would_remove_is_refused(self, key: str) -> None:
        found = one(taints=[{"key": key, "effect": "NoSchedule"}])
        assert found.field == "region.nodePools[0].taints[0].key"
        assert "remove what is not so" in found.why
        assert found.fix == f"use a domain of your own, such as example.com/{key.partition('/')[2]}"

    @pytest.mark.parametrize(
        "key", ["node-role.kubernetes.io/gpu", "node.kubernetes.io", "a.node.kubernetes.io/x", "gpu"]
    )
    def test_any_other_key_is_nobody_else_s(self, key: str) -> None:
        assert machine_pool(taints=[{"key": key, "effect": "NoSchedule"}]).taints[0].key == key

    @pytest.mark.parametrize(("key", "value"), [("a b", ""), ("", ""), ("a", "b c"), ("a", "x" * 64)])
    def test_a_taint_the_api_server_refuses_is_refused(self, key: str, value: str) -> None:
        assert one(taints=[{"key": key, "value": value, "effect": "NoSchedule"}]).field.startswith(
            "region.nodePools[0].taints[0]."
        )
