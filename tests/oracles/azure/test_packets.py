"""Who of a machine reaches its cloud's metadata, and under which address pods leave: nftables of the image, real packets.

Three network namespaces: the machine's own, a pod behind it, and the cloud around it.
"""

import json
from collections.abc import Iterator
from ipaddress import IPv4Network

import pytest

from kilonode.boot.machine import File
from kilonode.clouds.azure import cni
from kilonode.clouds.local.host.images import BuiltImage
from tests.oracles.machine import Machine, wait_for

pytestmark = [pytest.mark.tools, pytest.mark.region]

METADATA, HOST, OUTSIDE, NATIVE = "169.254.169.254", "168.63.129.16", "203.0.113.9", "10.66.9.9"
NODE, POD = "10.66.0.4", "10.66.0.5"

TOPOLOGY = f"""
set -eu
for space in pod cloud; do ip netns add $space; ip -n $space link set lo up; done
ip link add eth0 type veth peer name uplink netns cloud
ip link add azv1 type veth peer name eth0 netns pod
ip address add {NODE}/16 dev eth0
ip link set eth0 up
ip link set azv1 up
ip route add {POD}/32 dev azv1
ip address add 169.254.1.1/32 dev azv1
echo 1 >/proc/sys/net/ipv4/ip_forward
ip -n pod address add {POD}/32 dev eth0
ip -n pod link set eth0 up
ip -n pod route add 169.254.1.1 dev eth0
ip -n pod route add default via 169.254.1.1
ip -n cloud link set uplink up
ip -n cloud address add 10.66.0.1/16 dev uplink
for address in {METADATA} {HOST} {OUTSIDE} {NATIVE}; do ip -n cloud address add $address/32 dev uplink; done
ip -n cloud route add {POD}/32 via {NODE}
ip route add default via 10.66.0.1
"""

LISTEN = """\
import socketserver, sys, threading
class Who(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(self.client_address[0].encode())
for port in (53, 80, 443, 32526):
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    threading.Thread(target=socketserver.ThreadingTCPServer(("0.0.0.0", port), Who).serve_forever).start()
open("/run/listening", "w").close()
"""

ASK = """\
import socket, sys
try:
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as answer:
        print(answer.recv(100).decode())
except OSError as error:
    print(type(error).__name__)
"""

REFUSED = "ConnectionRefusedError"


@pytest.fixture(scope="module")
def machine(azure_image: BuiltImage) -> Iterator[Machine]:
    with Machine(azure_image, "packets") as made:
        made.write(
            [File("/root/topology", TOPOLOGY), File("/root/listen.py", LISTEN), File("/usr/local/lib/ask.py", ASK)]
        )
        made.run(["sh", "/root/topology"], check=True)
        made.write([File(cni.EGRESS, cni.egress([IPv4Network("10.66.0.0/16")]))])
        running = made.start(["ip", "netns", "exec", "cloud", "python3", "/root/listen.py"])
        wait_for(lambda: made.path("/run/listening").exists(), "the cloud", running.tail)
        yield made


def ask(machine: Machine, address: str, port: int, *, user: str = "", pod: bool = False) -> str:
    """Under which address the cloud sees who asks, or why it does not."""
    inside = ["ip", "netns", "exec", "pod"] if pod else []
    return machine.run([*inside, "python3", "/usr/local/lib/ask.py", address, str(port)], user=user).stdout.strip()


def load(machine: Machine, unit: str) -> None:
    """Run a unit's command twice: it must be one that can be run again."""
    words = next(
        line for line in machine.read(f"/etc/systemd/system/{unit}").splitlines() if line.startswith("ExecStart=")
    )
    for _ in range(2):
        done = machine.run(words.partition("=")[2].split())
        assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def open_(machine: Machine) -> dict[str, str]:
    """What is reached before any rule is loaded."""
    return {
        "user": ask(machine, METADATA, 80, user="etcd"),
        "pod": ask(machine, METADATA, 80, pod=True),
        "pod outside": ask(machine, OUTSIDE, 443, pod=True),
    }


@pytest.fixture(scope="module")
def ruled(machine: Machine, open_: dict[str, str]) -> Machine:
    load(machine, "kilonode-metadata.service")
    load(machine, "kilonode-pod-egress.service")
    return machine


def test_without_the_rules_a_service_and_a_pod_would_have_the_machine_s_identity(open_: dict[str, str]) -> None:
    assert open_ == {"user": NODE, "pod": POD, "pod outside": POD}


@pytest.mark.parametrize(("address", "port"), [(METADATA, 80), (HOST, 80), (HOST, 32526)])
def test_only_root_of_the_machine_reaches_what_tells_its_identity(ruled: Machine, address: str, port: int) -> None:
    assert ask(ruled, address, port) == NODE
    assert ask(ruled, address, port, user="etcd") == REFUSED
    assert ask(ruled, address, port, user="kube-apiserver") == REFUSED
    assert ask(ruled, address, port, pod=True) == REFUSED, "root of a pod is not root of the machine"


def test_the_clouds_dns_is_there_for_all(ruled: Machine) -> None:
    assert ask(ruled, HOST, 53, user="etcd") == NODE
    assert ask(ruled, HOST, 53, pod=True) == NODE


def test_a_pod_keeps_its_address_in_the_region_and_leaves_it_under_its_node_s(ruled: Machine) -> None:
    assert ask(ruled, NATIVE, 443, pod=True) == POD
    assert ask(ruled, OUTSIDE, 443, pod=True) == NODE
    assert ask(ruled, OUTSIDE, 443, user="etcd") == NODE


def test_the_rules_of_both_are_tables_of_their_own(ruled: Machine) -> None:
    listed = json.loads(ruled.run(["nft", "--json", "list", "tables"], check=True).stdout)["nftables"]
    assert [each["table"]["name"] for each in listed if "table" in each] == ["kilonode-metadata", "kilonode-pod-egress"]


def test_a_broken_copy_of_either_is_refused_whole(ruled: Machine) -> None:
    before = ruled.run(["nft", "list", "ruleset"], check=True).stdout
    rules = ruled.read("/usr/share/kilonode/metadata.nft")
    ruled.write([File("/root/broken.nft", rules.replace("meta skuid", "meta skuids"))])
    assert ruled.run(["nft", "--file", "/root/broken.nft"]).returncode
    ruled.write([File("/root/broken.json", ruled.read(cni.EGRESS).replace('"daddr"', '"daddrs"'))])
    assert ruled.run(["nft", "--json", "--file", "/root/broken.json"]).returncode
    assert ruled.run(["nft", "list", "ruleset"], check=True).stdout == before
