"""Answers the engine: which policies there are, and what they find.

Inputs of a resource come one by one (Analyze), before it is made; they have the user data that clouds do not give back.
Rules look at them together (AnalyzeStack): in the preview before anything is made, and again at the end of an update.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import grpc  # type: ignore[import-untyped]
from google.protobuf import empty_pb2, json_format  # type: ignore[import-untyped]
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi.runtime.proto import analyzer_pb2_grpc, plugin_pb2

from kilonode.refusal import RefusedError
from kilonode.rules.judge import Verdict, judge
from kilonode.rules.policy import Policy
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource, plain
from kilonode.rules.report import idle, undecided
from kilonode.rules.unknown import Unknown
from pack.policies import LEVELS, NAME, SEVERITIES, VERSION, policies, policy_of


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """One pack in one operation of one stack."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        self._lock = threading.Lock()
        self._inputs: dict[str, Resource] = {}
        self._policy = Policy()
        self._stack = ""

    def GetAnalyzerInfo(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """What the pack has: a policy for each rule, and one for what is decided about all of them."""
        return proto.AnalyzerInfo(
            name=NAME, displayName="kilonode", version=VERSION, supportsConfig=True, policies=policies()
        )

    def GetPluginInfo(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """The pack's version."""
        return plugin_pb2.PluginInfo(version=VERSION)

    def Handshake(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """Nothing to agree on."""
        return proto.AnalyzerHandshakeResponse()

    def ConfigureStack(self, request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """Remember the stack's name: some stacks are judged more strictly."""
        self._stack = request.stack
        return proto.AnalyzerStackConfigureResponse()

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802 - the engine's own name
        """Take what the team has decided, or refuse it."""
        try:
            self._policy = policy_of(request.policyConfig, _today())
        except RefusedError as refused:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(refused))
        return empty_pb2.Empty()

    def Analyze(self, request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """Keep the inputs of a resource."""
        read = Resource(
            urn=request.urn,
            type=request.type,
            name=request.name,
            properties=plain(json_format.MessageToDict(request.properties)),
            protect=request.options.protect,
            ignore=tuple(request.options.ignoreChanges),
        )
        with self._lock:
            self._inputs[request.urn] = read
        return proto.AnalyzeResponse()

    def Remediate(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """The pack changes nothing."""
        return proto.RemediateResponse()

    def AnalyzeStack(self, request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """Judge the stack."""
        resources = [self._resource(each) for each in request.resources]
        verdicts = judge(read_facts(resources), self._policy, self._stack, _today())
        return proto.AnalyzeResponse(diagnostics=[each for verdict in verdicts for each in _diagnostics(verdict)])

    def Cancel(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - the engine's own name
        """End."""
        self._cancel()
        return empty_pb2.Empty()

    def _resource(self, sent: Any) -> Resource:
        """A resource with its inputs, and with what the cloud has answered."""
        outputs = plain(json_format.MessageToDict(sent.properties))
        depends = {name: tuple(each.urns) for name, each in sent.propertyDependencies.items()}
        with self._lock:
            own = self._inputs.get(sent.urn)
        if own is None:
            # One that this operation leaves as it is, or only reads: which of them, the engine does not tell.
            protect = sent.options.protect or Unknown("protect (which one that is only read does not need)")
            own = Resource(sent.urn, sent.type, sent.name, outputs, protect, tuple(sent.options.ignoreChanges))
        return replace(own, outputs=outputs, depends=depends)


def _today() -> date:
    """The same day for everybody, wherever a preview runs."""
    return datetime.now(tz=UTC).date()


def _diagnostics(verdict: Verdict) -> list[Any]:
    found = [_diagnostic(verdict, str(each), each.resource, verdict.level) for each in verdict.violations]
    found += [
        _diagnostic(
            verdict,
            f"exempted until {each.exemption.expires}: {each.exemption.reason}",
            each.violation.resource,
            "advisory",
        )
        for each in verdict.exempted
    ]
    # Never a pass: it is said, and judged when the update has made known what the preview could not know.
    return found + [_diagnostic(verdict, line, "", "advisory") for line in (*undecided(verdict), *idle(verdict))]


def _diagnostic(verdict: Verdict, message: str, urn: str, level: str) -> Any:
    return proto.AnalyzeDiagnostic(
        policyName=verdict.rule.id,
        policyPackName=NAME,
        policyPackVersion=VERSION,
        description=verdict.rule.title,
        message=f"{verdict.rule.title}\n{message}",
        enforcementLevel=LEVELS[level],
        urn=urn,
        severity=SEVERITIES[verdict.rule.severity],
    )
