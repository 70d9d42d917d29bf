"""The snapshot program and a real etcd: it saves one that can be restored, whatever was in there, and knows a broken one."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kilonode.clouds.local.host.images import BuiltImage
from tests.oracles.azure.programs import FOLDER
from tests.oracles.machine import Machine

pytestmark = [pytest.mark.tools, pytest.mark.region]

PLACE = "/mnt/programs"
ENDPOINT = "http://127.0.0.1:2379"
TAKEN = "/root/taken.db"
PROGRAM = f"""\
import json, sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
sys.path.insert(0, "{PLACE}")
spec = spec_from_loader("program", SourceFileLoader("program", "{PLACE}/etcd-snapshot"))
program = module_from_spec(spec)
spec.loader.exec_module(program)
program.TLS = []
"""
TAKE = f'{PROGRAM}print(json.dumps(program.take("{ENDPOINT}", Path("{TAKEN}"))))'
IS_WHOLE = f"{PROGRAM}print([program.is_whole(Path(each)) for each in sys.argv[1:]])"
BREAK = f"""\
whole = open("{TAKEN}", "rb").read()
changed = bytearray(whole)
changed[9000] ^= 1
for name, content in ("short", whole[:-512]), ("empty", b""), ("changed", changed), ("long", whole + whole[-512:]):
    open(f"/root/{{name}}.db", "wb").write(content)
"""


class Member:
    """etcd on a machine of its own, without TLS."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        running = machine.start(["/usr/local/bin/etcd", "--data-dir=/root/data"])
        running.until(lambda: machine.run(["etcdctl", "endpoint", "health"]).returncode == 0, "etcd")

    def etcdctl(self, *words: str) -> None:
        self.machine.run(["etcdctl", *words], check=True)

    def python(self, *words: str) -> str:
        done = self.machine.run(["python3", "-c", *words])
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def take(self) -> Any:
        return json.loads(self.python(TAKE))


@pytest.fixture(scope="module")
def member(image: BuiltImage) -> Iterator[Member]:
    with Machine(image, "member", binds={PLACE: FOLDER}) as machine:
        yield Member(machine)


STEPS = {
    "nothing was ever written": ([], 0, 0),
    "a key": ([("put", "one", "1")], 2, 1),
    "all keys are gone, and compacted": ([("del", "one"), ("compact", "3", "--physical")], 3, 0),
}


@pytest.mark.parametrize(("commands", "revision", "keys"), STEPS.values(), ids=STEPS)
def test_what_is_saved_can_be_restored(
    commands: list[tuple[str, ...]], revision: int, keys: int, member: Member
) -> None:
    for words in commands:
        member.etcdctl(*words)
    status = member.take()
    assert (status["revision"], status["totalKey"]) == (revision, keys)
    place = f"/root/restored-{revision}"
    member.machine.run(["etcdutl", "snapshot", "restore", TAKEN, f"--data-dir={place}"], check=True)


def test_what_is_not_whole_is_known_as_a_restore_knows_it(member: Member) -> None:
    member.take()
    member.python(BREAK)
    names = ("taken", "short", "empty", "changed", "long")
    files = [f"/root/{name}.db" for name in names]
    assert member.python(IS_WHOLE, *files) == str([True, False, False, False, False])
    for name, file in zip(names, files, strict=True):
        done = member.machine.run(["etcdutl", "snapshot", "restore", file, f"--data-dir=/root/again-{name}"])
        assert (done.returncode == 0) == (name == "taken"), f"{name}: {done.stderr}"
