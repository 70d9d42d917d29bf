"""A machine's secrets on their way from Key Vault to its disk: whole or not at all, its own only, and never said."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kilonode.clouds.azure.bundle import bundle
from tests.clouds.azure.conftest import ME, OWN, Cloud, WaitsForEverError, asked
from tests.oracles.azure.cloud import TOKEN
from tests.oracles.azure.programs import loaded

from azure_machine import delivery, vault  # isort: skip

program = loaded("machine-secrets")

CANARY = "canary-content"
FILES = {"etcd/ca.crt": f"{CANARY} 1\n", "etcd/server.key": f"{CANARY} 2\n", "encryption.yaml": f"{CANARY}\r\n\u00e9"}


def packed(document: Any) -> str:
    """Gzipped JSON in base64, whatever it says."""
    return base64.b64encode(gzip.compress(json.dumps(document).encode())).decode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cloud: Cloud) -> Path:
    facts = tmp_path / "azure.json"
    facts.write_text(json.dumps({"vault": cloud.vault, "secret": "mine", "identity": OWN}))
    where = tmp_path / "kilonode" / "secrets"
    where.parent.mkdir()
    monkeypatch.setattr(program, "FACTS", facts)
    monkeypatch.setattr(delivery.deliver, "__defaults__", (where,))
    monkeypatch.setattr(delivery.held, "__defaults__", (where,))
    return where


def tree(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file with its content and mode; nothing else may lie in or beside the folder in force."""
    files = [path for path in folder.resolve().rglob("*") if path.is_file()]
    beside = [path for path in folder.parent.rglob("*") if path.is_file()]
    assert sorted(files) == sorted(beside)
    found = ((path, path.relative_to(folder.resolve())) for path in files)
    return {str(name): (path.read_bytes().decode(), path.stat().st_mode & 0o777) for path, name in found}


def exactly(files: dict[str, str]) -> dict[str, tuple[str, int]]:
    return {name: (text, 0o400) for name, text in files.items()}


def test_the_files_of_the_secret_arrive_for_root_alone(cloud: Cloud, folder: Path) -> None:
    cloud.put("mine", bundle("mine", FILES))
    program.main("await")
    assert tree(folder) == exactly(FILES)
    inside = [folder.resolve(), *(path for path in folder.resolve().rglob("*") if path.is_dir())]
    assert {path.stat().st_mode & 0o777 for path in (*inside, folder.resolve().parent)} == {0o700}
    assert cloud.state.wrongs() == []


def test_it_waits_for_a_role_assignment_and_for_a_secret_that_comes_later(
    cloud: Cloud, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = iter(
        [
            lambda: cloud.state.write("machines", {"*": ME | {"secrets": []}}),
            lambda: cloud.state.write("machines", {"*": ME}),
            lambda: cloud.trouble(vault=429),
            lambda: cloud.trouble(vault=503),
            lambda: cloud.trouble(metadata=410),
            lambda: (cloud.trouble(), cloud.put("mine", bundle("mine", FILES))),
        ]
    )

    def sleep(seconds: float) -> None:
        cloud.sleep(seconds)
        if len(cloud.pauses) >= 2:
            next(turns)()

    monkeypatch.setattr("azure_machine.patience.time.sleep", sleep)
    program.main("await")
    assert asked(cloud, "vault") == [403, 404, 429, 503, 200]
    assert tree(folder) == exactly(FILES)
    assert cloud.state.wrongs() == []


def test_files_that_are_no_longer_in_the_bundle_go_and_the_others_are_the_new_ones(cloud: Cloud, folder: Path) -> None:
    cloud.put("mine", bundle("mine", FILES))
    program.main("await")
    new = {"etcd/ca.crt": "another\n", "kubelet/client.key": "more\n"}
    cloud.put("mine", bundle("mine", new))
    program.main("renew")
    assert tree(folder) == exactly(new)


def test_a_bundle_that_has_not_changed_is_not_written_again(
    cloud: Cloud, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.put("mine", bundle("mine", FILES))
    program.main("await")
    before = folder.resolve()
    program.main("renew")
    assert folder.resolve() == before
    assert capsys.readouterr().err.splitlines()[-1].endswith("3 files, as they were")


@pytest.mark.parametrize("dies_at", range(5))
def test_a_run_that_dies_half_way_leaves_the_old_bundle_whole_and_the_next_run_cleans_up(
    dies_at: int, cloud: Cloud, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivery.deliver(FILES, folder)
    new = {f"etcd/{number}": "new" for number in range(4)}
    written: list[str] = []
    for name in ("_write", "_sync"):
        right = getattr(delivery, name)

        def dying(*arguments: Any, right: Any = right) -> None:
            if len(written) == dies_at:
                raise SystemExit("power")
            written.append("one")
            right(*arguments)

        monkeypatch.setattr(delivery, name, dying)
    with pytest.raises(SystemExit, match="power"):
        delivery.deliver(new, folder)
    assert delivery.held(folder) == FILES
    monkeypatch.undo()
    delivery.deliver(new, folder)
    assert tree(folder) == exactly(new)


BROKEN = [
    "",
    "not base64!",
    "bm90IGd6aXBwZWQ=",
    packed(["a", "list"]),
    packed({}),
    packed({"file": 7}),
    packed({"/etc/shadow": CANARY}),
    packed({"../outside": CANARY}),
    packed({"a/../../outside": CANARY}),
    packed({"a//b": CANARY}),
    packed({".": CANARY}),
    packed({"": CANARY}),
    packed(FILES)[:-8],
]


@pytest.mark.parametrize("value", BROKEN)
def test_a_secret_that_is_no_bundle_changes_nothing_and_is_not_repeated_in_words(value: str) -> None:
    with pytest.raises(
        ValueError, match=r"^(is not gzipped JSON|holds no files|has '.*', which is no plain)"
    ) as refused:
        vault.unpack(value)
    assert CANARY not in str(refused.value)
    assert not value or value not in str(refused.value)


def test_a_renewal_that_fails_says_so_and_leaves_what_is_there(
    cloud: Cloud, folder: Path, impatient: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    delivery.deliver(FILES, folder)
    cloud.put("mine", "broken")
    with pytest.raises(SystemExit) as failed:
        program.main("renew")
    assert failed.value.code == 1
    assert sum(impatient) <= program.RENEWAL
    assert tree(folder) == exactly(FILES)
    assert "the secret is not gzipped JSON in base64" in capsys.readouterr().err


def test_a_machine_with_secrets_of_an_earlier_boot_comes_up_while_the_vault_is_away(
    cloud: Cloud, folder: Path, impatient: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    delivery.deliver(FILES, folder)
    cloud.trouble(vault=503)
    with pytest.raises(SystemExit) as ended:
        program.main("await")
    assert ended.value.code == 0
    assert sum(impatient) <= program.ENOUGH
    assert tree(folder) == exactly(FILES)
    assert capsys.readouterr().err.splitlines()[-1].endswith("those that are there stay in force")


def test_a_machine_without_any_waits_as_long_as_it_takes(cloud: Cloud, folder: Path, impatient: list[float]) -> None:
    cloud.trouble(vault=503)
    with pytest.raises(WaitsForEverError):
        program.main("await")
    assert sum(impatient) > 1800
    assert not folder.exists()


def test_neither_content_nor_a_token_is_ever_said(
    cloud: Cloud, folder: Path, impatient: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.put("mine", bundle("mine", FILES))
    program.main("await")
    for value in (*BROKEN, packed(FILES | {"/": CANARY})):
        cloud.put("mine", value)
        with pytest.raises(SystemExit):
            program.main("renew")
    cloud.state.write("machines", {"*": ME | {"secrets": []}})
    with pytest.raises(SystemExit):
        program.main("renew")
    captured = capsys.readouterr()
    said = captured.err + captured.out
    assert "3 files, written" in said
    assert CANARY not in said
    assert TOKEN not in said
