"""A machine's secrets as one value of Key Vault."""

import base64
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.clouds.azure.bundle import bundle
from kilonode.limits import AZURE_SECRET
from tests.oracles.azure.programs import FOLDER  # noqa: F401 - puts the machine's modules on the path

from azure_machine import vault  # isort: skip

FILES = st.dictionaries(
    st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?\.(crt|key)", fullmatch=True), st.text(max_size=200), min_size=1, max_size=8
)


@given(FILES)
def test_the_machine_reads_the_files_that_were_put_in(files: dict[str, str]) -> None:
    assert vault.unpack(bundle("west-api-1", files)) == files


@given(FILES)
def test_the_same_files_are_the_same_secret_whatever_their_order(files: dict[str, str]) -> None:
    assert bundle("m", dict(reversed(files.items()))) == bundle("m", files)


def test_no_clock_is_in_it() -> None:
    """Bytes 4 to 7 of gzip's header are a time (case W03)."""
    assert base64.b64decode(bundle("m", {"a": "b"}))[4:8] == bytes(4)


def test_what_is_too_long_is_refused_with_the_largest_files_and_none_of_their_content() -> None:
    noise = {f"file-{number}": secrets.token_hex(1000 * number) for number in range(1, 9)}
    with pytest.raises(ValueError, match=r"the secret of west-api-1 has \d+ characters, the limit is 25000") as refused:
        bundle("west-api-1", noise)
    assert "largest files: file-8 (16000 characters), file-7 (14000 characters), file-6" in str(refused.value)
    assert not any(text[:20] in str(refused.value) for text in noise.values())


def test_the_limit_is_on_what_is_stored() -> None:
    assert len(bundle("m", {"a": "x" * 1_000_000})) <= AZURE_SECRET.value
