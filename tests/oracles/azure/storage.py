"""Block blobs: Get Blob, Put Blob, Put Block, Put Block List, as https://learn.microsoft.com/rest/api/storageservices has them."""

import base64
import hashlib
import re
from email.utils import parsedate_to_datetime
from pathlib import Path
from xml.etree import ElementTree as Xml

from tests.oracles.azure.cloud import Reply, Request, State

NAME = "storage"
AUDIENCE = "https://storage.azure.com"
VERSION = re.compile(r"20\d\d-\d\d-\d\d")
FIRST_WITH_TOKENS = "2017-11-09"


def answer(state: State, request: Request) -> Reply:
    """What the account says."""
    wrong = _wrong(request)
    if wrong:
        return _error(400, "InvalidHeaderValue", wrong)
    holder = state.holder(request.headers.get("Authorization") or "", AUDIENCE)
    if holder is None:
        return _error(401, "InvalidAuthenticationInfo", "no token for this audience")
    container, _, blob = request.path.lstrip("/").partition("/")
    if container not in holder["containers"]:
        return _error(403, "AuthorizationPermissionMismatch")
    folder = state.folder / "blobs" / container
    if not folder.is_dir():
        return _error(404, "ContainerNotFound")
    file = folder / blob.replace("/", "%")
    if request.method == "GET":
        return Reply(200, file.read_bytes()) if file.is_file() else _error(404, "BlobNotFound")
    if request.method == "PUT":
        return _put(request, file)
    return _error(405, "UnsupportedHttpVerb", "no such operation")


def _put(request: Request, file: Path) -> Reply:
    staged = file.with_name(f".{file.name}.blocks")
    kind = request.query.get("comp")
    if kind == "block":
        block = request.query["blockid"]
        if len(base64.b64decode(block, validate=True)) > 64:
            return _error(400, "InvalidQueryParameterValue", "blockid")
        staged.mkdir(exist_ok=True)
        if any(len(each.name) != len(block.encode().hex()) for each in staged.iterdir()):
            return _error(400, "InvalidBlobOrBlock", "block ids of different lengths")
        (staged / block.encode().hex()).write_bytes(request.body)
        return Reply(201)
    if file.exists() and request.headers.get("If-None-Match") == "*":
        return _error(409, "BlobAlreadyExists")
    if file.exists():
        return _error(409, "BlobImmutableDueToPolicy", "a blob is replaced")
    if kind == "blocklist":
        names = [each.text or "" for each in Xml.fromstring(request.body)]  # noqa: S314 - a test sends it
        blocks = [staged / name.encode().hex() for name in names]
        if not all(block.is_file() for block in blocks):
            return _error(400, "InvalidBlockList", "a block that was never sent")
        file.write_bytes(b"".join(block.read_bytes() for block in blocks))
        return Reply(201)
    if request.headers.get("x-ms-blob-type") != "BlockBlob":
        return _error(400, "MissingRequiredHeader", "x-ms-blob-type")
    file.write_bytes(request.body)
    return Reply(201)


def _wrong(request: Request) -> str:
    version = request.headers.get("x-ms-version") or ""
    if not VERSION.fullmatch(version) or version < FIRST_WITH_TOKENS:
        return "x-ms-version"
    try:
        parsedate_to_datetime(request.headers.get("x-ms-date") or "")
    except ValueError:
        return "x-ms-date"
    if request.method == "PUT" and request.headers.get("Content-Length") is None:
        return "Content-Length"
    sent = request.headers.get("Content-MD5")
    if sent and sent != base64.b64encode(hashlib.md5(request.body, usedforsecurity=False).digest()).decode():
        return "Content-MD5"
    return ""


def _error(status: int, code: str, wrong: str = "") -> Reply:
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode()
    return Reply(status, body, {"x-ms-error-code": code, "Content-Type": "application/xml"}, wrong)
