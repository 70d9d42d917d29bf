"""An etcd member on an empty disk comes back under its own name, and never makes a second cluster.

Real etcd under the image's own unit, a machine per member; a stop is a power loss, an empty disk a new machine.
"""

import json
import shlex
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from ipaddress import IPv4Interface
from typing import Any

import pytest
import yaml

from kilonode.boot.machine import File
from kilonode.boot.secrets import CLUSTER, delivered
from kilonode.clouds.local.host.images import BuiltImage
from kilonode.etcd.config import MOUNT, PATH
from tests.conftest import SMALL
from tests.oracles.machine import Machine, wait_for
from tests.oracles.network import Network
from tests.oracles.region import Rendered
from tests.oracles.unit import RefusedStartError, Unit, all_settled

pytestmark = [pytest.mark.tools, pytest.mark.region]

KEYS = 100
CHOSEN = "/run/etcd/config.yaml"
GROWN = {**SMALL, "etcd": [{"name": "main", "members": 5, "bornWith": 3}, {"name": "events", "members": 1}]}
FIVE = {**SMALL, "etcd": [{"name": "main", "members": 5}, {"name": "events", "members": 1}]}


class Cluster:
    """The members of ``main``, each on its machine; machine ``i`` is member ``i`` of the plan."""

    def __init__(self, rendered: Rendered, machines: list[Machine]) -> None:
        self.plan, self.machines = rendered.cluster("main"), machines
        self.units = [Unit(machine, "etcd") for machine in machines]

    def name(self, index: int) -> str:
        return self.plan.members[index].name

    def start(self, *indices: int) -> None:
        """Start members together and wait until each serves as a voter and has its mark."""
        units = [self.units[index] for index in indices]
        for unit in units:
            wait_for(lambda unit=unit: starts(unit), f"etcd on {unit.machine.name}", lambda unit=unit: unit.said)  # type: ignore[misc]
        for unit in units:
            unit.running.until(unit.notified, f"etcd on {unit.machine.name}")
            unit.settle()
        all_settled(units)

    def lose(self, *indices: int) -> None:
        """Stop members and empty their disks."""
        for index in indices:
            self.units[index].stop()
            self.machines[index].run(["find", MOUNT, "-mindepth", "1", "-delete"], check=True)

    def refuses(self, index: int, *says: str) -> None:
        """Wait until the member's unit says why it does not start etcd at all.

        The others may be choosing a leader, or be late once; systemd starts the unit again and again.
        """
        said = ""

        def refused() -> bool:
            nonlocal said
            with pytest.raises(RefusedStartError) as refusal:
                self.units[index].start()
            assert not self.machines[index].path(CHOSEN).exists()
            said = str(refusal.value)
            assert "nothing was changed" in said
            return all(each in said for each in says)

        wait_for(refused, f"the refusal of {self.name(index)}", lambda: said)

    def refuse(self, indices: Sequence[int], *says: str) -> None:
        """The same of several, started together."""
        with ThreadPoolExecutor() as threads:
            list(threads.map(lambda index: self.refuses(index, *says), indices))

    def marks(self) -> set[str]:
        return {path.name for path in self.machines[0].binds[CLUSTER].iterdir()}

    def etcdctl(self, index: int, *words: str) -> Any:
        """The answer of one member, and of no other."""
        return json.loads(self.machines[index].run([*self._etcdctl(index), *words], check=True).stdout)

    def _etcdctl(self, index: int) -> list[str]:
        files = (delivered("etcd", file) for file in ("ca.crt", "client.crt", "client.key"))
        tls = (f"--{flag}={file}" for flag, file in zip(("cacert", "cert", "key"), files, strict=True))
        return [
            "etcdctl",
            "--command-timeout=60s",
            "--write-out=json",
            f"--endpoints={self.plan.client_urls[index]}",
            *tls,
        ]

    def members(self, *, quorum: bool = True) -> dict[str, int]:
        """Name to id of the voters; without a quorum as one member knows them, which may not be the last word."""
        listed = self.etcdctl(0, "member", "list", f"--consistency={'l' if quorum else 's'}")["members"]
        assert not [member for member in listed if member.get("isLearner")]
        return {member.get("name", ""): member["ID"] for member in listed}

    def fill(self) -> None:
        """Write some keys in one transaction."""
        puts = "\n".join(f'put key-{number} "value {number}"' for number in range(KEYS))
        machine = self.machines[0]
        machine.write([File("/root/transaction", f"\n{puts}\n\n\n")])
        machine.run(["sh", "-c", f"{shlex.join(self._etcdctl(0))} txn </root/transaction"], check=True)

    def holds_all(self, index: int) -> bool:
        """Whether the member itself has all keys; the leader may still be sending it the last ones."""
        own = self.etcdctl(index, "get", "key-", "--prefix", "--keys-only", "--consistency=s").get("kvs", [])
        return len(own) == KEYS

    def quota(self, index: int) -> int:
        return int(self.etcdctl(index, "endpoint", "status")[0]["Status"]["dbSizeQuota"])


def starts(unit: Unit) -> bool:
    """Whether etcd itself is started now; systemd tries again when a member that it asks first is late."""
    try:
        unit.start()
    except RefusedStartError:
        return False
    return True


@contextmanager
def made(
    image: BuiltImage, settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, machines: int
) -> Iterator[Cluster]:
    rendered = Rendered(settings)
    plan = rendered.plan
    marks = tmp_path_factory.mktemp("marks")
    with ExitStack() as stack:
        network = stack.enter_context(Network(IPv4Interface(f"{plan.operator}/{plan.range.prefixlen}")))
        built = []
        for index, member in enumerate(rendered.cluster("main").members[:machines]):
            machine = stack.enter_context(Machine(image, member.name, disk=MOUNT, binds={CLUSTER: marks}))
            network.join(machine, str(member.address))
            machine.write(rendered.member("main", index))
            built.append(machine)
        yield Cluster(rendered, built)


@pytest.fixture
def cluster(image: BuiltImage, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three members of the first bootstrap, serving, and a machine for a fourth."""
    with made(image, GROWN, tmp_path_factory, machines=4) as three:
        three.start(0, 1, 2)
        three.fill()
        yield three


def test_the_first_bootstrap_marks_each_member(cluster: Cluster) -> None:
    assert cluster.marks() == {cluster.name(index) for index in range(3)} == set(cluster.members())


def test_a_member_with_its_data_just_starts_and_stays_who_it_was(cluster: Cluster) -> None:
    before = cluster.members()
    for index in range(3):
        cluster.units[index].stop()
    cluster.start(0, 1, 2)
    assert cluster.members() == before
    wait_for(lambda: cluster.holds_all(1), "all keys")


def test_a_member_on_an_empty_disk_comes_back_as_a_learner_under_its_name_with_all_keys(cluster: Cluster) -> None:
    before = cluster.members()
    cluster.lose(1)
    cluster.start(1)
    unit = cluster.units[1]
    assert "joins 2 members as a learner" in unit.said
    assert unit.after is not None
    assert "promoted" in unit.after.text()
    after = cluster.members()
    assert set(after) == set(before)
    assert {name for name in after if after[name] != before[name]} == {cluster.name(1)}
    wait_for(lambda: cluster.holds_all(1), "all keys")
    assert {cluster.quota(index) for index in range(3)} == {cluster.plan.spec.quota}
    # Its own file is what it reads, but for how to join.
    own, chosen = (yaml.safe_load(cluster.machines[1].read(path)) for path in (PATH, CHOSEN))
    assert set(own) == set(chosen)
    assert {key for key in own if own[key] != chosen[key]} == {"initial-cluster", "initial-cluster-state"}
    assert set(own["initial-cluster"].split(",")) == set(chosen["initial-cluster"].split(","))
    assert chosen["initial-cluster-state"] == "existing"


def test_a_learner_that_was_stopped_before_its_promotion_is_promoted_at_its_next_start(cluster: Cluster) -> None:
    cluster.lose(1)
    unit = cluster.units[1]
    unit.start().until(unit.notified, "the learner")
    unit.stop()
    cluster.start(1)
    assert unit.said.endswith("data on the disk: starting\n")
    assert len(cluster.members()) == 3
    wait_for(lambda: cluster.holds_all(1), "all keys")


def test_a_join_cut_short_before_etcd_started_is_taken_up_again(cluster: Cluster) -> None:
    cluster.lose(1)
    credentials = {"CREDENTIALS_DIRECTORY": "/run/credentials/etcd.service"}
    script = ["/usr/lib/kilonode/etcd-member", "prepare"]
    cluster.machines[1].run(script, environment=credentials, check=True)
    cluster.start(1)
    assert "removing" not in cluster.units[1].said
    assert len(cluster.members()) == 3
    wait_for(lambda: cluster.holds_all(1), "all keys")


def test_a_member_that_is_not_of_the_first_bootstrap_joins(cluster: Cluster) -> None:
    cluster.start(3)
    assert "joins 3 members as a learner" in cluster.units[3].said
    assert set(cluster.members()) == {cluster.name(index) for index in range(4)} == cluster.marks()
    wait_for(lambda: cluster.holds_all(3), "all keys")
    assert cluster.quota(3) == cluster.quota(0)


def test_a_second_learner_is_told_to_wait_and_loses_nothing(cluster: Cluster) -> None:
    learner = cluster.units[3]
    learner.start().until(learner.notified, "the first learner")
    cluster.lose(1)
    cluster.refuses(1, "one learner at a time")
    listed = cluster.etcdctl(0, "member", "list")["members"]
    assert {member.get("name") for member in listed} == {cluster.name(index) for index in range(4)}
    learner.settle()
    all_settled([learner])
    cluster.start(1)
    assert set(cluster.members()) == {cluster.name(index) for index in range(4)}


def test_empty_disks_under_marks_never_make_a_new_cluster(cluster: Cluster) -> None:
    cluster.lose(0, 1, 2)
    cluster.refuse((0, 1, 2), "the member list is unknown", "restore the cluster from a snapshot")


def test_two_empty_disks_of_three_are_refused_and_nothing_is_changed(cluster: Cluster) -> None:
    before = cluster.members()
    cluster.lose(1, 2)
    cluster.refuse((1, 2), "restore the cluster from a snapshot")
    assert cluster.members(quorum=False) == before
    assert cluster.holds_all(0)


def test_two_empty_disks_of_five_are_refused_though_the_others_have_the_quorum(
    image: BuiltImage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with made(image, FIVE, tmp_path_factory, machines=5) as five:
        five.start(0, 1, 2, 3, 4)
        before = five.members()
        five.lose(1, 3)
        silent = f"1 other member(s) do not answer ({five.name(3)})"
        five.refuses(1, silent, "restore the cluster from a snapshot")
        assert five.members() == before
