"""A node on Azure says whether it serves, as whoever asks on the booted machine has it; also when its disks are new."""

from pathlib import Path

import pytest

from kilonode.clouds.azure import health
from tests.clouds.local.conftest import wait_until
from tests.oracles.azure.living import PATIENCE, Living

pytestmark = [pytest.mark.tools, pytest.mark.region]

OK = 200
SILENCE = 60  # seconds; until then the old Node is looked at, also on a slow host

ASKED = """\
import http.client, sys
connection = http.client.HTTPConnection("localhost", int(sys.argv[1]), timeout=10)
connection.request("GET", sys.argv[2])
answer = connection.getresponse()
print(answer.status, answer.read().decode())
"""


def health_of(living: Living) -> str:
    """Status and body, as whoever asks on the node has them."""
    return living.code("node", "python3", "-c", ASKED, str(health.PORT), health.PATH)[1].strip()


def test_a_node_says_that_it_serves_and_what_is_wrong_when_it_does_not(living: Living) -> None:
    # Not asked once: the programs have two seconds to answer, and on a busy host one may be late.
    wait_until(lambda: health_of(living) == '200 {"ApplicationHealthState": "Healthy"}', PATIENCE)
    current = "/var/lib/kubelet/pki/kubelet-client-current.pem"
    wrongs = {
        # Whoever is stopped comes again at once, as others uphold it.
        "systemctl mask --runtime --now kubelet": "503 kubelet: no answer (ConnectionRefusedError",
        "systemctl mask --runtime --now kube-proxy; systemctl unmask --runtime kubelet; systemctl start kubelet": (
            "503 kube-proxy: no answer (ConnectionRefusedError"
        ),
        f"systemctl unmask --runtime kube-proxy; systemctl start kube-proxy; mv {current} /root/": (
            "503 kubelet has no certificate: it has not joined"
        ),
        f"mv /root/{Path(current).name} {current}; systemctl mask --runtime --now containerd": (
            "503 containerd does not listen at /run/containerd/containerd.sock"
        ),
        "systemctl unmask --runtime containerd; systemctl start containerd": "200",
    }
    for command, says in wrongs.items():
        living.code("node", "sh", "-c", command)
        wait_until(lambda says=says: health_of(living).startswith(says), PATIENCE)  # type: ignore[misc]
    assert living.says("node", "journalctl --unit kilonode-health --output=cat --grep=^the.node.serves$ | wc -l") != "0"


def test_who_answers_for_a_node_is_no_user_and_can_do_nothing(living: Living) -> None:
    pid = living.says("node", "systemctl show kilonode-health --property=MainPID --value")
    told = dict(line.split(":\t", 1) for line in living.says("node", f"cat /proc/{pid}/status").splitlines())
    assert int(told["Uid"].split()[0]) >= 61184  # systemd's range of users that are there while a unit runs
    assert (int(told["CapEff"], 16), int(told["CapBnd"], 16), told["NoNewPrivs"]) == (0, 0, "1")
    served = living.says("node", f"ss -Hltn 'sport = :{health.PORT}'").split()
    assert served[3] == f"127.0.0.1:{health.PORT}"


def test_a_node_with_new_disks_is_ill_until_its_old_node_is_silent_and_then_serves_again(living: Living) -> None:
    """A reimage: the name stays, the certificate is gone, and the Node is there; nobody lends a hand."""
    client, node = living.operator(), living.specs["node"].machine
    url = f"{living.plan.endpoint}/api/v1/nodes/{node}"
    wait_until(lambda: client.call(url).status == OK, PATIENCE)  # one that serves may not be registered yet
    old = client.call(url, timeout=PATIENCE).json()["metadata"]["uid"]
    folder = "/run/systemd/system/kilonode-node-approver.service.d"
    sooner = f"mkdir -p {folder}; printf '[Service]\\nEnvironment=SILENCE_SECONDS={SILENCE}\\n' >{folder}/test.conf; systemctl daemon-reload"
    assert living.code("api", "sh", "-c", f"{sooner}; systemctl restart kilonode-node-approver")[0] == 0
    living.renew("node")
    wait_until(lambda: health_of(living) == "503 kubelet has no certificate: it has not joined", PATIENCE)
    assert client.call(url, timeout=PATIENCE).json()["metadata"]["uid"] == old
    wait_until(lambda: health_of(living).startswith("200"), PATIENCE)
    assert f"removed the Node {node}: silent for {SILENCE} s" in living.journal("api", "kilonode-node-approver")

    def ready() -> bool:
        answer = client.call(url)
        found = answer.json() if answer.status == OK else {"metadata": {"uid": old}}
        conditions = found.get("status", {}).get("conditions", [])
        well = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
        return found["metadata"]["uid"] != old and well

    wait_until(ready, PATIENCE)
