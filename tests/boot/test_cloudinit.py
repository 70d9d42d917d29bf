"""Boot data reaches a machine as it was meant: same bytes every time, any value intact, small."""

import gzip
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kilonode.boot.cloudinit import HEADER, compressed, user_data
from kilonode.boot.machine import BootData, File, dump_yaml, environment
from kilonode.limits import BOOT_DATA, BOOT_DATA_PLAIN

PEM = "-----BEGIN CERTIFICATE-----\nMIIB+jCCAaGgAwIBAgIU\n\n-----END CERTIFICATE-----\n"
NASTY = [
    "a: b", "#x", "a #x", PEM, "trailing spaces   ", "trailing\nspaces   \n", "  leading", " leading\nof a block\n",
    "@", "@x", "yes", "no", "on",
    "null", "~", "0777", "1_000", "12:30:00", "1e3", "2026-11-29", "", "\n", "\n\n", "x\n\n\n", "\t", "a\tb\n\tc\n",
    "- x", "? x", "!x", "&x", "*x",
    "{x}", "[x]", "%x", "`x`", "|", ">", "'", '"', "\\", "\\n", "a'b\"c", "{{ $labels.x }}",
    "${HOME} $(x)", "é ☃ 🐧", "\x00", "\x7f", "\x85",
    "\u2028", "\ufeff", "a\r\nb\r\n", "a\rb", "---", "...", "---\n---\n", "#cloud-config\n", "=", "<<", "x: |\n  y\n",
]  # fmt: skip


def boot(*files: File, hostname: str = "west-api-1") -> BootData:
    return BootData(hostname=hostname, files=files, units=(), sysctls=())


def written(text: str) -> dict[str, str]:
    """What cloud-init would write: path to content."""
    assert text.splitlines()[0] == "#cloud-config"
    return {entry["path"]: entry["content"] for entry in yaml.safe_load(text)["write_files"]}


@pytest.mark.parametrize("value", NASTY, ids=repr)
def test_a_nasty_value_lands_on_the_machine_unchanged(value: str) -> None:
    assert written(user_data(boot(File("/etc/x", value))))["/etc/x"] == value


@given(st.text(max_size=200), st.text(max_size=30))
def test_any_text_lands_on_the_machine_unchanged(content: str, path: str) -> None:
    entries = yaml.safe_load(user_data(boot(File(f"/{path}", content))))["write_files"]
    assert (entries[0]["path"], entries[0]["content"]) == (f"/{path}", content)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_any_plain_value_is_read_back_from_its_yaml(value: object) -> None:
    assert yaml.safe_load(dump_yaml(value)) == value


def test_the_first_line_is_exactly_what_cloud_init_looks_for() -> None:
    assert HEADER == "#cloud-config\n"
    assert user_data(boot()).startswith("#cloud-config\n")


def test_modes_are_text_so_that_yaml_does_not_read_them_as_numbers() -> None:
    entries = yaml.safe_load(user_data(boot(File("/etc/x", "x", mode=0o777), File("/etc/y", "y"))))["write_files"]
    assert [entry["permissions"] for entry in entries[:2]] == ["0777", "0644"]


def test_keys_keep_the_order_they_are_given_in() -> None:
    assert dump_yaml({"b": 1, "a": 2}) == "b: 1\na: 2\n"


def test_text_of_several_lines_is_a_block_that_a_person_can_read() -> None:
    assert dump_yaml({"x": "a: 1\nb\n"}) == "x: |\n  a: 1\n  b\n"


def test_shared_values_are_written_out_without_aliases() -> None:
    shared = ["x"]
    assert "&" not in dump_yaml({"a": shared, "b": shared})


def test_the_same_text_is_compressed_to_the_same_bytes_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before = compressed("x" * 1000)
    monkeypatch.setattr(time, "time", lambda: 4_000_000_000.0)
    assert compressed("x" * 1000) == before
    assert before[4:8] == b"\0\0\0\0"
    assert gzip.decompress(before) == b"x" * 1000


def test_two_runs_with_other_hash_seeds_make_the_same_bytes() -> None:
    """Sets and dictionaries in the wrong place would replace every machine at each preview."""
    program = (
        "import hashlib\nfrom kilonode.boot.cloudinit import compressed, user_data\n"
        "from tests.plans import biggest, boots\n"
        "data = boots(biggest())\n"
        "everything = b''.join(name.encode() + compressed(user_data(data[name])) for name in data)\n"
        "print(hashlib.sha256(everything).hexdigest())\n"
    )
    command = [sys.executable, "-c", program]
    runs = [
        subprocess.Popen(command, env=os.environ | {"PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True)
        for seed in ("0", "4711")
    ]
    digests = [run.communicate()[0].strip() for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert len(digests[0]) == 64
    assert digests[0] == digests[1]


def letters(count: int) -> str:
    return "".join(random.Random(1).choices("0123456789abcdef", k=count))  # noqa: S311 - nothing secret, only hard to compress


@pytest.mark.parametrize("make", [lambda: letters(20_000), lambda: letters(80_000)])
def test_boot_data_that_stays_too_large_when_compressed_is_refused_with_the_largest_file(
    make: Callable[[], str],
) -> None:
    data = boot(File("/etc/small", "x"), File("/etc/large", make()))
    with pytest.raises(
        ValueError, match=r"west-api-1: \d+ bytes gzipped, the limit is 8192 .*largest files: /etc/large"
    ):
        user_data(data)


def test_the_size_before_compression_counts_too_as_azure_takes_it_as_it_is() -> None:
    fits = user_data(boot(File("/etc/large", "key: value\n" * 1_800)))
    assert BOOT_DATA.value < len(fits) <= BOOT_DATA_PLAIN.value == 32_767
    with pytest.raises(ValueError, match=r"west-api-1: \d+ bytes, the limit is 32767 .*largest files: /etc/large"):
        user_data(boot(File("/etc/large", "key: value\n" * 20_000)))


def test_the_limit_is_exact() -> None:
    """Whatever is accepted is within the limit, and a little more is refused for being above it."""
    text = letters(40_000)

    def refused(count: int) -> str:
        try:
            user_data(boot(File("/etc/x", text[:count])))
        except ValueError as error:
            return str(error)
        return ""

    low, high = 1, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refused(middle) else (middle, high)
    size = len(compressed(user_data(boot(File("/etc/x", text[:low])))))
    (above,) = re.findall(r": (\d+) bytes gzipped, the limit is", refused(high))
    assert size <= BOOT_DATA.value < int(above) < size + 8


@pytest.mark.parametrize(
    "flag", ["--a=b c", "--a=$HOME", '--a="b"', "--a='b'", "--a=b\\", "--a=b\n", "--a=\t", "--a=b\u00a0c"]
)
def test_a_flag_that_systemd_would_take_apart_is_refused(flag: str) -> None:
    with pytest.raises(ValueError, match="would not survive"):
        environment("FLAGS", ("--fine=1", flag))


def test_flags_are_one_line_in_double_quotes() -> None:
    assert environment("FLAGS", ("--a=1;2", "--b=#,%")) == 'FLAGS="--a=1;2 --b=#,%"\n'
