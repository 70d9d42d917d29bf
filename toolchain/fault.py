"""What goes wrong in the toolchain, said so that a person can act on it."""

from __future__ import annotations


class ToolchainError(Exception):
    """A tool cannot be found or built; the message says what, why and how to fix it."""
