"""What machines boot: an image that exists, or one that a template builds in a gallery of the region."""

from math import ceil

import pulumi
import pulumi_azure_native as azure

from kilonode.clouds.azure import names
from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.identity import WRITES_IMAGES, grant, identity, region_role
from kilonode.clouds.azure.image_build import build
from kilonode.clouds.azure.image_wait import TIMEOUT, wait
from kilonode.clouds.azure.place import ROLE, Place
from kilonode.cloudspec.azure_image import GivenImageSpec, TemplateImageSpec, scale_set_limit
from kilonode.cloudspec.azure_pool import OS_DISK_MIN
from kilonode.limits import AZURE_REPLICA_MACHINES
from kilonode.tuning import Row

DEFINITION = "machine"
CONTENT = "kilonode-image-content"
"""Tag of a template: what its image was asked to hold."""

BUILDER = Row(
    "vmProfile.vmSize", "Standard_D4ds_v5", "a build is downloads and unpacking: four cores do both at once",
    "Azure default Standard_D2ds_v4 for generation 2: https://learn.microsoft.com/azure/virtual-machines/linux/image-builder-json#vmsize",
)  # fmt: skip
BUILDER_DISK = Row(
    "vmProfile.osDiskSizeGB", OS_DISK_MIN, "no machine has a smaller disk than its image: this is the least a pool may ask for",
    "the size of Debian's own image",
)  # fmt: skip
FEATURES = {
    "SecurityType": "TrustedLaunchSupported",
    "DiskControllerTypes": "SCSI, NVMe",
    "IsAcceleratedNetworkSupported": "True",
}
"""Machines with and without trusted launch boot it, from disks of either controller
(https://learn.microsoft.com/azure/virtual-machines/trusted-launch, https://learn.microsoft.com/azure/virtual-machines/enable-nvme-interface)."""

BUILT_ONCE = ("buildTimeoutInMinutes", "customize", "distribute", "source", "tags", "vmProfile")
"""A version is what it was first asked to be: neither machines of one version nor the library's next release change it."""


def image(place: Place, opts: pulumi.ResourceOptions) -> pulumi.Input[str]:
    """The id of the image of all machines; of one that is built, once it is there."""
    spec = place.plan.cloud.image
    return spec.id if isinstance(spec, GivenImageSpec) else BuiltImage(place, spec, opts).version


class BuiltImage(pulumi.ComponentResource):
    """An image built by a template. Outputs: ``version``, the id of its version."""

    def __init__(self, place: Place, spec: TemplateImageSpec, opts: pulumi.ResourceOptions) -> None:
        plan = place.plan
        super().__init__("kilonode:azure:Image", f"{plan.name}-image", None, opts)
        self._place, self._spec = place, spec
        # Versions are the builder's, no resources of the stack: they would keep both of these from being deleted.
        self._inside = pulumi.ResourceOptions(parent=self, deleted_with=place.resource)
        self._gallery = azure.compute.Gallery(
            f"{plan.name}-gallery",
            resource_group_name=place.group,
            gallery_name=plan.gallery,
            location=place.location,
            tags=place.tags(ROLE),
            opts=guarded("compute:Gallery", self._inside, place.resource),
        )
        self._definition = azure.compute.GalleryImage(
            f"{plan.name}-image-definition",
            resource_group_name=place.group,
            gallery_name=plan.gallery,
            gallery_image_name=names.checked("compute:GalleryImage", DEFINITION),
            location=place.location,
            tags=place.tags(ROLE),
            os_type=azure.compute.OperatingSystemTypes.LINUX,
            os_state=azure.compute.OperatingSystemStateTypes.GENERALIZED,
            hyper_v_generation="V2",
            architecture="x64",
            identifier=azure.compute.GalleryImageIdentifierArgs(publisher="kilonode", offer=plan.name, sku=DEFINITION),
            features=[
                azure.compute.GalleryImageFeatureArgs(name=name, value=value) for name, value in FEATURES.items()
            ],
            opts=guarded("compute:GalleryImage", self._inside, self._gallery),
        )
        self.version = self._built()
        self.register_outputs({"version": self.version})

    def _built(self) -> pulumi.Output[str]:
        place, plan = self._place, self._place.plan
        name = names.image_template(plan.name, self._spec.version)
        version: pulumi.Output[str] = place.client.subscription_id.apply(
            lambda it: (
                f"/subscriptions/{it}/resourceGroups/{place.group}/providers/Microsoft.Compute"
                f"/galleries/{plan.gallery}/images/{DEFINITION}/versions/{self._spec.version}"
            )
        )
        template = self._template(name, version)
        if pulumi.runtime.is_dry_run():
            # Known before anything is built, so that a preview shows what machines will boot.
            return version

        async def built(known: list[str]) -> str:
            urn, image_version, _ = known
            await wait(template, place.group, name, urn)
            return image_version

        made: pulumi.Output[str] = pulumi.Output.all(template.urn, version, template.id).apply(built)
        return made

    def _template(
        self, name: str, version: pulumi.Output[str]
    ) -> azure.virtualmachineimages.VirtualMachineImageTemplate:
        place, spec, build_ = self._place, self._spec, build(self._place.plan, self._spec)
        who, may = self._builder()
        template = azure.virtualmachineimages.VirtualMachineImageTemplate(
            name,
            resource_group_name=place.group,
            image_template_name=name,
            location=place.location,
            tags={**place.tags(ROLE), CONTENT: build_.content},
            identity=azure.virtualmachineimages.ImageTemplateIdentityArgs(
                type=azure.virtualmachineimages.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[who.id]
            ),
            auto_run=azure.virtualmachineimages.ImageTemplateAutoRunArgs(
                state=azure.virtualmachineimages.AutoRunState.AUTO_RUN_ENABLED
            ),
            build_timeout_in_minutes=int(TIMEOUT.value),
            vm_profile=azure.virtualmachineimages.ImageTemplateVmProfileArgs(
                vm_size=str(BUILDER.value), os_disk_size_gb=int(BUILDER_DISK.value)
            ),
            source=azure.virtualmachineimages.ImageTemplatePlatformImageSourceArgs(
                type="PlatformImage",
                publisher=spec.base.publisher,
                offer=spec.base.offer,
                sku=spec.base.sku,
                version=spec.base.version,
            ),
            customize=[
                azure.virtualmachineimages.ImageTemplateShellCustomizerArgs(
                    type="Shell", name="kilonode", inline=list(build_.inline)
                )
            ],
            distribute=[
                azure.virtualmachineimages.ImageTemplateSharedImageDistributorArgs(
                    type="SharedImage",
                    run_output_name="machine-image",
                    gallery_image_id=version,
                    target_regions=[
                        azure.virtualmachineimages.TargetRegionArgs(
                            name=place.location, replica_count=replicas(place), storage_account_type="Standard_ZRS"
                        )
                    ],
                )
            ],
            opts=guarded(
                "virtualmachineimages:VirtualMachineImageTemplate",
                pulumi.ResourceOptions(parent=self), self._definition, may, ignore=BUILT_ONCE,
            ),
        )  # fmt: skip
        template.tags.apply(lambda tags: _stale(template, spec.version, (tags or {}).get(CONTENT), build_.content))
        return template

    def _builder(self) -> tuple[azure.managedidentity.UserAssignedIdentity, azure.authorization.RoleAssignment]:
        """Who writes the version, and the right to."""
        place, inside = self._place, pulumi.ResourceOptions(parent=self)
        who = identity(place, f"{place.plan.name}-image-builder", ROLE, inside)
        role = region_role(place, WRITES_IMAGES, inside)
        may = grant(f"{place.plan.name}-image-builder-writes", who, role.id, place.resource.id, inside)
        return who, may


def replicas(place: Place) -> int:
    """Copies of the version, so that all machines of one scale set may be made at once."""
    at_once = min(place.plan.region.spec.ceiling, scale_set_limit(place.plan.cloud.image).value)
    return ceil(at_once / AZURE_REPLICA_MACHINES.value)


def _stale(template: pulumi.Resource, version: str, built: str | None, wanted: str) -> None:
    if built and built != wanted:
        pulumi.log.warn(
            f"image version {version} was built from other content than cloud.image and this release of the library ask for: "
            "it stays as it is. To build what they ask for, give cloud.image another version",
            template,
        )
