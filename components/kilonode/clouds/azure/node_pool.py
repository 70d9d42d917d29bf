"""A scale set of a pool: machines that differ only by what Azure gives them, as many as the autoscaler wants."""

import pulumi
import pulumi_azure_native as azure

from kilonode.boot.machine import BootData
from kilonode.clouds.azure import health, tags
from kilonode.clouds.azure.capacity import unmoved
from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.hardware import ADMIN, custom_data, login, security
from kilonode.clouds.azure.place import Place
from kilonode.clouds.azure.plan import AzurePool
from kilonode.clouds.azure.sets import ScaleSet
from kilonode.cloudspec.azure_pool import BATCH
from kilonode.cloudspec.azure_sizes import Size
from kilonode.tuning import Row

ROLE = "node"
CAPACITY = "sku.capacity"

_ROLLING = (
    "https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-configure-rolling-upgrades"
)
UNHEALTHY = Row(
    "maxUnhealthyInstancePercent", 10,
    "an upgrade stops where this much of a set is ill, from whatever cause: a large pool always has a few ill machines",
    f"Azure default 20, halved: {_ROLLING}",
)  # fmt: skip
UNHEALTHY_UPGRADED = Row(
    "maxUnhealthyUpgradedInstancePercent", 5,
    "an upgrade stops after the batch that made machines ill, so an image whose nodes do not serve reaches one batch",
    f"Azure default 20, lowered to one batch: {_ROLLING}",
)  # fmt: skip
PAUSE = Row(
    "pauseTimeBetweenBatches",
    "PT5M",
    "pods are back on a batch's nodes before the next goes; until its nodes serve, a batch is not over",
    _ROLLING,
)

_EPHEMERAL = {"scsi-temp": "ResourceDisk", "nvme-direct": "ResourceDisk", "nvme-temp-v6": "NvmeDisk"}
"""Where an ephemeral OS disk goes: on the SCSI resource disk, but for sizes that have NVMe disks only
(https://learn.microsoft.com/azure/virtual-machines/ephemeral-os-disks)."""


def scale_set(
    place: Place,
    pool: AzurePool,
    own: ScaleSet,
    *,
    image: pulumi.Input[str],
    boot: pulumi.Output[BootData],
    subnet: azure.network.Subnet,
    who: azure.managedidentity.UserAssignedIdentity,
    opts: pulumi.ResourceOptions,
) -> azure.compute.VirtualMachineScaleSet:
    """One scale set; after its creation how many machines it has is the autoscaler's alone."""
    cloud, size = place.plan.cloud, pool.azure.type
    return azure.compute.VirtualMachineScaleSet(
        own.name,
        resource_group_name=place.group,
        vm_scale_set_name=own.name,
        location=place.location,
        tags=tags.fitting(
            place.tags(ROLE, pool.spec.name) | tags.autoscaler_tags(place.plan.name, pool.spec, own),
        ),
        zones=list(own.zones),
        orchestration_mode="Uniform",
        sku=azure.compute.SkuArgs(name=size.name, tier="Standard", capacity=own.capacity),
        # The autoscaler counts machines: more than it asked for, for a while, would confuse it.
        overprovision=False,
        single_placement_group=own.single_placement_group,
        # Machines are spread over as many racks as there are; other numbers are for sets outside of zones.
        platform_fault_domain_count=1,
        upgrade_policy=_upgrades(surge=pool.azure.surge),
        identity=azure.compute.VirtualMachineScaleSetIdentityArgs(
            type=azure.compute.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[who.id]
        ),
        virtual_machine_profile=azure.compute.VirtualMachineScaleSetVMProfileArgs(
            priority="Regular",
            os_profile=azure.compute.VirtualMachineScaleSetOSProfileArgs(
                computer_name_prefix=own.name,
                admin_username=ADMIN,
                custom_data=boot.apply(custom_data),
                linux_configuration=login(cloud.admin_ssh_key),
            ),
            security_profile=security(size, cloud.image.form),
            diagnostics_profile=azure.compute.DiagnosticsProfileArgs(
                boot_diagnostics=azure.compute.BootDiagnosticsArgs(enabled=True)
            ),
            storage_profile=azure.compute.VirtualMachineScaleSetStorageProfileArgs(
                image_reference=azure.compute.ImageReferenceArgs(id=image), os_disk=_os_disk(pool, size)
            ),
            network_profile=azure.compute.VirtualMachineScaleSetNetworkProfileArgs(
                network_interface_configurations=[_interface(pool, size, subnet)]
            ),
            extension_profile=azure.compute.VirtualMachineScaleSetExtensionProfileArgs(extensions=[_health()]),
        ),
        # Protected: an edit that replaces or leaves out a set ends all its nodes at once.
        opts=unmoved(
            own.name, guarded("compute:VirtualMachineScaleSet", opts, subnet, protect=True, ignore=[CAPACITY])
        ),
    )


def _interface(
    pool: AzurePool, size: Size, subnet: azure.network.Subnet
) -> azure.compute.VirtualMachineScaleSetNetworkConfigurationArgs:
    """One interface with the node's own address, which comes first, and one for each pod; none is public."""
    return azure.compute.VirtualMachineScaleSetNetworkConfigurationArgs(
        name="own",
        primary=True,
        enable_accelerated_networking=size.accelerated_networking,
        ip_configurations=[
            azure.compute.VirtualMachineScaleSetIPConfigurationArgs(
                name="own" if number == 0 else f"pod-{number:03d}",
                primary=number == 0,
                private_ip_address_version="IPv4",
                subnet=azure.compute.ApiEntityReferenceArgs(id=subnet.id),
            )
            for number in range(pool.addresses_per_node)
        ],
    )


def _os_disk(pool: AzurePool, size: Size) -> azure.compute.VirtualMachineScaleSetOSDiskArgs:
    gib = pool.azure.os_disk_gib
    if not pool.azure.ephemeral or size.disks is None:
        return azure.compute.VirtualMachineScaleSetOSDiskArgs(
            create_option="FromImage",
            caching=azure.compute.CachingTypes.READ_WRITE,
            disk_size_gb=gib,
            managed_disk=azure.compute.VirtualMachineScaleSetManagedDiskParametersArgs(
                storage_account_type="Premium_LRS"
            ),
        )
    return azure.compute.VirtualMachineScaleSetOSDiskArgs(
        create_option="FromImage",
        # Nothing else goes with an ephemeral disk.
        caching=azure.compute.CachingTypes.READ_ONLY,
        disk_size_gb=gib,
        diff_disk_settings=azure.compute.DiffDiskSettingsArgs(option="Local", placement=_EPHEMERAL[size.disks.kind]),
    )


def _upgrades(*, surge: bool) -> azure.compute.UpgradePolicyArgs:
    return azure.compute.UpgradePolicyArgs(
        mode=azure.compute.UpgradeMode.ROLLING,
        rolling_upgrade_policy=azure.compute.RollingUpgradePolicyArgs(
            max_batch_instance_percent=int(BATCH.value),
            max_unhealthy_instance_percent=int(UNHEALTHY.value),
            max_unhealthy_upgraded_instance_percent=int(UNHEALTHY_UPGRADED.value),
            pause_time_between_batches=str(PAUSE.value),
            prioritize_unhealthy_instances=True,
            max_surge=surge,
        ),
    )


def _health() -> azure.compute.VirtualMachineScaleSetExtensionArgs:
    """A rolling upgrade asks each machine itself whether its node serves, and waits for one that is to come yet."""
    return azure.compute.VirtualMachineScaleSetExtensionArgs(
        name="health",
        publisher="Microsoft.ManagedServices",
        type="ApplicationHealthLinux",
        type_handler_version=health.VERSION,
        auto_upgrade_minor_version=True,
        settings=health.settings(),
    )
