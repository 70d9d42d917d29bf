"""What a GET answers: the body without what is never given out, with defaults, the server's fields, ids of parts.

Ids of other resources come back with the resource group in capitals, as Azure's compute service writes them
(github.com/Azure/azure-rest-api-specs/issues/19424), so nobody may compare ids letter by letter.
"""

from copy import deepcopy
from typing import Any, Final

from . import ids, paths, server
from .store import Store, Stored

# Never in an answer: passwords and custom data at all, user data unless asked for, a secret's value.
HIDDEN: Final = {
    "compute:VirtualMachine": ("osProfile.adminPassword", "osProfile.customData", "userData"),
    "compute:VirtualMachineScaleSet": (
        "virtualMachineProfile.osProfile.adminPassword",
        "virtualMachineProfile.osProfile.customData",
        "virtualMachineProfile.userData",
        "virtualMachineProfile.extensionProfile.extensions[].protectedSettings",
    ),
    "keyvault:Secret": ("properties.value",),
    "keyvault:Vault": ("properties.createMode",),
}

DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "network:VirtualNetwork": {"enableDdosProtection": False, "privateEndpointVNetPolicies": "Disabled"},
    "network:Subnet": {"privateEndpointNetworkPolicies": "Disabled", "privateLinkServiceNetworkPolicies": "Enabled"},
    "network:NetworkInterface": {
        "enableAcceleratedNetworking": False,
        "enableIPForwarding": False,
        "disableTcpStateTracking": False,
        "nicType": "Standard",
        "ipConfigurations[].privateIPAddressVersion": "IPv4",
        "ipConfigurations[].privateIPAllocationMethod": "Dynamic",
    },
    "network:PublicIPAddress": {"publicIPAddressVersion": "IPv4", "idleTimeoutInMinutes": 4},
    "network:NatGateway": {"idleTimeoutInMinutes": 4},
    "network:LoadBalancer": {
        "loadBalancingRules[].idleTimeoutInMinutes": 4,
        "loadBalancingRules[].enableFloatingIP": False,
        "loadBalancingRules[].loadDistribution": "Default",
        "probes[].numberOfProbes": 1,
        "probes[].probeThreshold": 1,
    },
    "privatedns:VirtualNetworkLink": {"registrationEnabled": False, "resolutionPolicy": "Default"},
    "compute:VirtualMachine": {
        "osProfile.allowExtensionOperations": True,
        "osProfile.requireGuestProvisionSignal": True,
        "storageProfile.osDisk.deleteOption": "Detach",
        "storageProfile.osDisk.caching": "None",
    },
    "compute:VirtualMachineScaleSet": {
        "overprovision": True,
        "singlePlacementGroup": True,
        "orchestrationMode": "Uniform",
        "doNotRunExtensionsOnOverprovisionedVMs": False,
        "sku.tier": "Standard",
    },
    "compute:Disk": {"networkAccessPolicy": "AllowAll", "publicNetworkAccess": "Enabled"},
    "compute:GalleryImage": {"architecture": "x64", "hyperVGeneration": "V1"},
    "keyvault:Vault": {
        "properties.enableSoftDelete": True,
        "properties.softDeleteRetentionInDays": 90,
        "properties.publicNetworkAccess": "Enabled",
        "properties.accessPolicies": [],
    },
    "storage:StorageAccount": {"enableHttpsTrafficOnly": True, "allowBlobPublicAccess": False, "accessTier": "Hot"},
    "storage:BlobContainer": {"publicAccess": "None", "denyEncryptionScopeOverride": False},
}

# A list of a resource's answer that shows resources of their own.
SHOWN: Final = {
    "network:VirtualNetwork": {
        "subnets": "network:Subnet",
        "virtualNetworkPeerings": "network:VirtualNetworkPeering",
    },
    "network:NetworkSecurityGroup": {"securityRules": "network:SecurityRule"},
}


def outputs(store: Store, resource: Stored) -> dict[str, Any]:
    """What the plugin puts into the engine's state for this resource."""
    body = {name: deepcopy(value) for name, value in resource.body.items() if name not in resource.kind.parameters}
    body["azureApiVersion"] = resource.kind.api
    if "scope" in resource.kind.parameters:
        body["scope"] = resource.body["scope"]
    for path, default in DEFAULTS.get(resource.token, {}).items():
        paths.put_default(body, path, deepcopy(default))
    body = _merged(server.fields(resource), body)
    for pattern in HIDDEN.get(resource.token, ()):
        paths.remove(body, pattern)
    for part in resource.kind.children:
        _number(resource, body, part)
    for part, token in SHOWN.get(resource.token, {}).items():
        inner = [each for each in store.beneath(resource.id) if each.token == token]
        body[part] = [{"id": each.id, **outputs(store, each)} for each in sorted(inner, key=lambda each: each.id)]
    _identities(store, body)
    return _upper_cased(resource, body)


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """The server's fields with the body laid over them."""
    merged = dict(under)
    for name, value in over.items():
        inner = merged.get(name)
        merged[name] = _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return merged


def _number(resource: Stored, body: dict[str, Any], part: str) -> None:
    given = resource.server.get("addresses", {})
    for position, each in enumerate(body.get(part) or []):
        each["id"] = f"{resource.id}/{part}/{each.get('name')}"
        each["etag"] = resource.server["etag"]
        each["provisioningState"] = "Succeeded"
        if each.get("name") in given:
            each["privateIPAddress"] = given[each["name"]]
        if part == "ipConfigurations":
            each.setdefault("primary", position == 0)


def _identities(store: Store, body: dict[str, Any]) -> None:
    given = paths.one(body, "identity.userAssignedIdentities")
    if isinstance(given, list):
        found = {each: store.get(each) for each in given}
        body["identity"]["userAssignedIdentities"] = {
            ids.upper_cased(each): {name: made.server[name] for name in ("principalId", "clientId")} if made else {}
            for each, made in found.items()
        }


def _upper_cased(resource: Stored, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _upper_cased(resource, each) for key, each in value.items()}
    if isinstance(value, list):
        return [_upper_cased(resource, each) for each in value]
    if not isinstance(value, str) or not ids.WHOLE.fullmatch(value):
        return value
    own = ids.key(value) == ids.key(resource.id) or ids.key(value).startswith(ids.key(resource.id) + "/")
    return value if own else ids.upper_cased(value)
