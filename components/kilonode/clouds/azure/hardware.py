"""What virtual machines of every kind share: who logs in, what they boot, and what starts it."""

import base64

import pulumi_azure_native as azure

from kilonode.boot.cloudinit import user_data
from kilonode.boot.machine import BootData
from kilonode.cloudspec.azure_sizes import Size
from kilonode.tuning import Row

ADMIN = "kilonode"
"""The operator's user; cloud-init makes it (rootfs, 90-azure.cfg)."""

OS_DISK = Row(
    "osDisk.diskSizeGB", 64, "the image with its preloaded images and the journal; data is on local disks",
    "kilonode: the image is about 5 GB",
)  # fmt: skip


def custom_data(boot: BootData) -> str:
    """Boot data as Azure takes it."""
    return base64.b64encode(user_data(boot).encode()).decode()


def login(key: str) -> azure.compute.LinuxConfigurationArgs:
    """One key and no password."""
    public = azure.compute.SshPublicKeyArgs(path=f"/home/{ADMIN}/.ssh/authorized_keys", key_data=key)
    return azure.compute.LinuxConfigurationArgs(
        disable_password_authentication=True,
        provision_vm_agent=True,
        ssh=azure.compute.SshConfigurationArgs(public_keys=[public]),
        # Updates come with images: a machine that restarts by itself is one member less.
        patch_settings=azure.compute.LinuxPatchSettingsArgs(patch_mode="ImageDefault", assessment_mode="ImageDefault"),
    )


def security(size: Size, image_form: str) -> azure.compute.SecurityProfileArgs | None:
    """Trusted launch, where it can be.

    Plain images cannot have it, and neither drivers of GPUs nor those of InfiniBand are signed by whom it trusts
    (https://learn.microsoft.com/azure/virtual-machines/trusted-launch).
    """
    if image_form != "gallery" or size.gpus or size.infiniband:
        return None
    uefi = azure.compute.UefiSettingsArgs(secure_boot_enabled=True, v_tpm_enabled=True)
    return azure.compute.SecurityProfileArgs(security_type="TrustedLaunch", uefi_settings=uefi)
