"""Events that are on a machine of other keys are found whatever that machine is called, and only where two etcds are surely two."""

from typing import Any

import pytest
import yaml

from kilonode.rules.read import programs
from kilonode.rules.read.scripts import run
from kilonode.rules.rule import Undecided, Violation
from tests.rules.foreign import Foreign
from tests.rules.foreign_flags import URL
from tests.rules.foreign_pools import scale_set
from tests.rules.judged import said
from tests.rules.test_settings_elsewhere import judged, sysctls, undecided, unit
from tests.rules.test_several_programs import EVENTS, MAIN, line, pod, variables
from tests.rules.written import cloud_config


def flags(folder: str, *urls: str, **more: str) -> dict[str, str]:
    return {"name": "m", "data-dir": folder, "listen-client-urls": ",".join(urls), **more}


ONE, TWO = flags("/a", "https://10.0.1.1:2379"), flags("/b", "https://10.0.1.1:2381")


def serving(*told: dict[str, str], how: str = "units") -> list[set[str]]:
    kinds = {
        "units": {f"/etc/systemd/system/etcd-{n}.service": unit(line(each)) for n, each in enumerate(told)},
        "pods": {f"/etc/kubernetes/manifests/{n}.yaml": pod(each) for n, each in enumerate(told)},
        "variables": {f"/etc/default/{n}": variables(each) for n, each in enumerate(told)},
        "files": {f"/etc/{n}.yaml": yaml.safe_dump(each) for n, each in enumerate(told)},
    }
    files, commands = run(kinds[how], [])
    return [set(urls) for urls in programs.programs(files, commands)["etcd"].serving]


@pytest.mark.parametrize("how", ["units", "pods", "variables", "files"])
def test_two_with_folders_and_ports_of_their_own_are_two(how: str) -> None:
    own = [each | {"quota-backend-bytes": "3"} for each in (ONE, TWO)]
    assert serving(*own, how=how) == [{"https://10.0.1.1:2379"}, {"https://10.0.1.1:2381"}]


@pytest.mark.parametrize(
    "other",
    [
        flags("/a", "https://10.0.1.1:2381"),
        flags("/b", "https://0.0.0.0:2379"),
        flags("/b", "https://10.0.1.1:2381", "https://127.0.0.1:2379"),
        flags("/$NAME", "https://10.0.1.1:2381"),
        flags("$FOLDER", "https://10.0.1.1:2381"),
        flags("/b", "https://10.0.1.1:$PORT"),
        flags("/b", "https://10.0.1.1"),
        flags("/b"),
        {"listen-client-urls": "https://10.0.1.1:2381"},
    ],
)
def test_two_that_may_be_one_in_another_case_are_one(other: dict[str, str]) -> None:
    for told in ((ONE, other), (other, ONE)):
        (urls,) = serving(*told)
        assert "https://10.0.1.1:2379" in urls


def test_a_file_beside_a_command_line_makes_no_second_one() -> None:
    files = {MAIN: unit(line(ONE)), "/etc/default/old": variables(TWO)}
    assert len(programs.programs(*run(files, []))["etcd"].serving) == 1


SECOND = flags("/b", "https://0.0.0.0:2381", **{"advertise-client-urls": "https://events.internal:2381"})
OWN = URL.format(cluster=1, number=1, port=2379)
APART = URL.format(cluster=2, number=1, port=2379)


def values(main: str, events: str, *also: dict[str, str], name: str = "etcd-1-1") -> set[str]:
    """What is said of Events where a machine of the main cluster runs others too."""
    of = Foreign()
    for each in of.servers.values():
        each |= {"etcd-servers": main, "etcd-servers-overrides": f"/events#{events}"}
    told = (of.members[1, 1], *also) if name == "etcd-1-1" else also
    units = {f"/etc/systemd/system/etcd-{n}.service": unit(line(each)) for n, each in enumerate(told)}
    if name == "api-1":
        units["/etc/systemd/system/kube-apiserver.service"] = unit(" ".join(["kube-apiserver", *_words(of.servers[1])]))
    found = judged({**units, **sysctls()}, name, of=of)
    return {each.value for each in found if isinstance(each, Violation) and each.rule == "etcd-events-apart"}


def _words(given: dict[str, Any]) -> list[str]:
    return [f"--{name}={value}" for name, value in given.items()]


@pytest.mark.parametrize(
    ("main", "events", "also", "value"),
    [
        (OWN, "https://events.internal:2381", (SECOND,), "events.internal has both"),
        (URL.format(cluster=1, number=2, port=2379), "https://events.internal:2381", (SECOND,), "events.internal has another etcd too"),
        (URL.format(cluster=1, number=2, port=2379), OWN, (SECOND,), "10.0.1.1 has another etcd too"),
        (OWN, APART, (SECOND,), None),
        (OWN, "https://events.internal:2381", (), None),
        (OWN, "https://elsewhere.internal:2381", (SECOND,), None),
    ],
)  # fmt: skip
def test_events_on_a_machine_of_other_keys_are_found_by_what_its_etcds_say(
    main: str, events: str, also: tuple[dict[str, str], ...], value: str | None
) -> None:
    assert values(main, events, *also) == ({value} if value else set())


LOCAL = flags("/a", "https://10.0.3.1:2379", "https://127.0.0.1:2379")
BESIDE = flags("/b", "https://10.0.3.1:2381", "https://127.0.0.1:2381")


@pytest.mark.parametrize(
    ("main", "events", "also", "value"),
    [
        ("https://127.0.0.1:2379", "https://localhost:2381", (), "localhost has both"),
        ("https://127.0.0.1:2379", "https://10.0.3.1:2381", (LOCAL, BESIDE), "10.0.3.1 has both"),
        ("https://127.0.0.1:2379", "https://10.0.3.1:2379", (LOCAL,), "10.0.3.1 has both"),
        ("https://127.0.0.1:2379", APART, (LOCAL,), None),
        (OWN, "https://127.0.0.1:2381", (LOCAL, BESIDE), "127.0.0.1 has another etcd too"),
    ],
)
def test_the_servers_own_machine_is_one_whatever_it_is_called(
    main: str, events: str, also: tuple[dict[str, str], ...], value: str | None
) -> None:
    assert (value in values(main, events, *also, name="api-1")) is (value is not None)


def test_a_host_that_several_machines_say_is_none_of_them() -> None:
    of = Foreign()
    for each in of.members.values():
        each["advertise-client-urls"] += ",https://all.internal:2379"
    for flag in of.servers.values():
        flag |= {"etcd-servers": OWN, "etcd-servers-overrides": "/events#https://all.internal:2379"}
    assert said("etcd-events-apart", of.resources()) == []


def test_a_host_that_all_machines_of_a_pool_say_is_no_one_machine() -> None:
    two = flags("/a", "https://one.internal:2379", "https://two.internal:2379")
    of = Foreign()
    of.servers[1] |= {
        "etcd-servers": "https://one.internal:2379",
        "etcd-servers-overrides": "/events#https://two.internal:2379",
    }
    pool = scale_set("etcd", cloud_config({MAIN: unit(line(two))}))
    found = said("etcd-events-apart", [*(each for each in of.resources() if not each.name.startswith("etcd-")), pool])
    assert [each for each in found if "::api-1" in each.resource] == []


def test_what_each_of_the_two_has_for_itself_stays_undecided() -> None:
    found = judged({MAIN: unit(line(ONE)), EVENTS: unit(line(TWO)), **sysctls()}, "etcd-1-1")
    assert "etcd-data-mode" in undecided(found)
    assert not any(isinstance(each, Undecided) and each.rule == "etcd-events-apart" for each in found)
