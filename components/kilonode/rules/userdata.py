"""Rules about what machines are told at first boot."""

from collections.abc import Iterator

from kilonode.boot.secrets import key_in
from kilonode.limits import AWS_USER_DATA, AZURE_CUSTOM_DATA
from kilonode.rules import subjects
from kilonode.rules.facts.machines import Machine, UserData
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import UndecidedError

_LIMITS = {"azure": AZURE_CUSTOM_DATA, "aws": AWS_USER_DATA}


@rule(
    "user-data-size", subjects.booting, severity="high", invariant=True,
    why="the cloud refuses the machine, often only when the autoscaler asks for it",
    source="Azure/aks-engine#1260, k0sproject/k0smotron#892", fix="compress it, or move what machines share into the image",
)  # fmt: skip
def size(subject: Machine | NodePool) -> Iterator[Fault]:
    """User data is within the cloud's limit."""
    limit = _LIMITS[subject.cloud]
    if not isinstance(subject.data, UserData):
        return
    if subject.data.size > limit.value:
        yield Fault("user data", f"{subject.data.size} bytes", f"at most {limit.value} {limit.unit}")
    elif subject.data.unread:
        raise UndecidedError(subject.data.unread)


@rule(
    "user-data-secrets", subjects.booting, severity="critical", invariant=True,
    why="whoever runs anything on the machine reads user data, and so does whoever reads the stack's state",
    source="kubernetes-sigs/cluster-api-provider-aws#2321, pulumi/pulumi#4163",
    fix="keep it in a secret store that the machine's own identity may read",
)  # fmt: skip
def secrets(subject: Machine | NodePool) -> Iterator[Fault]:
    """No key, token or password is in user data."""
    if isinstance(subject.data, UserData):
        found = {what for text in subject.data.texts if (what := key_in(text))}
        yield from (Fault("user data", what, "no key, token or password") for what in sorted(found))
        if subject.data.unread:
            raise UndecidedError(subject.data.unread)


RULES = (size, secrets)
