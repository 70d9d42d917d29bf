"""Facts about stores."""

from dataclasses import dataclass

from kilonode.rules.unknown import Fact


@dataclass(frozen=True)
class Storage:
    """A store of blobs, of secrets or of files."""

    resource: str
    name: str
    opened: Fact[str | None]
    """What lets anybody read it; None where nothing does."""

    protected: Fact[bool]
    holds: Fact[str | None] = None
    """Why what is in it cannot be made anew; None where nothing says so."""
