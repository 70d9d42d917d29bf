"""Units of systemd are read as systemd reads them: their drop-ins, what these take back, and when they do not start."""

import pytest

from kilonode.boot.machine import UNITS
from kilonode.rules.read.units import texts, units
from tests.rules.written import programs

ETC, LIB = "/etc/systemd/system/etcd.service", "/usr/lib/systemd/system/etcd.service"


def started(files: dict[str, str]) -> list[list[str]]:
    return [each.words for each in units(files)]


@pytest.mark.parametrize(
    "condition", ["/usr/local/bin/etcd", "!/etc/etcd/disabled", "! /etc/etcd/disabled", "|/etc/x", "", "/etc/here"]
)
def test_a_condition_that_the_image_may_meet_hides_no_unit(condition: str) -> None:
    files = {ETC: f"[Unit]\nConditionPathExists={condition}\n[Service]\nExecStart=etcd\n", "/etc/here": ""}
    assert started(files) == [["etcd"]]


@pytest.mark.parametrize("condition", ["!/etc/here", "! /etc/here", f"{UNITS}/%n"])
def test_a_unit_whose_condition_certainly_fails_does_not_start(condition: str) -> None:
    files = {ETC: f"[Unit]\nConditionPathExists={condition}\n[Service]\nExecStart=etcd\n", "/etc/here": ""}
    assert started(files) == []


def test_a_command_with_all_rights_is_no_condition() -> None:
    assert started({ETC: "[Service]\nExecStart=!/etc/here\n", "/etc/here": ""}) == [["/etc/here"]]


def test_what_a_drop_in_takes_back_does_not_run() -> None:
    dropped = "[Service]\nExecStart=\nExecStart=etcd --name=two\n"
    files = {f"{ETC}.d/10.conf": dropped, ETC: "[Service]\nExecStartPre=true\nExecStart=etcd --name=one --auto-tls\n"}
    assert started(files) == [["true"], ["etcd", "--name=two"]]
    found, lines = programs(files, [])
    assert (dict(found["etcd"]), lines) == ({"name": "two"}, ["true", "etcd --name=two"])


def test_drop_ins_are_read_by_their_names_and_of_one_name_the_first_folders() -> None:
    files = {
        f"{ETC}.d/20.conf": "b",
        f"{LIB}.d/20.conf": "x",
        f"{LIB}.d/10.conf": "a",
        LIB: "y",
        "/lib/systemd/system/etcd.service": "z",
        "/opt/systemd/system/etcd.service": "z",
        ETC: "unit",
    }
    assert {name: text.split() for name, text in texts(files).items()} == {"etcd.service": ["unit", "a", "b"]}


def test_an_environment_file_wins_over_the_unit_and_either_can_be_taken_back() -> None:
    files = {"/etc/a": "A=file\n", "/etc/b": "B=file\n"}
    lines = "EnvironmentFile=/etc/a\nEnvironment=A=unit B=unit C=unit\nExecStart=etcd $A $B $C\n"
    assert started({**files, ETC: lines}) == [["etcd", "file", "unit", "unit"]]
    taken = "EnvironmentFile=/etc/away\nEnvironmentFile=\nEnvironment=\nEnvironment=A=last\n"
    (command,) = units({**files, ETC: lines, f"{ETC}.d/1.conf": taken})
    assert (command.words, command.absent) == (["etcd", "last", "$B", "$C"], None)
