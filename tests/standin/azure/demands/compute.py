"""What Azure asks of machines, scale sets and disks beyond the form its models describe.

Sources: the models' own text on OSProfile (disallowed user names) and UpgradePolicy; Azure, Automatic and rolling upgrades
of scale sets (a rolling upgrade needs a health probe or the application health extension); Ultra disks (no OS disk, no
caching, ultraSSDEnabled, a zone); Availability zones (a machine is in one zone and then in no availability set).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .. import paths
from ..values import unknown

Found = Iterator[tuple[str, Any, str]]
DISALLOWED: Final = frozenset(
    [
        "1",
        "123",
        "a",
        "actuser",
        "adm",
        "admin",
        "admin1",
        "admin2",
        "administrator",
        "aspnet",
        "backup",
        "console",
        "david",
        "guest",
        "john",
        "owner",
        "root",
        "server",
        "sql",
        "support",
        "support_388945a0",
        "sys",
        "test",
        "test1",
        "test2",
        "test3",
        "user",
        "user1",
        "user2",
        "user3",
        "user4",
        "user5",
    ]
)
PROFILE: Final = "virtualMachineProfile."
SIZE: Final = re.compile(r"(Standard|Basic)_[A-Z][A-Za-z0-9-]*(_[A-Za-z0-9]+)*")
HEALTH: Final = "Microsoft.ManagedServices"
ULTRA: Final = "UltraSSD_LRS"


def machine(inputs: Mapping[str, Any]) -> Found:
    """Size, one primary interface, one zone, a way in, and disks that can be."""
    yield from _size("hardwareProfile.vmSize", paths.one(inputs, "hardwareProfile.vmSize"))
    interfaces = paths.one(inputs, "networkProfile.networkInterfaces")
    if not interfaces and not paths.one(inputs, "networkProfile.networkInterfaceConfigurations"):
        yield "networkProfile.networkInterfaces", interfaces, "at least one network interface"
    primaries = sum(each.get("primary") is True for each in paths.objects(interfaces))
    if len(paths.objects(interfaces)) > 1 and primaries != 1:
        yield "networkProfile.networkInterfaces[].primary", primaries, "true for exactly one"
    zones = inputs.get("zones")
    if isinstance(zones, list) and len(zones) > 1:
        yield "zones", zones, "one zone"
    if zones and "availabilitySet" in inputs:
        yield "availabilitySet", inputs["availabilitySet"], "none, as the machine has a zone"
    yield from _os_profile(inputs.get("osProfile"), "osProfile")
    yield from _disks(inputs, "", zones)


def scale_set(inputs: Mapping[str, Any]) -> Found:
    """SKU, upgrade policy, health where it is needed, one primary interface."""
    yield from _size("sku.name", paths.one(inputs, "sku.name"))
    if paths.one(inputs, "sku.capacity") is None:
        yield "sku.capacity", None, "a number: a PUT without one is refused (github.com/Azure/vm-scale-sets/issues/70)"
    flexible = inputs.get("orchestrationMode") == "Flexible"
    mode = paths.one(inputs, "upgradePolicy.mode")
    if not flexible and mode is None:
        yield "upgradePolicy.mode", None, "Manual, Automatic or Rolling, as the orchestration is Uniform"
    repairs = paths.one(inputs, "automaticRepairsPolicy.enabled") is True
    if (mode == "Rolling" or repairs) and not _has_health(inputs):
        yield f"{PROFILE}networkProfile.healthProbe", None, "a health probe or the application health extension"
    if flexible and inputs.get("overprovision") is True:
        yield "overprovision", True, "false, as the orchestration is Flexible"
    if "zoneBalance" in inputs and not inputs.get("zones"):
        yield "zoneBalance", inputs["zoneBalance"], "only with zones"
    configurations = paths.one(inputs, f"{PROFILE}networkProfile.networkInterfaceConfigurations")
    if not configurations:
        yield f"{PROFILE}networkProfile.networkInterfaceConfigurations", configurations, "at least one"
    yield from _primary(configurations)
    yield from _os_profile(paths.one(inputs, f"{PROFILE}osProfile"), f"{PROFILE}osProfile")
    yield from _disks(inputs.get("virtualMachineProfile"), PROFILE, inputs.get("zones"), inputs)


def disk(inputs: Mapping[str, Any]) -> Found:
    """A size, and a zone for an Ultra disk."""
    if paths.one(inputs, "creationData.createOption") == "Empty" and "diskSizeGB" not in inputs:
        yield "diskSizeGB", None, "a size, as the disk is empty"
    if paths.one(inputs, "sku.name") == ULTRA and not inputs.get("zones"):
        yield "zones", inputs.get("zones"), "a zone, as the disk is Ultra"


def _size(path: str, given: Any) -> Found:
    if not unknown(given) and not SIZE.fullmatch(str(given)):
        yield path, given, "a size, such as Standard_L8s_v3"


def _primary(configurations: Any) -> Found:
    listed = paths.objects(configurations)
    path = f"{PROFILE}networkProfile.networkInterfaceConfigurations[]"
    if listed and sum(each.get("primary") is True for each in listed) != 1:
        yield f"{path}.primary", [each.get("primary") for each in listed], "true for exactly one"
    for each in listed:
        inner = paths.objects(each.get("ipConfigurations"))
        if len(inner) > 1 and sum(one.get("primary") is True for one in inner) != 1:
            yield f"{path}.ipConfigurations[].primary", [one.get("primary") for one in inner], "true for exactly one"


def _has_health(inputs: Mapping[str, Any]) -> bool:
    extensions = paths.find(inputs, f"{PROFILE}extensionProfile.extensions[]")
    extension = any(isinstance(each, Mapping) and each.get("publisher") == HEALTH for each in extensions)
    return extension or paths.one(inputs, f"{PROFILE}networkProfile.healthProbe") is not None


def _os_profile(profile: Any, path: str) -> Found:
    if not isinstance(profile, Mapping):
        return
    user = profile.get("adminUsername")
    if user is None or str(user).lower() in DISALLOWED:
        yield f"{path}.adminUsername", user, f"a name, none of {', '.join(sorted(DISALLOWED))}"
    keys = paths.one(profile, "linuxConfiguration.ssh.publicKeys")
    if not keys and "adminPassword" not in profile:
        yield f"{path}.linuxConfiguration.ssh.publicKeys", keys, "a key, as there is no password"


def _disks(profile: Any, path: str, zones: Any, holder: Mapping[str, Any] | None = None) -> Found:
    if not isinstance(profile, Mapping):
        return
    if paths.one(profile, "storageProfile.osDisk.managedDisk.storageAccountType") == ULTRA:
        yield f"{path}storageProfile.osDisk.managedDisk.storageAccountType", ULTRA, "not Ultra, for an OS disk"
    for number, each in enumerate(paths.find(profile, "storageProfile.dataDisks[]")):
        if paths.one(each, "managedDisk.storageAccountType") != ULTRA:
            continue
        here = f"{path}storageProfile.dataDisks[{number}]"
        if each.get("caching") not in {None, "None"}:
            yield f"{here}.caching", each.get("caching"), "None, as the disk is Ultra"
        if paths.one(holder or profile, "additionalCapabilities.ultraSSDEnabled") is not True:
            yield "additionalCapabilities.ultraSSDEnabled", None, "true, as a disk is Ultra"
        if not zones:
            yield "zones", zones, "a zone, as a disk is Ultra"
