"""The wire form of the calls the plugin serves, and which method answers each."""

from typing import Final

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as p

from .provider import Provider

NAME: Final = "pulumirpc.ResourceProvider"


def handlers(provider: Provider) -> grpc.GenericRpcHandler:
    """Handlers of the calls; gRPC answers Unimplemented to all others, which the engine takes as an old plugin."""
    rows = [
        ("GetPluginInfo", provider.get_plugin_info, empty_pb2.Empty, plugin_pb2.PluginInfo),
        ("CheckConfig", provider.check_config, p.CheckRequest, p.CheckResponse),
        ("DiffConfig", provider.diff_config, p.DiffRequest, p.DiffResponse),
        ("Configure", provider.configure, p.ConfigureRequest, p.ConfigureResponse),
        ("Invoke", provider.invoke, p.InvokeRequest, p.InvokeResponse),
        ("Check", provider.check, p.CheckRequest, p.CheckResponse),
        ("Diff", provider.diff, p.DiffRequest, p.DiffResponse),
        ("Create", provider.create, p.CreateRequest, p.CreateResponse),
        ("Read", provider.read, p.ReadRequest, p.ReadResponse),
        ("Update", provider.update, p.UpdateRequest, p.UpdateResponse),
        ("Delete", provider.delete, p.DeleteRequest, empty_pb2.Empty),
        ("Cancel", provider.cancel, empty_pb2.Empty, empty_pb2.Empty),
    ]
    table = {
        name: grpc.unary_unary_rpc_method_handler(
            method, request_deserializer=request.FromString, response_serializer=response.SerializeToString
        )
        for name, method, request, response in rows
    }
    return grpc.method_handlers_generic_handler(NAME, table)
