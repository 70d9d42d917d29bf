"""What the cloud adds to what it was asked for: identifiers made once at creation, and fields that follow from the body."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from . import addresses, builds, ids, paths
from .store import Store, Stored

MADE: Final = "2026-01-01T00:00:00.0000000+00:00"
NETWORK: Final = "network:"


def at_creation(store: Store, resource: Stored) -> None:
    """Fill in what a new resource gets once: another resource of the same name gets others."""
    fresh = {"guid": str(uuid.uuid4())}
    if resource.token == "managedidentity:UserAssignedIdentity":
        fresh |= {"principalId": str(uuid.uuid4()), "clientId": str(uuid.uuid4()), "tenantId": ids.TENANT}
    if resource.token == "network:PublicIPAddress":
        fresh["ipAddress"] = f"20.{_byte(resource, 0)}.{_byte(resource, 1)}.{_byte(resource, 2)}"
    if resource.token == "network:PublicIPPrefix":
        fresh["ipPrefix"] = f"20.{_byte(resource, 0)}.{_byte(resource, 1)}.0/{resource.body.get('prefixLength', 28)}"
    resource.server = fresh
    at_write(store, resource)


def at_write(store: Store, resource: Stored) -> None:
    """Fill in what may change with every write: dynamic addresses, a secret's version."""
    if resource.token in addresses.FRONTENDS:
        kept: dict[str, str] = resource.server.get("addresses", {})
        given: dict[str, str] = {}
        for each in paths.find(resource.body, f"{addresses.FRONTENDS[resource.token]}[]"):
            subnet = store.get(str(paths.one(each, "subnet.id")))
            if subnet and "privateIPAddress" not in each:
                given[each["name"]] = kept.get(each["name"]) or addresses.free(store, subnet, set(given.values()))
        resource.server["addresses"] = given
    if resource.token == "keyvault:Secret":
        value = str(paths.one(resource.body, "properties.value"))
        resource.server["version"] = hashlib.sha256(value.encode()).hexdigest()[:32]
    resource.server["etag"] = f'W/"{uuid.uuid4()}"'


def fields(resource: Stored) -> dict[str, Any]:
    """The server's fields of a resource, at the paths at which the plugin puts them out."""
    common: dict[str, Any] = {"name": resource.name, "type": resource.kind.type}
    if resource.token.startswith(NETWORK):
        common |= {"etag": resource.server["etag"], "provisioningState": "Succeeded"}
        common |= {"resourceGuid": resource.server["guid"]}
    own = FIELDS.get(resource.token)
    return common | (own(resource) if own else {"provisioningState": "Succeeded"})


def _byte(resource: Stored, number: int) -> int:
    return hashlib.sha256(resource.id.encode()).digest()[number]


def _vault(resource: Stored) -> dict[str, Any]:
    given = {"vaultUri": f"https://{resource.name.lower()}.vault.azure.net/", "provisioningState": "Succeeded"}
    return {"properties": dict(resource.body.get("properties", {})) | given}


def _secret(resource: Stored) -> dict[str, Any]:
    vault = ids.parent(resource.id) or ""
    uri = f"https://{vault.rpartition('/')[2].lower()}.vault.azure.net/secrets/{resource.name}"
    given = {"secretUri": uri, "secretUriWithVersion": f"{uri}/{resource.server['version']}"}
    return {"properties": dict(resource.body.get("properties", {})) | given}


def _account(resource: Stored) -> dict[str, Any]:
    endpoints = {
        part: f"https://{resource.name}.{part}.core.windows.net/" for part in ("blob", "dfs", "file", "queue", "table")
    }
    return {
        "provisioningState": "Succeeded",
        "primaryEndpoints": endpoints,
        "primaryLocation": resource.body.get("location"),
        "creationTime": MADE,
        "statusOfPrimary": "available",
    }


def _role(resource: Stored) -> dict[str, Any]:
    return {"type": resource.kind.type, "roleType": resource.body.get("roleType", "CustomRole"), "createdOn": MADE}


FIELDS: Final[Mapping[str, Callable[[Stored], dict[str, Any]]]] = {
    "network:PublicIPAddress": lambda each: {"ipAddress": each.server["ipAddress"]},
    "network:PublicIPPrefix": lambda each: {"ipPrefix": each.server["ipPrefix"]},
    "network:NetworkInterface": lambda each: {
        "macAddress": "00-0D-3A-" + "-".join(f"{_byte(each, n):02X}" for n in range(3))
    },
    "privatedns:PrivateRecordSet": lambda each: {
        "type": f"{each.kind.type}/{each.body.get('recordType')}",
        "fqdn": f"{each.name}.{each.body.get('privateZoneName')}.",
        "isAutoRegistered": False,
        "etag": each.server["guid"],
    },
    "compute:VirtualMachine": lambda each: {
        "provisioningState": "Succeeded",
        "vmId": each.server["guid"],
        "timeCreated": MADE,
    },
    "compute:VirtualMachineScaleSet": lambda each: {
        "provisioningState": "Succeeded",
        "uniqueId": each.server["guid"],
        "timeCreated": MADE,
    },
    "compute:Disk": lambda each: {
        "provisioningState": "Succeeded",
        "uniqueId": each.server["guid"],
        "diskState": "Unattached",
    },
    "managedidentity:UserAssignedIdentity": lambda each: {
        name: each.server[name] for name in ("principalId", "clientId", "tenantId")
    },
    "authorization:RoleAssignment": lambda each: {"type": each.kind.type, "createdOn": MADE},
    "authorization:RoleDefinition": _role,
    "keyvault:Vault": _vault,
    "keyvault:Secret": _secret,
    "storage:StorageAccount": _account,
    "storage:BlobContainer": lambda each: {
        "etag": each.server["etag"],
        "hasImmutabilityPolicy": False,
        "leaseState": "Available",
    },
    "storage:BlobContainerImmutabilityPolicy": lambda each: {"etag": each.server["etag"], "state": "Unlocked"},
    "virtualmachineimages:VirtualMachineImageTemplate": builds.fields,
    "storage:ManagementPolicy": lambda _each: {"lastModifiedTime": MADE},
}
