"""What makes a name new: vaults and secrets keep theirs for months after they are deleted, and give them to nobody.

The provider class is pickled by reference: its module path and name are part of every stack's state.
"""

import secrets
from typing import Any

import pulumi
from pulumi import dynamic

LENGTH = 6
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"

PLACEHOLDER = "x" * LENGTH
"""As long as a token, where only the length counts."""


class GenerationProvider(dynamic.ResourceProvider):
    """Draws a token when the resource is made; it stays what it is for as long as that lives."""

    serialize_as_secret_always = False

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:  # noqa: ARG002 - the base class decides the signature
        """Draw the token."""
        token = "".join(secrets.choice(_LETTERS) for _ in range(LENGTH))
        return dynamic.CreateResult(token, {"token": token})

    def diff(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.DiffResult:
        """Never."""
        return dynamic.DiffResult(changes=False)


class Generation(dynamic.Resource, module="azure", name="Generation"):
    """A token for the name of what is kept after its deletion. Outputs: ``token``."""

    token: pulumi.Output[str]

    def __init__(self, name: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__(GenerationProvider(), f"{name}-generation", {"token": None}, opts)
