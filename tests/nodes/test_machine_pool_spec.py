"""What a person may write as a pool of machines."""

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.nodes.eviction import DISK, IMAGEFS_AVAILABLE
from kilonode.nodes.images import HOST, IMAGES_MAX
from kilonode.nodes.labels import KUBELET_DOMAINS, KUBELET_LABELS, OWN_LABELS
from kilonode.nodes.pulls import AT_ONCE_MAX, BURST, INT32_MAX
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.spec import RegionSpec
from tests.nodes.pools import DIGEST, ROW, image, machine_pool
from tests.plans import settings


def refusals(**changes: Any) -> list[Refusal]:
    """What is refused of the pool as the first of a region."""
    with pytest.raises(RefusedError) as error:
        RegionSpec.read(settings(nodePools=[ROW | changes]), "region")
    return list(error.value.refusals)


def one(**changes: Any) -> Refusal:
    (found,) = refusals(**changes)
    return found


class TestKinds:
    def test_a_row_s_kind_decides_what_it_is(self) -> None:
        rows = [ROW, {"name": "sim", "kind": "simulated", "range": "10.66.0.0/16"}]
        assert [type(pool) for pool in RegionSpec.read(settings(nodePools=rows), "region").node_pools] == [
            MachinePoolSpec, SimulatedPoolSpec,
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("kind", "fix"),
        [("machine", "did you mean 'machines'?"), ("simulatd", "did you mean 'simulated'?"), ("real", "write one of these 2"),
         (5, "write one of these 2"), (None, "write one of these 2"), (["machines"], "did you mean 'machines'?"), (True, "write one of these 2")],
    )  # fmt: skip
    def test_another_kind_is_refused_with_all_there_are(self, kind: object, fix: str) -> None:
        found = one(kind=kind)
        assert (found.field, found.given) == ("region.nodePools[0].kind", json.dumps(kind))
        assert (found.allowed, found.fix) == ("'simulated' or 'machines'", fix)
        assert found.why == "who plays the nodes"

    def test_a_missing_kind_is_asked_for(self) -> None:
        with pytest.raises(RefusedError) as error:
            RegionSpec.read(settings(nodePools=[{"name": "gpu", "range": "10.65.0.0/16"}]), "region")
        (found,) = error.value.refusals
        assert (found.field, found.given) == ("region.nodePools[0].kind", "nothing")
        assert found.allowed == "'simulated' or 'machines'"
        assert found.fix.startswith("add kind under region.nodePools[0],")

    @pytest.mark.parametrize("row", [5, "machines", None, [], True])
    def test_a_row_that_is_no_mapping_is_refused_with_the_keys_all_kinds_share(self, row: object) -> None:
        with pytest.raises(RefusedError) as error:
            RegionSpec.read(settings(nodePools=[row]), "region")
        (found,) = error.value.refusals
        assert (found.field, found.given) == ("region.nodePools[0]", json.dumps(row))
        assert found.allowed == "a mapping with the keys kind, name, nodes, podsPerNode, range, and those of its kind"

    def test_the_kind_is_no_part_of_a_field_s_path(self) -> None:
        paths = {refusal.field for refusal in refusals(nodes=-1, pulls={"parallel": 0}, images=[{}], imageGc=5, sped=1)}
        assert paths == {
            "region.nodePools[0].nodes", "region.nodePools[0].pulls.parallel", "region.nodePools[0].images[0].reference",
            "region.nodePools[0].images[0].archive", "region.nodePools[0].imageGc", "region.nodePools[0].sped",
        }  # fmt: skip

    def test_a_key_of_another_kind_is_unknown(self) -> None:
        found = one(simulator=1)
        assert found.field == "region.nodePools[0].simulator"
        assert "simulator" not in found.allowed
        assert "pulls" in found.allowed

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
            max_leaves=6,
        ),
        st.sampled_from([*(info.alias or name for name, info in MachinePoolSpec.model_fields.items()), "other"]),
    )
    def test_whatever_stands_at_a_key_is_read_or_refused_in_words(self, value: object, key: str) -> None:
        try:
            RegionSpec.read(settings(nodePools=[ROW | {key: value}]), "region")
        except RefusedError as error:
            for refusal in error.refusals:
                assert "input should" not in str(refusal).lower()
                assert "[machines]" not in refusal.field
                assert ".machines" not in refusal.field
                assert min(map(len, (refusal.allowed, refusal.why, refusal.fix))) > 3


class TestDefaults:
    def test_two_nodes_of_thirty_pods_are_the_default(self) -> None:
        pool = machine_pool()
        assert (pool.nodes, pool.pods_per_node, pool.images, pool.mirrors, pool.labels, pool.taints) == (
            2, 30, (), (), {}, (),
        )  # fmt: skip

    def test_pulls_are_as_the_2018_post_has_them(self) -> None:
        pulls = machine_pool().pulls
        assert (pulls.serialize, pulls.parallel, pulls.concurrent_downloads, pulls.progress_timeout) == (
            False, 10, 10, "30m",
        )  # fmt: skip

    def test_nothing_of_a_pool_of_defaults_is_warned_of(self) -> None:
        assert machine_pool().warnings() == []


class TestPulls:
    """Cases K01 and K02."""

    @pytest.mark.parametrize(("parallel", "serial"), [(1, True), (2, False), (5, False), (AT_ONCE_MAX, False)])
    def test_one_at_once_is_serial_and_more_is_not(self, parallel: int, serial: bool) -> None:
        assert machine_pool(pulls={"parallel": parallel}).pulls.serialize is serial

    def test_serial_pulling_is_never_a_setting(self) -> None:
        assert one(pulls={"serialize": True, "parallel": 5}).field == "region.nodePools[0].pulls.serialize"

    @pytest.mark.parametrize("parallel", [0, -1, AT_ONCE_MAX + 1, "5", 1.0, True, None])
    def test_another_number_at_once_is_refused(self, parallel: object) -> None:
        assert one(pulls={"parallel": parallel}).allowed == f"a whole number from 1 to {AT_ONCE_MAX}"

    @pytest.mark.parametrize("key", ["qps", "burst"])
    @pytest.mark.parametrize("value", [-1, INT32_MAX + 1, "20", 0.5, True])
    def test_a_rate_that_kubelet_cannot_read_is_refused(self, key: str, value: object) -> None:
        found = one(pulls={key: value})
        assert found.field == f"region.nodePools[0].pulls.{key}"
        assert found.allowed == f"a whole number from {int(key == 'burst')} to {INT32_MAX}"

    def test_a_burst_of_zero_is_refused_as_kubelet_reads_ten(self) -> None:
        assert "kubelet reads 0 as 10" in one(pulls={"burst": 0}).why

    @pytest.mark.parametrize(
        ("qps", "burst", "warnings"),
        [(0, 20, 1), (0, 1, 1), (0, None, 0), (20, 19, 1), (20, 20, 0), (20, 40, 0), (20, None, 0), (1, 1, 0)],
    )
    def test_a_burst_that_does_nothing_is_warned_of(self, qps: int, burst: int | None, warnings: int) -> None:
        found = machine_pool(pulls={"qps": qps, "burst": burst}).warnings()
        assert len(found) == warnings
        assert all(warning.startswith(f"pool gpu: pulls.burst {burst} ") for warning in found)

    @given(st.integers(0, INT32_MAX), st.none() | st.integers(1, INT32_MAX))
    def test_kubelet_is_given_a_burst_where_there_is_a_rate_and_only_there(self, qps: int, burst: int | None) -> None:
        rate = machine_pool(pulls={"qps": qps, "burst": burst}).pulls.rate
        assert rate["registryPullQPS"] == qps
        assert ("registryBurst" in rate) is (qps > 0)
        if qps:
            assert 0 < rate["registryBurst"] <= INT32_MAX
            assert rate["registryBurst"] == (burst or min(BURST * qps, INT32_MAX))

    @pytest.mark.parametrize("text", ["30m", "1s", "90s", "1h", "99999h"])
    def test_a_duration_is_a_number_with_its_unit(self, text: str) -> None:
        assert machine_pool(pulls={"progressTimeout": text}).pulls.progress_timeout == text

    @pytest.mark.parametrize(
        "text", ["0", "0s", "0m", "-5m", "30", "30 m", "m", "", "1.5h", "1h30m", "30min", "٣m", "30m\n", 30, None, True]
    )
    def test_any_other_duration_and_none_at_all_are_refused(self, text: object) -> None:
        assert one(pulls={"progressTimeout": text}).fix == "write '30m'"


class TestImageGc:
    """Case K07."""

    def test_the_eviction_percent_is_the_row_kubelet_gets(self) -> None:
        assert {row.key: row.value for row in DISK}["imagefs.available"] == f"{IMAGEFS_AVAILABLE}%"

    @given(st.integers(-5, 105), st.integers(-5, 105))
    def test_removal_ends_below_where_it_starts_and_starts_before_pods_are_evicted(self, high: int, low: int) -> None:
        fits = 0 <= low < high and high + IMAGEFS_AVAILABLE <= 100
        if fits:
            assert machine_pool(imageGc={"highPercent": high, "lowPercent": low}).image_gc.high_percent == high
        else:
            assert {refusal.field.rpartition(".")[2] for refusal in refusals(imageGc={"highPercent": high, "lowPercent": low})} <= {
                "highPercent", "lowPercent",
            }  # fmt: skip

    @pytest.mark.parametrize(
        ("settings", "field", "why"),
        [
            ({"highPercent": 98}, "highPercent", "pods are evicted when less than 15 %"),
            ({"highPercent": 100}, "highPercent", "100 even turns the removal of images off"),
            ({"lowPercent": 85}, "lowPercent", "kubelet does not start"),
            ({"highPercent": 80}, "lowPercent", "kubelet does not start"),
        ],
    )
    def test_the_refusal_says_which_limit_it_is(self, settings: dict[str, int], field: str, why: str) -> None:
        found = one(imageGc=settings)
        assert found.field == f"region.nodePools[0].imageGc.{field}"
        assert why in found.why


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
        assert one(labels={"example.com/x": 1}).fix == "write '1', with quotes"

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

    @pytest.mark.parametrize(("key", "value"), [("a b", ""), ("", ""), ("a", "b c"), ("a", "x" * 64)])
    def test_a_taint_the_api_server_refuses_is_refused(self, key: str, value: str) -> None:
        assert one(taints=[{"key": key, "value": value, "effect": "NoSchedule"}]).field.startswith(
            "region.nodePools[0].taints[0]."
        )


class TestImages:
    @pytest.mark.parametrize(
        "name",
        ["registry.example.com/train:v3", "registry.example.com:5000/team/train:v3", "localhost/train:v3", "registry:5000/a/b_c/d-e:1",
         "10.0.0.1:5000/x:2026.11"],
    )  # fmt: skip
    def test_a_full_name_with_tag_and_digest_is_accepted_and_taken_apart(self, name: str) -> None:
        (row,) = machine_pool(images=[image(name)]).images
        assert (row.name, row.digest) == (name, DIGEST)

    @pytest.mark.parametrize(
        ("reference", "why"),
        [
            ("registry.example.com/train:v3", "a tag can be moved"),
            (f"registry.example.com/train@{DIGEST}", "a missing tag"),
            (f"registry.example.com/train:latest@{DIGEST}", "a missing tag"),
            ("registry.example.com/train", "a missing tag"),
            (f"train:v3@{DIGEST}", "without its host"),
            (f"team/train:v3@{DIGEST}", "without its host"),
            (f"registry.example.com/Train:v3@{DIGEST}", "without its host"),
            (f"https://registry.example.com/train:v3@{DIGEST}", "without its host"),
            (f"registry.example.com/train:v3@{DIGEST[:-1]}", "without its host"),
            (f"registry.example.com/train:v3@{DIGEST.upper()}", "without its host"),
            (f"registry.example.com/../train:v3@{DIGEST}", "without its host"),
            (f"registry.example.com/train:v3@{DIGEST}\n", "without its host"),
            (f"{HOST}/pause:1.0.0@{DIGEST}", "the system's own images"),
            (f"{HOST.upper()}:443/pause:1.0.0@{DIGEST}", "the system's own images"),
        ],
    )
    def test_a_name_that_could_mean_another_image_is_refused(self, reference: str, why: str) -> None:
        found = one(images=[image(reference=reference)])
        assert found.field == "region.nodePools[0].images[0].reference"
        assert why in found.why

    def test_one_name_twice_is_refused_whatever_the_digests(self) -> None:
        other = "registry.example.com/train:v3@sha256:" + "f" * 64
        found = one(images=[image(), image("registry.example.com/eval:v3"), image(reference=other)])
        assert (found.field, found.given) == (
            "region.nodePools[0].images[2].reference",
            "registry.example.com/train:v3",
        )
        assert "images[0] has it too" in found.allowed

    @pytest.mark.parametrize(
        "archive", ["train.tar", "~/train.tar", "/srv/../train.tar", "", "/", "/srv/my images/x.tar", "/srv/x/", "//x"]
    )
    def test_an_archive_is_an_absolute_path_of_plain_characters(self, archive: str) -> None:
        assert one(images=[image(archive=archive)]).field == "region.nodePools[0].images[0].archive"

    def test_more_images_than_boot_data_has_room_for_are_refused(self) -> None:
        rows = [image(f"registry.example.com/train-{number}:v3") for number in range(IMAGES_MAX + 1)]
        assert len(machine_pool(images=rows[:-1]).images) == IMAGES_MAX
        assert one(images=rows).allowed == f"at most {IMAGES_MAX}"


class TestMirrors:
    def test_endpoints_keep_their_order(self) -> None:
        urls = ["https://b.example.com", "https://a.example.com:5000/v2/proxy"]
        (mirror,) = machine_pool(mirrors=[{"registry": "docker.io", "endpoints": urls}]).mirrors
        assert list(mirror.endpoints) == urls
        assert mirror.warnings() == []

    @pytest.mark.parametrize(
        ("registry", "fix"),
        [("https://docker.io", "write 'docker.io'"), ("docker.io/library", "write 'docker.io'"), ("Docker.IO", "write 'docker.io'"),
         ("../../etc", "write 'registry.example.com'"), ("a..b", "write 'registry.example.com'"), ("", "write 'registry.example.com'")],
    )  # fmt: skip
    def test_a_registry_is_a_host(self, registry: str, fix: str) -> None:
        assert one(mirrors=[{"registry": registry, "endpoints": ["https://a.example.com"]}]).fix == fix

    @pytest.mark.parametrize(
        "url", ["mirror.example.com", "ftp://mirror.example.com", "https://", "https://a b", "https://a?x=1", "https://a#x", "", 'https://a"b']
    )  # fmt: skip
    def test_an_endpoint_is_a_plain_url(self, url: str) -> None:
        assert one(mirrors=[{"registry": "docker.io", "endpoints": ["https://a.example.com", url]}]).field.endswith(
            "endpoints[1]"
        )

    def test_a_password_in_an_endpoint_is_refused_and_not_repeated(self) -> None:
        found = one(mirrors=[{"registry": "docker.io", "endpoints": ["https://me:hunter2@a.example.com/v2"]}])
        assert found.given == "https://…@a.example.com/v2"
        assert "hunter2" not in str(found)

    def test_a_mirror_without_tls_is_warned_of(self) -> None:
        (warning,) = machine_pool(mirrors=[{"registry": "docker.io", "endpoints": ["http://10.0.0.1:5000"]}]).warnings()
        assert warning.startswith("pool gpu: mirror http://10.0.0.1:5000 of docker.io is reached without TLS")

    @pytest.mark.parametrize("urls", [[], ["https://a"] * 2, [f"https://a{number}" for number in range(5)]])
    def test_no_endpoint_one_twice_and_too_many_are_refused(self, urls: list[str]) -> None:
        assert ".mirrors[0].endpoints" in one(mirrors=[{"registry": "docker.io", "endpoints": urls}]).field

    def test_one_registry_twice_is_refused(self) -> None:
        row = {"registry": "docker.io", "endpoints": ["https://a.example.com"]}
        assert one(mirrors=[row, row]).field == "region.nodePools[0].mirrors[1].registry"
