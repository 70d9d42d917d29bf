"""What outlives machines: marks of etcd clusters, their snapshots, and checkpoints of jobs, as blobs."""

import pulumi
import pulumi_azure_native as azure

from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.identity import READS_AND_ADDS, WRITES, grant, region_role
from kilonode.clouds.azure.place import ROLE, Place
from kilonode.tuning import Row

IMMUTABLE_DAYS = Row(
    "immutabilityPeriodSinceCreationInDays", 7,
    "a snapshot is neither changed nor deleted within a week, whoever has the keys; a fault is found sooner than that",
    "https://learn.microsoft.com/azure/storage/blobs/immutable-time-based-retention-policy-overview",
)  # fmt: skip

KEPT_DAYS = Row(
    "daysAfterCreationGreaterThan", 14,
    "twice the window; 48 snapshots a day of each etcd cluster, of up to its quota, would else grow without end",
    "kilonode; https://learn.microsoft.com/azure/storage/blobs/lifecycle-management-overview",
)  # fmt: skip


class Storage(pulumi.ComponentResource):
    """The region's storage account. Outputs: ``account``, its name."""

    def __init__(self, place: Place, opts: pulumi.ResourceOptions) -> None:
        plan = place.plan
        super().__init__("kilonode:azure:Storage", f"{plan.name}-storage", None, opts)
        self._place, self._inside = place, pulumi.ResourceOptions(parent=self)
        self._account = azure.storage.StorageAccount(
            f"{plan.name}-storage",
            resource_group_name=place.group,
            account_name=plan.storage_account,
            location=place.location,
            tags=place.tags(ROLE),
            kind="StorageV2",
            sku=azure.storage.SkuArgs(name="Standard_ZRS"),
            access_tier=azure.storage.AccessTier.HOT,
            allow_blob_public_access=False,
            # Identities only: a key would open every container, and stand in somebody's settings.
            allow_shared_key_access=False,
            allow_cross_tenant_replication=False,
            enable_https_traffic_only=True,
            minimum_tls_version="TLS1_2",
            opts=guarded("storage:StorageAccount", self._inside, place.resource, protect=True),
        )
        self._marks = {cluster: self._container(name) for cluster, name in plan.marks.items()}
        self._snapshots = self._container(plan.snapshots)
        azure.storage.BlobContainerImmutabilityPolicy(
            f"{plan.name}-{plan.snapshots}-window",
            resource_group_name=place.group,
            account_name=plan.storage_account,
            container_name=plan.snapshots,
            immutability_policy_name="default",
            immutability_period_since_creation_in_days=int(IMMUTABLE_DAYS.value),
            allow_protected_append_writes=False,
            # The provider cannot delete it: Azure wants the ETag, which it does not send (pulumi-azure-native#2156).
            opts=pulumi.ResourceOptions.merge(
                guarded("storage:BlobContainerImmutabilityPolicy", self._inside, self._snapshots),
                pulumi.ResourceOptions(retain_on_delete=True),
            ),
        )
        self._expiry(plan.snapshots)
        self._container(plan.checkpoints)
        self._roles = {role.key: region_role(place, role, self._inside) for role in (READS_AND_ADDS, WRITES)}
        self.register_outputs({"account": plan.storage_account})

    def url(self, container: str) -> str:
        """Where ``container`` is."""
        return f"https://{self._place.plan.storage_account}.blob.core.windows.net/{container}"

    def grants(
        self, cluster: str, member: str, who: azure.managedidentity.UserAssignedIdentity, opts: pulumi.ResourceOptions
    ) -> list[azure.authorization.RoleAssignment]:
        """Let a member of ``cluster`` keep its marks and write snapshots; neither another's marks nor a deletion."""
        marks, snapshots = (self._roles[role.key] for role in (READS_AND_ADDS, WRITES))
        return [
            grant(f"{member}-keeps-marks", who, marks.id, self._marks[cluster].id, opts),
            grant(f"{member}-writes-snapshots", who, snapshots.id, self._snapshots.id, opts),
        ]

    def _expiry(self, container: str) -> None:
        """Delete what is old in ``container``; an account has one policy, which holds all its rules."""
        age = azure.storage.DateAfterModificationArgs(days_after_creation_greater_than=float(str(KEPT_DAYS.value)))
        rule = azure.storage.ManagementPolicyRuleArgs(
            name=f"old-{container}",
            type=azure.storage.RuleType.LIFECYCLE,
            enabled=True,
            definition=azure.storage.ManagementPolicyDefinitionArgs(
                filters=azure.storage.ManagementPolicyFilterArgs(
                    blob_types=["blockBlob"], prefix_match=[f"{container}/"]
                ),
                actions=azure.storage.ManagementPolicyActionArgs(
                    base_blob=azure.storage.ManagementPolicyBaseBlobArgs(delete=age)
                ),
            ),
        )
        azure.storage.ManagementPolicy(
            f"{self._place.plan.name}-{container}-expiry",
            resource_group_name=self._place.group,
            account_name=self._place.plan.storage_account,
            management_policy_name="default",
            policy=azure.storage.ManagementPolicySchemaArgs(rules=[rule]),
            opts=guarded("storage:ManagementPolicy", self._inside, self._account),
        )

    def _container(self, name: str) -> azure.storage.BlobContainer:
        return azure.storage.BlobContainer(
            f"{self._place.plan.name}-{name}",
            resource_group_name=self._place.group,
            account_name=self._place.plan.storage_account,
            container_name=name,
            public_access=azure.storage.PublicAccess.NONE,
            opts=guarded("storage:BlobContainer", self._inside, self._account, protect=True),
        )
