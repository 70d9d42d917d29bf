"""Names, tags and keys a person may give to Azure."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from kilonode.cloudspec.azure_names import TAGS_MAX, KeyVaultName, ResourceGroupName, SshKey, StorageAccountName
from kilonode.cloudspec.locations import LOCATIONS
from tests.clouds.azure.regions import GALLERY, KEY, PLAIN, one, spec


def ssh_rsa(bits: int) -> str:
    """The form of an RSA key of so many bits."""
    parts = (b"ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xff" * (bits // 8))
    return "ssh-rsa " + base64.b64encode(b"".join(len(part).to_bytes(4) + part for part in parts)).decode()


def refused(adapter: TypeAdapter[str], value: str) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (KeyVaultName, ["abc", "a-b", "A1-" + "b" * 21], ["ab", "a" * 25, "1ab", "a--b", "ab-", "a_b", "a.b", "äbc"]),
        (StorageAccountName, ["abc", "123", "a" * 24], ["ab", "a" * 25, "Abc", "a-b", "ä12"]),
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


class TestTags:
    def test_tags_that_every_resource_takes_are_taken(self) -> None:
        tags = {"costCenter": "", "a.b_c-1": "anything <>%&\\?/ at all"}
        made = spec(cloud={"tags": tags})
        assert made.cloud.kind == "azure"
        assert made.cloud.tags == tags

    @pytest.mark.parametrize("name", ["", "a b", "1a", "a/b", "a<", "ä", "a" * 129])
    def test_a_name_that_some_resource_does_not_take_is_refused(self, name: str) -> None:
        assert one(cloud={"tags": {name: "x"}}).field == f"region.cloud.tags.{name}".rstrip(".")

    @pytest.mark.parametrize("name", ["min", "MAX", "cluster-autoscaler-enabled", "Kilonode-region", "k8s.io_anything"])
    def test_a_name_that_means_something_to_programs_is_refused(self, name: str) -> None:
        assert "is not min, max" in one(cloud={"tags": {name: "x"}}).allowed

    def test_names_that_differ_by_case_are_one_to_azure(self) -> None:
        assert one(cloud={"tags": {"team": "a", "Team": "b"}}).allowed == "another name than 'team'"

    def test_a_few_tags_are_left_to_the_region_itself(self) -> None:
        assert spec(cloud={"tags": {f"t{number}": "x" for number in range(TAGS_MAX)}})
        assert (
            one(cloud={"tags": {f"t{number}": "x" for number in range(TAGS_MAX + 1)}}).allowed == f"at most {TAGS_MAX}"
        )

    def test_a_long_value_is_refused_without_being_repeated(self) -> None:
        assert one(cloud={"tags": {"a": "x" * 257}}).given == "257 characters"


class TestSshKeys:
    @pytest.mark.parametrize("key", [KEY, KEY.rpartition(" ")[0], ssh_rsa(2048), ssh_rsa(4096) + " me"])
    def test_a_public_key_is_taken(self, key: str) -> None:
        assert spec(cloud={"adminSshKey": key})

    @pytest.mark.parametrize(
        "key",
        ["", "x", "ssh-ed25519", "ssh-ed25519 ", "ssh-ed25519 AAAA", KEY[:60], "ssh-dss AAAAB3NzaC1kc3M=", KEY.replace("ed25519", "rsa", 1),
         KEY + "\n" + KEY, ssh_rsa(1024), "ecdsa-sha2-nistp256 AAAA", "ssh-ed25519 !!!!"],
    )  # fmt: skip
    def test_what_is_no_key_is_refused(self, key: str) -> None:
        assert one(cloud={"adminSshKey": key}).field == "region.cloud.adminSshKey"

    @given(st.text(max_size=80), st.sampled_from(["ssh-ed25519 ", "ssh-rsa ", ""]))
    def test_no_text_breaks_the_reader(self, text: str, kind: str) -> None:
        adapter: TypeAdapter[str] = TypeAdapter(SshKey)
        assert refused(adapter, kind + text) or adapter.validate_python(kind + text) == kind + text

    def test_a_private_key_is_refused_and_not_repeated(self) -> None:
        key = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n"
        found = one(cloud={"adminSshKey": key})
        assert found.given == "a private key"
        assert "c2VjcmV0" not in str(found)


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
