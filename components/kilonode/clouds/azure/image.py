"""What machines boot: an image that exists. The place of images built by a template of the region's own."""

from kilonode.clouds.azure.plan import AzurePlan
from kilonode.cloudspec.azure_image import GivenImageSpec
from kilonode.refusal import Refusal, RefusedError


def image_id(plan: AzurePlan) -> str:
    """The id of the image of all machines.

    Raises:
        RefusedError: when it would have to be built first.
    """
    image = plan.cloud.image
    if isinstance(image, GivenImageSpec):
        return image.id
    raise RefusedError(
        [
            Refusal(
                "cloud.image.kind",
                image.kind,
                "'given'",
                "a build takes the better part of an hour after its template is there, and nothing waits for it yet: "
                "machines would be asked for before there is anything to boot",
                "build the image, and give the id of its version",
            )
        ]
    )
