"""A fixed machine: an interface at its planned address, and a virtual machine in its planned zone."""

from collections.abc import Sequence

import pulumi
import pulumi_azure_native as azure

from kilonode.boot.machine import BootData
from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.hardware import ADMIN, OS_DISK, custom_data, login, security
from kilonode.clouds.azure.place import Place
from kilonode.clouds.azure.plan import AzureMachine


def interface(
    place: Place,
    machine: AzureMachine,
    subnet: azure.network.Subnet,
    backends: Sequence[pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> azure.network.NetworkInterface:
    """The interface of ``machine``; a load balancer's ``backends`` are pools it joins."""
    own = machine.machine
    return azure.network.NetworkInterface(
        f"{own.name}-interface",
        resource_group_name=place.group,
        network_interface_name=own.name,
        location=place.location,
        tags=place.tags(own.role),
        enable_accelerated_networking=machine.size.accelerated_networking,
        ip_configurations=[
            azure.network.NetworkInterfaceIPConfigurationArgs(
                name="own",
                primary=True,
                subnet=azure.network.SubnetArgs(id=subnet.id),
                private_ip_address=str(own.address),
                private_ip_allocation_method="Static",
                private_ip_address_version="IPv4",
                load_balancer_backend_address_pools=[azure.network.BackendAddressPoolArgs(id=each) for each in backends]
                or None,
            )
        ],
        opts=guarded("network:NetworkInterface", opts, subnet),
    )


def virtual_machine(
    place: Place,
    machine: AzureMachine,
    *,
    image: pulumi.Input[str],
    boot: pulumi.Output[BootData],
    nic: azure.network.NetworkInterface,
    who: azure.managedidentity.UserAssignedIdentity,
    protect: bool,
    opts: pulumi.ResourceOptions,
) -> azure.compute.VirtualMachine:
    """The machine itself; ``protect`` where its local disk holds what nobody else has."""
    own, cloud = machine.machine, place.plan.cloud
    return azure.compute.VirtualMachine(
        own.name,
        resource_group_name=place.group,
        vm_name=own.name,
        location=place.location,
        tags=place.tags(own.role),
        zones=[own.zone],
        # Never taken away for somebody who pays more.
        priority="Regular",
        hardware_profile=azure.compute.HardwareProfileArgs(vm_size=machine.size.name),
        identity=azure.compute.VirtualMachineIdentityArgs(
            type=azure.compute.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[who.id]
        ),
        network_profile=azure.compute.NetworkProfileArgs(
            network_interfaces=[
                azure.compute.NetworkInterfaceReferenceArgs(id=nic.id, primary=True, delete_option="Detach")
            ]
        ),
        os_profile=azure.compute.OSProfileArgs(
            computer_name=own.name,
            admin_username=ADMIN,
            custom_data=boot.apply(custom_data),
            linux_configuration=login(cloud.admin_ssh_key),
        ),
        security_profile=security(machine.size, cloud.image.form),
        # What it says while it starts can be read where nobody can log in.
        diagnostics_profile=azure.compute.DiagnosticsProfileArgs(
            boot_diagnostics=azure.compute.BootDiagnosticsArgs(enabled=True)
        ),
        storage_profile=azure.compute.StorageProfileArgs(
            image_reference=azure.compute.ImageReferenceArgs(id=image),
            os_disk=azure.compute.OSDiskArgs(
                create_option="FromImage",
                caching=azure.compute.CachingTypes.READ_WRITE,
                # The machine's name is free again at once.
                delete_option="Delete",
                disk_size_gb=int(OS_DISK.value),
                managed_disk=azure.compute.ManagedDiskParametersArgs(storage_account_type="Premium_LRS"),
            ),
        ),
        opts=guarded("compute:VirtualMachine", opts, protect=protect or None),
    )
