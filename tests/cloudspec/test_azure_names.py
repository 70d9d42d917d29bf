"""Names, images and locations a person may give to Azure."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from kilonode.cloudspec.azure_names import KeyVaultName, ResourceGroupName, StorageAccountName, reserved
from kilonode.cloudspec.locations import LOCATIONS
from tests.clouds.azure.regions import GALLERY, PLAIN, one, plan, spec


def refused(adapter: TypeAdapter[str], value: str) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (
            KeyVaultName,
            ["abc", "a-b", "A1-" + "b" * 21],
            ["ab", "a" * 25, "1ab", "a--b", "ab-", "a_b", "a.b", "äbc", "my-Windows", "login-a"],
        ),
        (StorageAccountName, ["abc", "123", "a" * 24], ["ab", "a" * 25, "Abc", "a-b", "ä12", "amicrosofta", "xboxa"]),
        (ResourceGroupName, ["a", "-", "(a).b_c", "a" * 90], ["", "a.", "a" * 91, "a/b", "a b", "ä"]),
    ],
)
def test_each_kind_of_name_is_as_azure_has_it(kind: Any, good: list[str], bad: list[str]) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(kind)
    assert not [value for value in good if refused(adapter, value)]
    assert not [value for value in bad if not refused(adapter, value)]


def test_a_given_name_is_the_one_that_is_used() -> None:
    made = spec(cloud={"keyVault": {"name": "my-vault"}, "storage": {"account": "mystorage"}, "resourceGroup": "mine"})
    assert made.cloud.kind == "azure"
    assert (made.cloud.key_vault.name, made.cloud.storage.account, made.cloud.resource_group) == (
        "my-vault",
        "mystorage",
        "mine",
    )


@pytest.mark.parametrize("region", ["windows-gpu", "a-microsoft", "login", "xbox-1"])
def test_a_region_named_with_a_reserved_word_has_public_names_without_it(region: str) -> None:
    made = plan(name=region)
    assert not reserved(made.key_vault)
    assert not reserved(made.storage_account)
    assert made.resource_group == region


class TestImages:
    def test_an_image_of_a_gallery_and_a_plain_one_are_told_apart(self) -> None:
        assert spec().cloud.birth["image"] == "gallery"
        assert spec(cloud={"image": {"kind": "given", "id": PLAIN}}).cloud.birth["image"] == "plain"

    @pytest.mark.parametrize(
        ("bad", "why"),
        [
            (GALLERY.partition("/versions/")[0], "no two nodes need be alike"),
            (GALLERY.replace("1.0.0", "latest"), "as it stands"),
            (GALLERY + "/", "as it stands"),
            (PLAIN.replace("images/machine", "disks/machine"), "as it stands"),
            ("Debian:debian-12:12:latest", "as it stands"),
            (GALLERY.replace("1.0.0", "01.0.0"), "as it stands"),
            (GALLERY.replace("1.0.0", "1.0." + "9" * 10), "as it stands"),
            (GALLERY.replace("images/machine", "images/.."), "as it stands"),
            (GALLERY.replace("galleries/kilonode", "galleries/.."), "as it stands"),
            (GALLERY.replace("resourceGroups/images", "resourceGroups/images."), "as it stands"),
            (GALLERY.replace("00000000-0000-0000-0000-000000000000", "-" * 36), "as it stands"),
            (PLAIN + ".", "as it stands"),
        ],
    )
    def test_an_id_that_names_no_one_image_is_refused(self, bad: str, why: str) -> None:
        found = one(cloud={"image": {"kind": "given", "id": bad}})
        assert found.field == "region.cloud.image.id"
        assert why in found.why

    @pytest.mark.parametrize(
        ("key", "value"),
        [("version", "1.0"), ("version", "01.0.0"), ("version", "v1.0.0"), ("checksums", "0" * 63), ("checksums", "A" * 64),
         ("source", "http://a.example.com/b"), ("source", "https://me:secret@a.example.com/b"), ("source", "https://a.example.com/b/"),
         ("source", "https://a.example.com/b?sig=x"), ("source", "https://a.example.com")],
    )  # fmt: skip
    def test_a_template_says_what_it_is_built_from_and_that_it_is_that(self, key: str, value: str) -> None:
        good = {"kind": "template", "version": "1.0.0", "source": "https://a.example.com/b", "checksums": "0" * 64}
        assert spec(cloud={"image": good})
        assert one(cloud={"image": good | {key: value}}).field == f"region.cloud.image.{key}"

    @pytest.mark.parametrize("source", ["https://me:hunter2@a.example.com/b", "https://a.example.com/b?sig=hunter2"])
    def test_what_is_secret_in_a_source_is_not_repeated(self, source: str) -> None:
        image = {"kind": "template", "version": "1.0.0", "source": source, "checksums": "0" * 64}
        assert "hunter2" not in str(one(cloud={"image": image}))


class TestLocations:
    @pytest.mark.parametrize("location", LOCATIONS)
    def test_a_location_with_zones_is_taken(self, location: str) -> None:
        assert spec(cloud={"location": location})

    @pytest.mark.parametrize(
        ("location", "fix"),
        [
            ("West Europe", "did you mean 'westeurope'?"),
            ("westeurop", "did you mean 'westeurope'?"),
            ("mars", "use a location of the list"),
        ],
    )
    def test_another_is_refused_with_the_nearest(self, location: str, fix: str) -> None:
        assert one(cloud={"location": location}).fix.startswith(fix)

    def test_a_location_without_zones_is_refused(self) -> None:
        assert "spread over zones" in one(cloud={"location": "westus"}).why

    @pytest.mark.parametrize("zones", [[], ["1", "1"], ["1", "2", "3", "3"]])
    def test_zones_are_some_of_three_each_once(self, zones: list[str]) -> None:
        assert one(cloud={"zones": zones}).field == "region.cloud.zones"

    def test_a_zone_is_text_as_azure_has_it(self) -> None:
        found = one(cloud={"zones": [1]})
        assert (found.field, found.fix) == ("region.cloud.zones[0]", "did you mean '1'?")
