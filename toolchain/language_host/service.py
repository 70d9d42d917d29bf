"""The wire form of the calls we serve, and which method answers each."""

from __future__ import annotations

from typing import Final

import grpc  # type: ignore[import-untyped]
from google.protobuf import empty_pb2  # type: ignore[import-untyped]
from pulumi.runtime.proto import language_pb2, plugin_pb2

from .runtime import LanguageHost

NAME: Final = "pulumirpc.LanguageRuntime"


def handlers(host: LanguageHost) -> grpc.GenericRpcHandler:
    """Handlers of the calls the host serves; gRPC answers Unimplemented to all others, known today or not."""
    p = language_pb2
    single = [
        ("Handshake", host.handshake, p.LanguageHandshakeRequest, p.LanguageHandshakeResponse),
        ("GetPluginInfo", host.get_plugin_info, empty_pb2.Empty, plugin_pb2.PluginInfo),
        ("About", host.about, p.AboutRequest, p.AboutResponse),
        (
            "GetRequiredPackages",
            host.get_required_packages,
            p.GetRequiredPackagesRequest,
            p.GetRequiredPackagesResponse,
        ),
        ("Run", host.run, p.RunRequest, p.RunResponse),
    ]
    streamed = [
        ("InstallDependencies", host.install_dependencies, p.InstallDependenciesRequest, p.InstallDependenciesResponse),
        ("RunPlugin", host.run_plugin, p.RunPluginRequest, p.RunPluginResponse),
    ]
    rows = [(grpc.unary_unary_rpc_method_handler, row) for row in single]
    rows += [(grpc.unary_stream_rpc_method_handler, row) for row in streamed]
    table = {
        name: make(method, request_deserializer=request.FromString, response_serializer=response.SerializeToString)
        for make, (name, method, request, response) in rows
    }
    return grpc.method_handlers_generic_handler(NAME, table)
