"""The plugin's process: serves the engine on a port of its own, which it prints."""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Final

import grpc

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
    over = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    options = [("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    server = grpc.server(ThreadPoolExecutor(32), options=options)
    server.add_generic_rpc_handlers((handlers(Provider(Cloud(Path(folder)))),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    engine = os.getppid()
    while not over.wait(0.5):
        if os.getppid() != engine:
            break
    server.stop(grace=0.2).wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
