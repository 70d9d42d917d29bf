"""The boot data of etcd members, API servers and nodes as on Azure, booted: secrets arrive and services come up.

What a container cannot be is in the local tree, which is laid over Azure's: no datasource of Azure's own, no disk, no agent.
"""

import json
from pathlib import Path

import pytest

from kilonode.boot.secrets import FOLDER
from kilonode.clouds.azure import cni
from kilonode.pki.credentials import member_credentials
from ops.https import Client
from tests.clouds.local.conftest import wait_until
from tests.oracles.azure import metadata, region
from tests.oracles.azure.cloud import TOKEN
from tests.oracles.azure.conftest import SERVICES
from tests.oracles.azure.fabric import METADATA
from tests.oracles.azure.living import PATIENCE, Living

pytestmark = [pytest.mark.tools, pytest.mark.region]

TIMERS = {"main": ("kilonode-secrets.timer", "kilonode-snapshot.timer"), "api": ("kilonode-secrets.timer",)}


def test_the_services_of_each_role_are_up(living: Living) -> None:
    for key, units in SERVICES.items():
        # The controllers end once when their API server is not ready yet, and start again.
        living.until_active(key, *(f"{unit}.service" for unit in units))
    for key, timers in TIMERS.items():
        living.until_active(key, *timers)
    assert living.state_of("api", "kilonode-snapshot.timer") == "inactive"
    failed = {key: living.says(key, "systemctl --failed --no-legend --plain") for key in SERVICES}
    assert failed == dict.fromkeys(SERVICES, "")


def test_a_machine_has_exactly_the_files_of_its_own_secret_for_root_alone(living: Living) -> None:
    member = living.plan.etcd[0].members[0]
    names = sorted(living.files(member_credentials(living.plan.etcd[0], member)))
    found = living.says("main", f"cd {FOLDER}/ && find . -type f -printf '%P %m %u\\n' | sort").splitlines()
    assert found == [f"{name} 400 root" for name in names]
    assert living.says("main", f"find {FOLDER}/ -type d -printf '%m %u\\n' | sort -u") == "700 root"
    assert "Permission denied" in living.code("main", "setpriv", "--reuid=etcd", "ls", f"{FOLDER}/")[1]


def test_no_service_was_started_before_its_credentials_were_there(living: Living) -> None:
    for key, units in SERVICES.items():
        assert "Failed to set up credentials" not in living.journal(key)
        ends = living.says(key, "systemctl show kilonode-secrets --property=ActiveEnterTimestampMonotonic --value")
        for unit in set(units) & {"etcd", "kube-apiserver", "kubelet", "kube-proxy", "kilonode-node-approver"}:
            begins = living.says(key, f"systemctl show {unit} --property=InactiveExitTimestampMonotonic --value")
            assert int(begins) > int(ends), unit


def test_every_machine_asked_as_azure_s_documents_have_it_and_was_patient(living: Living) -> None:
    state = living.fabric.state
    assert state.wrongs() == []
    for key, spec in living.specs.items():
        address = spec.address.partition("/")[0]
        rows = [row for row in state.requests("metadata") if row["from"] == address]
        statuses = [row["status"] for row in rows if row["path"] == metadata.TOKEN_PATH]
        assert sorted(statuses[:3]) == [200, 404, 429], key
        assert [row["status"] for row in state.requests("vault") if row["from"] == address][-1] == 200


def test_the_journal_of_no_machine_holds_a_key_or_a_token(living: Living) -> None:
    for key in SERVICES:
        text = living.journal(key)
        assert "files, written" in text
        assert TOKEN not in text
        assert "PRIVATE KEY" not in text
        for line in living.says(key, f"cat $(find {FOLDER}/ -name '*.key')").splitlines():
            assert len(line) < 60 or line not in text


ASK = """\
import sys
sys.path.insert(0, "/usr/lib/kilonode")
from azure_machine import blobs, identity, vault
for ask in (lambda: vault.read(sys.argv[1], sys.argv[2], identity.token(vault.RESOURCE, sys.argv[4])),
            lambda: blobs.Container(sys.argv[3], sys.argv[4]).has("any")):
    try:
        ask()
        print("was let in")
    except Exception as error:
        print(error)
"""


def test_no_machine_reads_another_s_secret_nor_another_cluster_s_marks(living: Living) -> None:
    other = region.secret_of(living.plan.api_servers[0].name)
    own = region.identity_of(living.specs["main"].machine)
    words = (f"https://{region.HOSTS[0]}", other, f"https://{region.ACCOUNT}/marks-events", own)
    said = living.code("main", "python3", "-c", ASK, *words)[1].splitlines()
    assert [line.rpartition(": ")[2] for line in said] == ["403 Forbidden", "403 AuthorizationPermissionMismatch"]


def test_a_service_s_user_does_not_reach_the_metadata_service(living: Living) -> None:
    script = f"import socket; socket.create_connection(('{METADATA}', 80), timeout=60)"
    assert living.code("api", "python3", "-c", script)[0] == 0
    said = living.code("api", "setpriv", "--reuid=kube-apiserver", "python3", "-c", script)[1]
    assert "ConnectionRefusedError" in said


def test_the_api_is_ready_on_its_etcd_and_its_node_has_joined_through_the_front_end(living: Living) -> None:
    client = living.operator()
    # Not asked once: each etcd has two seconds to answer, and on a busy host one may be late.
    wait_until(lambda: client.call(f"{living.plan.endpoint}/readyz").text == "ok", PATIENCE)
    wait_until(lambda: joined(living, client), PATIENCE)


def joined(living: Living, client: Client) -> bool:
    """Whether the node is registered and Ready."""
    answer = client.call(f"{living.plan.endpoint}/api/v1/nodes/{living.specs['node'].machine}")
    conditions = answer.json()["status"].get("conditions", []) if answer.status == 200 else []
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def test_a_node_s_cni_configuration_is_boot_data_s_and_its_kubelet_knows_its_address(living: Living) -> None:
    assert living.says("node", "ls /etc/cni/net.d").split() == [Path(cni.PATH).name]
    assert json.loads(living.says("node", f"cat {cni.PATH}")) == json.loads(cni.conflist())
    address = living.specs["node"].address.partition("/")[0]
    assert living.says("node", "cat /run/kilonode/node.env") == f'NODE_FLAGS="--node-ip={address}"'
    assert living.says("node", "nft list tables").count("kilonode-") == 2


LEARNED = """\
import json
path = "/run/cloud-init/instance-data.json"
data = json.load(open(path))
data["ds"]["meta_data"]["imds"] = {"compute": {"resourceId": "/subscriptions/1/resourceGroups/BIG/providers/one/0"}}
json.dump(data, open(path, "w"))
"""


def test_a_node_registers_with_the_id_by_which_the_autoscaler_finds_its_instance(living: Living) -> None:
    client, node = living.operator(), living.specs["node"].machine
    url = f"{living.plan.endpoint}/api/v1/nodes/{node}"
    wait_until(lambda: joined(living, client), PATIENCE)
    assert living.code("node", "python3", "-c", LEARNED)[0] == 0
    assert living.code("node", "systemctl", "restart", "kilonode-node.service")[0] == 0
    assert client.call(url, "DELETE", timeout=PATIENCE).status == 200
    assert living.code("node", "systemctl", "restart", "kubelet.service")[0] == 0

    def registered() -> bool:
        answer = client.call(url)
        return answer.status == 200 and answer.json()["spec"].get("providerID") == (
            "azure:///subscriptions/1/resourceGroups/big/providers/one/0"
        )

    wait_until(registered, PATIENCE)


RENEW = ("systemctl", "restart", "kilonode-secrets-renew.service")
"""Not a start: what the timer has begun a moment ago may have read what was there before."""


def test_renewed_files_arrive_without_a_restart_and_what_is_gone_from_the_secret_is_gone(living: Living) -> None:
    cluster = living.plan.etcd[0]
    files = living.files(member_credentials(cluster, cluster.members[0]))
    served = living.says("main", "systemctl show etcd --property=MainPID,NRestarts")
    secret = region.secret_of(cluster.members[0].name)
    living.fabric.put(secret, {**files, "one/more.key": "one\n"})
    assert living.code("main", *RENEW)[0] == 0
    assert (
        living.says("main", f"cat {FOLDER}/etcd/server.crt {FOLDER}/one/more.key") == f"{files['etcd/server.crt']}one"
    )
    living.fabric.put(secret, files)
    assert living.code("main", *RENEW)[0] == 0
    assert living.says("main", f"ls {FOLDER}/") == "etcd"
    assert living.says("main", "systemctl show etcd --property=MainPID,NRestarts") == served
    assert living.code("main", "systemctl", "restart", "etcd.service")[0] == 0
    living.until_healthy("main")
