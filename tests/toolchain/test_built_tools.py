"""The real tools, once built: `python -m toolchain ensure all`."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import toolchain
from toolchain import search_path
from toolchain.recipes import TOOLS, Tool

pytestmark = pytest.mark.tools
SECONDS = 120

PROVIDER = """
import os
from pulumi.dynamic import CreateResult, DiffResult, ReadResult, Resource, ResourceProvider, UpdateResult

class NoteProvider(ResourceProvider):
    def create(self, props):
        if os.environ.get("HOLD"):
            # Held open until this process ends.
            self.held = open(os.environ["HOLD"], "w")
            self.held.write("started")
            self.held.flush()
            open(os.environ["HOLD"] + ".go").read()
        open(props["path"], "w").write(props["text"])
        return CreateResult(props["path"], props)
    def read(self, id_, props):
        if not os.path.exists(id_):
            return ReadResult("", {})
        return ReadResult(id_, {**props, "text": open(id_).read()})
    def diff(self, id_, olds, news):
        return DiffResult(changes=olds["text"] != news["text"])
    def update(self, id_, olds, news):
        open(id_, "w").write(news["text"])
        return UpdateResult(news)
    def delete(self, id_, props):
        os.unlink(id_)

class Note(Resource, module="notes", name="Note"):
    def __init__(self, name, path, text):
        super().__init__(NoteProvider(), name, {"path": path, "text": text})
"""
PROGRAM = "import os\nfrom notes import Note\nNote('n', os.environ['NOTE'], 'hello')\nprint('from the program')\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one dynamic resource, its state and its plugins below a temporary folder."""
    for folder in ("project/infra", "library", "state"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "project" / "Pulumi.yaml").write_text("name: noted\nruntime: python\nmain: infra\n")
    (tmp_path / "project" / "infra" / "__main__.py").write_text(PROGRAM)
    (tmp_path / "library" / "notes.py").write_text(PROVIDER)
    settings = {
        "PATH": os.pathsep.join(
            [str(toolchain.locate("pulumi")), str(Path(sys.executable).parent), os.environ["PATH"]]
        ),
        "PYTHONPATH": str(tmp_path / "library"),
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_BACKEND_URL": f"file://{tmp_path / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE": "a test",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "NOTE": str(tmp_path / "note"),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    pulumi(tmp_path / "project", "stack", "init", "dev")
    return tmp_path / "project"


def pulumi(folder: Path, *words: str) -> str:
    answer = subprocess.run(
        ["pulumi", *words, "--non-interactive"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_built_program_answers_with_its_rows_version(tool: Tool) -> None:
    folder = toolchain.locate(tool.name)
    for program in tool.programs:
        if program.probe:
            words = [folder / program.name, *program.probe]
            answer = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=True)
            assert search_path.version_in(answer.stdout) == tool.version, program.name


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_built_program_runs_where_there_is_no_c_library(tool: Tool) -> None:
    for program in tool.programs:
        if program.package:
            assert not asks_for_a_loader(toolchain.locate(tool.name) / program.name), program.name


def asks_for_a_loader(program: Path) -> bool:
    """Whether an ELF file of 64 bits has a segment of the type PT_INTERP (elf(5))."""
    with program.open("rb") as opened:
        head = opened.read(4096)
    (start,), (size, count) = struct.unpack_from("<Q", head, 32), struct.unpack_from("<HH", head, 54)
    assert head.startswith(b"\x7fELF\x02")
    return any(struct.unpack_from("<I", head, start + size * number) == (3,) for number in range(count))


def test_coredns_knows_the_services_of_a_cluster() -> None:
    printed = subprocess.run(
        [toolchain.locate("coredns") / "coredns", "-plugins"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    ).stdout
    assert {"kubernetes", "forward", "cache", "health", "ready"} <= {line.strip() for line in printed.splitlines()}


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_pause_waits_collects_children_that_end_and_goes_when_told(tmp_path: Path, told: signal.Signals) -> None:
    os.mkfifo(tmp_path / "hold")
    # The child is pause's own once the shell has become pause.
    script = f"cat <{tmp_path / 'hold'} >/dev/null & echo $!; exec {toolchain.locate('pause') / 'pause'}"
    pause = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True)
    assert pause.stdout is not None
    try:
        with (tmp_path / "hold").open("w"):
            child = Path("/proc") / pause.stdout.readline().strip()
            wait_until(lambda: (Path("/proc") / str(pause.pid) / "comm").read_text() == "pause\n")
            assert child.exists()
        wait_until(lambda: not child.exists())
        assert pause.poll() is None
        pause.send_signal(told)
        assert pause.wait(timeout=SECONDS) == 0
    finally:
        pause.kill()
        pause.wait()
        pause.stdout.close()


def wait_until(true: Callable[[], bool]) -> None:
    give_up = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_kwoks_stages_make_nodes_ready_renew_leases_and_run_pods() -> None:
    stages = list(yaml.safe_load_all(toolchain.data_file("kwok", "stages.yaml").read_text()))
    assert {stage["kind"] for stage in stages} == {"Stage"}
    assert [stage["metadata"]["name"] for stage in stages] == [
        "node-initialize",
        "node-heartbeat-with-lease",
        "pod-ready",
        "pod-complete",
        "pod-delete",
    ]


def test_a_dynamic_resource_lives_through_up_refresh_and_destroy(project: Path) -> None:
    note = Path(os.environ["NOTE"])
    assert "from the program" in pulumi(project, "up", "--yes", "--skip-preview")
    assert note.read_text() == "hello"
    pulumi(project, "preview", "--expect-no-changes")
    note.write_text("drifted")
    pulumi(project, "refresh", "--yes", "--skip-preview")
    changes = json.loads(pulumi(project, "preview", "--json"))["changeSummary"]
    assert changes == {"same": 1, "update": 1}
    pulumi(project, "up", "--yes", "--skip-preview")
    assert note.read_text() == "hello"
    note.unlink()
    pulumi(project, "up", "--yes", "--skip-preview", "--refresh")
    assert note.read_text() == "hello"
    pulumi(project, "destroy", "--yes", "--skip-preview")
    assert not note.exists()


def test_a_programs_error_is_told_once_with_its_own_traceback(project: Path) -> None:
    (project / "infra" / "__main__.py").write_text("raise ValueError('out of range')\n")
    answer = subprocess.run(
        ["pulumi", "preview", "--non-interactive"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert answer.returncode != 0
    assert (answer.stdout + answer.stderr).count("ValueError: out of range") == 1


def test_a_call_in_hand_finishes_when_the_engine_is_killed_and_then_nothing_is_left(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = project / "held"
    os.mkfifo(held)
    os.mkfifo(f"{held}.go")
    monkeypatch.setenv("HOLD", str(held))
    engine = subprocess.Popen(
        ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive"],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with engine, held.open("rb", buffering=0) as provider:
        assert provider.read(7) == b"started"
        engine.kill()
        engine.wait(timeout=SECONDS)
        Path(f"{held}.go").write_text("go on")
        # Ends only when the provider's process has.
        assert provider.read() == b""
    assert Path(os.environ["NOTE"]).read_text() == "hello"
