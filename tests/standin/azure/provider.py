"""The plugin: Pulumi's ResourceProvider service over the cloud of one test."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import grpc
from google.protobuf import any_pb2, empty_pb2, struct_pb2
from google.rpc import status_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2

from . import bootdata, counts, difference, ids, invokes, judge, names, naming, preview
from .cloud import Cloud
from .demands import table as demands
from .kinds import Kind, NotServedError, kind_of
from .refusal import ArmError, HalfMadeError
from .store import Stored
from .values import UNKNOWN, holds_unknown, read, write

p = provider_pb2


class Provider:
    """Answers the engine as azure-native does."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self._location: str | None = None
        # Ids that a preview has said will exist.
        self._planned: set[str] = set()

    def get_plugin_info(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=version("pulumi-azure-native"))

    def check_config(self, request: p.CheckRequest, context: grpc.ServicerContext) -> p.CheckResponse:
        return p.CheckResponse(inputs=request.news)

    def diff_config(self, request: p.DiffRequest, context: grpc.ServicerContext) -> p.DiffResponse:
        return p.DiffResponse(changes=p.DiffResponse.DIFF_NONE)

    def configure(self, request: p.ConfigureRequest, context: grpc.ServicerContext) -> p.ConfigureResponse:
        self._location = request.variables.get("azure-native:config:location")
        self.cloud.store.subscription = request.variables.get("azure-native:config:subscriptionId", ids.SUBSCRIPTION)
        return p.ConfigureResponse(supportsPreview=True, supports_autonaming_configuration=True)

    def cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    def invoke(self, request: p.InvokeRequest, context: grpc.ServicerContext) -> p.InvokeResponse:
        with answered(context):
            found = invokes.invoke(self.cloud, request.tok, read(request.args))
            return p.InvokeResponse(**{"return": write(found)})

    def check(self, request: p.CheckRequest, context: grpc.ServicerContext) -> p.CheckResponse:
        with answered(context):
            kind, name = kind_of(request.urn), _name(request.urn)
            news = read(request.news)
            naming.fill_in(kind, name, request.randomSeed, read(request.olds), news, self.cloud.store, self._location)
            label = f"{kind.token} {name}"
            found = judge.judge(kind, label, news)
            found += (
                names.judge(kind, label, news) + bootdata.judge(kind, label, news) + counts.judge(kind, label, news)
            )
            # What is missing or contradictory is asked of inputs of the right form only.
            found += [] if found else demands.judge(kind, label, news)
            failures = [p.CheckFailure(property=each.path, reason=str(each)) for each in found]
            return p.CheckResponse(inputs=write(news), failures=failures)

    def diff(self, request: p.DiffRequest, context: grpc.ServicerContext) -> p.DiffResponse:
        with answered(context):
            old, new = read(request.old_inputs), read(request.news)
            changes = difference.detailed(kind_of(request.urn), old, new)
            replaces = [path for path, change in changes.items() if change in difference.REPLACING.values()]
            return p.DiffResponse(
                changes=p.DiffResponse.DIFF_SOME if changes else p.DiffResponse.DIFF_NONE,
                replaces=replaces,
                diffs=list(changes),
                detailedDiff={path: p.PropertyDiff(kind=change) for path, change in changes.items()},
                hasDetailedDiff=True,
                deleteBeforeReplace=bool(replaces) and difference.deletes_first(old),
            )

    def create(self, request: p.CreateRequest, context: grpc.ServicerContext) -> p.CreateResponse:
        kind, inputs = kind_of(request.urn), _body(request.properties)
        with answered(context, request.properties, self):
            if request.preview:
                self._plan(kind, request.urn, inputs)
                return p.CreateResponse(properties=write(preview.outputs(kind, inputs)))
            made = self.cloud.create(kind, f"{kind.token} {_name(request.urn)}", inputs)
            return p.CreateResponse(id=made.id, properties=self._state(made))

    def update(self, request: p.UpdateRequest, context: grpc.ServicerContext) -> p.UpdateResponse:
        kind, inputs = kind_of(request.urn), _body(request.news)
        with answered(context, request.news, self):
            if request.preview:
                self._plan(kind, request.urn, inputs)
                old = read(request.olds)
                kept = {name: old[name] for name in ("name", "location") if name in old}
                return p.UpdateResponse(properties=write(preview.outputs(kind, inputs) | kept))
            made = self.cloud.update(request.id, f"{kind.token} {_name(request.urn)}", inputs)
            return p.UpdateResponse(properties=self._state(made))

    def read(self, request: p.ReadRequest, context: grpc.ServicerContext) -> p.ReadResponse:
        with answered(context):
            found = self.cloud.read(request.id)
            if found is None:
                return p.ReadResponse(id="")
            outputs, kind = self.cloud.outputs(found), found.kind
            inputs = read(request.inputs)
            if inputs:
                before = difference.projected(kind, self._maintained(kind, inputs, read(request.properties)))
                after = difference.projected(kind, self._maintained(kind, inputs, outputs))
                inputs = difference.merge(inputs, before, after)
            else:
                parsed = ids.parse(found.id)
                inputs = difference.projected(kind, outputs) | (parsed[1] if parsed else {})
            return p.ReadResponse(id=request.id, properties=write(outputs), inputs=write(inputs))

    def delete(self, request: p.DeleteRequest, context: grpc.ServicerContext) -> empty_pb2.Empty:
        with answered(context):
            self.cloud.delete(request.id)
            return empty_pb2.Empty()

    def _state(self, made: Stored) -> struct_pb2.Struct:
        return write(self.cloud.outputs(made))

    def _plan(self, kind: Kind, urn: str, inputs: dict[str, Any]) -> None:
        if any(holds_unknown(inputs.get(name, UNKNOWN)) for name in kind.parameters):
            return
        identifier = ids.make(kind, inputs, self.cloud.store.subscription)
        self._planned.add(ids.key(identifier))
        self.cloud.judge(kind, f"{kind.token} {_name(urn)}", identifier, inputs, planned=self._will_exist)

    def _will_exist(self, identifier: str) -> bool:
        return any((ids.key(identifier) + "/").startswith(each + "/") for each in self._planned)

    def _maintained(self, kind: Kind, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs without the lists that are resources of their own, unless the program gives them."""
        return {name: value for name, value in outputs.items() if name not in kind.maintained or name in inputs}


@contextmanager
def answered(
    context: grpc.ServicerContext, inputs: struct_pb2.Struct | None = None, provider: Provider | None = None
) -> Iterator[None]:
    """Turn the cloud's errors into the call's; a half-made resource goes back with its state so far."""
    try:
        yield
    except HalfMadeError as fault:
        assert inputs is not None
        assert provider is not None
        made = provider.cloud.store.get(fault.identifier)
        assert made is not None
        detail = p.ErrorResourceInitFailed(
            id=made.id, properties=provider._state(made), reasons=[str(fault)], inputs=inputs
        )
        packed = any_pb2.Any()
        packed.Pack(detail)
        status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=str(fault), details=[packed])
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(grpc.StatusCode.UNKNOWN, str(fault))
    except (ArmError, NotServedError) as fault:
        context.abort(grpc.StatusCode.UNKNOWN, str(fault))


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def _body(message: struct_pb2.Struct) -> dict[str, Any]:
    return {name: value for name, value in read(message).items() if name not in judge.OWN}
