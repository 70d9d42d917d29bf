"""Wiring of a machine image that is built: what waits for it, who may write it, and what is never deleted or changed."""

from collections.abc import Iterator
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks, settings

from kilonode.clouds.azure import image_wait
from kilonode.clouds.azure.image import BUILT_ONCE, CONTENT, FEATURES
from kilonode.clouds.azure.immutable import TABLE
from kilonode.region.region import Region
from tests.clouds.azure import regions
from tests.standin.azure import ids
from tests.wiring.azure_monitor import Monitor, Recorder

TEMPLATE = "virtualmachineimages:VirtualMachineImageTemplate"
VERSION = (
    f"/subscriptions/{ids.SUBSCRIPTION}/resourceGroups/west/providers/Microsoft.Compute"
    "/galleries/west/images/machine/versions/1.0.0"
)


class Building(Recorder):
    """Answers what the service says of the build, look by look; the last answer stays."""

    def __init__(self, *answers: dict[str, Any] | None) -> None:
        self.answers = list(answers)
        self.asked = 0

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        if not args.token.endswith(":getVirtualMachineImageTemplate"):
            return super().call(args)
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return {"lastRunStatus": answer} if answer else {}


def registered(*answers: dict[str, Any] | None, preview: bool = False, **changes: Any) -> tuple[Monitor, Building]:
    building = Building(*(answers or ({"runState": "Succeeded"},)))
    monitor = Monitor(building)
    mocks.set_mocks(building, monitor=monitor, preview=preview)
    spec = regions.spec(**{"cloud": {"image": regions.TEMPLATE}} | changes)

    @pulumi.runtime.test
    def program() -> None:
        Region(spec.name, spec)

    program()
    return monitor, building


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = settings.SETTINGS
    for row in ("POLL", "SAY"):
        old = getattr(image_wait, row)
        monkeypatch.setattr(image_wait, row, type(old)(old.key, 0 if row == "POLL" else 1, old.why, old.source))
    yield
    settings.configure(before)


def references(monitor: Monitor) -> set[str]:
    machines = [each.object["storageProfile"] for each in monitor.of("compute:VirtualMachine").values()]
    sets = monitor.of("compute:VirtualMachineScaleSet").values()
    machines += [each.object["virtualMachineProfile"]["storageProfile"] for each in sets]
    return {each["imageReference"]["id"] for each in machines}


def test_every_machine_boots_the_version_and_comes_after_its_template() -> None:
    monitor, _ = registered()
    assert references(monitor) == {VERSION}
    (template,) = monitor.of(TEMPLATE).values()
    assert template.object["distribute"][0]["galleryImageId"] == VERSION
    for kind in ("compute:VirtualMachine", "compute:VirtualMachineScaleSet"):
        for each in monitor.of(kind).values():
            assert any(urn.endswith(f"::{template.name}") for urn in each.dependencies), each.name


def test_a_preview_knows_the_version_and_asks_for_no_build() -> None:
    monitor, building = registered({"runState": "Failed"}, preview=True)
    assert references(monitor) == {VERSION}
    assert building.asked == 0


def test_a_build_that_goes_on_is_waited_for() -> None:
    _, building = registered(None, {"runState": "Running"}, {"runState": "Canceling"}, {"runState": "Succeeded"})
    assert building.asked == 4


@pytest.mark.parametrize("state", ["Failed", "Canceled", "PartiallySucceeded"])
def test_a_build_that_ended_otherwise_is_told_with_its_message_and_what_to_do(state: str) -> None:
    with pytest.raises(Exception, match=f"ended as {state}: no such file") as error:
        registered({"runState": state, "message": "no such file"})
    assert "pulumi up --replace 'urn:" in str(error.value)
    assert "another version" in str(error.value)


def test_a_build_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for row in ("TIMEOUT", "GRACE"):
        old = getattr(image_wait, row)
        monkeypatch.setattr(image_wait, row, type(old)(old.key, -1, old.why, old.source))
    with pytest.raises(Exception, match="has not ended"):
        registered({"runState": "Running"})


def test_the_builder_may_write_versions_in_the_region_s_group_and_no_more() -> None:
    monitor, _ = registered()
    (role,) = (each for name, each in monitor.of("authorization:RoleDefinition").items() if name.endswith("-images"))
    (may,) = (each for name, each in monitor.of("authorization:RoleAssignment").items() if "image-builder" in name)
    (permission,) = role.object["permissions"]
    assert "Microsoft.Compute/galleries/images/versions/write" in permission["actions"]
    assert not any("*" in each or each.endswith("versions/delete") for each in permission["actions"])
    assert permission["dataActions"] == []
    assert may.object["scope"] == "/west-group"


def test_the_gallery_goes_with_its_group_since_nobody_here_deletes_versions() -> None:
    monitor, _ = registered()
    for kind in ("compute:Gallery", "compute:GalleryImage"):
        for each in monitor.of(kind).values():
            assert each.deletedWith.endswith("::west-group")


def test_a_version_is_what_it_was_first_asked_to_be_and_a_new_one_is_another_template() -> None:
    (old,) = registered()[0].of(TEMPLATE).values()
    (new,) = registered(cloud={"image": regions.TEMPLATE | {"version": "1.0.1"}})[0].of(TEMPLATE).values()
    assert (old.name, new.name) == ("west-image-1.0.0", "west-image-1.0.1")
    assert set(old.ignoreChanges) == set(BUILT_ONCE)
    assert {row.path for row in TABLE if row.kind == TEMPLATE} - set(old.ignoreChanges) == {"location"}
    assert old.object["tags"][CONTENT] == new.object["tags"][CONTENT]


def test_the_definition_is_one_that_machines_of_all_sizes_boot() -> None:
    (definition,) = registered()[0].of("compute:GalleryImage").values()
    features = {each["name"]: each["value"] for each in definition.object["features"]}
    assert features == FEATURES
    assert features["SecurityType"] == "TrustedLaunchSupported", "pools with GPUs boot it without trusted launch"
    assert "NVMe" in features["DiskControllerTypes"]
    assert definition.object["hyperVGeneration"] == "V2"


def test_copies_follow_from_the_ceiling_up_to_a_whole_scale_set() -> None:
    def copies(ceiling: int) -> int:
        (template,) = registered(ceiling=ceiling)[0].of(TEMPLATE).values()
        (region,) = template.object["distribute"][0]["targetRegions"]
        return int(region["replicaCount"])

    assert (copies(100), copies(1000), copies(5000)) == (5, 50, 50)
