"""Key material of a region on Azure: wherever it goes it goes as a secret, and it never is boot data, a name or a tag."""

import base64
import binascii
import contextlib
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from kilonode.clouds.azure.bundle import bundle
from tests.wiring.azure_monitor import CANARY, NATIVE, SHIPPED, SIGNATURE, Monitor, Recorder, shipped

_BASE64 = re.compile(r"[A-Za-z0-9+/]{12,}={0,2}")
KEY = " (a key)"
_DEEP = 6
"""Layers of encoding: the operator's is base64 of gzip of JSON of YAML with base64."""

TOKEN = re.compile(r"(?<![a-z0-9.])[a-z0-9]{6}\.[a-z0-9]{16}(?![a-z0-9.])|\beyJ[A-Za-z0-9_-]{10,}\.")
"""A bootstrap token of Kubernetes, and a JSON web token."""


def readings(text: str, deep: int = _DEEP) -> Iterator[str]:
    """``text``, and all that is base64 or gzip in it, to some depth."""
    yield text
    for word in _BASE64.findall(text) if deep else ():
        with contextlib.suppress(binascii.Error, ValueError):
            raw = base64.b64decode(word, validate=True)
            with contextlib.suppress(OSError, EOFError, zlib.error):
                raw = gzip.decompress(raw)
            yield from readings(raw.decode("utf-8", "ignore"), deep - 1)


def holds(text: str) -> bool:
    return any(CANARY in reading for reading in readings(text))


def texts(value: Any, path: str = "", *, secret: bool = False) -> Iterator[tuple[str, str, bool]]:
    """Every text in a value, keys among them: where it is, what, and whether it is within a secret."""
    match value:
        case dict():
            inside = secret or SIGNATURE in value
            for key, each in value.items():
                yield f"{path}.{key}{KEY}", key, inside
                yield from texts(each, f"{path}.{key}", secret=inside)
        case list():
            for index, each in enumerate(value):
                yield from texts(each, f"{path}[{index}]", secret=secret)
        case str():
            yield path, value, secret


@pytest.fixture(scope="module", params=SHIPPED)
def monitor(request: pytest.FixtureRequest) -> Monitor:
    return shipped(request.param, Recorder)


@pytest.mark.parametrize(
    "text",
    [
        CANARY,
        f"a: {CANARY}\n",
        bundle("m", {"x": CANARY}),
        base64.b64encode(bundle("m", {"x": CANARY}).encode()).decode(),
    ],
)
def test_the_search_finds_what_is_hidden(text: str) -> None:
    assert holds(text)
    assert not holds(bundle("m", {"x": "something else"}))


def test_key_material_is_in_a_request_as_a_secret_only(monitor: Monitor) -> None:
    plain, sealed = set(), set()
    for request in (*monitor.registered, *monitor.outputs):
        where = getattr(request, "name", "") or request.urn
        body = MessageToDict(request.object if hasattr(request, "object") else request.outputs)
        for path, text, secret in texts(body):
            if holds(text):
                (sealed if secret else plain).add(f"{where}{path}")
    assert plain == set()
    kept = {f"{name}.properties.value.value" for name in monitor.of("keyvault:Secret")}
    assert len(kept) > 10
    assert kept <= sealed


def test_every_output_that_is_key_material_is_declared_secret(monitor: Monitor) -> None:
    declared = {
        each.type.rpartition(":")[2]: set(each.additionalSecretOutputs)
        for each in monitor.registered
        if not each.type.startswith(NATIVE) and each.additionalSecretOutputs
    }
    assert declared == {
        "CertificateAuthority": {"key"},
        "SharedKey": {"content"},
        "MachineCredentials": {"files", "authorities", "shared"},
    }
    assert all(list(each.additionalSecretOutputs) == ["properties"] for each in monitor.of("keyvault:Secret").values())


def test_boot_data_holds_neither_key_material_nor_a_token_however_it_is_packed(monitor: Monitor) -> None:
    found = 0
    for request in monitor.registered:
        for path, text, secret in texts(MessageToDict(request.object)):
            if not path.endswith(".customData"):
                continue
            found += 1
            assert not secret, f"{request.name}: a preview of it could not be read"
            layers = list(readings(text))
            assert layers[1].startswith("#cloud-config\n")
            for layer in layers:
                assert CANARY not in layer
                assert "PRIVATE KEY" not in layer
                assert "-----BEGIN" not in layer
                assert not TOKEN.search(layer), request.name
    machines = len(monitor.of("compute:VirtualMachine")) + len(monitor.of("compute:VirtualMachineScaleSet"))
    assert found == machines > 0


def test_nothing_secret_is_a_name_a_tag_or_an_id(monitor: Monitor) -> None:
    for request in monitor.registered:
        assert not holds(request.name)
        assert not any(map(holds, request.dependencies))
        body = MessageToDict(request.object)
        for path, text, secret in texts(body):
            if path.endswith(KEY):
                assert not holds(text), f"{request.name}{path}"
            elif "name" in path.rpartition(".")[2].lower() or ".tags." in path:
                assert not holds(text), f"{request.name}{path}"
                assert not secret, f"{request.name}{path}"


def test_what_a_region_puts_out_names_where_the_operators_secret_is_and_not_what(monitor: Monitor) -> None:
    (region,) = (each for each in monitor.outputs if "kilonode:index:Region::" in each.urn)
    exported = MessageToDict(region.outputs)
    assert set(exported) == {"endpoint", "etcd", "operator", "nodes"}
    assert not holds(json.dumps(exported))
