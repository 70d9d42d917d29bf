"""Waiting for an image: the template is there at once, its image the better part of an hour later."""

import asyncio
from typing import Any

import pulumi
import pulumi_azure_native as azure

from kilonode.tuning import Row

_STATES = "https://learn.microsoft.com/rest/api/imagebuilder/virtual-machine-image-templates/get: lastRunStatus"
POLL = Row("poll", 30, "seconds between two looks at a build; it takes an hour, and a read costs nothing", _STATES)
SAY = Row("say", 60, "seconds between two lines about a build that goes on, so that nobody takes it for dead", _STATES)
TIMEOUT = Row(
    "buildTimeoutInMinutes", 120,
    "a build is about forty minutes, most of them the copies of the version; one that hangs ends within two hours",
    "Azure's own default is 240: https://learn.microsoft.com/azure/virtual-machines/linux/image-builder-json#properties-buildtimeoutinminutes",
)  # fmt: skip
GRACE = Row(
    "grace", 30, "minutes beyond the time-out, as the service cleans up before it says how a build ended", _STATES
)

GOES_ON = frozenset({None, "Running", "Canceling"})
"""States of a build that has not ended; none, before the service has begun it."""

SUCCEEDED = "Succeeded"


async def wait(
    template: azure.virtualmachineimages.VirtualMachineImageTemplate, group: str, name: str, urn: str
) -> None:
    """Return once the build of the template called ``name`` has succeeded.

    Raises:
        pulumi.RunError: when it ended otherwise, or does not end.
    """
    waited = 0
    while (status := await _status(template, group, name))[0] in GOES_ON:
        if waited > (int(TIMEOUT.value) + int(GRACE.value)) * 60:
            raise _fault(name, urn, f"has not ended after {waited // 60} minutes", status[1])
        if waited % max(int(SAY.value), int(POLL.value)) == 0:
            pulumi.log.info(
                f"the machine image is being built ({status[0] or 'not begun'}, {waited // 60} min)", template
            )
        await asyncio.sleep(float(POLL.value))
        waited += int(POLL.value)
    if status[0] != SUCCEEDED:
        raise _fault(name, urn, f"ended as {status[0]}", status[1])


async def _status(resource: pulumi.Resource, group: str, name: str) -> tuple[str | None, str]:
    """State and message of the last run."""
    found: Any = await azure.virtualmachineimages.get_virtual_machine_image_template_output(
        image_template_name=name, resource_group_name=group, opts=pulumi.InvokeOptions(parent=resource)
    ).future()
    run = found.last_run_status if found else None
    return (run.run_state, run.message or "") if run else (None, "")


def _fault(name: str, urn: str, what: str, message: str) -> pulumi.RunError:
    return pulumi.RunError(
        f"the build of the machine image by template {name} {what}: {message or 'the service says no more'}\n"
        "Nothing boots from it, and what runs stays as it is. The service keeps the log (customization.log) in the storage "
        "account of the template's staging group, IT_….\n"
        f"To build the same again: pulumi up --replace '{urn}'\n"
        "To build something else, another source or other checksums among that: give cloud.image another version."
    )
