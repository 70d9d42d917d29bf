"""The pack's process: it tells the engine its port, and answers until the engine ends it."""

import sys
import threading
from concurrent import futures

import grpc  # type: ignore[import-untyped]
from pulumi.runtime.proto import analyzer_pb2_grpc

from pack.analyzer import Analyzer

MESSAGE_MAX = 400 * 1024**2
"""Bytes; the engine sends all resources of a stack in one message."""


def serve() -> None:
    """Serve until the engine says Cancel or closes standard input."""
    ended = threading.Event()
    options = [("grpc.max_receive_message_length", MESSAGE_MAX), ("grpc.max_send_message_length", MESSAGE_MAX)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=options)
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(Analyzer(ended.set), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ended.wait()
    server.stop(grace=1)
