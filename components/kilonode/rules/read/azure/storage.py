"""Storage accounts and containers of azure-native into facts."""

from kilonode.rules.facts.storage import Storage
from kilonode.rules.read.azure.kinds import CONTAINER, kind
from kilonode.rules.read.resource import Resource
from kilonode.rules.unknown import Fact, Unknown


def storage(resource: Resource) -> Storage:
    """A storage account, by whether anybody may read its blobs; a container by whether it lets anybody."""
    public = _container(resource) if kind(resource) == CONTAINER else _account(resource)
    return Storage(resource.urn, resource.name, public, resource.protect)


def _container(resource: Resource) -> Fact[bool]:
    access = resource.text("publicAccess")
    return access if isinstance(access, Unknown) else access not in {None, "None"}


def _account(resource: Resource) -> Fact[bool]:
    allowed = resource.truth("allowBlobPublicAccess")
    return allowed if isinstance(allowed, Unknown) else allowed is not False
