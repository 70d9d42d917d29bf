"""How many machines a scale set has is the autoscaler's: no update of the rest may send another number.

Azure takes a scale set whole, its capacity with it, and for an ignored property the engine sends what it last knew. So the
number it is about to send is held against the living one at the last moment, and the update is refused where they differ:
a lower one would end machines at work, a higher one would make machines nobody asked for.
"""

import pulumi
import pulumi_azure_native as azure

from kilonode.refusal import Refusal


class CapacityError(RuntimeError):
    """A scale set has another number of machines than the update would give it; nothing was sent."""


def refusal(scale_set: str, sent: int, living: int) -> Refusal | None:
    """What is wrong with sending ``sent`` machines to a set of ``living`` ones."""
    if sent == living:
        return None
    return Refusal(
        f"{scale_set}: sku.capacity",
        f"{sent}, as last recorded",
        f"{living}, what the set has now",
        f"the autoscaler has changed it since, and this update would "
        f"{'end machines at work' if sent < living else 'make machines nobody asked for'}",
        "run `pulumi up --refresh`; where the autoscaler is at work right now, run it again when it is done",
    )


def unmoved(name: str, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
    """``opts`` under which an update of the scale set ``name`` is refused when it would move its capacity."""

    async def hold(args: pulumi.ResourceHookArgs) -> None:
        """Raises CapacityError before anything is sent."""
        sent = args.new_inputs or {}
        found = await azure.compute.get_virtual_machine_scale_set_output(
            resource_group_name=str(sent["resourceGroupName"]),
            vm_scale_set_name=str(sent["vmScaleSetName"]),
            opts=pulumi.InvokeOptions(parent=opts.parent),
        ).future()
        living = int(found.sku.capacity)
        if wrong := refusal(name, int(sent["sku"]["capacity"]), living):
            raise CapacityError(str(wrong))

    hook = pulumi.ResourceHook(f"{name}-capacity", hold)
    return pulumi.ResourceOptions.merge(
        opts, pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(before_update=[hook]))
    )
