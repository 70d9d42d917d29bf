"""An engine that makes nothing: it records what a region on Azure asks for, and answers as the cloud and the engine would."""

from functools import cache
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi.runtime import mocks, settings

from kilonode.region.region import Region
from kilonode.region.spec import RegionSpec
from ops.stack import CLONE
from ops.stackfile import read_stack
from tests.standin.azure import ids

NATIVE = "azure-native:"
ROOT = "pulumi:pulumi:Stack"
"""One for all runs of a process: the first of them registers it."""

SHIPPED = ("azure-southcentralus", "azure-westeurope-small")
CANARY = "canary-of-a-key"
"""Stands in all key material, as the plain text it would be."""

SIGNATURE, SECRET = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
"""How the engine's protocol marks a value as secret."""


class Recorder(pulumi.runtime.Mocks):
    """Gives every resource its inputs back, and what key material and identities must have."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        files = {f"operator/{name}": f"{CANARY} {args.name}" for name in ("ca.crt", "client.crt", "client.key")}
        made = {
            "certificate": "c",
            "key": f"{CANARY} {args.name}",
            "content": CANARY,
            "files": files,
            "token": "abc234",
            "principalId": "p",
        }
        own = {key: value for key, value in args.inputs.items() if value is not None}
        if "identity" in own:
            # Given as a list of ids, answered as an object of them.
            who = {each: {"clientId": "c", "principalId": "p"} for each in own["identity"]["userAssignedIdentities"]}
            own["identity"] = {**own["identity"], "userAssignedIdentities": who}
        return f"/{args.name}", {**made, **own}

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        if args.token.endswith(":getVirtualMachineImageTemplate"):
            return {"lastRunStatus": {"runState": "Succeeded"}}
        return {"subscriptionId": ids.SUBSCRIPTION, "tenantId": ids.TENANT, "objectId": ids.PRINCIPAL, "clientId": "c"}


class Nobody(Recorder):
    """A preview of a region that is not there: nothing is known of any resource. Who asks is known in every preview."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        return "", {}


class Monitor(mocks.MockMonitor):
    """Records what was registered, and marks as secret what the resource's options say."""

    def __init__(self, answers: pulumi.runtime.Mocks) -> None:
        super().__init__(answers)
        self.registered: list[Any] = []
        self.outputs: list[Any] = []

    @property
    def finished(self) -> set[str]:
        """Components that have registered their outputs."""
        return {each.urn.rpartition("::")[2] for each in self.outputs}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the engine's own name
        if request.type != ROOT:
            self.registered.append(request)
        answer = super().RegisterResource(request)
        for name in request.additionalSecretOutputs:
            if name in answer.object.fields:
                _seal(answer.object, name)
        return answer

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the engine's own name
        if f"::{ROOT}::" not in request.urn:
            self.outputs.append(request)
        return super().RegisterResourceOutputs(request)

    def of(self, kind: str) -> dict[str, Any]:
        """The requests for a kind, by name."""
        return {request.name: request for request in self.registered if request.type == f"{NATIVE}{kind}"}


@cache
def shipped(stack: str, answers: type[pulumi.runtime.Mocks], *, preview: bool = False) -> Monitor:
    """What a stack that ships registers; the runtime's settings are as before afterwards."""
    before = settings.SETTINGS
    try:
        return run(read_stack(CLONE / "stacks" / f"Pulumi.{stack}.yaml"), answers(), preview=preview)
    finally:
        settings.configure(before)


def run(spec: RegionSpec, answers: pulumi.runtime.Mocks, *, preview: bool = False) -> Monitor:
    """What the region of ``spec`` registers where ``answers`` are given."""
    monitor = Monitor(answers)
    mocks.set_mocks(monitor.mocks, monitor=monitor, preview=preview)

    @pulumi.runtime.test
    def program() -> None:
        Region(spec.name, spec)

    program()
    return monitor


def _seal(outputs: struct_pb2.Struct, name: str) -> None:
    value = outputs.fields[name]
    if SIGNATURE in value.struct_value.fields:
        return
    plain = struct_pb2.Value()
    plain.CopyFrom(value)
    sealed = struct_pb2.Struct()
    sealed.fields[SIGNATURE].string_value = SECRET
    sealed.fields["value"].CopyFrom(plain)
    value.struct_value.CopyFrom(sealed)
