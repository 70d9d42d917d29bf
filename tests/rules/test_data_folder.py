"""What is done to etcd's data folder is judged, and what only stands beside it is not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.rules.facts.controlplane import Member
from kilonode.rules.read.modes import after
from kilonode.rules.rule import Undecided, Violation
from tests.rules.arithmetic import data, machine
from tests.rules.test_arithmetic import findings

DATA = "/var/lib/etcd/data"


def judged(*commands: str, files: dict[str, str] | None = None, folder: str = DATA) -> Any:
    """The values of what is found; None where it is undecided."""
    own = data(commands=commands, files=files or {})
    found = findings("etcd-data-mode", Member(machine(data=own), {"name": "m", "data-dir": folder}))
    if any(isinstance(each, Undecided) for each in found):
        return None
    return [each.value for each in found if isinstance(each, Violation)]


@pytest.mark.parametrize(
    "line",
    [
        f"chmod 0755 /etc/foo && ls {DATA}",
        f"chmod 0755 {DATA}.old",
        f"chown root /etc/etcd; du -s {DATA}",
        f"echo chmod 0777 {DATA}",
        f"install -m 0644 etcd.conf {DATA}",
        f"install -d -m 0755 /etc/etcd && install -d -m 0700 {DATA}",
        "chmod -R 0755 /var/lib/etcd/database",
        "chmod 0755 /var/lib/etcd",
        "chmod 0755 '/var/lib/*'",
        f"chmod -R go-rwx {DATA}",
        f"chmod -w {DATA}",
        f"chmod u=rwx,go= {DATA}",
        f"mkdir -m u=rwx,go= {DATA}",
        f"mkdir -p {DATA} && chmod 0700 {DATA}",
        f"install -d -m u=rwx {DATA}",
        f"chown :etcd {DATA}",
        f"chown -R etcd.etcd {DATA}",
    ],
)
def test_etcd_data_mode_is_kept_by_what_does_not_open_the_folder(line: str) -> None:
    assert judged(line) == []


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (f"chmod 0755 {DATA}", "mode 0755"),
        (f"chmod -R 750 {DATA}/", "mode 750"),
        (f"chmod o+rx {DATA}", "mode o+rx"),
        (f"chmod a+rX {DATA}", "mode a+rX"),
        (f"chmod g+w {DATA}", "mode g+w"),
        (f"chmod g=u {DATA}", "mode g=u"),
        (f"chmod +r {DATA}", "mode +r"),
        (f"chmod u=rwx,go=rx {DATA}", "mode u=rwx,go=rx"),
        (f"chmod -R 0755 {DATA} /etc/foo", "mode 0755"),
        ("chmod -R 0755 /var/lib/etcd", "mode 0755"),
        ("chmod --recursive 0755 /var/lib", "mode 0755"),
        ("chmod 0755 '/var/lib/etcd/*'", "mode 0755"),
        (f"sudo sh -c 'true && chmod 0755 {DATA}'", "mode 0755"),
        (f"mkdir -p {DATA}", "mode 0755"),
        (f"mkdir -pm 0755 {DATA}", "mode 0755"),
        (f"mkdir --mode=o-rwx {DATA}", "mode o-rwx"),
        (f"install -dm 0750 -o etcd {DATA}", "mode 0750"),
        (f"install -d {DATA} /other", "mode 0755"),
        (f"install -d -m 0700 -o root {DATA}", "owner root"),
        (f"chown 0:0 {DATA}", "owner root"),
        ("chown -R root /var/lib/etcd", "owner root"),
    ],
)
def test_etcd_data_mode_is_broken_by_what_opens_the_folder(line: str, value: str) -> None:
    assert judged(line) == [value]


@pytest.mark.parametrize(
    "line",
    [
        f"chmod --reference=/x {DATA}",
        f"chown --reference=/x {DATA}",
        f"chown 998:998 {DATA}",
        f"chown $OWNER {DATA}",
        f"chmod $MODE {DATA}",
        f"mkdir --what {DATA}",
    ],
)
def test_etcd_data_mode_is_undecided_where_a_command_does_not_tell(line: str) -> None:
    assert judged(line) is None


def test_etcd_data_mode_is_broken_whatever_is_not_known_beside_it() -> None:
    own = data(commands=(f"chown 998 {DATA}", f"chmod 0755 {DATA}"))
    found = findings("etcd-data-mode", Member(machine(data=own), {"name": "m", "data-dir": DATA}))
    assert [type(each) for each in found] == [Violation, Undecided]


def test_a_command_nobody_can_read_is_no_matter_where_it_is_for_another_folder() -> None:
    assert judged("mkdir --what /other", "chmod --reference=/x /other") == []


UNIT, TMPFILES = "/etc/systemd/system/etcd.service", "/etc/tmpfiles.d/etcd.conf"


@pytest.mark.parametrize(
    ("files", "values"),
    [
        ({UNIT: "[Service]\nStateDirectory=etcd\n"}, ["mode 0755"]),
        ({UNIT: "[Service]\nStateDirectory=etcd\nStateDirectoryMode=0700\n"}, []),
        ({UNIT: "[Service]\nStateDirectory=etcd\nStateDirectoryMode=0700\n", f"{UNIT}.d/a.conf": "StateDirectoryMode=0750"}, ["mode 0750"]),
        ({UNIT: "[Service]\nStateDirectory=other\n"}, []),
        ({TMPFILES: "d /var/lib/etcd 0755 etcd etcd"}, ["mode 0755"]),
        ({TMPFILES: "d! /var/lib/etcd 0700 etcd etcd -\n# d /var/lib/etcd 0755"}, []),
        ({TMPFILES: "d /var/lib/etcd"}, ["mode 0755", "owner root"]),
        ({TMPFILES: "z /var/lib/etcd ~0750 -"}, ["mode 0750"]),
        ({TMPFILES: "z /var/lib/etcd - root"}, ["owner root"]),
        ({TMPFILES: "Z /var/lib 0755"}, ["mode 0755"]),
        ({TMPFILES: "d /var/lib 0755\nf /var/lib/etcd 0755"}, []),
        ({"/etc/other.conf": "d /var/lib/etcd 0755"}, []),
    ],
)  # fmt: skip
def test_etcd_data_mode_is_judged_by_what_systemd_makes(files: dict[str, str], values: list[str]) -> None:
    assert judged(files=files, folder="/var/lib/etcd") == values


@given(st.integers(0, 0o777), st.integers(0, 0o777))
def test_an_octal_mode_is_itself_whatever_was_before(mode: int, before: int) -> None:
    assert after(f"{mode:04o}", before) == mode


@pytest.mark.parametrize(
    ("mode", "before", "bits"),
    [
        ("u+x", 0o644, 0o744),
        ("a=", 0o777, 0),
        ("=rwx", 0, 0o755),
        ("-w", 0o777, 0o577),
        ("u=rw,g=u,o-r", 0o007, 0o663),
        ("g+s", 0, 0),
        ("go=u-w", 0o700, 0o755),
        ("rwx", 0, None),
        ("", 0, None),
        ("z+r", 0, None),
    ],
)
def test_clauses_of_a_mode_are_read_as_chmod_reads_them(mode: str, before: int, bits: int | None) -> None:
    assert after(mode, before) == bits


@given(st.text(alphabet="ugoarwxXst+-=,01 7", max_size=12))
def test_no_mode_is_too_odd_to_read(mode: str) -> None:
    bits = after(mode, 0)
    assert bits is None or 0 <= bits <= 0o777
