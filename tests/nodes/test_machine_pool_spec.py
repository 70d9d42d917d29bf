"""What a person may write as a pool of machines: its kind among others, its defaults, its images and its disk."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.nodes.eviction import DISK, IMAGEFS_AVAILABLE
from kilonode.nodes.images import ARCHIVE_LENGTH, HOST, IMAGES_MAX
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec
from kilonode.refusal import RefusedError
from kilonode.region.spec import RegionSpec
from tests.nodes.pools import DIGEST, ROW, image, machine_pool, one, refusals
from tests.plans import settings


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


class TestTakesAnyPod:
    @pytest.mark.parametrize(
        ("effects", "takes"),
        [([], True), (["PreferNoSchedule"], True), (["NoSchedule"], False), (["NoExecute"], False), (["PreferNoSchedule", "NoExecute"], False)],
    )  # fmt: skip
    def test_only_a_taint_that_keeps_pods_off_closes_a_pool(self, effects: list[str], takes: bool) -> None:
        taints = [{"key": "example.com/team", "effect": effect} for effect in effects]
        assert machine_pool(taints=taints).takes_any_pod is takes
        warned = RegionSpec.read(settings(nodePools=[ROW | {"taints": taints}]), "region").warnings()
        assert any("cluster DNS finds no node" in warning for warning in warned) is not takes


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
            (f"{HOST}:443/pause:1.0.0@{DIGEST}", "the system's own images"),
            (f"{HOST.upper()}:443/pause:1.0.0@{DIGEST}", "no kubelet of the pool would start"),
            (f"-a.b/x:v1@{DIGEST}", "no kubelet of the pool would start"),
            (f"a-.b/x:v1@{DIGEST}", "no kubelet of the pool would start"),
            (f"a.-b/x:v1@{DIGEST}", "no kubelet of the pool would start"),
            (f"a..b/x:v1@{DIGEST}", "no kubelet of the pool would start"),
            (f"a.b:99999999/x:v1@{DIGEST}", "no kubelet of the pool would start"),
            (f"a.b:65536/x:v1@{DIGEST}", "no kubelet of the pool would start"),
            (f"{'a.' * 127}bc/x:v1@{DIGEST}", "no kubelet of the pool would start"),
            (f"a.b/{'x' * 252}:v1@{DIGEST}", "no program that reads images' names takes more"),
        ],
    )
    def test_a_name_that_could_mean_another_image_is_refused(self, reference: str, why: str) -> None:
        found = one(images=[image(reference=reference)])
        assert found.field == "region.nodePools[0].images[0].reference"
        assert why in found.why

    @pytest.mark.parametrize(
        "name", [f"a.b/{'x' * 251}:v1", "a.b:65535/x:v1", "docker.io/library/nginx:1", "docker.io/team/x:1"]
    )
    def test_a_name_as_long_as_programs_read_and_a_full_one_of_docker_hub_are_accepted(self, name: str) -> None:
        assert machine_pool(images=[image(name)]).images[0].name == name

    @pytest.mark.parametrize(
        ("name", "full"),
        [("docker.io/nginx:1", "docker.io/library/nginx:1"), ("index.docker.io/library/nginx:2", "docker.io/library/nginx:2"),
         ("index.docker.io/nginx:2", "docker.io/library/nginx:2"), ("index.docker.io/team/x:1", "docker.io/team/x:1")],
    )  # fmt: skip
    def test_a_short_name_of_docker_hub_is_refused_with_the_one_nodes_look_for(self, name: str, full: str) -> None:
        assert one(images=[image(name)]).fix == f"write {full}@{DIGEST}"
        assert machine_pool(images=[image(full)]).images[0].name == full

    def test_an_archive_whose_path_is_too_long_for_a_node_is_refused(self) -> None:
        path = "/" + "a" * (ARCHIVE_LENGTH - 1)
        assert machine_pool(images=[image(archive=path)]).images[0].archive == path
        found = one(images=[image(archive=path + "a")])
        assert (found.field, found.given) == (
            "region.nodePools[0].images[0].archive",
            f"{ARCHIVE_LENGTH + 1} characters",
        )

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
