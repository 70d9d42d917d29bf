"""The process: a gRPC server on a port of its own, told to the engine on the first line of output."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import grpc  # type: ignore[import-untyped]

from .engine import EngineWatch, silence_broken_streams
from .runtime import LanguageHost
from .service import handlers

# Every running program and plugin holds one thread.
THREADS: Final = 256
# The engine sends whole schemas and states in one message.
MESSAGE_BYTES: Final = 400 * 1024 * 1024


def main(arguments: list[str]) -> int:
    """Serve until the engine ends; `arguments` are the engine's, its address last, after flags for logging."""
    if not arguments:
        print("pulumi-language-python: started by the Pulumi engine, with its address as an argument", file=sys.stderr)
        return 2
    watch = EngineWatch()
    host = LanguageHost(engine=arguments[-1])
    options = [("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    server = grpc.server(ThreadPoolExecutor(THREADS), options=options)
    server.add_generic_rpc_handlers((handlers(host),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    while not watch.over():
        pass
    host.children.end_all()
    server.stop(grace=0.5).wait()
    silence_broken_streams()
    return 0
