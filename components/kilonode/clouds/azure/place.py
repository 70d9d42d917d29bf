"""Where all resources of a region are: its group, and the subscription the provider works in."""

import pulumi
import pulumi_azure_native as azure

from kilonode.clouds.azure import tags
from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.plan import AzurePlan

ROLE = "shared"


class Place:
    """The resource group, and what every resource is given: location, group and tags."""

    def __init__(self, plan: AzurePlan, opts: pulumi.ResourceOptions) -> None:
        self.plan = plan
        self.location = plan.cloud.location
        self.group = plan.resource_group
        self.resource = azure.resources.ResourceGroup(
            f"{plan.name}-group",
            resource_group_name=self.group,
            location=self.location,
            tags=self.tags(ROLE),
            opts=guarded("resources:ResourceGroup", opts),
        )
        self.client = azure.authorization.get_client_config_output(opts=pulumi.InvokeOptions(parent=opts.parent))

    def tags(self, role: str, pool: str = "") -> dict[str, str]:
        """The tags of a resource that serves ``role``."""
        return tags.fitting(tags.own_tags(self.plan.name, role, self.plan.cloud.tags, pool))

    def role(self, identifier: str) -> pulumi.Output[str]:
        """The id of a role every subscription has."""
        prefix = "providers/Microsoft.Authorization/roleDefinitions"
        return pulumi.Output.concat("/subscriptions/", self.client.subscription_id, f"/{prefix}/{identifier}")
