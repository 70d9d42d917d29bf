"""A blob container, by the machine's managed identity. Blobs are made once and never replaced."""

import base64
import hashlib
from collections.abc import Mapping
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

from azure_machine import identity
from azure_machine.patience import NotYetError, pause_of
from azure_machine.web import CREATED, OK, Answer, call

RESOURCE = "https://storage.azure.com/"
API = "2021-12-02"
MISSING, CONFLICT, UNMET = 404, 409, 412
NO_BLOB, THERE = "BlobNotFound", ("BlobAlreadyExists", "ConditionNotMet")
ONCE = {"If-None-Match": "*"}
BLOCK = 32 * 2**20  # bytes; a blob takes 50,000 of them, so the largest etcd's quota allows fits


class Container:
    """The container at ``url``, as the machine's identity ``own``."""

    def __init__(self, url: str, own: str) -> None:
        self.url, self.own = url.rstrip("/"), own
        self._token = ""

    def has(self, name: str) -> bool:
        """Whether the blob is there; only the service's word that there is none counts as no.

        Raises:
            NotYetError: for every other answer.
        """
        answer = self._call("GET", name)
        if answer.status == MISSING and _code(answer) == NO_BLOB:
            return False
        self._expect(answer, OK, name)
        return True

    def create(self, name: str, content: bytes) -> bool:
        """Make a small blob; False when there is one of that name, which stays as it is."""
        return self._made(
            self._call("PUT", name, {**ONCE, "x-ms-blob-type": "BlockBlob", **_sum(content)}, content), name
        )

    def upload(self, name: str, file: Path) -> bool:
        """Make a blob of a file's content, block by block, each checked by the service; False when it is there."""
        blocks: list[str] = []
        with file.open("rb") as source:
            while content := source.read(BLOCK):
                block = base64.b64encode(f"{len(blocks):08d}".encode()).decode()
                answer = self._call("PUT", f"{name}?comp=block&blockid={quote(block, safe='')}", _sum(content), content)
                self._expect(answer, CREATED, name)
                blocks.append(block)
        listed = "".join(f"<Latest>{block}</Latest>" for block in blocks)
        body = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{listed}</BlockList>'.encode()
        return self._made(self._call("PUT", f"{name}?comp=blocklist", {**ONCE, **_sum(body)}, body), name)

    def _call(
        self, method: str, name: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Answer:
        self._token = self._token or identity.token(RESOURCE, self.own)
        own = {
            "Authorization": f"Bearer {self._token}",
            "x-ms-version": API,
            "x-ms-date": formatdate(usegmt=True),
            "Content-Type": "application/octet-stream",
        }
        return call(method, f"{self.url}/{name}", own | dict(headers or {}), body)

    def _made(self, answer: Answer, name: str) -> bool:
        if answer.status in (CONFLICT, UNMET) and _code(answer) in THERE:
            return False
        self._expect(answer, CREATED, name)
        return True

    def _expect(self, answer: Answer, status: int, name: str) -> None:
        if answer.status != status:
            self._token = ""  # it may be what was refused
            reason = f"{self.url}/{name.partition('?')[0]}: {answer.status} {_code(answer)}"
            raise NotYetError(reason, pause_of(answer.headers.get("Retry-After")))


def _code(answer: Answer) -> str:
    return answer.headers.get("x-ms-error-code") or ""


def _sum(content: bytes) -> dict[str, str]:
    return {"Content-MD5": base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()}
