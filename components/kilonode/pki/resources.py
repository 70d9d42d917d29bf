"""Key material as Pulumi resources: authorities, shared keys, and the credentials of one machine.

The provider classes are pickled by reference: their module path and names are part of every stack's state.
Keys live in the state as secrets only, encrypted by the stack's own secrets provider.
"""

import base64
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.apiserver.settings import encryption
from kilonode.boot.machine import dump_yaml
from kilonode.pki.issue import Pair, due, issue, new_authority, new_key
from kilonode.pki.kinds import Authority, Certificate, Credential, SharedKey, SigningAuthority, files

Props = dict[str, Any]
KEY_BYTES = 32  # secretbox's key size

_KINDS: dict[str, type[Credential]] = {
    kind.__name__: kind for kind in (Certificate, Authority, SigningAuthority, SharedKey)
}


class AuthorityProvider(dynamic.ResourceProvider):
    """Creates a certificate authority once; a new name is a new authority."""

    serialize_as_secret_always = False

    def create(self, props: Props) -> dynamic.CreateResult:
        """Make the key and the self-signed certificate."""
        pair = new_authority(props["common_name"])
        outs = {"common_name": props["common_name"], "certificate": pair.certificate, "key": pair.key}
        return dynamic.CreateResult(props["common_name"], outs)

    def diff(self, _id: str, olds: Props, news: Props) -> dynamic.DiffResult:
        """Replace when it is to be called otherwise: whoever trusts the old one does not trust the new."""
        changed = olds.get("common_name") != news.get("common_name")
        return dynamic.DiffResult(changes=changed, replaces=["common_name"] if changed else [])


class CertificateAuthority(dynamic.Resource, module="pki", name="CertificateAuthority"):
    """A certificate authority that signs leaves; its key is a secret output."""

    certificate: pulumi.Output[str]
    key: pulumi.Output[str]

    def __init__(self, name: str, *, common_name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        props = {"common_name": common_name, "certificate": None, "key": None}
        super().__init__(AuthorityProvider(), name, props, _secret(opts, "key"))

    @property
    def pair(self) -> pulumi.Output[dict[str, str]]:
        """Certificate and key, secret as a whole."""
        return pulumi.Output.secret(pulumi.Output.all(certificate=self.certificate, key=self.key))


class SharedKeyProvider(dynamic.ResourceProvider):
    """Creates key material that several machines share, once."""

    serialize_as_secret_always = False

    def create(self, props: Props) -> dynamic.CreateResult:
        """Make the key named by ``key``."""
        match props["key"]:
            case "service-account":
                content = new_key()
            case "encryption":
                content = dump_yaml(encryption(base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()))
            case other:
                raise ValueError(f"there is no shared key called {other!r}")
        return dynamic.CreateResult(props["key"], {"key": props["key"], "content": content})

    def diff(self, _id: str, _olds: Props, _news: Props) -> dynamic.DiffResult:
        """Never changes by itself: a new key would make stored secrets unreadable and tokens invalid."""
        return dynamic.DiffResult(changes=False)


class SharedKeyMaterial(dynamic.Resource, module="pki", name="SharedKey"):
    """The service-account signing key, or the encryption configuration with its key."""

    content: pulumi.Output[str]

    def __init__(self, name: str, *, key: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(SharedKeyProvider(), name, {"key": key, "content": None}, _secret(opts, "content"))


class CredentialsProvider(dynamic.ResourceProvider):
    """Issues the credentials of one machine; an update reissues only what changed or runs out."""

    serialize_as_secret_always = False

    def create(self, props: Props) -> dynamic.CreateResult:
        """Issue everything."""
        return dynamic.CreateResult(props["machine"], _issued(props, {}))

    def diff(self, _id: str, olds: Props, news: Props) -> dynamic.DiffResult:
        """Changed when a row or its signer did, or a certificate has to be renewed."""
        changed = (
            _recorded(olds) != _recorded(news)
            or olds.get("signers") != news.get("signers")
            or any(
                due(olds["files"][f"{row['service']}/{row['file']}.crt"])
                for row in olds.get("rows", [])
                if row["kind"] == Certificate.__name__
            )
        )
        replaced = olds.get("machine") != news.get("machine")
        return dynamic.DiffResult(changes=changed or replaced, replaces=["machine"] if replaced else [])

    def update(self, _id: str, olds: Props, news: Props) -> dynamic.UpdateResult:
        """Keep each certificate whose row and signer are the same and that is not due."""
        return dynamic.UpdateResult(_issued(news, olds))


class MachineCredentials(dynamic.Resource, module="pki", name="MachineCredentials"):
    """The credential files of one machine: ``<service>/<file>`` to content, secret."""

    files: pulumi.Output[dict[str, str]]

    def __init__(
        self,
        name: str,
        *,
        machine: str,
        rows: Sequence[Credential],
        authorities: Mapping[str, CertificateAuthority],
        shared: Mapping[str, SharedKeyMaterial],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        used = sorted(
            {row.signer for row in rows if isinstance(row, Certificate | SigningAuthority)}
            | {signer for row in rows if isinstance(row, Authority) for signer in row.signers}
        )
        keys = sorted({row.key for row in rows if isinstance(row, SharedKey)})
        props = {
            "machine": machine,
            "rows": [{"kind": type(row).__name__, **_plain(row)} for row in rows],
            "signers": {signer: authorities[signer].certificate for signer in used},
            "authorities": {signer: authorities[signer].pair for signer in used},
            "shared": {key: shared[key].content for key in keys},
            "files": None,
        }
        super().__init__(CredentialsProvider(), name, props, _secret(opts, "files", "authorities", "shared"))


def _issued(props: Props, olds: Props) -> Props:
    """All files of a machine: reissued, or kept from ``olds`` where they still hold."""
    before = {(row["service"], row["file"]): row for row in _recorded(olds)}
    contents: dict[str, str] = {}
    for row in props["rows"]:
        credential = _credential(row)
        paths = [f"{credential.service}/{file}" for file in files(credential)]
        match credential:
            case SharedKey():
                contents[paths[0]] = props["shared"][credential.key]
            case Authority():
                contents[paths[0]] = "".join(
                    props["authorities"][signer]["certificate"] for signer in credential.signers
                )
            case SigningAuthority():
                own = props["authorities"][credential.signer]
                contents |= dict(zip(paths, (own["certificate"], own["key"]), strict=True))
            case Certificate():
                same = (
                    before.get((credential.service, credential.file)) == row
                    and olds["signers"].get(credential.signer) == props["signers"][credential.signer]
                    and not due(olds["files"][paths[0]])
                )
                if same:
                    contents |= {path: olds["files"][path] for path in paths}
                else:
                    pair = issue(credential, Pair(**props["authorities"][credential.signer]))
                    contents |= dict(zip(paths, (pair.certificate, pair.key), strict=True))
    return {
        "machine": props["machine"],
        "rows": props["rows"],
        "signers": props["signers"],
        "files": contents,
    }


def _recorded(props: Props) -> list[Props]:
    """The rows of a state; one written by an older version has one organization, as text."""
    rows = []
    for row in props.get("rows", []):
        one = row.get("organization")
        fields = {key: value for key, value in row.items() if key != "organization"}
        rows.append(row if one is None else {**fields, "organizations": [one] if one else []})
    return rows


def _credential(row: Props) -> Credential:
    """The inverse of :func:`_plain`; lists come back as the tuples they were."""
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items() if key != "kind"}
    kind: Any = _KINDS[row["kind"]]
    made: Credential = kind(**fields)
    return made


def _plain(row: Credential) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(row).items()}


def _secret(opts: pulumi.ResourceOptions | None, *outputs: str) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(additional_secret_outputs=list(outputs)))
