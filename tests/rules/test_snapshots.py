"""A snapshot counts where it is saved again and again, and leaves no doubt by a name alone."""

import base64
import time
from typing import Any

import pytest

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.schedules import UNREAD
from kilonode.rules.read.snapshots import times
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import UndecidedError, Unknown
from tests.rules.foreign import Foreign
from tests.rules.foreign_aws import amazon
from tests.rules.judged import kinds
from tests.rules.written import encoded, made

SAVE = "etcdctl --endpoints=https://127.0.0.1:2379 snapshot save /b/now.db"
UNITS = "/etc/systemd/system"
CRON_JOB = "kind: CronJob\nspec:\n  schedule: '{}'\n  args: [{}]\n"
HOURLY = "[Timer]\nOnCalendar=hourly\n"
SERVICE = "[Service]\nExecStart={}\n"


def told(files: dict[str, str], *commands: str) -> bool | None:
    """None where nobody can tell."""
    try:
        return any(True for _ in times(UserData(0, (), files, {}, {}, commands)))
    except UndecidedError:
        return None


@pytest.mark.parametrize(
    ("files", "commands", "said"),
    [
        # Timers and cron, with whatever they start.
        ({"/etc/cron.d/b": f"0 * * * * root {SAVE}\n"}, (), True),
        ({"/etc/cron.hourly/b": "etcdctl \\\n --cacert=/c \\\n snapshot save /b\n"}, (), True),
        ({"/etc/cron.d/b": "0 * * * * root /opt/save.sh\n", "/opt/save.sh": f"#!/bin/sh\n{SAVE}\n"}, (), True),
        ({f"{UNITS}/b.timer": HOURLY, f"{UNITS}/b.service": SERVICE.format(SAVE)}, (), True),
        ({f"{UNITS}/b.timer": f"{HOURLY}Unit=c.service\n", f"{UNITS}/c.service": SERVICE.format(SAVE)}, (), True),
        (
            {f"{UNITS}/b.timer": HOURLY, f"{UNITS}/b.service": SERVICE.format("/opt/save.sh"), "/opt/save.sh": SAVE},
            (),
            True,
        ),
        ({"/srv/addons/job.yaml": f"kind: CronJob\nargs: [{SAVE}]\n"}, (), True),
        ({}, (f"echo '0 * * * * {SAVE}' | crontab -",), True),
        ({}, (f"systemd-run --on-calendar=hourly {SAVE}",), True),
        # Programs and timers of the image, by their names.
        ({}, ("systemctl enable --now etcd-backup.timer",), True),
        ({"/etc/cron.d/b": "0 * * * * root /usr/local/bin/etcd-backup.sh\n"}, (), True),
        ({f"{UNITS}/b.timer": HOURLY, f"{UNITS}/b.service": SERVICE.format("/opt/bin/etcd-snapshot")}, (), True),
        ({f"{UNITS}/etcd-backup.timer": HOURLY}, (), True),
        ({f"{UNITS}/etcd-backup.timer.d/often.conf": HOURLY}, (), True),
        # Once, or not at all.
        ({f"{UNITS}/etcd-backup.timer": HOURLY, f"{UNITS}/etcd-backup.service": SERVICE.format("true")}, (), False),
        ({}, ("mkdir -p /var/lib/etcd-backup",), False),
        ({}, ("etcdctl snapshot save /root/first.db",), False),
        ({f"{UNITS}/logs.timer": HOURLY, f"{UNITS}/logs.service": SERVICE.format("true")}, (SAVE,), False),
        ({"/etc/cron.d/b": "0 * * * * root etcdctl snapshot status /b\n"}, (), False),
        ({"/etc/cron.d/b": "0 * * * * root restic snapshot save etcd\n"}, (), False),
        # What may be often.
        ({"/opt/save.sh": SAVE}, (), None),
        ({f"{UNITS}/b.service": SERVICE.format(SAVE)}, (SAVE,), None),
        ({f"{UNITS}/b.timer": "[Timer]\nOnBootSec=60\n", f"{UNITS}/b.service": SERVICE.format(SAVE)}, (), None),
        ({f"{UNITS}/etcd-backup.timer": "[Timer]\nOnBootSec=60\n", f"{UNITS}/etcd-backup.service": SAVE}, (), None),
        ({}, ("while sleep 3600", f"do {SAVE}"), None),
        ({}, ("systemctl enable --now etcd-backup",), None),
        ({f"{UNITS}/etcd-backup.service": SERVICE.format("/opt/bin/etcd-backup")}, (), None),
        ({"/etc/cron.d/b": "0 * * * * root find /var/lib/etcd-backup -delete\n"}, (), None),
        ({"/etc/cron.d/b": "0 * * * * root find /b -name 'etcd-snapshot-*' -delete\n"}, (), None),
        ({"/etc/cron.d/b": "0 * * * * root rm /b/old.db etcd-backup-$(date +%a).db etcd-snapshot.db\n"}, (), None),
    ],
)
def test_a_snapshot_is_saved_by_what_starts_again_and_again(
    files: dict[str, str], commands: tuple[str, ...], said: bool | None
) -> None:
    assert told(files, *commands) is said


@pytest.mark.parametrize(
    ("files", "commands", "said"),
    [
        ({f"{UNITS}/b.timer": "[Timer]\nOnCalendar=monthly\n", f"{UNITS}/b.service": SERVICE.format(SAVE)}, (), {"monthly"}),
        (
            {f"{UNITS}/b.timer": "[Timer]\nOnCalendar=\nOnCalendar = *-*-01 2:00 \n", f"{UNITS}/b.service": SERVICE.format(SAVE)},
            (),
            {"*-*-01 2:00"},
        ),
        (
            {
                f"{UNITS}/b.timer": "[Timer]\nOnBootSec=1h\nOnUnitActiveSec=30d # often\nOnUnitInactiveSec=1 w\n",
                f"{UNITS}/b.service": SERVICE.format(SAVE),
            },
            (),
            {"30d", "1 w"},
        ),
        (
            {
                f"{UNITS}/b.timer": "[Timer]\nOnCalendar=monthly\n",
                f"{UNITS}/b.timer.d/often.conf": "[Timer]\nOnCalendar=hourly\n",
                f"{UNITS}/b.service": SERVICE.format(SAVE),
            },
            (),
            {"monthly", "hourly"},
        ),
        # Each line of cron starts what it names, and no other line's.
        ({"/etc/cron.d/b": f"SHELL=/bin/sh\n\n0 0 1 * * root {SAVE}\n*/5 * * * * root /opt/clean.sh now\n"}, (), {"0 0 1 * *"}),
        ({"/etc/cron.d/b": f"  @monthly root {SAVE}\n"}, (), {"@monthly"}),
        ({"/etc/cron.d/b": "0 0 1 * * root /opt/a.sh\n* * * * * root b\n", "/opt/a.sh": "c.sh", "/opt/c.sh": SAVE}, (), {"0 0 1 * *"}),
        ({"/etc/cron.d/b": "0 0 1 * * root /opt/a.sh\n0 5 * * * root /opt/a.sh\n", "/opt/a.sh": SAVE}, (), {"0 0 1 * *", "0 5 * * *"}),
        ({"/etc/cron.d/b": f"S={SAVE}\n0 0 1 * * root $S\n"}, (), {UNREAD}),
        ({"/etc/cron.d/b": "0 0 1 * * root etcdctl \\\n snapshot save /b\n"}, (), {"0 0 1 * *"}),
        ({"/etc/cron.monthly/b": SAVE}, (), {"monthly"}),
        ({"/etc/cron.weekly/b": "/opt/a.sh", "/opt/a.sh": SAVE}, (), {"weekly"}),
        ({"/srv/job.yaml": f'kind: CronJob\nspec:\n  schedule: "0 0 1 * *"\n  args: [{SAVE}]\n'}, (), {"0 0 1 * *"}),
        # Of several CronJobs that which saves one tells when; what only names a script does not tell which.
        ({"/srv/all.yaml": f"{CRON_JOB.format('@weekly', SAVE)}---\n{CRON_JOB.format('@hourly', 'x')}"}, (), {"@weekly"}),
        ({"/srv/all.yaml": f"{CRON_JOB.format('@weekly', '/s')}---\nkind: ConfigMap\nx: {SAVE}\n"}, (), {"@weekly"}),
        ({"/srv/job.yaml": f"kind: CronJob\nargs: [{SAVE}]\n"}, (), {UNREAD}),
        ({}, (f"(crontab -l; echo '0 0 1 * * {SAVE}') | crontab -",), {"0 0 1 * *"}),
        ({}, (f"echo '@monthly {SAVE}' | crontab -",), {"@monthly"}),
        ({}, ("crontab /opt/tab", f"cat > /opt/tab <<< '{SAVE}'"), set()),
        ({"/opt/tab": f"0 0 1 * * {SAVE}"}, ("crontab /opt/tab",), {UNREAD}),
        ({}, (f"systemd-run --on-calendar=monthly {SAVE}",), {"monthly"}),
        ({}, (f"systemd-run --on-calendar='*-*-01 2:00' {SAVE}",), {"*-*-01 2:00"}),
        ({}, (f"systemd-run --on-unit-active 30d {SAVE}",), {"30d"}),
        # What the image has is not read.
        ({"/etc/cron.monthly/b": SAVE}, ("systemctl enable --now etcd-backup.timer",), {"monthly", UNREAD}),
        (
            {f"{UNITS}/etcd-backup.timer": "[Timer]\nOnCalendar=monthly\n", f"{UNITS}/etcd-backup.service": SERVICE.format(SAVE)},
            ("systemctl enable --now etcd-backup.timer etcd-snapshot.timer",),
            {"monthly", UNREAD},
        ),
        # An instance is its template's.
        (
            {f"{UNITS}/etcd-backup@.timer": "[Timer]\nOnCalendar=monthly\n", f"{UNITS}/etcd-backup@.service": SERVICE.format(SAVE)},
            ("systemctl enable --now etcd-backup@main.timer",),
            {"monthly"},
        ),
    ],
)  # fmt: skip
def test_when_a_snapshot_is_saved_is_told_as_it_is_written(
    files: dict[str, str], commands: tuple[str, ...], said: set[str]
) -> None:
    assert set(times(UserData(0, (), files, {}, {}, commands))) == said


@pytest.mark.parametrize("each", ["/opt/a.sh", "/opt/{}.sh"])
def test_many_lines_of_cron_that_name_a_large_file_are_read_in_no_time(each: str) -> None:
    lines = [f"* * * * * root {each.format(number)}\n" for number in range(4_000)]
    files = {f"/opt/{number}.sh": "/opt/a.sh" for number in range(4_000)} | {"/opt/a.sh": "etcd word " * 25_000}
    began = time.monotonic()
    told({"/etc/cron.d/b": "".join(lines), **files})
    assert time.monotonic() - began < 5


def rare(every: str, **given: int) -> set[tuple[str, str, str]]:
    """What is said of a stack whose members save one so often: value, limit and fix."""
    of = Foreign()
    of.every = every
    found = BY_ID["etcd-snapshots"].check(of.facts(), given)
    return {(each.value, each.limit, each.fix) for each in found if isinstance(each, Violation)}


def test_a_snapshot_is_saved_once_a_day_or_as_often_as_a_team_says() -> None:
    limit = "every 24 hours or more often"
    assert rare("0 0 1 * *") == {("0 0 1 * *", limit, f"let what saves them start {limit}")}
    assert rare("0 0 * * *") == rare("0 0 1 * *", hours=31 * 24) == rare("@reboot") == set()
    assert {each[:2] for each in rare("0 0 * * *", hours=12)} == {("0 0 * * *", "every 12 hours or more often")}


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("/opt/loop.sh", f"while sleep 3600; do {SAVE}; done", Undecided),
        ("/opt/a.sh", "mkdir etcd-backup", Violation),
        ("/opt/a.sh", "etcdctl defrag", Violation),
    ],
)
def test_what_saves_rarely_beside_a_file_that_saves_one_and_that_nobody_may_start_is_undecided(
    path: str, text: str, said: type
) -> None:
    of = Foreign()
    of.every = "@monthly"
    of.member_files[path] = text
    assert kinds("etcd-snapshots", of.resources()) == {said}


def test_what_saves_rarely_beside_what_nobody_can_tell_of_is_undecided() -> None:
    of = Foreign()
    of.every = "@monthly"
    assert kinds("etcd-snapshots", [*of.resources(), job("sh", "-c", SAVE)]) == {Undecided}


@pytest.mark.parametrize("word", ["etcd ", "etcdctl snapshot ", "/units/", "\n", "# ", "/etc/cron "])
def test_a_long_line_is_read_in_no_time(word: str) -> None:
    text = word * (400_000 // len(word))
    began = time.process_time()
    told({"/etc/cron.d/b": text}, text)
    assert time.process_time() - began < 5


def job(*command: Any, kind: str = "CronJob", again: Any = None, each: Any = None) -> Any:
    """A job; ``again`` is how often, and ``each`` how one of them runs."""
    spec = {"template": {"spec": {"containers": [{"image": "etcd", "command": list(command)}]}}, **(each or {})}
    body = {"jobTemplate": {"spec": spec}, **(again or {})} if kind == "CronJob" else spec
    return made(f"kubernetes:batch/v1:{kind}", "saver", {"spec": body})


@pytest.mark.parametrize(
    ("jobs", "kind"),
    [
        ((job("sh", "-c", SAVE),), set()),
        ((job("etcdctl", "snapshot", "save", "/b"),), set()),
        ((job("sh", "-c", "true"),), {Violation}),
        ((job("sh", "-c", SAVE, kind="Job"),), {Violation}),
        ((job("sh", "-c", Unknown("c")),), {Undecided}),
        ((job("sh", "-c", f"# {SAVE}\ntrue"),), {Violation}),
        ((job("sh", "-c", f"echo {SAVE}"),), {Violation}),
        ((job("echo", SAVE),), {Violation}),
        ((job("sh", "-c", f"echo now; {SAVE} && gzip /b"),), set()),
        ((job("kubectl", "exec", "etcd-0", "--", *SAVE.split()),), set()),
        ((job("sh", "-c", SAVE, again={"suspend": True}),), {Violation}),
        ((job("sh", "-c", SAVE, again={"suspend": False}, each={"parallelism": 1, "suspend": False}),), set()),
        ((job("sh", "-c", SAVE, again={"schedule": "0 */6 * * *"}),), set()),
        ((job("sh", "-c", SAVE, again={"schedule": "0 0 1 * *"}),), {Violation}),
        ((job("sh", "-c", SAVE, again={"schedule": "@every 720h"}),), {Violation}),
        ((job("sh", "-c", SAVE, again={"schedule": "once"}),), set()),
        ((job("sh", "-c", SAVE, again={"schedule": Unknown("s")}),), {Undecided}),
        ((job("sh", "-c", SAVE, each={"suspend": True}),), {Violation}),
        ((job("sh", "-c", SAVE, each={"parallelism": 0}),), {Violation}),
        ((job("sh", "-c", SAVE, again={"suspend": Unknown("s")}),), {Undecided}),
        ((job("sh", "-c", SAVE, each={"parallelism": Unknown("p")}),), {Undecided}),
        ((job("sh", "-c", SAVE, again={"suspend": True}, each={"parallelism": Unknown("p")}),), {Violation}),
        ((job("true", again={"suspend": Unknown("s")}),), {Violation}),
    ],
)
def test_a_job_of_the_cluster_saves_its_only_cluster(jobs: tuple[Any, ...], kind: set[type]) -> None:
    own = amazon()
    for name, each in own.items():
        if name.startswith("member"):
            text = each.properties["userDataBase64"]
            own[name] = made(each.type, name, {**each.properties, "userDataBase64": without_cron(text)}, protect=True)
    assert kinds("etcd-snapshots", [*own.values(), *jobs]) == kind


def without_cron(given: str) -> str:
    text = base64.b64decode(given).decode()
    assert "etcdctl snapshot save" in text
    return encoded(text.replace("snapshot save", "snapshot status"))


def test_of_two_clusters_nobody_can_tell_which_one_a_job_saves() -> None:
    of = Foreign()
    of.snapshot = "true"
    assert kinds("etcd-snapshots", [*of.resources(), job("sh", "-c", SAVE)]) == {Undecided}
