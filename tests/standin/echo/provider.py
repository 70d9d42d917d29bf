"""A provider that makes nothing and judges nothing: it answers with what it was asked for.

It serves programs whose judge is the policy pack. Two things are as in a cloud: in a preview nothing of a new resource is known,
and what a machine was told at boot is not given back.
"""

from typing import Any, Final

from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2_grpc
from pulumi.runtime.proto import provider_pb2 as p

from tests.standin.azure.values import UNKNOWN, write

KEPT: Final = frozenset({"customData", "userData", "userDataBase64"})


class Echo(provider_pb2_grpc.ResourceProviderServicer):
    """Pulumi's ResourceProvider service; gRPC answers Unimplemented to what is not here."""

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        return plugin_pb2.PluginInfo(version="1.0.0")

    def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        return p.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        return p.DiffResponse(changes=p.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        return p.ConfigureResponse(supportsPreview=True)

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        return p.CheckResponse(inputs=request.news)

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        same = request.old_inputs == request.news
        return p.DiffResponse(changes=p.DiffResponse.DIFF_NONE if same else p.DiffResponse.DIFF_SOME)

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        if request.preview:
            return p.CreateResponse(properties=write(dict.fromkeys(request.properties.fields, UNKNOWN)))
        return p.CreateResponse(id=f"/made/{request.urn.rpartition('::')[2]}", properties=_answered(request.properties))

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        return p.UpdateResponse(properties=_answered(request.news))

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        return empty_pb2.Empty()


def _answered(inputs: struct_pb2.Struct) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    made.CopyFrom(inputs)
    _forget(made)
    return made


def _forget(struct: struct_pb2.Struct) -> None:
    for name in KEPT & set(struct.fields):
        del struct.fields[name]
    for value in struct.fields.values():
        if value.HasField("struct_value"):
            _forget(value.struct_value)
