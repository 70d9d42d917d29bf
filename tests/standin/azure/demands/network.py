"""What Azure asks of network resources beyond the form its models describe.

Sources: Azure, IP configurations of a network interface (one primary; static means with address); Network security groups
overview (priority 100 to 4096, unique per direction); Public IP addresses (Standard is static; idle timeout 4 to 30
minutes); NAT gateway resource (idle timeout 4 to 120 minutes, Standard addresses); Load Balancer components.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .. import addresses, paths

Found = Iterator[tuple[str, Any, str]]
PRIORITIES: Final = range(100, 4097)
ADDRESS_IDLE: Final = range(4, 31)
NAT_IDLE: Final = range(4, 121)


def virtual_network(inputs: Mapping[str, Any]) -> Found:
    """Ranges in form, inline subnets within them and apart."""
    faults = [*addresses.judge_form(inputs, "addressSpace.addressPrefixes")]
    subnets = [(f"subnets[{n}]", each) for n, each in enumerate(paths.objects(inputs.get("subnets")))]
    faults += [fault for path, each in subnets for fault in addresses.judge_form(each, f"{path}.addressPrefix")]
    if not paths.one(inputs, "addressSpace.addressPrefixes"):
        yield "addressSpace.addressPrefixes", None, "at least one range"
    yield from faults
    if not faults:
        yield from addresses.judge_subnets(addresses.ranges(inputs), subnets)


def subnet(inputs: Mapping[str, Any]) -> Found:
    """One way of giving its range."""
    if ("addressPrefix" in inputs) == ("addressPrefixes" in inputs):
        yield "addressPrefix", inputs.get("addressPrefix"), "either addressPrefix or addressPrefixes"
    yield from addresses.judge_form(inputs, "addressPrefix")


def security_group(inputs: Mapping[str, Any]) -> Found:
    """Each rule as such, and no two of one direction with one priority."""
    rules = paths.objects(inputs.get("securityRules"))
    for number, rule in enumerate(rules):
        for path, given, allowed in security_rule(rule):
            yield f"securityRules[{number}].{path}", given, allowed
    count = Counter((rule.get("direction"), rule.get("priority")) for rule in rules)
    for (direction, priority), times in count.items():
        if times > 1:
            yield "securityRules", priority, f"each priority once among the {direction} rules"


def security_rule(rule: Mapping[str, Any]) -> Found:
    """Priority in range, and both ends of the traffic said in one way."""
    priority = rule.get("priority")
    if isinstance(priority, int) and priority not in PRIORITIES:
        yield "priority", priority, f"{PRIORITIES[0]} to {PRIORITIES[-1]}"
    for one, *others in (
        ("sourcePortRange", "sourcePortRanges"),
        ("destinationPortRange", "destinationPortRanges"),
        ("sourceAddressPrefix", "sourceAddressPrefixes", "sourceApplicationSecurityGroups"),
        ("destinationAddressPrefix", "destinationAddressPrefixes", "destinationApplicationSecurityGroups"),
    ):
        given = [name for name in (one, *others) if rule.get(name)]
        if len(given) != 1:
            yield one, rule.get(one), f"exactly one of {', '.join((one, *others))}"


def public_address(inputs: Mapping[str, Any]) -> Found:
    """A Standard address is static."""
    if paths.one(inputs, "sku.name") == "Standard" and inputs.get("publicIPAllocationMethod") != "Static":
        yield "publicIPAllocationMethod", inputs.get("publicIPAllocationMethod"), "Static, as the SKU is Standard"
    yield from _idle(inputs, ADDRESS_IDLE)


def nat_gateway(inputs: Mapping[str, Any]) -> Found:
    """Standard, with a possible idle timeout."""
    if "sku" not in inputs:
        yield "sku.name", None, "Standard"
    yield from _idle(inputs, NAT_IDLE)


def interface(inputs: Mapping[str, Any]) -> Found:
    """One primary configuration, addresses where they are static, a subnet everywhere."""
    configurations = paths.objects(inputs.get("ipConfigurations"))
    if not configurations:
        yield "ipConfigurations", inputs.get("ipConfigurations"), "at least one IP configuration"
        return
    yield from _configurations("ipConfigurations", configurations)


def load_balancer(inputs: Mapping[str, Any]) -> Found:
    """Front ends inside or outside, and rules that probe."""
    for number, frontend in enumerate(paths.objects(inputs.get("frontendIPConfigurations"))):
        path = f"frontendIPConfigurations[{number}]"
        ends = [name for name in ("subnet", "publicIPAddress", "publicIPPrefix") if name in frontend]
        if len(ends) != 1:
            yield path, ends, "exactly one of subnet, publicIPAddress, publicIPPrefix"
        yield from _static(path, frontend)
    for number, rule in enumerate(paths.objects(inputs.get("loadBalancingRules"))):
        if "frontendIPConfiguration" not in rule:
            yield f"loadBalancingRules[{number}].frontendIPConfiguration", None, "the front end the rule listens on"
    for number, probe in enumerate(paths.objects(inputs.get("probes"))):
        needs_path = probe.get("protocol") in {"Http", "Https"}
        if needs_path != ("requestPath" in probe):
            allowed = "a path, as the probe is HTTP" if needs_path else "none, as the probe is TCP"
            yield f"probes[{number}].requestPath", probe.get("requestPath"), allowed


def _configurations(path: str, configurations: list[Mapping[str, Any]]) -> Found:
    primaries = sum(each.get("primary") is True for each in configurations)
    if len(configurations) > 1 and primaries != 1:
        yield f"{path}[].primary", primaries, "true for exactly one"
    names = Counter(each.get("name") for each in configurations)
    for name, times in names.items():
        if times > 1 or name is None:
            yield f"{path}[].name", name, "a name of its own for each"
    for number, each in enumerate(configurations):
        if "subnet" not in each:
            yield f"{path}[{number}].subnet", None, "the id of a subnet"
        yield from _static(f"{path}[{number}]", each)


def _static(path: str, configuration: Mapping[str, Any]) -> Found:
    static = configuration.get("privateIPAllocationMethod") == "Static"
    if static != ("privateIPAddress" in configuration):
        allowed = "an address, as the method is Static" if static else "no address unless the method is Static"
        yield f"{path}.privateIPAddress", configuration.get("privateIPAddress"), allowed


def _idle(inputs: Mapping[str, Any], allowed: range) -> Found:
    minutes = inputs.get("idleTimeoutInMinutes")
    if isinstance(minutes, int) and minutes not in allowed:
        yield "idleTimeoutInMinutes", minutes, f"{allowed[0]} to {allowed[-1]}"
