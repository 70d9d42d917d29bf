"""The file an etcd member reads, and how little of it changes when the cluster does."""

import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kilonode.boot.cloudinit import user_data
from kilonode.boot.machine import BootData
from kilonode.etcd.boot import member_boot
from kilonode.etcd.config import DATA, MOUNT, PATH
from kilonode.etcd.plan import EtcdClusterPlan
from tests.plans import plan


def cluster(number: int = 0, **row: Any) -> EtcdClusterPlan:
    return plan(etcd=[{"name": "main", **row}, {"name": "events"}]).etcd[number]


def text_of(boot: BootData) -> str:
    return next(file.content for file in boot.files if file.path == PATH)


def configs(of: EtcdClusterPlan) -> list[dict[str, Any]]:
    return [yaml.safe_load(text_of(member_boot(of, member))) for member in of.members]


@given(st.one_of(st.integers(2**31 + 1, 2**63 - 1), st.integers(2049, 2**22).map(lambda mebibytes: f"{mebibytes}MiB")))
def test_the_quota_is_always_plain_digits_in_the_file(quota: int | str) -> None:
    made = cluster(quota=quota)
    for member in made.members:
        lines = re.findall(r"^quota-backend-bytes: (.*)$", text_of(member_boot(made, member)), flags=re.MULTILINE)
        assert len(lines) == 1
        assert re.fullmatch(r"\d+", lines[0])
        assert int(lines[0]) == made.spec.quota


def test_eight_gibibytes_are_written_as_etcd_reads_them() -> None:
    assert "\nquota-backend-bytes: 8589934592\n" in text_of(member_boot(cluster(quota="8GiB"), cluster().members[0]))


def test_every_member_of_a_cluster_has_the_same_quota_those_that_joined_later_too() -> None:
    grown = cluster(members=7, bornWith=3, quota="12GiB")
    assert {config["quota-backend-bytes"] for config in configs(grown)} == {12 * 1024**3}
    assert len(configs(grown)) == 7


def test_data_lies_strictly_below_the_mount() -> None:
    assert {config["data-dir"] for config in configs(cluster())} == {DATA}
    assert DATA != MOUNT
    assert DATA.startswith(f"{MOUNT}/")


def test_members_differ_in_their_own_name_and_addresses_only() -> None:
    one, two = configs(cluster(members=3))[:2]
    assert {key for key in one if one[key] != two[key]} == {
        "name", "listen-peer-urls", "initial-advertise-peer-urls", "listen-client-urls", "advertise-client-urls",
        "listen-metrics-urls",
    }  # fmt: skip


def test_nothing_of_etcd_listens_or_is_dialled_without_tls() -> None:
    for config in configs(cluster()):
        urls = [url for key, value in config.items() if key.endswith("-urls") for url in value.split(",")]
        assert len(urls) == 6
        assert all(url.startswith("https://") for url in urls)
        assert all(entry.split("=")[1].startswith("https://") for entry in config["initial-cluster"].split(","))
        for side in ("client-transport-security", "peer-transport-security"):
            assert config[side]["client-cert-auth"] is True
            assert config[side]["auto-tls"] is False


def test_peers_trust_another_authority_than_clients_do() -> None:
    config = configs(cluster())[0]
    client, peer = config["client-transport-security"], config["peer-transport-security"]
    assert not set(client.values()) & set(peer.values()) - {True, False}


def test_only_members_of_the_first_bootstrap_are_in_the_initial_cluster() -> None:
    made = cluster(members=5, bornWith=3)
    for config in configs(made):
        listed = dict(entry.split("=") for entry in config["initial-cluster"].split(","))
        assert listed == {member.name: f"https://{member.address}:2380" for member in made.members[:3]}


def test_each_member_is_in_the_initial_cluster_of_a_new_cluster_under_its_advertised_url() -> None:
    for config in configs(cluster()):
        assert f"{config['name']}={config['initial-advertise-peer-urls']}" in config["initial-cluster"].split(",")


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 5), (3, 7), (5, 7)])
def test_growing_a_cluster_that_says_how_it_was_born_leaves_the_boot_data_of_its_members_byte_identical(
    before: int, after: int
) -> None:
    old, new = cluster(members=before), cluster(members=after, bornWith=before)
    assert [user_data(member_boot(old, member)) for member in old.members] == [
        user_data(member_boot(new, member)) for member in new.members[:before]
    ]


def test_growing_without_saying_so_would_change_every_member() -> None:
    """Which is why the birth record refuses it."""
    old, new = cluster(members=3), cluster(members=5)
    assert all(
        user_data(member_boot(old, one)) != user_data(member_boot(new, two))
        for one, two in zip(old.members, new.members, strict=False)
    )


def test_clusters_of_a_region_share_no_name_no_token_and_no_address() -> None:
    main, events = configs(cluster(0)), configs(cluster(1))
    for key in ("name", "initial-cluster-token", "advertise-client-urls"):
        assert not {config[key] for config in main} & {config[key] for config in events}
