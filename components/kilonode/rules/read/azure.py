"""Resources of azure-native into facts."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kilonode.rules.facts import Disk, Interface, LoadBalancer, Machine, NodePool, Rolling, Storage, Subnet, UserData
from kilonode.rules.read.resource import Resource, at, urn_of
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Fact, Unknown

_TOKEN = re.compile(r"azure-native(?:_\w+?)?:(?P<module>\w+)(?:/v\w+)?:(?P<name>\w+)")
_GALLERY = re.compile(r"/galleries/|/sharedGalleries/|/communityGalleries/", re.IGNORECASE)
_PROTOCOLS = {"https": "HTTPS", "http": "HTTP", "tcp": "TCP"}
TAGGABLE = frozenset(
    {
        "compute:VirtualMachine",
        "compute:VirtualMachineScaleSet",
        "keyvault:Vault",
        "managedidentity:UserAssignedIdentity",
        "network:LoadBalancer",
        "network:NatGateway",
        "network:NetworkInterface",
        "network:NetworkSecurityGroup",
        "network:PublicIPAddress",
        "network:PublicIPPrefix",
        "network:VirtualNetwork",
        "resources:ResourceGroup",
        "storage:StorageAccount",
    }
)
STORES = ("storage:StorageAccount", "storage:BlobContainer")
AUTOSCALER_MAX = "max"
_FIRST_CARD = "networkProfile.networkInterfaceConfigurations.0"


def kind(resource: Resource) -> str | None:
    """Module and class, whatever the version; None for another provider's."""
    found = _TOKEN.fullmatch(resource.type)
    return f"{found['module']}:{found['name']}" if found else None


def machine(resource: Resource) -> Machine:
    """A virtual machine."""
    zones = resource.rows("zones")
    disks = resource.rows("storageProfile.dataDisks")
    return Machine(
        resource.urn,
        _text(resource, "vmName"),
        "azure",
        zone=zones if isinstance(zones, Unknown) else (zones[0] if zones else None),
        size=resource.get("hardwareProfile.vmSize"),
        spot=_spot(resource.get("priority")),
        passwords=_passwords(resource, "osProfile"),
        protected=resource.protect,
        data=user_data(resource, "osProfile.customData", "userData"),
        disks=disks if isinstance(disks, Unknown) else tuple(_disk(each) for each in disks),
    )


def _disk(row: Any) -> Disk:
    return Disk(None, at(row, "caching"))


def _spot(priority: Fact[str | None]) -> Fact[bool]:
    return priority if isinstance(priority, Unknown) else priority in {"Spot", "Low"}


def _passwords(resource: Resource, profile: str) -> Fact[bool]:
    disabled = resource.get(f"{profile}.linuxConfiguration.disablePasswordAuthentication")
    return disabled if isinstance(disabled, Unknown) else disabled is not True


def interface(resource: Resource) -> Interface:
    """An interface, by whether it has a public address."""
    return Interface(resource.urn, _public(resource))


def _public(interface: Resource) -> Fact[bool]:
    rows = interface.rows("ipConfigurations")
    if isinstance(rows, Unknown):
        return rows
    # An address that is still to be made is one, known or not.
    return any(at(row, "publicIPAddress") is not None for row in rows)


def user_data(resource: Resource, *paths: str) -> Fact[UserData | None]:
    """What a machine is told, from the first path that has something."""
    for path in paths:
        given = resource.get(path)
        if isinstance(given, Unknown):
            return given
        if given:
            return read(str(given), encoded=True)
    return None


def scale_set(resource: Resource, subnets: Sequence[Resource]) -> NodePool:
    """A virtual machine scale set, in one of the subnets."""
    profile = "virtualMachineProfile"
    tags = resource.get("tags")
    most = at(tags, AUTOSCALER_MAX)
    image = resource.get(f"{profile}.storageProfile.imageReference.id")
    capacity = resource.get("sku.capacity")
    return NodePool(
        resource.urn,
        _text(resource, "vmScaleSetName"),
        "azure",
        capacity=capacity,
        most=int(most)
        if isinstance(most, str) and most.isdecimal()
        else most
        if isinstance(most, Unknown)
        else capacity,
        autoscaled=tags if isinstance(tags, Unknown) else any("cluster-autoscaler" in key for key in tags or ()),
        ignored=resource.ignore,
        size=resource.get("sku.name"),
        zones=_zones(resource),
        spot=_spot(resource.get(f"{profile}.priority")),
        public=_public_set(resource),
        passwords=_passwords(resource, f"{profile}.osProfile"),
        single_placement_group=resource.get("singlePlacementGroup"),
        plain_image=image if isinstance(image, Unknown) else bool(image and not _GALLERY.search(str(image))),
        overprovision=resource.get("overprovision"),
        rolling=_rolling(resource),
        addresses=_addresses(resource),
        subnet=urn_of(resource.named(f"{profile}.{_FIRST_CARD}.ipConfigurations.0.subnet.id", subnets)),
        data=user_data(resource, f"{profile}.osProfile.customData", f"{profile}.userData"),
    )


def _zones(resource: Resource) -> Fact[tuple[str, ...]]:
    zones = resource.rows("zones")
    return zones if isinstance(zones, Unknown) else tuple(zones)


def _rolling(resource: Resource) -> Rolling:
    policy = "upgradePolicy.rollingUpgradePolicy"
    return Rolling(
        resource.get("upgradePolicy.mode"),
        resource.get(f"{policy}.maxBatchInstancePercent"),
        resource.get(f"{policy}.maxUnhealthyInstancePercent"),
        resource.get(f"{policy}.maxUnhealthyUpgradedInstancePercent"),
    )


def _configurations(resource: Resource) -> Iterator[Any]:
    cards = resource.rows("virtualMachineProfile.networkProfile.networkInterfaceConfigurations")
    if isinstance(cards, Unknown):
        yield cards
        return
    for card in cards:
        rows = at(card, "ipConfigurations")
        if isinstance(rows, Unknown):
            yield rows
        else:
            yield from rows or ()


def _public_set(resource: Resource) -> Fact[bool]:
    rows = list(_configurations(resource))
    if any(not isinstance(row, Unknown) and at(row, "publicIPAddressConfiguration") is not None for row in rows):
        return True
    return next((row for row in rows if isinstance(row, Unknown)), False)


def _addresses(resource: Resource) -> Fact[int]:
    rows = list(_configurations(resource))
    return next((row for row in rows if isinstance(row, Unknown)), len(rows))


def load_balancer(resource: Resource) -> LoadBalancer:
    """A load balancer: its rules' ports, and the probe of the first of them."""
    rules, probes = resource.rows("loadBalancingRules"), resource.rows("probes")
    fronts = resource.rows("frontendIPConfigurations")
    probe = probes if isinstance(probes, Unknown) else (probes[0] if probes else {})
    protocol = at(probe, "protocol")
    return LoadBalancer(
        resource.urn,
        _text(resource, "loadBalancerName"),
        _ports(rules),
        fronts if isinstance(fronts, Unknown) else any(at(row, "publicIPAddress") is not None for row in fronts),
        _PROTOCOLS.get(protocol.lower(), protocol) if isinstance(protocol, str) else protocol,
        at(probe, "requestPath"),
    )


def _ports(rules: Any) -> Fact[tuple[int, ...]]:
    if isinstance(rules, Unknown):
        return rules
    found = [at(row, "frontendPort") for row in rules]
    return next((each for each in found if isinstance(each, Unknown)), tuple(each for each in found if each))


def subnet(resource: Resource) -> Subnet:
    """A subnet."""
    return Subnet(resource.urn, resource.get("addressPrefix"))


def storage(resource: Resource) -> Storage:
    """A storage account, by whether anybody may read its blobs; a container by whether it lets anybody."""
    if kind(resource) == "storage:BlobContainer":
        access = resource.get("publicAccess")
        return Storage(resource.urn, resource.name, _unless(access, (None, "None")), resource.protect)
    return Storage(
        resource.urn, resource.name, _unless(resource.get("allowBlobPublicAccess"), (False,)), resource.protect
    )


def _unless(value: Any, closed: tuple[Any, ...]) -> Fact[bool]:
    return value if isinstance(value, Unknown) else value not in closed


def _text(resource: Resource, path: str) -> str:
    found = resource.get(path)
    return found if isinstance(found, str) else resource.name
