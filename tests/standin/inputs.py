"""Inputs of one good resource of each type, which lean on each other and can all be made in this order."""

import base64
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.standin.azure import ids
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.store import Stored

GROUP = f"/subscriptions/{ids.SUBSCRIPTION}/resourceGroups/rg-one"
NET = f"{GROUP}/providers/Microsoft.Network"
COMPUTE = f"{GROUP}/providers/Microsoft.Compute"
CONTROL = f"{NET}/virtualNetworks/network/subnets/control"
NODES = f"{NET}/virtualNetworks/network/subnets/nodes"
BALANCER = f"{NET}/loadBalancers/api"
VAULT = f"{GROUP}/providers/Microsoft.KeyVault/vaults/kilonode-vault"
IDENTITY = f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/machine"
IMAGE = f"{COMPUTE}/galleries/gallery/images/node"
SECRETS_USER = f"/subscriptions/{ids.SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/4633458b-17de-408a-b874-0445c86b69e6"
WHERE = {"resourceGroupName": "rg-one", "location": "southcentralus"}
BOOT = base64.b64encode(b"#cloud-config\n").decode()
LINUX = {
    "disablePasswordAuthentication": True,
    "ssh": {"publicKeys": [{"path": "/home/kilonode/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA"}]},
}
DEBIAN = {"publisher": "Debian", "offer": "debian-12", "sku": "12-gen2", "version": "latest"}
RULE = {
    "priority": 100,
    "direction": "Inbound",
    "access": "Allow",
    "protocol": "Tcp",
    "sourcePortRange": "*",
    "sourceAddressPrefix": "VirtualNetwork",
    "destinationPortRange": "6443",
    "destinationAddressPrefix": "*",
}

GOOD: dict[str, dict[str, Any]] = {
    "resources:ResourceGroup": {"resourceGroupName": "rg-one", "location": "southcentralus"},
    "network:NetworkSecurityGroup": {**WHERE, "networkSecurityGroupName": "nsg"},
    "network:SecurityRule": {
        "resourceGroupName": "rg-one",
        "networkSecurityGroupName": "nsg",
        "securityRuleName": "etcd",
        **RULE,
        "priority": 110,
    },
    "network:RouteTable": {**WHERE, "routeTableName": "routes", "routes": []},
    "network:PublicIPPrefix": {
        **WHERE,
        "publicIpPrefixName": "prefix",
        "prefixLength": 30,
        "sku": {"name": "Standard"},
        "zones": ["1", "2", "3"],
    },
    "network:PublicIPAddress": {
        **WHERE,
        "publicIpAddressName": "out",
        "sku": {"name": "Standard"},
        "publicIPAllocationMethod": "Static",
        "zones": ["1", "2", "3"],
    },
    "network:NatGateway": {
        **WHERE,
        "natGatewayName": "nat",
        "sku": {"name": "Standard"},
        "publicIpAddresses": [{"id": f"{NET}/publicIPAddresses/out"}],
    },
    "network:VirtualNetwork": {
        **WHERE,
        "virtualNetworkName": "network",
        "addressSpace": {"addressPrefixes": ["10.0.0.0/15"]},
    },
    "network:Subnet": {
        "resourceGroupName": "rg-one",
        "virtualNetworkName": "network",
        "subnetName": "control",
        "addressPrefix": "10.0.0.0/24",
        "networkSecurityGroup": {"id": f"{NET}/networkSecurityGroups/nsg"},
        "natGateway": {"id": f"{NET}/natGateways/nat"},
        "routeTable": {"id": f"{NET}/routeTables/routes"},
    },
    "network:VirtualNetworkPeering": {
        "resourceGroupName": "rg-one",
        "virtualNetworkName": "network",
        "virtualNetworkPeeringName": "to-other",
        "remoteVirtualNetwork": {"id": f"{NET}/virtualNetworks/other"},
        "allowForwardedTraffic": True,
    },
    "network:LoadBalancer": {
        **WHERE,
        "loadBalancerName": "api",
        "sku": {"name": "Standard"},
        "frontendIPConfigurations": [
            {
                "name": "front",
                "privateIPAddress": "10.0.0.4",
                "privateIPAllocationMethod": "Static",
                "subnet": {"id": CONTROL},
            }
        ],
        "backendAddressPools": [{"name": "servers"}],
        "probes": [{"name": "ready", "protocol": "Https", "port": 6443, "requestPath": "/readyz"}],
        "loadBalancingRules": [
            {
                "name": "api",
                "protocol": "Tcp",
                "frontendPort": 6443,
                "backendPort": 6443,
                "frontendIPConfiguration": {"id": f"{BALANCER}/frontendIPConfigurations/front"},
                "backendAddressPools": [{"id": f"{BALANCER}/backendAddressPools/servers"}],
                "probe": {"id": f"{BALANCER}/probes/ready"},
            }
        ],
    },
    "network:NetworkInterface": {
        **WHERE,
        "networkInterfaceName": "api-0",
        "ipConfigurations": [
            {
                "name": "own",
                "primary": True,
                "privateIPAddress": "10.0.0.10",
                "privateIPAllocationMethod": "Static",
                "subnet": {"id": CONTROL},
                "loadBalancerBackendAddressPools": [{"id": f"{BALANCER}/backendAddressPools/servers"}],
            }
        ],
    },
    "privatedns:PrivateZone": {
        "resourceGroupName": "rg-one",
        "privateZoneName": "one.kilonode.internal",
        "location": "Global",
    },
    "privatedns:VirtualNetworkLink": {
        "resourceGroupName": "rg-one",
        "privateZoneName": "one.kilonode.internal",
        "virtualNetworkLinkName": "network",
        "location": "Global",
        "registrationEnabled": False,
        "virtualNetwork": {"id": f"{NET}/virtualNetworks/network"},
    },
    "privatedns:PrivateRecordSet": {
        "resourceGroupName": "rg-one",
        "privateZoneName": "one.kilonode.internal",
        "recordType": "A",
        "relativeRecordSetName": "api",
        "ttl": 60,
        "aRecords": [{"ipv4Address": "10.0.0.4"}],
    },
    "compute:ProximityPlacementGroup": {**WHERE, "proximityPlacementGroupName": "near", "zones": ["1"]},
    "compute:AvailabilitySet": {
        **WHERE,
        "availabilitySetName": "set",
        "platformFaultDomainCount": 2,
        "platformUpdateDomainCount": 5,
        "sku": {"name": "Aligned"},
    },
    "compute:Disk": {
        **WHERE,
        "diskName": "disk",
        "zones": ["1"],
        "diskSizeGB": 64,
        "hyperVGeneration": "V2",
        "sku": {"name": "Premium_LRS"},
        "creationData": {"createOption": "Empty"},
    },
    "managedidentity:UserAssignedIdentity": {**WHERE, "resourceName": "machine"},
    "compute:Gallery": {**WHERE, "galleryName": "gallery"},
    "compute:GalleryImage": {
        **WHERE,
        "galleryName": "gallery",
        "galleryImageName": "node",
        "osType": "Linux",
        "osState": "Generalized",
        "hyperVGeneration": "V2",
        "architecture": "x64",
        "identifier": {"publisher": "kilonode", "offer": "node", "sku": "1"},
    },
    "compute:GalleryImageVersion": {
        **WHERE,
        "galleryName": "gallery",
        "galleryImageName": "node",
        "galleryImageVersionName": "1.0.0",
        "storageProfile": {"source": {"id": f"{COMPUTE}/disks/disk"}},
        "publishingProfile": {"replicationMode": "Full", "storageAccountType": "Standard_ZRS"},
    },
    "compute:VirtualMachine": {
        **WHERE,
        "vmName": "api-0",
        "zones": ["1"],
        "hardwareProfile": {"vmSize": "Standard_D16s_v5"},
        "identity": {"type": "UserAssigned", "userAssignedIdentities": [IDENTITY]},
        "networkProfile": {"networkInterfaces": [{"id": f"{NET}/networkInterfaces/api-0", "primary": True}]},
        "osProfile": {
            "computerName": "api-0",
            "adminUsername": "kilonode",
            "customData": BOOT,
            "linuxConfiguration": LINUX,
        },
        "storageProfile": {
            "imageReference": {"id": f"{IMAGE}/versions/1.0.0"},
            "osDisk": {
                "name": "api-0",
                "createOption": "FromImage",
                "osType": "Linux",
                "diskSizeGB": 64,
                "managedDisk": {"storageAccountType": "Premium_LRS"},
            },
        },
    },
    "compute:VirtualMachineScaleSet": {
        **WHERE,
        "vmScaleSetName": "pool",
        "zones": ["1"],
        "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2, "tier": "Standard"},
        "overprovision": False,
        "singlePlacementGroup": False,
        "platformFaultDomainCount": 1,
        "upgradePolicy": {"mode": "Manual"},
        "virtualMachineProfile": {
            "osProfile": {
                "computerNamePrefix": "pool",
                "adminUsername": "kilonode",
                "customData": BOOT,
                "linuxConfiguration": LINUX,
            },
            "storageProfile": {
                "imageReference": DEBIAN,
                "osDisk": {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}},
            },
            "networkProfile": {
                "networkInterfaceConfigurations": [
                    {
                        "name": "nic",
                        "primary": True,
                        "ipConfigurations": [
                            {"name": f"ip{number}", "primary": number == 0, "subnet": {"id": NODES}}
                            for number in range(4)
                        ],
                    }
                ]
            },
        },
    },
    "keyvault:Vault": {
        **WHERE,
        "vaultName": "kilonode-vault",
        "properties": {
            "tenantId": ids.TENANT,
            "sku": {"family": "A", "name": "standard"},
            "enableRbacAuthorization": True,
            "softDeleteRetentionInDays": 7,
        },
    },
    "keyvault:Secret": {
        "resourceGroupName": "rg-one",
        "vaultName": "kilonode-vault",
        "secretName": "key",
        "properties": {"value": "canary-2b7e"},
    },
    "authorization:RoleDefinition": {
        "scope": GROUP.removeprefix("/"),
        "roleDefinitionId": "7d3c9a64-7a45-4e0b-93c6-6f2a7a0f9f10",
        "roleName": "reads one secret",
        "permissions": [{"dataActions": ["Microsoft.KeyVault/vaults/secrets/getSecret/action"]}],
        "assignableScopes": [GROUP],
    },
    "authorization:RoleAssignment": {
        "scope": VAULT,
        "roleAssignmentName": "0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b90",
        "principalId": "of the identity",
        "principalType": "ServicePrincipal",
        "roleDefinitionId": SECRETS_USER,
    },
    "storage:StorageAccount": {
        **WHERE,
        "accountName": "kilonodesnapshots",
        "kind": "StorageV2",
        "sku": {"name": "Standard_ZRS"},
    },
    "storage:BlobContainer": {
        "resourceGroupName": "rg-one",
        "accountName": "kilonodesnapshots",
        "containerName": "etcd",
    },
    "storage:BlobContainerImmutabilityPolicy": {
        "resourceGroupName": "rg-one",
        "accountName": "kilonodesnapshots",
        "containerName": "etcd",
        "immutabilityPolicyName": "default",
        "immutabilityPeriodSinceCreationInDays": 14,
    },
    "storage:ManagementPolicy": {
        "resourceGroupName": "rg-one",
        "accountName": "kilonodesnapshots",
        "managementPolicyName": "default",
        "policy": {
            "rules": [
                {
                    "name": "old",
                    "type": "Lifecycle",
                    "definition": {
                        "actions": {"baseBlob": {"delete": {"daysAfterModificationGreaterThan": 30}}},
                        "filters": {"blobTypes": ["blockBlob"]},
                    },
                }
            ]
        },
    },
    "virtualmachineimages:VirtualMachineImageTemplate": {
        **WHERE,
        "imageTemplateName": "node",
        "identity": {"type": "UserAssigned", "userAssignedIdentities": [IDENTITY]},
        "source": {"type": "PlatformImage", **DEBIAN},
        "customize": [{"type": "Shell", "name": "install", "inline": ["true"]}],
        "distribute": [
            {
                "type": "SharedImage",
                "galleryImageId": f"{IMAGE}/versions/1.0.1",
                "runOutputName": "node",
                "targetRegions": [{"name": "southcentralus"}],
            }
        ],
        "vmProfile": {"vmSize": "Standard_D8s_v5"},
    },
}
# Needed beside them.
BESIDE: list[tuple[str, dict[str, Any]]] = [
    (
        "network:VirtualNetwork",
        {**WHERE, "virtualNetworkName": "other", "addressSpace": {"addressPrefixes": ["10.8.0.0/16"]}},
    ),
    (
        "network:Subnet",
        {
            "resourceGroupName": "rg-one",
            "virtualNetworkName": "network",
            "subnetName": "nodes",
            "addressPrefix": "10.0.16.0/20",
        },
    ),
]

# What lets the identity write the image of the template.
BUILDER: dict[str, Any] = {
    "roleAssignmentName": "0b8a7a0e-51e4-4c8e-8d4b-1e1f3d5c7b95",
    "scope": GROUP.removeprefix("/"),
    "roleDefinitionId": f"/subscriptions/{ids.SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c",
}


def good(token: str, **changes: Any) -> dict[str, Any]:
    """Good inputs with changes; `a.b[0].c` addresses within, None removes."""
    inputs = deepcopy(GOOD[token])
    for path, value in changes.items():
        change(inputs, path, value)
    return inputs


def change(inputs: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at the path, in place; None removes what is there."""
    holder: Any = inputs
    *steps, last = path.replace("[", ".[").split(".")
    for step in steps:
        holder = holder[int(step[1:-1])] if step.startswith("[") else holder.setdefault(step, {})
    key: Any = int(last[1:-1]) if last.startswith("[") else last
    if value is None:
        del holder[key]
    else:
        holder[key] = value


def populate(folder: Path, *, until: str = "") -> Cloud:
    """A cloud with one good resource of each type, or those before one of them."""
    cloud = Cloud(folder)
    for token in GOOD:
        if token == until:
            break
        if token == "virtualmachineimages:VirtualMachineImageTemplate":
            create(cloud, "authorization:RoleAssignment", **BUILDER)
        create(cloud, token)
        if token == "network:VirtualNetwork":
            for other, inputs in BESIDE:
                cloud.create(KINDS[other], other, inputs)
    return cloud


def create(cloud: Cloud, token: str, **changes: Any) -> Stored:
    """Make a good resource with these changes."""
    inputs = good(token, **changes)
    if inputs.get("principalId") == "of the identity":
        inputs["principalId"] = cloud.store.all("managedidentity:UserAssignedIdentity")[0].server["principalId"]
    return cloud.create(KINDS[token], f"{token} test", inputs)


def update(cloud: Cloud, token: str, **changes: Any) -> Stored:
    """Change the good resource of this type."""
    inputs = good(token, **changes)
    old = next(each for each in cloud.store.all(token) if each.id.lower() == ids.make(KINDS[token], inputs).lower())
    if inputs.get("principalId") == "of the identity":
        inputs["principalId"] = old.body["principalId"]
    return cloud.update(old.id, f"{token} test", inputs)
