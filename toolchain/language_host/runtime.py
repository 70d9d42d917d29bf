"""What the engine asks of a language host.

The rest of the service (code generation, packing, linking, templates) is not served: gRPC answers Unimplemented.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from typing import Final

import grpc  # type: ignore[import-untyped]
from google.protobuf import empty_pb2, json_format  # type: ignore[import-untyped]
from pulumi.runtime.proto import language_pb2, plugin_pb2

from . import commands, interpreter
from .child import Child
from .children import Children
from .interpreter import Interpreter, NoInterpreterError
from .output import chunks

# Exit code of a program that has already told the user what went wrong.
REPORTED: Final = 32


class LanguageHost:
    """Runs Python programs, plugins and policy packs for the engine at the address `engine`."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self.children = Children()

    def handshake(
        self, _request: language_pb2.LanguageHandshakeRequest, _context: grpc.ServicerContext
    ) -> language_pb2.LanguageHandshakeResponse:
        """Agree to work with this engine."""
        return language_pb2.LanguageHandshakeResponse()

    def get_plugin_info(self, _request: empty_pb2.Empty, _context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        """Our version is that of the SDK we serve."""
        return plugin_pb2.PluginInfo(version=version("pulumi"))

    def about(self, request: language_pb2.AboutRequest, context: grpc.ServicerContext) -> language_pb2.AboutResponse:
        """The interpreter that would run the program."""
        python = self._interpreter(request.info, context)
        answer = subprocess.run([python.executable, "--version"], capture_output=True, encoding="utf-8", check=False)
        number = answer.stdout.removeprefix("Python").strip()
        return language_pb2.AboutResponse(executable=python.executable, version=number)

    def get_required_packages(
        self, _request: language_pb2.GetRequiredPackagesRequest, _context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPackagesResponse:
        """None in advance: one environment holds the SDKs of every cloud, and a stack needs the plugin of one.

        The engine gets a plugin when the first resource asks for it.
        """
        return language_pb2.GetRequiredPackagesResponse()

    def install_dependencies(
        self, request: language_pb2.InstallDependenciesRequest, _context: grpc.ServicerContext
    ) -> Iterator[language_pb2.InstallDependenciesResponse]:
        """Say that nothing is installed: the environment is made by whoever owns it."""
        folder = request.info.program_directory or request.directory
        text = f"{folder}: dependencies are left to the Python environment that runs the program\n"
        yield language_pb2.InstallDependenciesResponse(stdout=text.encode())

    def run(self, request: language_pb2.RunRequest, context: grpc.ServicerContext) -> language_pb2.RunResponse:
        """Run a Pulumi program to its end. Its output is ours, which the engine shows line by line."""
        if request.attach_debugger:
            return language_pb2.RunResponse(error="this language host cannot attach a debugger")
        python = self._interpreter(request.info, context)
        words = [python.executable, *commands.program(request, self._engine)]
        child = Child(
            words,
            folder=request.pwd,
            environment=python.environment | commands.program_environment(request),
            # SIGINT would end the user's program with a traceback.
            ask=signal.SIGTERM,
        )
        with self.children.running(child):
            _end_with_call(child, context)
            code = child.wait()
        if code == 0:
            return language_pb2.RunResponse()
        if code == REPORTED:
            return language_pb2.RunResponse(bail=True)
        return language_pb2.RunResponse(error=f"the Python program ended with exit code {code}")

    def run_plugin(
        self, request: language_pb2.RunPluginRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.RunPluginResponse]:
        """Run a plugin or policy pack; streams what it writes and at last its exit code."""
        python = self._interpreter(request.info, context)
        given = dict(variable.split("=", 1) for variable in request.env if "=" in variable)
        # The engine passes its whole environment; only a virtual environment's own variables go before it.
        ours = {k: v for k, v in python.environment.items() if os.environ.get(k) != v}
        words = [python.executable, *commands.plugin(request)]
        # Providers handle SIGINT and let the calls in hand finish.
        child = Child(words, folder=request.pwd or None, environment=given | ours, piped=True, ask=signal.SIGINT)
        with self.children.running(child):
            _end_with_call(child, context)
            for stream, data in chunks(child.streams):
                if stream == "stdout":
                    yield language_pb2.RunPluginResponse(stdout=data)
                else:
                    yield language_pb2.RunPluginResponse(stderr=data)
            yield language_pb2.RunPluginResponse(exitcode=child.wait() or 0)

    def _interpreter(self, info: language_pb2.ProgramInfo, context: grpc.ServicerContext) -> Interpreter:
        try:
            return interpreter.find(json_format.MessageToDict(info.options), info.root_directory)
        except NoInterpreterError as fault:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(fault))
            raise


def _end_with_call(child: Child, context: grpc.ServicerContext) -> None:
    """End the child when the engine gives the call up."""
    if not context.add_callback(child.end):
        child.end()
