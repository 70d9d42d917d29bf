"""cloud-init of the image finds the user data of every role valid, and broken copies not."""

import json
from collections.abc import Iterator

import pytest
import yaml

from kilonode.boot.cloudinit import user_data
from kilonode.boot.machine import File
from kilonode.clouds.local.host.images import BuiltImage
from tests.conftest import SMALL
from tests.oracles.machine import Machine
from tests.oracles.region import Rendered

pytestmark = [pytest.mark.tools, pytest.mark.region]

ROLES = ("etcd", "api", "load-balancer", "simulator")
BIG = {
    **SMALL,
    "name": "big",
    "ceiling": 7_500,
    "network": {"range": "10.0.0.0/12"},
    "etcd": [{"name": name} for name in ("main", "events", "leases")],
    "apiServers": {"count": 5},
    "nodePools": [
        {"name": "sim", "kind": "simulated", "nodes": 7_500, "podsPerNode": 30, "range": "10.8.0.0/14"},
    ],
}
SCHEMAS = "/usr/lib/python3/dist-packages/cloudinit/config/schemas"
REGIONS = {"small": SMALL, "big": BIG}


@pytest.fixture(scope="module")
def machine(image: BuiltImage) -> Iterator[Machine]:
    with Machine(image, "schema") as made:
        yield made


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, str]]:
    regions = {size: Rendered(settings).boot_data() for size, settings in REGIONS.items()}
    return {size: {role: user_data(boot) for role, boot in roles.items()} for size, roles in regions.items()}


def judged(machine: Machine, text: str) -> tuple[int, str]:
    """Exit code and words of cloud-init's own schema check."""
    machine.write([File("/root/user-data", text, 0o600)])
    done = machine.run(["cloud-init", "schema", "--config-file", "/root/user-data"])
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("size", REGIONS)
def test_user_data_is_valid(machine: Machine, documents: dict[str, dict[str, str]], size: str, role: str) -> None:
    code, said = judged(machine, documents[size][role])
    assert (code, said.strip()) == (0, "Valid cloud-config: /root/user-data")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("#cloud-config\n", "# cloud-config\n", "needs to begin with"),
        ("#cloud-config\n", "", "needs to begin with"),
        ("- path: /etc/etcd", "\t- path: /etc/etcd", "not valid yaml"),
        ("permissions: '0644'", "permissions: [6, 4, 4]", "is not of type 'string'"),
        ("permissions: '0644'", "permissions: 420", "is not of type 'string'"),
        ("permissions: '0644'", "mode: '0644'", "Additional properties are not allowed ('mode' was unexpected)"),
        ("preserve_hostname: false", "preserve_hostname: perhaps", "is not of type 'boolean'"),
        ("- path: /etc/etcd", "- paths: /etc/etcd", "'paths' was unexpected"),
        ("write_files:", "bootcmd: 7\nwrite_files:", "bootcmd: 7 is not of type 'array'"),
    ],
)
def test_a_broken_copy_is_not(
    machine: Machine, documents: dict[str, dict[str, str]], old: str, new: str, says: str
) -> None:
    right = documents["small"]["etcd"]
    assert old in right
    code, said = judged(machine, right.replace(old, new, 1))
    assert code == 1
    assert says in said


def test_every_key_is_one_that_a_module_of_the_image_reads_as_the_schema_passes_over_unknown_ones(
    machine: Machine, documents: dict[str, dict[str, str]]
) -> None:
    right = documents["small"]["etcd"]
    assert judged(machine, right.replace("write_files:", "write_file:"))[0] == 0
    schema = json.loads(machine.read(f"{SCHEMAS}/schema-cloud-config-v1.json"))
    known = {key for definition in schema["$defs"].values() for key in definition.get("properties", {})}
    assert "write_file" not in known
    for size, roles in documents.items():
        for role, text in roles.items():
            assert set(yaml.safe_load(text)) <= known, (size, role)
