"""Rules about what machines are told at first boot."""

import re
from collections.abc import Iterator

from kilonode.limits import AWS_USER_DATA, AZURE_CUSTOM_DATA
from kilonode.rules import subjects
from kilonode.rules.facts import Machine, NodePool, UserData
from kilonode.rules.rule import Fault, rule

_LIMITS = {"azure": AZURE_CUSTOM_DATA, "aws": AWS_USER_DATA}
_SECRETS = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|client-key-data:\s*\S"),
    "a bootstrap token": re.compile(r"(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])"),
    "an access key": re.compile(r"\bAKIA[0-9A-Z]{16}\b|\bAccountKey=\S"),
}


@rule(
    "user-data-size", subjects.booting, severity="high", invariant=True,
    why="the cloud refuses the machine, often only when the autoscaler asks for it",
    source="Azure/aks-engine#1260, k0sproject/k0smotron#892", fix="compress it, or move what machines share into the image",
)  # fmt: skip
def size(subject: Machine | NodePool) -> Iterator[Fault]:
    """User data is within the cloud's limit."""
    limit = _LIMITS[subject.cloud]
    if isinstance(subject.data, UserData) and subject.data.size > limit.value:
        yield Fault("user data", f"{subject.data.size} bytes", f"at most {limit.value} {limit.unit}")


@rule(
    "user-data-secrets", subjects.booting, severity="critical", invariant=True,
    why="whoever runs anything on the machine reads user data, and so does whoever reads the stack's state",
    source="design: secrets travel apart; kubernetes-sigs/cluster-api-provider-aws#2321",
    fix="keep it in a secret store that the machine's own identity may read",
)  # fmt: skip
def secrets(subject: Machine | NodePool) -> Iterator[Fault]:
    """No key and no token is in user data."""
    if isinstance(subject.data, UserData):
        text = "\n".join(subject.data.texts)
        for what, pattern in _SECRETS.items():
            if pattern.search(text):
                yield Fault("user data", what, "no key and no token")


RULES = (size, secrets)
