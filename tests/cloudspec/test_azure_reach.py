"""Who may reach a region on Azure: ranges one rule of a security group would take."""

import pytest

from kilonode.cloudspec.azure_reach import SOURCES_MAX
from kilonode.limits import AZURE_NSG_RANGES
from tests.clouds.azure.regions import one, plan, pool, spec

HPC = pool(azure={"size": "Standard_HB176rs_v4"})


def some(count: int, within: str) -> list[str]:
    return [f"{within}.{number // 256}.{number % 256}/32" for number in range(count)]


@pytest.mark.parametrize("field", ["operatorRanges", "sshRanges"])
def test_ranges_that_overlap_are_refused_as_azure_refuses_the_rule(field: str) -> None:
    found = one(cloud={field: ["10.0.0.0/16", "10.1.0.0/16", "10.1.2.0/24"]})
    assert (found.field, found.given) == (f"region.cloud.{field}[2]", "10.1.2.0/24")
    assert "OverlappingSubnetsNotPermittedInSecurityRule" in found.why


def test_as_many_as_are_allowed_fit_every_security_group() -> None:
    most = {"operatorRanges": some(SOURCES_MAX, "192.168"), "sshRanges": some(SOURCES_MAX, "10.9")}
    for vnet in plan(cloud=most).vnets:
        for subnet in vnet.subnets:
            assert sum(len(rule.sources) for rule in subnet.rules) <= AZURE_NSG_RANGES.value
    assert one(cloud={"sshRanges": some(SOURCES_MAX + 1, "10.9")}).allowed == f"at most {SOURCES_MAX}"


@pytest.mark.parametrize("given", ["0.0.0.0/0", "8.8.8.0/24", "127.0.0.0/8", "169.254.169.254/32", "172.16.0.0/11"])
def test_nobody_comes_in_from_the_internet_and_the_fix_is_no_range_of_the_region(given: str) -> None:
    found = one(cloud={"operatorRanges": [given]})
    assert found.why == "machines have no public address, so nobody comes in from a public one"
    assert found.fix == "write the private range of the network you come from, or remove it"


@pytest.mark.parametrize("given", [None, 3, True, "*", "Internet", "10.0.0.1", "::/0", "10.0.0.0/33", ["10.0.0.0/8"]])
def test_what_is_no_range_is_refused_in_its_row(given: object) -> None:
    assert one(cloud={"sshRanges": [given]}).field == "region.cloud.sshRanges[0]"


def test_what_machines_with_infiniband_talk_to_is_not_on_its_network() -> None:
    services = {"range": "10.64.0.0/14", "services": "172.16.0.0/16"}
    assert one(network=services, nodePools=[HPC]).field == "region.network.services"
    assert one(cloud={"sshRanges": ["172.16.9.0/24"]}, nodePools=[HPC]).field == "region.cloud.sshRanges[0]"
    assert spec(network=services)
    assert spec(cloud={"sshRanges": ["172.16.9.0/24"]})
