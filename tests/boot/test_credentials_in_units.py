"""What a unit takes from the machine's secrets is what the PKI delivers for that service, both ways."""

import re

import pytest

from kilonode.boot.image import SHARES, machine_image
from kilonode.boot.machine import BootData
from kilonode.boot.secrets import FOLDER, delivered
from kilonode.pki.kinds import files
from tests.plans import biggest, boots, credentials, node_boots

LOAD = re.compile(r"^LoadCredential=([^:]+):(.+)$", re.MULTILINE)
USED = re.compile(r"/run/credentials/([^/\s]+)\.service/([A-Za-z0-9._-]+)")


def every_boot() -> list[BootData]:
    """Of every machine and of every pool."""
    return [*boots(biggest()).values(), *node_boots(biggest()).values()]


def issued() -> dict[str, set[str]]:
    """Service to the files the PKI delivers for it, on whatever machine."""
    found: dict[str, set[str]] = {}
    for name, rows in credentials(biggest()).items():
        for row in rows:
            if name != "operator":
                found.setdefault(row.service, set()).update(files(row))
    return found


def loaded() -> dict[str, dict[str, str]]:
    """Unit to the credentials it takes: name to the path they come from."""
    units: dict[str, dict[str, str]] = {}
    for file in machine_image().files:
        taken = dict(LOAD.findall(file.content))
        if taken:
            name = re.search(r"/system/([^/]+)\.service", file.path)
            assert name, file.path
            units[name[1]] = taken
    return units


def test_every_service_with_credentials_has_a_unit_that_takes_them_and_no_unit_takes_others() -> None:
    assert {SHARES.get(unit, unit) for unit in loaded()} == set(issued())


@pytest.mark.parametrize("unit", sorted(loaded()))
def test_a_unit_takes_exactly_what_is_issued_for_its_service(unit: str) -> None:
    owner = SHARES.get(unit, unit)
    assert loaded()[unit] == {file: delivered(owner, file) for file in issued()[owner]}
    assert all(path.startswith(f"{FOLDER}/{owner}/") for path in loaded()[unit].values())


def test_every_credential_a_configuration_names_is_taken_by_that_unit() -> None:
    texts = [file.content for file in machine_image().files]
    texts += [file.content for boot in every_boot() for file in boot.all_files]
    used = {found for text in texts for found in USED.findall(text)}
    assert {unit for unit, _ in used} >= {
        "etcd",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "haproxy",
        "kwok",
        "kubelet",
        "kube-proxy",
    }
    assert {(unit, file) for unit, file in used if file not in loaded().get(unit, {})} == set()


@pytest.mark.parametrize("unit", sorted(loaded()))
def test_no_credential_is_taken_for_nothing(unit: str) -> None:
    """Each file is named by a configuration, or the unit's own program reads the whole folder."""
    texts = [file.content for file in machine_image().files]
    texts += [file.content for boot in every_boot() for file in boot.all_files]
    used = {file for text in texts for service, file in USED.findall(text) if service == unit}
    by_folder = {
        "etcd": {"client.crt", "client.key", "ca.crt"},
        "kilonode-simulated-nodes": set(loaded()[unit]),
        "kilonode-node-approver": {"ca.crt", "client.crt", "client.key", "nodes.crt", "nodes.key"},
    }
    assert set(loaded()[unit]) - used - by_folder.get(unit, set()) == set()


def test_each_machine_is_given_the_same_files_for_its_service_as_its_neighbours() -> None:
    """One image serves all of a role's machines, so their credentials have the same names."""
    seen: dict[str, set[frozenset[str]]] = {}
    for rows in credentials(biggest()).values():
        for service in {row.service for row in rows}:
            names = frozenset(name for row in rows if row.service == service for name in files(row))
            seen.setdefault(service, set()).add(names)
    assert all(len(names) == 1 for names in seen.values())
