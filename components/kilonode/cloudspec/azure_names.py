"""Names and keys a person may give to Azure: what each kind of resource allows."""

import base64
import binascii
import re
from typing import Annotated

from pydantic import AfterValidator

from kilonode.explain import Allowed
from kilonode.limits import (
    AZURE_DNS_TAGS,
    AZURE_KEY_VAULT_NAME,
    AZURE_RESOURCE_GROUP_NAME,
    AZURE_STORAGE_NAME,
    AZURE_STORAGE_TAG_NAME,
    AZURE_TAG_VALUE,
)
from kilonode.refusal import refuse

OWN_TAGS = 3
"""Tags this library puts on everything: they and the person's fit the resources that allow the fewest."""

TAGS_MAX = AZURE_DNS_TAGS.value - OWN_TAGS
RESERVED_TAGS = ("min", "max", "kilonode-", "cluster-autoscaler-", "k8s.io_")
"""The autoscaler's and this library's own; Azure compares tag names without regard to case."""

_GROUP = re.compile(r"[\w().-]*[\w()-]", re.ASCII)
_GROUP_ALLOWED = f"letters, digits and _ ( ) . -, no . at the end; at most {AZURE_RESOURCE_GROUP_NAME.value} characters"
_VAULT = re.compile(r"[A-Za-z](?:-?[A-Za-z0-9])*", re.ASCII)
_VAULT_ALLOWED = f"3 to {AZURE_KEY_VAULT_NAME.value} letters, digits and single dashes, a letter first and no dash last"
_STORAGE = re.compile(r"[a-z0-9]+", re.ASCII)
_STORAGE_ALLOWED = f"3 to {AZURE_STORAGE_NAME.value} lower-case letters and digits"
_SHORTEST = 3
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9._-]*", re.ASCII)
_TAG_ALLOWED = f"a letter, then letters, digits and . _ -; at most {AZURE_STORAGE_TAG_NAME.value} characters"
_KEY_ALLOWED = "one line of an OpenSSH public key, ssh-ed25519 or ssh-rsa of 2,048 bits or more"
_KEY_WHY = "it is the only way into a machine; passwords are off"
_RSA_BYTES = 256


def _group(value: str) -> str:
    if not _GROUP.fullmatch(value) or len(value) > AZURE_RESOURCE_GROUP_NAME.value:
        raise refuse(allowed=_GROUP_ALLOWED, why=AZURE_RESOURCE_GROUP_NAME.source, fix="rename it, or leave it out")
    return value


def _vault(value: str) -> str:
    if not _VAULT.fullmatch(value) or not _SHORTEST <= len(value) <= AZURE_KEY_VAULT_NAME.value:
        raise refuse(allowed=_VAULT_ALLOWED, why=AZURE_KEY_VAULT_NAME.source, fix="rename it, or leave it out")
    return value


def _storage(value: str) -> str:
    if not _STORAGE.fullmatch(value) or not _SHORTEST <= len(value) <= AZURE_STORAGE_NAME.value:
        raise refuse(allowed=_STORAGE_ALLOWED, why=AZURE_STORAGE_NAME.source, fix="rename it, or leave it out")
    return value


def _tags(value: dict[str, str]) -> dict[str, str]:
    if len(value) > TAGS_MAX:
        raise refuse(
            given=f"{len(value)} tags",
            allowed=f"at most {TAGS_MAX}",
            why=f"some resources take {AZURE_DNS_TAGS.value} tags in all, and {OWN_TAGS} are the region's own",
            fix="leave out what you can do without",
        )
    seen: dict[str, str] = {}
    for name, text in value.items():
        if not _TAG.fullmatch(name) or len(name) > AZURE_STORAGE_TAG_NAME.value:
            raise refuse(
                field=name,
                given=name,
                allowed=_TAG_ALLOWED,
                why=AZURE_STORAGE_TAG_NAME.source,
                fix="give the tag another name",
            )
        if any(name.lower() == each or (each[-1] in "-_" and name.lower().startswith(each)) for each in RESERVED_TAGS):
            raise refuse(
                field=name,
                given=name,
                allowed="a name that is not " + ", ".join(RESERVED_TAGS),
                why="by these tags the cluster autoscaler and this library know what is theirs",
                fix="give the tag another name",
            )
        if (other := seen.setdefault(name.lower(), name)) != name:
            raise refuse(
                field=name,
                given=name,
                allowed=f"another name than {other!r}",
                why="Azure compares tag names without regard to case",
                fix="remove one of the two",
            )
        if len(text) > AZURE_TAG_VALUE.value:
            raise refuse(
                field=name,
                given=f"{len(text)} characters",
                allowed=f"at most {AZURE_TAG_VALUE.value}",
                why=AZURE_TAG_VALUE.source,
                fix="shorten it",
            )
    return value


def _ssh_key(value: str) -> str:
    if "PRIVATE KEY" in value:
        raise refuse(
            given="a private key",
            allowed=_KEY_ALLOWED,
            why="it would be known to everybody who reads this file; now it is known",
            fix="throw the key away, make another with `ssh-keygen -t ed25519`, and write the line of its .pub file",
        )
    kind, _, rest = value.partition(" ")
    fix = "write the line of the key's .pub file"
    if kind not in ("ssh-ed25519", "ssh-rsa") or "\n" in value:
        raise refuse(allowed=_KEY_ALLOWED, why=_KEY_WHY, fix=fix)
    try:
        fields = _fields(base64.b64decode(rest.partition(" ")[0], validate=True))
    except (binascii.Error, ValueError, IndexError):
        fields = []
    if not fields or fields[0] != kind.encode():
        raise refuse(allowed=_KEY_ALLOWED, why=f"{_KEY_WHY}, and this is not the whole of a key", fix=fix)
    if kind == "ssh-rsa" and len(fields[-1].lstrip(b"\0")) < _RSA_BYTES:
        raise refuse(allowed=_KEY_ALLOWED, why="Azure takes no shorter RSA key", fix="use `ssh-keygen -t ed25519`")
    return value


def _fields(blob: bytes) -> list[bytes]:
    """The length-prefixed parts of a public key (RFC 4253, 6.6).

    Raises:
        ValueError: when the last part is cut off.
    """
    found = []
    while blob:
        length, blob = int.from_bytes(blob[:4]), blob[4:]
        if length > len(blob):
            raise ValueError("cut off")
        found.append(blob[:length])
        blob = blob[length:]
    return found


ResourceGroupName = Annotated[str, AfterValidator(_group), Allowed(_GROUP_ALLOWED)]
KeyVaultName = Annotated[str, AfterValidator(_vault), Allowed(_VAULT_ALLOWED)]
StorageAccountName = Annotated[str, AfterValidator(_storage), Allowed(_STORAGE_ALLOWED)]
Tags = Annotated[dict[str, str], AfterValidator(_tags)]
SshKey = Annotated[str, AfterValidator(_ssh_key), Allowed(_KEY_ALLOWED)]
