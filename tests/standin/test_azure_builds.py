"""Image templates in the stand-in: who may have one, how a build goes on, and the version that comes of it."""

from typing import Any

import pytest

from tests.standin.azure import invokes, roles
from tests.standin.azure.builds import LOOKS, TEMPLATE, VERSION
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import BUILDER, GOOD, GROUP, IMAGE, create

RUNS = {"imageTemplateName": "runs", "autoRun": {"state": "Enabled"}}
DEFINITION = "compute:GalleryImage"


def status(cloud: Cloud, name: str = "runs") -> dict[str, Any] | None:
    where = {"resourceGroupName": "rg-one", "imageTemplateName": name}
    found = invokes.invoke(cloud, "azure-native:virtualmachineimages:getVirtualMachineImageTemplate", where)
    return found.get("lastRunStatus")


def built(cloud: Cloud) -> list[str]:
    return [each.name for each in cloud.store.all(VERSION) if each.origin == "built"]


def test_a_build_goes_on_for_a_while_and_then_its_version_is_there(cloud: Cloud) -> None:
    create(cloud, TEMPLATE, **RUNS)
    for _ in range(LOOKS - 1):
        assert (status(cloud) or {})["runState"] == "Running"
        assert built(cloud) == []
    for _ in range(2):
        assert (status(cloud) or {})["runState"] == "Succeeded"
    assert built(cloud) == ["1.0.1"]
    assert cloud.store.get(f"{IMAGE}/versions/1.0.1")


def test_a_template_that_does_not_run_by_itself_builds_nothing(cloud: Cloud) -> None:
    assert status(cloud, "node") is None
    assert built(cloud) == []


def test_a_build_that_was_ordered_to_fail_says_why_and_leaves_no_version_and_the_next_is_well(cloud: Cloud) -> None:
    cloud.faults.order("failed", TEMPLATE, "build")
    template = create(cloud, TEMPLATE, **RUNS)
    found = [status(cloud) for _ in range(LOOKS)][-1] or {}
    assert found["runState"] == "Failed"
    assert "packerizer" in found["message"]
    assert built(cloud) == []
    cloud.delete(template.id)
    create(cloud, TEMPLATE, **RUNS)
    assert [status(cloud) for _ in range(LOOKS)][-1] == {
        "runState": "Succeeded",
        "runSubState": "Customizing",
        "message": "",
    }


def test_a_version_is_not_built_twice(cloud: Cloud) -> None:
    create(cloud, TEMPLATE, **RUNS, **{"distribute[0].galleryImageId": f"{IMAGE}/versions/1.0.0"})
    found = [status(cloud) for _ in range(LOOKS)][-1] or {}
    assert (found["runState"], "exists already" in found["message"]) == ("Failed", True)


def test_the_template_goes_and_its_version_stays_and_keeps_the_image_until_the_group_goes(cloud: Cloud) -> None:
    template = create(cloud, TEMPLATE, **RUNS)
    cloud.delete(f"{IMAGE}/versions/1.0.0")
    for _ in range(LOOKS):
        status(cloud)
    cloud.delete(template.id)
    assert built(cloud) == ["1.0.1"]
    with pytest.raises(ArmError, match="nested resources exist"):
        cloud.delete(IMAGE)
    cloud.delete(GROUP)
    assert cloud.store.all(VERSION) == []


def refused(cloud: Cloud, words: str, **changes: Any) -> None:
    with pytest.raises(ArmError, match=words):
        create(cloud, TEMPLATE, imageTemplateName="another", **changes)


def test_an_image_of_specialized_machines_takes_no_build(cloud: Cloud) -> None:
    other = create(cloud, DEFINITION, galleryImageName="special", osState="Specialized")
    refused(cloud, "Generalized", **{"distribute[0].galleryImageId": f"{other.id}/versions/1.0.0"})


@pytest.mark.parametrize(
    "other",
    [
        {
            "scope": f"{GROUP}/providers/Microsoft.KeyVault/vaults/{GOOD['keyvault:Vault']['vaultName']}".removeprefix(
                "/"
            )
        },
        {"roleDefinitionId": GOOD["authorization:RoleAssignment"]["roleDefinitionId"]},
    ],
)
def test_an_identity_that_may_not_write_the_image_is_refused(cloud: Cloud, other: dict[str, Any]) -> None:
    own = f"/{BUILDER['scope']}/providers/Microsoft.Authorization/roleAssignments/{BUILDER['roleAssignmentName']}"
    cloud.delete(own)
    refused(cloud, "Unauthorized")
    create(cloud, "authorization:RoleAssignment", **BUILDER | other)
    refused(cloud, "Unauthorized")


@pytest.mark.parametrize("role", ["Owner", "Contributor"])
def test_who_owns_or_contributes_may_write(cloud: Cloud, role: str) -> None:
    cloud.delete(
        f"/{BUILDER['scope']}/providers/Microsoft.Authorization/roleAssignments/{BUILDER['roleAssignmentName']}"
    )
    refused(cloud, "Unauthorized")
    definition = f"{BUILDER['roleDefinitionId'].rpartition('/')[0]}/{roles.BUILT_IN[role]}"
    create(cloud, "authorization:RoleAssignment", **BUILDER | {"roleDefinitionId": definition})
    assert create(cloud, TEMPLATE, **RUNS)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (IMAGE, "the stand-in builds nothing else"),
        (GROUP, "the stand-in builds nothing else"),
        ("none", "the stand-in builds nothing else"),
        (f"{IMAGE}none/versions/1.0.0", "nothing of this id was ever made"),
    ],
)
def test_only_a_version_of_an_image_that_exists_is_built(cloud: Cloud, given: str, words: str) -> None:
    refused(cloud, words, **{"distribute[0].galleryImageId": given})


def test_a_role_of_one_s_own_that_writes_versions_will_do(cloud: Cloud) -> None:
    own = f"/{BUILDER['scope']}/providers/Microsoft.Authorization/roleAssignments/{BUILDER['roleAssignmentName']}"
    cloud.delete(own)
    role = create(
        cloud,
        "authorization:RoleDefinition",
        roleDefinitionId="7d3c9a64-7a45-4e0b-93c6-6f2a7a0f9f11",
        permissions=[{"actions": ["Microsoft.Compute/galleries/images/versions/*"]}],
    )
    create(cloud, "authorization:RoleAssignment", **BUILDER | {"roleDefinitionId": role.id})
    assert create(cloud, TEMPLATE, **RUNS)
