"""Boot data on Azure differs from that of other clouds exactly where a row says so."""

import tomllib
from dataclasses import replace
from typing import Any

import pytest
import yaml

from kilonode.apiserver.boot import FLAGS as API_FLAGS
from kilonode.boot.cloudinit import compressed, user_data
from kilonode.boot.machine import SYSCTLS, BootData, File
from kilonode.clouds.azure import cni
from kilonode.clouds.azure.boots import pool_boot
from kilonode.clouds.azure.differences import DIFFERENCES, Difference, Role, allowed
from kilonode.clouds.azure.machine_files import FACTS
from kilonode.limits import BOOT_DATA
from kilonode.nodes.boot import KUBELET_FLAGS
from tests.clouds.azure import regions
from tests.clouds.azure.roles import AZURE, LOCAL, PLAIN, VAULT, boots
from tests.oracles.azure.region import secret_of
from tests.oracles.effective import leaves


def differing(one: BootData, other: BootData) -> set[str]:
    """Paths of files that are not the same in both, or not in both."""
    before, after = ({file.path: file for file in boot.all_files} for boot in (one, other))
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


@pytest.mark.parametrize("role", LOCAL)
def test_boot_data_on_azure_differs_exactly_where_it_is_allowed_to(role: Role) -> None:
    assert differing(LOCAL[role], AZURE[role]) == allowed(role)
    assert {file.path for file in LOCAL[role].all_files} <= {file.path for file in AZURE[role].all_files}


@pytest.mark.parametrize("role", LOCAL)
def test_a_row_nobody_has_allowed_is_seen_and_so_is_one_that_is_no_longer_needed(role: Role) -> None:
    boot = AZURE[role]
    more = replace(boot, files=(*boot.files, File("/etc/kilonode/more", "x")))
    assert differing(LOCAL[role], more) - allowed(role) == {"/etc/kilonode/more"}
    sysctl = replace(boot, sysctls=boot.sysctls[1:])
    assert differing(LOCAL[role], sysctl) - allowed(role) == {SYSCTLS}
    mode = replace(boot, files=tuple(replace(file, mode=0o600) for file in boot.files))
    assert differing(LOCAL[role], mode) - allowed(role)
    less = replace(boot, files=tuple(file for file in boot.files if file.path != FACTS))
    assert allowed(role) - differing(LOCAL[role], less) == {FACTS}


def parsed(path: str, text: str) -> Any:
    return tomllib.loads(text) if path.endswith(".toml") else yaml.safe_load(text)


@pytest.mark.parametrize("row", [row for row in DIFFERENCES if row.keys], ids=lambda row: row.path)
def test_of_a_document_every_cloud_has_exactly_the_keys_that_are_told_differ(row: Difference) -> None:
    """A whole document on the list would hide the next key that differs."""
    local, azure = (
        leaves(parsed(row.path, next(file.content for file in boot["node"].all_files if file.path == row.path)))
        for boot in (LOCAL, AZURE)
    )
    differ = {key for key in local.keys() | azure.keys() if local.get(key) != azure.get(key)}
    within = {key: {each for each in differ if f"{each}.".startswith(f"{key}.")} for key in row.keys}
    assert set().union(*within.values()) == differ
    assert all(within.values()), within


def test_every_document_both_have_tells_its_keys() -> None:
    both = {file.path for file in LOCAL["node"].all_files} & allowed("node")
    # Flags are one line of text.
    assert {row.path for row in DIFFERENCES if row.keys} == both - {KUBELET_FLAGS, cni.PATH}


def test_of_an_api_server_s_flags_only_the_delay_of_its_shutdown_differs() -> None:
    local, azure = (
        set(next(file.content for file in boot["api"].files if file.path == API_FLAGS).replace('"', " ").split())
        for boot in (LOCAL, AZURE)
    )
    assert (local - azure, azure - local) == ({"--shutdown-delay-duration=5s"}, {"--shutdown-delay-duration=17s"})


def test_a_pool_without_gpus_differs_in_no_more() -> None:
    plan = regions.plan(nodePools=[PLAIN])
    boot = pool_boot(plan, plan.pools[0], boots(plan.region)["node"], VAULT, secret_of("workers"))
    local, azure = ({file.path: file for file in each.all_files} for each in (LOCAL["node"], boot))
    differing = {path for path in local.keys() | azure.keys() if local.get(path) != azure.get(path)}
    assert allowed("node") - differing == {KUBELET_FLAGS}
    assert differing <= allowed("node")


def test_each_difference_is_one_row_with_its_reason() -> None:
    rows = [(role, row.path) for row in DIFFERENCES for role in row.roles]
    assert len(rows) == len(set(rows))
    assert all(row.why for row in DIFFERENCES)


@pytest.mark.parametrize("role", AZURE)
def test_boot_data_on_azure_keeps_within_the_limit_and_holds_no_secret(role: Role) -> None:
    text = user_data(AZURE[role])
    assert len(compressed(text)) <= BOOT_DATA.value
    assert "PRIVATE KEY" not in text
    assert "-----BEGIN" not in text
