"""The plugin's process: serves the engine on a port of its own, which it prints, until the engine is gone."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from tests.standin.echo.provider import Echo
from tests.standin.serving import serve

LAUNCHER: Final = """\
#!/usr/bin/env python3
import sys
sys.path.insert(0, {clone!r})
from tests.standin.echo.__main__ import main
sys.exit(main())
"""


def launchers(folder: Path, *providers: str) -> Path:
    """Write a launcher for each of the providers into ``folder``, which a test then puts on PATH."""
    folder.mkdir(parents=True)
    for each in providers:
        file = folder / f"pulumi-resource-{each}"
        file.write_text(LAUNCHER.format(clone=str(Path(__file__).resolve().parents[3])))
        file.chmod(0o755)
    return folder


def main() -> int:
    """Serve until the engine asks to end, or is gone."""
    server = grpc.server(ThreadPoolExecutor(16))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Echo(), server)
    serve(server)
    return 0


if __name__ == "__main__":
    sys.exit(main())
