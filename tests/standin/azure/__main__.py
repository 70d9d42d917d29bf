"""The plugin's process: serves the engine on a port of its own, which it prints."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import grpc

from tests.standin.serving import serve

from .cloud import Cloud
from .provider import Provider
from .service import handlers

FOLDER: Final = "KILONODE_STANDIN_AZURE"
MESSAGE_BYTES: Final = 400 * 1024 * 1024


def main() -> int:
    """Serve until the engine asks to end, or is gone."""
    folder = os.environ.get(FOLDER)
    if not folder:
        print(
            f"the stand-in for azure-native keeps its cloud in the folder {FOLDER} names; it is not set",
            file=sys.stderr,
        )
        return 2
    options = [("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    server = grpc.server(ThreadPoolExecutor(32), options=options)
    server.add_generic_rpc_handlers((handlers(Provider(Cloud(Path(folder)))),))
    serve(server)
    return 0


if __name__ == "__main__":
    sys.exit(main())
