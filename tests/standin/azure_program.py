"""The program of the engine tests: a small control plane and a pool, written with plain azure-native resources."""

PROGRAM = """
import base64, json, os
import pulumi
import pulumi_azure_native as azure

given = json.loads(os.environ["GIVEN"])
client = azure.authorization.get_client_config()
boot = lambda text: base64.b64encode(text.encode()).decode()
group = azure.resources.ResourceGroup("group", resource_group_name="rg-one", location="southcentralus")
where = {"resource_group_name": group.name, "location": group.location}
nsg = azure.network.NetworkSecurityGroup("nsg", network_security_group_name="nsg", **where, security_rules=[
    azure.network.SecurityRuleArgs(
        name="api", priority=100, direction="Inbound", access="Allow", protocol="Tcp", source_port_range="*",
        source_address_prefix="VirtualNetwork", destination_port_range="6443", destination_address_prefix="*"),
])
address = azure.network.PublicIPAddress("out", public_ip_address_name="out", **where,
    sku=azure.network.PublicIPAddressSkuArgs(name="Standard"), public_ip_allocation_method="Static", zones=["1", "2", "3"])
nat = azure.network.NatGateway("nat", nat_gateway_name="nat", **where, sku=azure.network.NatGatewaySkuArgs(name="Standard"),
    public_ip_addresses=[azure.network.SubResourceArgs(id=address.id)])
network = azure.network.VirtualNetwork("network", virtual_network_name="network", **where,
    address_space=azure.network.AddressSpaceArgs(address_prefixes=["10.0.0.0/16"]))
subnets = {}
for name, prefix in given["subnets"].items():
    subnets[name] = azure.network.Subnet(f"subnet-{name}", resource_group_name=group.name, virtual_network_name=network.name,
        subnet_name=name, address_prefix=prefix,
        network_security_group=azure.network.NetworkSecurityGroupArgs(id=nsg.id),
        nat_gateway=azure.network.SubResourceArgs(id=nat.id))
balancer = azure.network.LoadBalancer("api", load_balancer_name="api", **where,
    sku=azure.network.LoadBalancerSkuArgs(name="Standard"),
    frontend_ip_configurations=[azure.network.FrontendIPConfigurationArgs(
        name="front", private_ip_address="10.0.0.4", private_ip_allocation_method="Static",
        subnet=azure.network.SubnetArgs(id=subnets["control"].id))],
    backend_address_pools=[azure.network.BackendAddressPoolArgs(name="servers")],
    probes=[azure.network.ProbeArgs(name="ready", protocol="Https", port=6443, request_path="/readyz")])
pool = balancer.backend_address_pools.apply(lambda pools: pools[0].id)
vault = azure.keyvault.Vault("vault", vault_name="kilonode-vault", **where,
    properties=azure.keyvault.VaultPropertiesArgs(
        tenant_id=client.tenant_id, sku=azure.keyvault.SkuArgs(family="A", name="standard"), enable_rbac_authorization=True,
        create_mode=given.get("vault_mode")))
azure.keyvault.Secret("key", resource_group_name=group.name, vault_name=vault.name, secret_name="key",
    properties=azure.keyvault.SecretPropertiesArgs(value=pulumi.Output.secret(given["secret"])))
identity = azure.managedidentity.UserAssignedIdentity("identity", resource_name_="api-identity", **where)
role = f"/subscriptions/{client.subscription_id}/providers/Microsoft.Authorization/roleDefinitions/4633458b-17de-408a-b874-0445c86b69e6"
azure.authorization.RoleAssignment("reads", scope=vault.id, principal_id=identity.principal_id,
    principal_type="ServicePrincipal", role_definition_id=role)
for number, (machine, ip) in enumerate(given["machines"].items()):
    nic = azure.network.NetworkInterface(f"{machine}-nic", network_interface_name=f"{machine}-nic", **where,
        ip_configurations=[azure.network.NetworkInterfaceIPConfigurationArgs(
            name="own", primary=True, private_ip_address=ip, private_ip_allocation_method="Static",
            subnet=azure.network.SubnetArgs(id=subnets["control"].id),
            load_balancer_backend_address_pools=[azure.network.BackendAddressPoolArgs(id=pool)])])
    azure.compute.VirtualMachine(machine, vm_name=machine, **where, zones=[str(number % 3 + 1)],
        hardware_profile=azure.compute.HardwareProfileArgs(vm_size=given["size"]),
        identity=azure.compute.VirtualMachineIdentityArgs(type="UserAssigned", user_assigned_identities=[identity.id]),
        network_profile=azure.compute.NetworkProfileArgs(network_interfaces=[
            azure.compute.NetworkInterfaceReferenceArgs(id=nic.id, primary=True)]),
        os_profile=azure.compute.OSProfileArgs(computer_name=machine, admin_username="kilonode", custom_data=boot(given["boot"]),
            linux_configuration=azure.compute.LinuxConfigurationArgs(disable_password_authentication=True,
                ssh=azure.compute.SshConfigurationArgs(public_keys=[azure.compute.SshPublicKeyArgs(
                    path="/home/kilonode/.ssh/authorized_keys", key_data="ssh-ed25519 AAAA test")]))),
        storage_profile=azure.compute.StorageProfileArgs(
            image_reference=azure.compute.ImageReferenceArgs(publisher="Debian", offer="debian-12", sku="12-gen2", version="latest"),
            os_disk=azure.compute.OSDiskArgs(create_option="FromImage", caching="ReadOnly", delete_option=given["os_disk"],
                managed_disk=azure.compute.ManagedDiskParametersArgs(storage_account_type="Premium_LRS"))),
        opts=pulumi.ResourceOptions(**given.get("machine_options", {})))
azure.compute.VirtualMachineScaleSet("pool", vm_scale_set_name="pool", **where,
    sku=azure.compute.SkuArgs(name="Standard_ND96isr_H100_v5", capacity=given["capacity"], tier="Standard"),
    overprovision=False, single_placement_group=False, tags=given.get("tags", {}),
    upgrade_policy=azure.compute.UpgradePolicyArgs(mode="Manual"),
    virtual_machine_profile=azure.compute.VirtualMachineScaleSetVMProfileArgs(
        os_profile=azure.compute.VirtualMachineScaleSetOSProfileArgs(
            computer_name_prefix="pool", admin_username="kilonode", custom_data=boot("node"),
            linux_configuration=azure.compute.LinuxConfigurationArgs(ssh=azure.compute.SshConfigurationArgs(public_keys=[
                azure.compute.SshPublicKeyArgs(path="/home/kilonode/.ssh/authorized_keys", key_data="ssh-ed25519 AAAA test")]))),
        storage_profile=azure.compute.VirtualMachineScaleSetStorageProfileArgs(
            image_reference=azure.compute.ImageReferenceArgs(publisher="Debian", offer="debian-12", sku="12-gen2", version="latest"),
            os_disk=azure.compute.VirtualMachineScaleSetOSDiskArgs(create_option="FromImage")),
        network_profile=azure.compute.VirtualMachineScaleSetNetworkProfileArgs(network_interface_configurations=[
            azure.compute.VirtualMachineScaleSetNetworkConfigurationArgs(name="nic", primary=True, ip_configurations=[
                azure.compute.VirtualMachineScaleSetIPConfigurationArgs(name=f"ip{n}", primary=n == 0,
                    subnet=azure.compute.ApiEntityReferenceArgs(id=subnets["pool"].id)) for n in range(4)])])),
    opts=pulumi.ResourceOptions(ignore_changes=given.get("ignore", [])))
pulumi.export("pool", pool)
pulumi.export("principal", identity.principal_id)
"""

GIVEN = {
    "subnets": {"control": "10.0.0.0/24", "pool": "10.0.16.0/20"},
    "machines": {"api-0": "10.0.0.10", "api-1": "10.0.0.11"},
    "size": "Standard_D16s_v5",
    "boot": "#cloud-config\n",
    "capacity": 2,
    "os_disk": "Delete",
    "secret": "canary-2b7e",
}
