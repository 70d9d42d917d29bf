import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import grpc
import pytest
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from toolchain.language_host import commands, interpreter, tether

CLONE = Path(__file__).resolve().parents[2]
TOOLCHAIN = CLONE / "toolchain"
SECONDS = 120


@contextmanager
def running_host(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], language_pb2_grpc.LanguageRuntimeStub]]:
    """The host as installed: its launcher in bin, its modules in lib; the executor only runs the program."""
    (tmp_path / "tool" / "bin").mkdir(parents=True)
    (tmp_path / "tool" / "lib").mkdir()
    (tmp_path / "tool" / "lib" / "language_host").symlink_to(TOOLCHAIN / "language_host")
    launcher = tmp_path / "tool" / "bin" / "pulumi-language-python"
    launcher.write_bytes((TOOLCHAIN / "launchers" / "pulumi-language-python").read_bytes())
    executor = tmp_path / "pulumi-language-python-exec"
    executor.write_text("import runpy, sys\nrunpy.run_path(sys.argv[-1], run_name='__main__')\n")
    executor.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, launcher, "-v=9", "127.0.0.1:1"],
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{tmp_path}:{os.environ['PATH']}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        # A proxy that the host's environment names is not for this machine's own addresses.
        direct = [("grpc.enable_http_proxy", 0)]
        with grpc.insecure_channel(f"127.0.0.1:{int(process.stdout.readline())}", direct) as channel:
            yield process, language_pb2_grpc.LanguageRuntimeStub(channel)
        process.stdin.close()
        process.wait(timeout=SECONDS)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextmanager
def started(fifo: Path) -> Iterator[IO[bytes]]:
    """The FIFO's reading end, once a program has said so: one that does not come is not waited for without end."""
    with os.fdopen(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as held:
        give_up = time.monotonic() + SECONDS
        while (said := held.read(7)) in (None, b""):
            assert time.monotonic() < give_up, "no program has started"
            time.sleep(0.02)
        assert said == b"started"
        yield held


def ended(held: IO[bytes]) -> bool:
    """Whether the last process that holds the FIFO's other end closes it in good time."""
    return bool(select.select([held], [], [], SECONDS)[0]) and held.read() == b""


def program(tmp_path: Path, text: str) -> language_pb2.ProgramInfo:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "__main__.py").write_text(text)
    return language_pb2.ProgramInfo(root_directory=str(tmp_path), program_directory=str(folder), entry_point=".")


def run(stub: language_pb2_grpc.LanguageRuntimeStub, info: language_pb2.ProgramInfo) -> language_pb2.RunResponse:
    request = language_pb2.RunRequest(
        info=info, pwd=info.program_directory, config={"a:b": "c"}, configSecretKeys=["a:b"], parallel=4
    )
    return stub.Run(request, timeout=SECONDS)


@pytest.mark.parametrize("method", ["Link", "GeneratePackage", "RuntimeOptionsPrompts", "GetProgramDependencies"])
def test_what_the_host_does_not_serve_it_plainly_refuses(tmp_path: Path, method: str) -> None:
    requests = {
        "Link": language_pb2.LinkRequest,
        "GeneratePackage": language_pb2.GeneratePackageRequest,
        "RuntimeOptionsPrompts": language_pb2.RuntimeOptionsRequest,
        "GetProgramDependencies": language_pb2.GetProgramDependenciesRequest,
    }
    with running_host(tmp_path) as (process, stub):
        with pytest.raises(grpc.RpcError) as refusal:
            getattr(stub, method)(requests[method](), timeout=SECONDS)
        assert refusal.value.code() == grpc.StatusCode.UNIMPLEMENTED
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stdout.read() == ""
        assert process.wait(timeout=SECONDS) == 0


def test_the_host_agrees_to_the_handshake_and_tells_its_interpreter(tmp_path: Path) -> None:
    with running_host(tmp_path) as (_, stub):
        stub.Handshake(language_pb2.LanguageHandshakeRequest(engine_address="127.0.0.1:1"), timeout=SECONDS)
        assert stub.GetPluginInfo(empty_pb2.Empty(), timeout=SECONDS).version
        about = stub.About(language_pb2.AboutRequest(info=language_pb2.ProgramInfo()), timeout=SECONDS)
        assert about.version == ".".join(map(str, sys.version_info[:3]))


@pytest.mark.parametrize(
    ("ending", "response"),
    [
        ("", language_pb2.RunResponse()),
        ("import sys; sys.exit(32)", language_pb2.RunResponse(bail=True)),
        ("import sys; sys.exit(3)", language_pb2.RunResponse(error="the Python program ended with exit code 3")),
        (
            "import os; os.kill(os.getpid(), 9)",
            language_pb2.RunResponse(error="the Python program ended with exit code 137"),
        ),
    ],
    ids=["well", "already reported", "badly", "killed"],
)
def test_how_a_program_ends_is_told_to_the_engine(
    tmp_path: Path, ending: str, response: language_pb2.RunResponse
) -> None:
    with running_host(tmp_path) as (_, stub):
        assert run(stub, program(tmp_path, ending)) == response


def test_a_program_sees_its_configuration_and_what_it_prints_comes_through(tmp_path: Path) -> None:
    text = "import os, sys\nprint(os.environ['PULUMI_CONFIG'], os.environ['PULUMI_CONFIG_SECRET_KEYS'], os.getcwd())\n"
    with running_host(tmp_path) as (process, stub):
        run(stub, program(tmp_path, text))
        assert process.stdout is not None
        assert process.stdout.readline() == f'{{"a:b": "c"}} ["a:b"] {tmp_path / "program"}\n'


def test_a_missing_virtual_environment_is_named(tmp_path: Path) -> None:
    options = struct_pb2.Struct()
    options["virtualenv"] = "nowhere"
    info = program(tmp_path, "")
    info.options.CopyFrom(options)
    with running_host(tmp_path) as (_, stub):
        with pytest.raises(grpc.RpcError, match="virtualenv is 'nowhere'") as refusal:
            run(stub, info)
        assert refusal.value.code() == grpc.StatusCode.FAILED_PRECONDITION


def test_a_plugins_output_is_streamed_as_it_comes_and_its_exit_code_last(tmp_path: Path) -> None:
    text = (
        "import os, sys\nos.write(1, b'port\\n')\nopen(os.environ['GO']).read()\n"
        "print(sys.argv[1:], file=sys.stderr)\nsys.exit(5)\n"
    )
    os.mkfifo(tmp_path / "go")
    request = language_pb2.RunPluginRequest(
        info=program(tmp_path, text), pwd=str(tmp_path), args=["engine"], env=[f"GO={tmp_path / 'go'}"], kind="resource"
    )
    with running_host(tmp_path) as (_, stub):
        answers = stub.RunPlugin(request, timeout=SECONDS)
        assert next(answers).stdout == b"port\n"
        (tmp_path / "go").write_text("go on")
        rest = list(answers)
    assert b"".join(answer.stderr for answer in rest) == b"['engine']\n"
    assert [answer.exitcode for answer in rest if answer.WhichOneof("output") == "exitcode"] == [5]
    assert rest[-1].exitcode == 5


# Holds a FIFO's writing end open: its reader sees the end when the last holder has ended.
ENDLESS = """import signal, time
held = open({fifo!r}, "w")
held.write("started")
held.flush()
{more}
while True:
    time.sleep(60)
"""


@pytest.mark.parametrize("more", ["", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"], ids=["willing", "stubborn"])
def test_no_program_outlives_the_engine(tmp_path: Path, more: str) -> None:
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    info = program(tmp_path, ENDLESS.format(fifo=str(fifo), more=more))
    with running_host(tmp_path) as (process, stub), ThreadPoolExecutor(1) as calls:
        call = calls.submit(run, stub, info)
        with started(fifo) as held:
            assert process.stdin is not None
            process.stdin.close()
            assert ended(held)
        assert process.wait(timeout=SECONDS) == 0
        assert call.exception(timeout=SECONDS) is not None or call.result().error


def test_a_call_the_engine_gives_up_ends_its_plugin(tmp_path: Path) -> None:
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    info = program(tmp_path, ENDLESS.format(fifo=str(fifo), more=""))
    with running_host(tmp_path) as (process, stub):
        answers = stub.RunPlugin(language_pb2.RunPluginRequest(info=info, pwd=str(tmp_path), kind="resource"))
        with started(fifo) as held:
            answers.cancel()
            assert ended(held)
        assert process.poll() is None


def test_a_policy_pack_is_run_by_the_sdks_policy_module(tmp_path: Path) -> None:
    info = language_pb2.ProgramInfo(program_directory=str(tmp_path), entry_point=".")
    request = language_pb2.RunPluginRequest(info=info, kind="analyzer", args=["127.0.0.1:9"])
    assert commands.plugin(request) == ["-u", "-m", "pulumi.policy", "127.0.0.1:9", str(tmp_path)]


def test_a_plugin_folder_without_a_main_is_run_as_the_distribution_it_names(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "kilo-node"\n')
    info = language_pb2.ProgramInfo(program_directory=str(tmp_path), entry_point=".")
    request = language_pb2.RunPluginRequest(info=info, kind="resource", args=["127.0.0.1:9"])
    assert commands.plugin(request) == ["-u", "-m", "pulumi.run.plugin", "kilo-node", "127.0.0.1:9"]


def test_a_projects_virtual_environment_is_relative_to_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch(mode=0o755)
    monkeypatch.setenv("PYTHONHOME", "/elsewhere")
    found = interpreter.find({"virtualenv": "env"}, str(tmp_path))
    assert found.executable == str(python)
    assert found.environment["PATH"].startswith(f"{python.parent}:")
    assert "PYTHONHOME" not in found.environment


def test_the_dynamic_provider_finds_that_environment_from_the_programs_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Pulumi.yaml").touch()
    monkeypatch.setenv("PULUMI_RUNTIME_VIRTUALENV", "env")
    assert tether.absolute_virtualenv(tmp_path / "infra") == {"PULUMI_RUNTIME_VIRTUALENV": str(tmp_path / "env")}
    monkeypatch.setenv("PULUMI_RUNTIME_VIRTUALENV", "/env")
    assert tether.absolute_virtualenv(tmp_path / "infra") == {}


def test_a_tethered_program_ends_with_the_pipe_its_engine_holds(tmp_path: Path) -> None:
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    endless = tmp_path / "endless.py"
    endless.write_text(ENDLESS.format(fifo=str(fifo), more=""))
    words = [sys.executable, "-c", "import sys; from language_host.tether import run; sys.exit(run(sys.argv[1:]))"]
    process = subprocess.Popen(
        [*words, sys.executable, endless],
        env=os.environ | {"PYTHONPATH": str(TOOLCHAIN)},
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process, started(fifo) as held:
        assert process.stdin is not None
        process.stdin.close()
        assert ended(held)
        assert process.wait(timeout=SECONDS) != 0
