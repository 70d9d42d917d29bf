"""The credentials of one machine: reissued only where a row or its signer changed, or time runs out."""

from dataclasses import asdict, replace
from functools import cache
from typing import Any

import pytest
import yaml

from kilonode.pki import resources
from kilonode.pki.credentials import pool_credentials
from kilonode.pki.issue import new_authority
from kilonode.pki.kinds import Authority, Certificate, Credential, SharedKey, SigningAuthority
from kilonode.pki.resources import AuthorityProvider, CredentialsProvider, SharedKeyProvider
from tests.plans import credentials, plan


@cache
def pair(name: str, generation: int = 0) -> dict[str, str]:
    """An authority's key pair; the next generation has the same name and another key."""
    assert generation in (0, 1)
    return asdict(new_authority(name))


def rows() -> tuple[Credential, ...]:
    return credentials(plan())["west-etcd-main-1"]


def props(of: tuple[Credential, ...], renewed: str = "") -> dict[str, Any]:
    """What the engine hands the provider for ``of``; ``renewed`` has a new key pair."""
    signers = {
        name
        for row in of
        if not isinstance(row, SharedKey)
        for name in (row.signers if isinstance(row, Authority) else (row.signer,))
    }
    pairs = {name: pair(name, 1 if name == renewed else 0) for name in signers}
    plain = [
        {
            "kind": type(row).__name__,
            **{key: list(value) if isinstance(value, tuple) else value for key, value in asdict(row).items()},
        }
        for row in of
    ]
    return {
        "machine": "west-etcd-main-1", "rows": plain, "authorities": pairs, "shared": {},
        "signers": {name: made["certificate"] for name, made in pairs.items()},
    }  # fmt: skip


def updated(before: dict[str, Any], news: dict[str, Any]) -> dict[str, str]:
    files: dict[str, str] = (CredentialsProvider().update("", before, news).outs or {})["files"]
    return files


@cache
def created() -> dict[str, Any]:
    return dict(CredentialsProvider().create(props(rows())).outs or {})


def changed(files: dict[str, str]) -> set[str]:
    return {path for path in files if files[path] != created()["files"].get(path)}


def test_a_machine_is_given_every_file_of_its_rows_and_no_other() -> None:
    assert set(created()["files"]) == {
        "etcd/ca.crt", "etcd/peer-ca.crt", "etcd/client-ca.crt", "etcd/server.crt", "etcd/server.key",
        "etcd/peer.crt", "etcd/peer.key", "etcd/client.crt", "etcd/client.key",
    }  # fmt: skip


def test_what_the_state_keeps_of_a_machine_has_no_key_of_an_authority() -> None:
    text = str(created())
    assert all(pair(name)["key"] not in text for name in ("etcd", "etcd-main-peers"))
    assert set(created()) == {"machine", "rows", "signers", "files"}


def test_nothing_changed_means_no_change_and_the_same_files() -> None:
    news = props(rows())
    assert CredentialsProvider().diff("", created(), news).changes is False
    assert changed(updated(created(), news)) == set()


def test_a_state_of_the_time_when_a_certificate_had_one_organization_is_read_and_nothing_is_reissued() -> None:
    def older(row: dict[str, Any]) -> dict[str, Any]:
        if row["kind"] != "Certificate":
            return row
        (*_, organization) = ["", *row["organizations"]]
        return {key: value for key, value in row.items() if key != "organizations"} | {"organization": organization}

    machine = credentials(plan())["west-api-1"]
    masters = tuple(row for row in machine if row.service in ("kilonode-bootstrap", "kube-scheduler"))
    now = dict(CredentialsProvider().create(props(masters)).outs or {})
    before = now | {"rows": [older(row) for row in now["rows"]]}
    assert {row["organization"] for row in before["rows"] if "organization" in row} == {"", "system:masters"}
    assert CredentialsProvider().diff("", before, props(masters)).changes is False
    assert updated(before, props(masters)) == now["files"]
    demoted = tuple(replace(row, organizations=()) if isinstance(row, Certificate) else row for row in masters)
    assert CredentialsProvider().diff("", before, props(demoted)).changes is True
    assert {path for path, text in updated(before, props(demoted)).items() if text != now["files"][path]} == {
        "kilonode-bootstrap/client.crt", "kilonode-bootstrap/client.key",
    }  # fmt: skip


def test_who_signs_for_nodes_is_given_the_authority_itself_and_both_files_change_with_it() -> None:
    signing = (SigningAuthority("approver", "nodes", "nodes"),)
    before = dict(CredentialsProvider().create(props(signing)).outs or {})
    assert before["files"] == {
        "approver/nodes.crt": pair("nodes", 0)["certificate"],
        "approver/nodes.key": pair("nodes", 0)["key"],
    }
    assert CredentialsProvider().diff("", before, props(signing)).changes is False
    news = props(signing, renewed="nodes")
    assert CredentialsProvider().diff("", before, news).changes is True
    after = updated(before, news)
    assert after == {
        "approver/nodes.crt": pair("nodes", 1)["certificate"],
        "approver/nodes.key": pair("nodes", 1)["key"],
    }


def test_nodes_of_a_pool_have_a_folder_each_and_a_new_node_reissues_nothing_of_the_others() -> None:
    def grown(nodes: int) -> dict[str, Any]:
        workers = {"name": "workers", "kind": "machines", "nodes": nodes, "range": "10.66.0.0/16"}
        (pool,) = plan(nodePools=[workers]).machine_pools
        return props(pool_credentials(pool))

    before = dict(CredentialsProvider().create(grown(2)).outs or {})
    assert set(before["files"]) == {
        f"west-workers-0000{number}/{file}" for number in range(2) for file in (
            "kubelet/ca.crt", "kubelet/bootstrap.crt", "kubelet/bootstrap.key",
            "kube-proxy/ca.crt", "kube-proxy/client.crt", "kube-proxy/client.key",
        )
    }  # fmt: skip
    after = updated(before, grown(3))
    assert {path: text for path, text in after.items() if not path.startswith("west-workers-00002/")} == before["files"]
    assert len(after) == 18


def test_a_changed_row_reissues_that_certificate_only() -> None:
    edited = tuple(
        replace(row, names=("localhost", "another")) if isinstance(row, Certificate) and row.file == "server" else row
        for row in rows()
    )
    news = props(edited)
    assert CredentialsProvider().diff("", created(), news).changes is True
    assert changed(updated(created(), news)) == {"etcd/server.crt", "etcd/server.key"}


def test_a_changed_authority_reissues_what_it_signed_and_nothing_else() -> None:
    news = props(rows(), renewed="etcd-main-peers")
    assert CredentialsProvider().diff("", created(), news).changes is True
    assert changed(updated(created(), news)) == {
        "etcd/peer-ca.crt", "etcd/client-ca.crt", "etcd/peer.crt", "etcd/peer.key", "etcd/client.crt", "etcd/client.key",
    }  # fmt: skip


def test_certificates_that_run_out_are_reissued_and_authorities_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    before = created()
    monkeypatch.setattr(resources, "due", lambda certificate: certificate == before["files"]["etcd/client.crt"])
    assert CredentialsProvider().diff("", before, props(rows())).changes is True
    assert changed(updated(before, props(rows()))) == {"etcd/client.crt", "etcd/client.key"}


def test_another_machine_is_given_credentials_of_its_own() -> None:
    news = props(rows()) | {"machine": "west-etcd-main-2"}
    assert CredentialsProvider().diff("", created(), news).replaces == ["machine"]


def test_an_authority_is_replaced_by_a_new_name_and_by_nothing_else() -> None:
    olds = dict(AuthorityProvider().create({"common_name": "west-etcd"}).outs or {})
    assert AuthorityProvider().diff("", olds, {"common_name": "west-etcd"}).changes is False
    assert AuthorityProvider().diff("", olds, {"common_name": "east-etcd"}).replaces == ["common_name"]


def test_shared_keys_are_new_each_time_and_never_change_by_themselves() -> None:
    made = [
        dict(SharedKeyProvider().create({"key": key}).outs or {})["content"]
        for key in ("encryption", "encryption", "service-account")
    ]
    assert len(set(made)) == 3
    assert yaml.safe_load(made[0])["kind"] == "EncryptionConfiguration"
    assert SharedKeyProvider().diff("", {"key": "encryption"}, {"key": "service-account"}).changes is False


def test_a_shared_key_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="no shared key called 'other'"):
        SharedKeyProvider().create({"key": "other"})
