"""The clouds a region may be on: what each answers, and how a wrong choice is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.cloudspec.local import LocalCloudSpec
from kilonode.nodes.platform import CONTAINER, MACHINE
from kilonode.refusal import RefusedError
from kilonode.region.plan import plan_region
from kilonode.region.spec import RegionSpec
from tests import plans
from tests.clouds.azure import regions

ANSWERS = ("zones", "nodes", "reuses_addresses", "load_balancer", "planned_nodes", "birth")


class TestTheUnion:
    def test_kind_decides_which_cloud_it_is(self) -> None:
        assert type(plans.spec().cloud) is LocalCloudSpec
        assert type(regions.spec().cloud) is AzureCloudSpec

    @pytest.mark.parametrize(
        ("kind", "fix"),
        [("azur", "did you mean 'azure'?"), ("Azure", "did you mean 'azure'?"), ("aws", "write one of these 2"), (None, "write one of these 2"),
         (1, "write one of these 2"), (["azure"], "did you mean 'azure'?")],
    )  # fmt: skip
    def test_another_kind_is_refused_with_all_there_are(self, kind: object, fix: str) -> None:
        found = regions.one(cloud={"kind": kind})
        assert (found.field, found.given) == ("region.cloud.kind", json.dumps(kind))
        assert (found.allowed, found.fix) == ("'local' or 'azure'", fix)

    def test_a_missing_kind_is_asked_for(self) -> None:
        with pytest.raises(RefusedError) as error:
            RegionSpec.read(plans.settings(cloud={}), "region")
        (found,) = error.value.refusals
        assert (found.field, found.given, found.allowed) == ("region.cloud.kind", "nothing", "'local' or 'azure'")
        assert found.fix.startswith("add kind under region.cloud,")

    @pytest.mark.parametrize("value", [5, "azure", None, [], True])
    def test_what_is_no_mapping_is_refused_with_the_key_all_kinds_share(self, value: object) -> None:
        with pytest.raises(RefusedError) as error:
            RegionSpec.read(plans.settings(cloud=value), "region")
        (found,) = error.value.refusals
        assert (found.field, found.allowed) == ("region.cloud", "a mapping with the key kind, and those of its kind")

    def test_neither_tag_of_two_unions_within_each_other_is_part_of_a_path(self) -> None:
        wrong = {"location": "nowhere", "image": {"kind": "template", "version": 1}, "etcd": {"siz": 1}, "zone": 1}
        assert {found.field for found in regions.refusals(cloud=wrong)} == {
            "region.cloud.location", "region.cloud.image.version", "region.cloud.image.source",
            "region.cloud.image.checksums", "region.cloud.etcd.siz", "region.cloud.zone",
        }  # fmt: skip

    def test_a_key_of_the_other_cloud_is_unknown(self) -> None:
        with pytest.raises(RefusedError) as error:
            RegionSpec.read(plans.settings(cloud={"kind": "local", "location": "westeurope"}), "region")
        assert [found.allowed for found in error.value.refusals] == ["the key kind"]

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
            max_leaves=6,
        ),
        st.sampled_from(
            [*(info.alias or name for name, info in AzureCloudSpec.model_fields.items()), "azure.size", "azure.max", "azure.zones",
             "azure.placementGroup", "azure", "other"]
        ),
    )  # fmt: skip
    def test_whatever_stands_at_a_key_is_read_or_refused_in_words(self, value: object, key: str) -> None:
        pool, _, below = key.partition(".")
        if pool == "azure":
            row = regions.pool() | {"azure": {"size": "Standard_D16ds_v5", below: value} if below else value}
            changes: dict[str, Any] = {"nodePools": [row]}
        else:
            changes = {"cloud": {key: value}}
        try:
            regions.spec(**changes)
        except RefusedError as error:
            for refusal in error.refusals:
                assert "input should" not in str(refusal).lower()
                assert ".azure.azure" not in refusal.field
                assert "cloud.azure" not in refusal.field
                assert min(map(len, (refusal.allowed, refusal.why, refusal.fix))) > 3


class TestAnswers:
    def test_every_cloud_answers_the_same_questions(self) -> None:
        for cloud in (plans.spec().cloud, regions.spec().cloud):
            assert all(getattr(cloud, answer, None) is not None for answer in ANSWERS)

    def test_nodes_are_containers_here_and_machines_on_azure(self) -> None:
        assert plans.spec().cloud.nodes is CONTAINER
        assert regions.spec().cloud.nodes is MACHINE

    def test_the_local_load_balancer_is_a_machine_of_the_plan_and_azure_s_is_none(self) -> None:
        local, azure = plans.plan(), plan_region(regions.spec())
        assert local.load_balancer in local.machines
        assert azure.load_balancer not in azure.machines
        assert azure.load_balancer.address == local.load_balancer.address

    def test_nodes_are_planned_where_their_cloud_takes_planned_names(self) -> None:
        assert [len(pool.nodes) for pool in plans.plan().machine_pools] == [2]
        assert [pool.nodes for pool in plan_region(regions.spec()).machine_pools] == [()]

    def test_machines_are_dealt_to_the_zones_of_the_cloud(self) -> None:
        planned = plan_region(regions.spec(cloud={"zones": ["3", "1"]}))
        assert [member.zone for member in planned.etcd[0].members] == ["3", "1", "3"]
