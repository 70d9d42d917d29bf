"""An etcd member on an empty disk comes back under its own name, and never makes a second cluster.

Real etcd under the image's own unit, a machine per member; a stop is a power loss, an empty disk a new machine.
"""

import json
import shlex
from collections.abc import Iterator
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
from tests.oracles.machine import Machine
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
            unit.start()
        for unit in units:
            unit.running.until(unit.notified, f"etcd on {unit.machine.name}")
            unit.settle()
        all_settled(units)

    def lose(self, *indices: int) -> None:
        """Stop members and empty their disks."""
        for index in indices:
            self.units[index].stop()
            self.machines[index].run(["find", MOUNT, "-mindepth", "1", "-delete"], check=True)

    def refusal(self, index: int) -> str:
        """What the member's unit says when it does not start etcd at all."""
        with pytest.raises(RefusedStartError) as refused:
            self.units[index].start()
        assert not self.machines[index].path(CHOSEN).exists()
        return str(refused.value)

    def refusals(self, *indices: int) -> list[str]:
        """The same of several, started together."""
        with ThreadPoolExecutor() as threads:
            return list(threads.map(self.refusal, indices))

    def marks(self) -> set[str]:
        return {path.name for path in self.machines[0].binds[CLUSTER].iterdir()}

    def etcdctl(self, index: int, *words: str) -> Any:
        """The answer of one member, and of no other."""
        return json.loads(self.machines[index].run([*self._etcdctl(index), *words], check=True).stdout)

    def _etcdctl(self, index: int) -> list[str]:
        files = (delivered("etcd", file) for file in ("ca.crt", "client.crt", "client.key"))
        tls = (f"--{flag}={file}" for flag, file in zip(("cacert", "cert", "key"), files, strict=True))
        return ["etcdctl", "--write-out=json", f"--endpoints={self.plan.client_urls[index]}", *tls]

    def members(self, asked: int = 0) -> dict[str, int]:
        """Name to id of the voters, as one member knows them even without a quorum."""
        listed = self.etcdctl(asked, "member", "list", "--consistency=s")["members"]
        assert not [member for member in listed if member.get("isLearner")]
        return {member.get("name", ""): member["ID"] for member in listed}

    def fill(self) -> None:
        """Write some keys in one transaction."""
        puts = "\n".join(f'put key-{number} "value {number}"' for number in range(KEYS))
        machine = self.machines[0]
        machine.write([File("/root/transaction", f"\n{puts}\n\n\n")])
        machine.run(["sh", "-c", f"{shlex.join(self._etcdctl(0))} txn </root/transaction"], check=True)

    def held(self, index: int) -> int:
        """How many of the keys the member itself holds."""
        return len(self.etcdctl(index, "get", "key-", "--prefix", "--keys-only", "--consistency=s").get("kvs", []))

    def quota(self, index: int) -> int:
        return int(self.etcdctl(index, "endpoint", "status")[0]["Status"]["dbSizeQuota"])


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
    assert cluster.held(1) == KEYS


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
    assert cluster.held(1) == KEYS
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
    assert cluster.held(1) == KEYS


def test_a_join_cut_short_before_etcd_started_is_taken_up_again(cluster: Cluster) -> None:
    cluster.lose(1)
    credentials = {"CREDENTIALS_DIRECTORY": "/run/credentials/etcd.service"}
    script = ["/usr/lib/kilonode/etcd-member", "prepare"]
    cluster.machines[1].run(script, environment=credentials, check=True)
    cluster.start(1)
    assert "removing" not in cluster.units[1].said
    assert len(cluster.members()) == 3
    assert cluster.held(1) == KEYS


def test_a_member_that_is_not_of_the_first_bootstrap_joins(cluster: Cluster) -> None:
    cluster.start(3)
    assert "joins 3 members as a learner" in cluster.units[3].said
    assert set(cluster.members()) == {cluster.name(index) for index in range(4)} == cluster.marks()
    assert cluster.held(3) == KEYS
    assert cluster.quota(3) == cluster.quota(0)


def test_a_second_learner_is_told_to_wait_and_loses_nothing(cluster: Cluster) -> None:
    learner = cluster.units[3]
    learner.start().until(learner.notified, "the first learner")
    cluster.lose(1)
    said = cluster.refusal(1)
    assert "one learner at a time" in said
    assert "nothing was changed" in said
    listed = cluster.etcdctl(0, "member", "list")["members"]
    assert {member.get("name") for member in listed} == {cluster.name(index) for index in range(4)}
    learner.settle()
    all_settled([learner])
    cluster.start(1)
    assert set(cluster.members()) == {cluster.name(index) for index in range(4)}


def test_empty_disks_under_marks_never_make_a_new_cluster(cluster: Cluster) -> None:
    cluster.lose(0, 1, 2)
    for said in cluster.refusals(0, 1, 2):
        assert "the member list is unknown" in said
        assert "restore the cluster from a snapshot" in said


def test_two_empty_disks_of_three_are_refused_and_nothing_is_changed(cluster: Cluster) -> None:
    before = cluster.members()
    cluster.lose(1, 2)
    for said in cluster.refusals(1, 2):
        assert "nothing was changed" in said
        assert "restore the cluster from a snapshot" in said
    assert cluster.members(asked=0) == before
    assert cluster.held(0) == KEYS


def test_two_empty_disks_of_five_are_refused_though_the_others_have_the_quorum(
    image: BuiltImage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with made(image, FIVE, tmp_path_factory, machines=5) as five:
        five.start(0, 1, 2, 3, 4)
        before = five.members()
        five.lose(1, 3)
        said = five.refusal(1)
        assert f"1 other member(s) do not answer ({five.name(3)})" in said
        assert "restore the cluster from a snapshot" in said
        assert five.members(asked=0) == before
