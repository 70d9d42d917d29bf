"""The boot data of every role of the biggest region: small, without secrets, complete."""

import re
from collections.abc import Iterator

import pytest

from kilonode.boot.cloudinit import compressed, user_data
from kilonode.boot.image import machine_image
from kilonode.boot.machine import SYSCTLS, UNITS, BootData
from kilonode.limits import BOOT_DATA
from tests.plans import biggest, boots, node_boots, plan, pool

TOKEN = re.compile(r"(?<![a-z0-9.])[a-z0-9]{6}\.[a-z0-9]{16}(?![a-z0-9.])")
JWT = re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.")
LONG_BASE64 = re.compile(r"[A-Za-z0-9+/]{43,}={0,2}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
ROLES = {machine.name: machine.role for machine in biggest().machines}
POOLS = dict.fromkeys(node_boots(biggest()), "node")


@pytest.fixture(scope="module")
def data() -> dict[str, BootData]:
    return boots(biggest()) | node_boots(biggest())


def documents(data: dict[str, BootData]) -> Iterator[tuple[str, str]]:
    for name, boot in data.items():
        yield name, user_data(boot)


def test_every_machine_of_the_plan_has_boot_data(data: dict[str, BootData]) -> None:
    assert set(data) == set(ROLES) | set(POOLS)
    assert set(ROLES.values()) == {"etcd", "api", "load-balancer", "simulator"}
    assert all(boot.hostname == name for name, boot in data.items() if name in ROLES)


def test_the_nodes_of_a_pool_share_their_boot_data_so_it_names_none_of_them(data: dict[str, BootData]) -> None:
    for pool_plan in biggest().machine_pools:
        text = user_data(data[pool_plan.spec.name])
        assert len(pool_plan.nodes) > 1
        assert not [node.name for node in pool_plan.nodes if node.name in text or f"{node.address}\n" in text]


def test_boot_data_of_every_role_is_at_most_eight_kibibytes_compressed(
    data: dict[str, BootData], capsys: pytest.CaptureFixture[str]
) -> None:
    roles = ROLES | POOLS
    largest = dict.fromkeys(roles.values(), 0)
    for name, text in documents(data):
        largest[roles[name]] = max(largest[roles[name]], len(compressed(text)))
    with capsys.disabled():
        sizes = ", ".join(f"{role} {size}" for role, size in largest.items())
        print(f"\nlargest boot data by role, bytes gzipped (limit {BOOT_DATA.value}): {sizes}")
    assert all(0 < size <= BOOT_DATA.value for size in largest.values())


def test_no_boot_data_holds_a_key_a_certificate_or_a_token(data: dict[str, BootData]) -> None:
    for name, text in documents(data):
        assert "-----BEGIN" not in text, name
        assert "PRIVATE KEY" not in text, name
        assert not TOKEN.search(text), name
        assert not JWT.search(text), name


def test_no_file_of_the_image_holds_a_key_a_certificate_or_a_token() -> None:
    for file in machine_image().files:
        assert "-----BEGIN" not in file.content, file.path
        assert not TOKEN.search(file.content), file.path


def test_the_search_for_tokens_would_find_one() -> None:
    assert TOKEN.search("token: abcdef.0123456789abcdef\n")
    assert TOKEN.search('"abcdef.0123456789abcdef"')


def test_text_that_looks_like_key_material_is_in_no_boot_data() -> None:
    """Names of an ordinary region are short, so nothing in it is as long as 32 bytes in base64 but paths and lists."""
    for name, text in documents(boots(plan()) | node_boots(plan())):
        words = [word for word in re.split(r"[\s=:,\"'/;#]+", DIGEST.sub("", text)) if LONG_BASE64.fullmatch(word)]
        # Of 32 bytes in base64 one in ten thousand has no digit; Kubernetes' longest keys have none.
        assert [word for word in words if any(map(str.isdigit, word))] == [], name


def test_every_unit_boot_data_starts_is_in_the_image(data: dict[str, BootData]) -> None:
    in_image = {file.path.rsplit("/", 1)[1] for file in machine_image().files if "/systemd/system/" in file.path}
    known = {*in_image, "haproxy.service"}  # haproxy's unit is Debian's
    assert {unit for boot in data.values() for unit in boot.units} <= known


def test_every_unit_starts_only_where_boot_data_names_it() -> None:
    """All roles share one image, so a unit without the condition would run everywhere."""
    ours = [
        file
        for file in machine_image().files
        if re.search(r"/(kilonode-|kube-|etcd|kwok|haproxy)[^/]*\.service", file.path)
    ]
    assert len(ours) >= 9
    for file in ours:
        assert f"\nConditionPathExists={UNITS}/%n\n" in file.content, file.path


def test_every_role_s_sysctl_floors_cover_v4_and_v6_in_order(data: dict[str, BootData]) -> None:
    for name, boot in data.items():
        text = next(file.content for file in boot.all_files if file.path == SYSCTLS)
        for family in ("ipv4", "ipv6"):
            steps = [
                int(step)
                for step in re.findall(rf"^net\.{family}\.neigh\.default\.gc_thresh[123] = (\d+)$", text, re.MULTILINE)
            ]
            assert len(steps) == 3, name
            assert steps[0] <= steps[1] < steps[2]
            assert steps[2] >= 65_536


def test_paths_of_a_machine_are_written_once(data: dict[str, BootData]) -> None:
    image = {file.path for file in machine_image().files}
    for name, boot in data.items():
        paths = [file.path for file in boot.all_files]
        assert len(paths) == len(set(paths)), name
        assert not image & set(paths), name


def changed(before: dict[str, BootData], after: dict[str, BootData]) -> set[str]:
    """The machines that are there before and after, with other boot data."""
    return {name for name in before.keys() & after.keys() if user_data(before[name]) != user_data(after[name])}


def test_a_new_api_server_changes_the_load_balancer_and_no_other_machine() -> None:
    before, after = boots(plan(apiServers={"count": 3})), boots(plan(apiServers={"count": 5}))
    assert changed(before, after) == {"west-lb-1"}
    assert after.keys() - before.keys() == {"west-api-4", "west-api-5"}


def test_a_second_api_server_changes_the_first_too_because_now_clients_may_be_sent_away() -> None:
    before, after = boots(plan(apiServers={"count": 1})), boots(plan(apiServers={"count": 3}))
    assert changed(before, after) == {"west-lb-1", "west-api-1"}


def test_a_new_pool_changes_no_machine_wherever_it_stands_in_the_list() -> None:
    old, new = pool("old", 0, "10.65.0.0/16"), pool("new", 1, "10.66.0.0/16")
    before, after = boots(plan(nodePools=[old])), boots(plan(nodePools=[new, old]))
    assert changed(before, after) == set()
    assert after.keys() - before.keys() == {"west-sim-2"}


def test_more_nodes_change_their_pool_s_machine_only() -> None:
    pools = [[pool("one", 0, "10.65.0.0/16", nodes=nodes), pool("two", 1, "10.66.0.0/16")] for nodes in (10, 500)]
    before, after = (boots(plan(nodePools=rows)) for rows in pools)
    assert changed(before, after) == {"west-sim-1"}


def test_new_members_change_no_machine_while_those_of_birth_are_more_than_half() -> None:
    grown = [{"name": "main", "members": 5, "bornWith": 3}, {"name": "events", "members": 3}]
    before, after = boots(plan()), boots(plan(etcd=grown))
    assert changed(before, after) == set()
    assert after.keys() - before.keys() == {"west-etcd-main-4", "west-etcd-main-5"}


def test_api_servers_learn_of_all_members_once_those_of_birth_may_all_be_dead_in_a_living_quorum() -> None:
    grown = [{"name": "main", "members": 7, "bornWith": 3}, {"name": "events", "members": 3}]
    assert changed(boots(plan()), boots(plan(etcd=grown))) == {"west-api-1", "west-api-2", "west-api-3"}


def test_one_cluster_s_quota_changes_its_own_members_only() -> None:
    edited = [{"name": "main", "members": 3, "quota": "9GiB"}, {"name": "events", "members": 3}]
    assert changed(boots(plan()), boots(plan(etcd=edited))) == {f"west-etcd-main-{number}" for number in (1, 2, 3)}
