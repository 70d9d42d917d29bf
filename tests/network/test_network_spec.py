"""What a person may write as a region's network."""

from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.network.spec import PRIVATE, NetworkSpec
from kilonode.refusal import RefusedError


@given(st.sampled_from(PRIVATE), st.data())
def test_every_private_range_that_holds_the_fixed_machines_is_accepted(block: IPv4Network, data: st.DataObject) -> None:
    prefix = data.draw(st.integers(block.prefixlen, 22))
    step = data.draw(st.integers(0, 2 ** (prefix - block.prefixlen) - 1)) * 2 ** (32 - prefix)
    network = IPv4Network((int(block.network_address) + step, prefix))
    services = "192.168.0.0/16" if not network.overlaps(IPv4Network("192.168.0.0/16")) else "172.20.0.0/16"
    assert NetworkSpec.read({"range": str(network), "services": services}, "network").range == network


@given(st.ip_addresses(v=4), st.integers(0, 32))
def test_only_private_ranges_are_accepted(address: object, prefix: int) -> None:
    network = IPv4Network(f"{address}/{prefix}", strict=False)
    try:
        made = NetworkSpec.read({"range": str(network), "services": "172.20.0.0/16"}, "network")
    except RefusedError:
        return
    assert any(made.range.subnet_of(block) for block in PRIVATE)


@pytest.mark.parametrize(
    "text",
    ["10.64.0.0/255.252.0.0", "10.64.0.0/014", " 10.64.0.0/14", "10.064.0.0/14", "10.64/14", "/14", "10.64.0.1/32/"],
)
def test_a_range_is_written_one_way_only(text: str) -> None:
    with pytest.raises(RefusedError, match="IPv4 range in CIDR form"):
        NetworkSpec.read({"range": text}, "network")


@pytest.mark.parametrize("prefix", [12, 28])
def test_the_service_range_may_be_as_wide_and_as_narrow_as_kube_apiserver_takes(prefix: int) -> None:
    assert NetworkSpec.read({"range": "10.0.0.0/14", "services": f"10.128.0.0/{prefix}"}, "network")


@pytest.mark.parametrize("domain", ["cluster.local", "a", "a-b.c1", "x" * 63])
def test_a_dns_domain_is_accepted(domain: str) -> None:
    assert NetworkSpec.read({"range": "10.0.0.0/14", "domain": domain}, "network").domain == domain


@pytest.mark.parametrize("domain", ["", ".", "a.", ".a", "a..b", "-a", "a-", "A", "a_b", "a b", "x" * 64, "a.\n", "é"])
def test_what_is_no_dns_domain_is_refused(domain: str) -> None:
    with pytest.raises(RefusedError, match="lower-case DNS domain"):
        NetworkSpec.read({"range": "10.0.0.0/14", "domain": domain}, "network")
