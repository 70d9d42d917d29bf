"""docs/azure.md says what a region on Azure makes and needs: its figures and its example are held against the code."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.runtime import settings

from kilonode.clouds.azure.bundle import bundle
from kilonode.clouds.azure.plan import AzurePlan, plan_azure
from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.limits import AZURE_SNAT_CONNECTIONS
from kilonode.refusal import RefusedError
from kilonode.region.plan import plan_region
from kilonode.region.spec import RegionSpec
from ops.stack import CLONE
from ops.stackfile import read_stack
from tests.wiring.test_azure_region import NATIVE, registered

PAGE = (CLONE / "docs" / "azure.md").read_text()
SHIPPED = ("azure-southcentralus", "azure-westeurope-small")
REGION = "kilonode:region"
EXAMPLE = next(text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if REGION in text)
REQUIRED = (
    *(
        ("name",),
        ("cloud",),
        ("ceiling",),
        ("network",),
        ("network", "range"),
        ("cloud", "kind"),
        ("cloud", "location"),
    ),
    *(("cloud", "adminSshKey"), ("cloud", "image"), ("cloud", "image", "kind"), ("cloud", "image", "id")),
    *(("nodePools", 0, key) for key in ("name", "kind", "range", "azure")),
    ("nodePools", 0, "azure", "size"),
)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = settings.SETTINGS
    yield
    settings.configure(before)


def shipped(stack: str) -> dict[str, Any]:
    text = (CLONE / "stacks" / f"Pulumi.{stack}.yaml").read_text()
    found: dict[str, Any] = yaml.safe_load(text)["config"][REGION]
    return found


def plan(stack: str) -> AzurePlan:
    return plan_azure(plan_region(RegionSpec.read(shipped(stack), "region")))


def rows(pattern: str) -> list[tuple[str, ...]]:
    """What ``pattern`` finds in the lines of the page's tables, numbers without their commas."""
    found = (re.fullmatch(pattern, line) for line in PAGE.replace("**", "").splitlines())
    return [tuple(each.replace(",", "") for each in match.groups()) for match in found if match]


@pytest.mark.parametrize("column", [0, 1], ids=SHIPPED)
def test_each_kind_is_made_as_often_as_the_page_says(column: int) -> None:
    kinds = [each.type for each in registered(**shipped(SHIPPED[column])).registered if "Stack" not in each.type]
    made = Counter(each.removeprefix(NATIVE) for each in kinds if each.startswith(NATIVE))
    said = {row[2]: int(row[column]) for row in rows(r"\| .* \| ([\d,]+) \| ([\d,]+) \| `(\w+:\w+)` \|")}
    assert {kind: count for kind, count in said.items() if count} == made
    (whole,) = rows(r"\| all of Azure \| (\d+) \| (\d+) \| \|")
    assert int(whole[column]) == made.total()
    counts = re.search(r"Pulumi counts (\d+) and (\d+)", PAGE)
    assert counts
    assert int(counts[column + 1]) == len(kinds)


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_quota_is_what_machines_of_each_size_take(stack: str) -> None:
    made = plan(stack)
    first = Counter(each.size.name for each in made.machines)
    most = first.copy()
    for pool in made.pools:
        first[pool.azure.size] += pool.spec.nodes
        most[pool.azure.size] += pool.spec.most
    wanted = {
        size: (first[size], first[size] * SIZES[size].vcpus, most[size], most[size] * SIZES[size].vcpus)
        for size in most
    }
    number = r" \| ([\d,]+)" * 4
    assert {row[0]: tuple(map(int, row[1:])) for row in rows(rf"\| `{stack}` \| `(\w+)`{number} \|")} == wanted


@pytest.mark.parametrize("column", [0, 1], ids=SHIPPED)
def test_addresses_and_ports_are_those_of_the_plan(column: int) -> None:
    made = plan(SHIPPED[column])
    each = 2 ** (32 - made.vnets[0].nat.prefix_length)
    public, ports, private = (
        int(rows(rf"\| {begin}.* \| ([\d,]+) \| ([\d,]+) \|")[0][column])
        for begin in ("public addresses", "connections to one", "private addresses")
    )
    assert public == each * len(made.vnets)
    assert ports == each * AZURE_SNAT_CONNECTIONS.value // made.region.spec.ceiling
    assert private == sum(pool.addresses_per_node * pool.spec.most for pool in made.pools)


def test_the_smallest_file_is_read_without_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.mine.yaml"
    file.write_text(EXAMPLE)
    assert read_stack(file).warnings() == []


def test_the_smallest_file_shares_no_address_with_a_shipped_stack(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.mine.yaml"
    file.write_text(EXAMPLE)
    own = read_stack(file).network.range
    for other in (CLONE / "stacks").glob("Pulumi.*.yaml"):
        assert not own.overlaps(read_stack(other).network.range)


@pytest.mark.parametrize("path", REQUIRED, ids=lambda path: ".".join(map(str, path)))
def test_nothing_required_can_be_left_out_of_the_smallest_file(path: tuple[str | int, ...]) -> None:
    whole = deepcopy(yaml.safe_load(EXAMPLE)["config"][REGION])
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    with pytest.raises(RefusedError):
        RegionSpec.read(whole, "region")


def test_the_operators_secret_is_unpacked_as_the_page_says() -> None:
    assert "base64 -d | gunzip | jq -r .kubeconfig" in PAGE
    secret = bundle("operator", {"kubeconfig": "apiVersion: v1\n"})
    content = secret.encode()
    for words in (["base64", "-d"], ["gunzip"]):
        content = subprocess.run(words, input=content, capture_output=True, check=True).stdout
    assert json.loads(content)["kubeconfig"] == "apiVersion: v1\n"
