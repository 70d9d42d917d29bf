import shutil
import sys
from pathlib import Path

import pytest

from kilonode.clouds.local.host.elf import is_static


def test_a_program_with_a_dynamic_linker_is_not_static() -> None:
    assert not is_static(Path(shutil.which("bash") or "/bin/bash"))
    assert not is_static(Path(sys.executable).resolve())


def test_busybox_static_is(request: pytest.FixtureRequest) -> None:
    found = shutil.which("busybox")
    if not found:
        pytest.skip("busybox is not installed: `make setup`")
    assert is_static(Path(found))


@pytest.mark.parametrize(
    "content", [b"", b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF\x01\x01" + b"\0" * 100, b"\x7fELF\x02\x01" + b"\xff" * 100]
)
def test_what_is_no_program_of_64_bits_is_not(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    assert not is_static(file)
