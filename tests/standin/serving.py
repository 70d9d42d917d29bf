"""What every stand-in's process does with its server, until the engine that started it has no more use for it."""

import os
import signal
from threading import Event

import grpc


def serve(server: grpc.Server) -> None:
    """Serve on a port of its own, which is printed, until the engine asks to end, or is gone."""
    over = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    engine = os.getppid()
    while not over.wait(0.5):
        if os.getppid() != engine:
            break
    server.stop(grace=0.2).wait()
