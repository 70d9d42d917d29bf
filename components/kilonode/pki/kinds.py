"""The kinds of credentials there are, as rows: what is issued, and as which files it is delivered."""

from dataclasses import dataclass
from typing import Literal

Usage = Literal["server", "client"]


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, delivered as ``<service>/<file>.crt`` and ``.key``; ``service`` may be a path."""

    service: str
    file: str
    signer: str
    common_name: str
    usages: tuple[Usage, ...]
    organizations: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Authority:
    """The certificate of an authority, delivered as ``<service>/<file>.crt``; never its key.

    ``also`` names a second authority whose certificate stands in the same file: both are trusted.
    """

    service: str
    file: str
    signer: str
    also: str = ""

    @property
    def signers(self) -> tuple[str, ...]:
        """The authorities in the file, in order."""
        return (self.signer, self.also) if self.also else (self.signer,)


@dataclass(frozen=True)
class SigningAuthority:
    """The certificate and the key of an authority whose holder signs, delivered as ``<service>/<file>.crt`` and ``.key``."""

    service: str
    file: str
    signer: str


@dataclass(frozen=True)
class SharedKey:
    """Key material several machines share, delivered as ``<service>/<file>``."""

    service: str
    file: str
    key: Literal["service-account", "encryption"]


Credential = Certificate | Authority | SigningAuthority | SharedKey


def files(credential: Credential) -> tuple[str, ...]:
    """The files a credential is delivered as, below the service's folder."""
    match credential:
        case Certificate() | SigningAuthority():
            return f"{credential.file}.crt", f"{credential.file}.key"
        case Authority():
            return (f"{credential.file}.crt",)
        case SharedKey():
            return (credential.file,)
