"""Boot data on Azure: at most half of what Azure takes, for every role, and nothing in it that is secret."""

import base64

import pytest

from kilonode.boot.cloudinit import compressed, user_data
from kilonode.clouds.azure.hardware import custom_data
from kilonode.limits import AZURE_CUSTOM_DATA
from kilonode.nodes.boot import node_pool_user_data
from kilonode.refusal import RefusedError
from tests.boot.test_every_machine import JWT, TOKEN
from tests.clouds.azure import regions, shipped

HALF = AZURE_CUSTOM_DATA.value // 2


@pytest.mark.parametrize("name", [*shipped.STACKS, shipped.LARGEST])
def test_boot_data_of_every_role_is_at_most_half_of_what_azure_takes(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own, largest = shipped.plan(name), {"etcd": 0, "api": 0, "node": 0}
    packed = dict(largest)
    for machine, boot in shipped.documents(name).items():
        role = shipped.role(own, machine)
        raw = base64.b64decode(custom_data(boot), validate=True)
        largest[role] = max(largest[role], len(raw))
        packed[role] = max(packed[role], len(compressed(raw.decode())))
    figures = ", ".join(f"{role} {size} ({size / AZURE_CUSTOM_DATA.value:.0%})" for role, size in largest.items())
    with capsys.disabled():
        print(f"\n{name}: largest custom data by role, of {AZURE_CUSTOM_DATA.value} bytes: {figures}; gzipped {packed}")
    assert all(0 < size <= HALF for size in largest.values()), figures


@pytest.mark.parametrize("name", [*shipped.STACKS, shipped.LARGEST])
def test_no_key_certificate_or_token_is_in_it(name: str) -> None:
    for machine, boot in shipped.documents(name).items():
        text = user_data(boot)
        for sign in ("PRIVATE KEY", "-----BEGIN", "BEGIN CERTIFICATE", "client-key-data"):
            assert sign not in text, machine
        assert not TOKEN.search(text), machine
        assert not JWT.search(text), machine


def test_text_that_packs_well_is_refused_above_the_half_as_azure_unpacks_nothing() -> None:
    """Long names much alike: 4 KiB gzipped, and 84% of the limit as it stands."""
    full = shipped.full_pool()
    for index, row in enumerate(full["images"]):
        row["reference"] = f"r.example.com/{'a' * 230}{index:02d}:{'v' * 128}@sha256:{'0' * 64}"
        row["archive"] = f"/x/{'a' * 180}{index:02d}.tar"
    own = regions.plan(nodePools=[full])
    boot = shipped.node(own, own.pools[0])
    with pytest.raises(RefusedError) as refused:
        node_pool_user_data(own.pools[0].spec, boot)
    assert f"the limit is {HALF}" in refused.value.refusals[0].why
