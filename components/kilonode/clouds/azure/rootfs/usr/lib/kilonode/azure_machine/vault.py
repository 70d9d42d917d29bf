"""One secret of a Key Vault: the files of this machine, as one bundle. Nothing said here repeats what is in one."""

import base64
import gzip
import json
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from azure_machine.patience import REPAIR, NotYetError, pause_of
from azure_machine.web import OK, call

RESOURCE = "https://vault.azure.net"
API = "7.4"


class Bundle(NamedTuple):
    """Files by their path below the machine's folder of secrets, and which version of the secret they are."""

    version: str
    files: dict[str, str]


def read(vault: str, name: str, token: str) -> Bundle:
    """Read the secret ``name`` of the vault at the URL ``vault``.

    Raises:
        NotYetError: for every refusal, as a role assignment takes minutes to arrive and the secret may be made after
            the machine; rarely asked again when the secret is there and is no bundle.
    """
    answer = call("GET", f"{vault}/secrets/{name}?api-version={API}", {"Authorization": f"Bearer {token}"})
    said = _said(answer.body)
    if answer.status != OK:
        code = said.get("error", {}).get("code", "")
        raise NotYetError(f"{vault}: {answer.status} {code}", pause_of(answer.headers.get("Retry-After")))
    try:
        return Bundle(said["id"].rpartition("/")[2], unpack(said["value"]))
    except ValueError as wrong:
        raise NotYetError(f"{vault}: the secret {wrong}", REPAIR) from None


def unpack(value: str) -> dict[str, str]:
    """The files in a secret's value: JSON of path to content, gzipped, in base64.

    Raises:
        ValueError: saying what is wrong with its form.
    """
    try:
        files = json.loads(gzip.decompress(base64.b64decode(value, validate=True)))
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"is not gzipped JSON in base64 ({type(error).__name__})") from None
    if not isinstance(files, dict) or not files or not all(isinstance(text, str) for text in files.values()):
        raise ValueError("holds no files")
    for path in files:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or str(pure) != path or not pure.parts:
            raise ValueError(f"has {path!r}, which is no plain relative path")
    return files


def _said(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
