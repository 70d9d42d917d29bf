"""A token by the machine's identity: what is asked, what is asked again, and who never sees it."""

import importlib
import socket
from types import SimpleNamespace
from typing import Any

import pytest

from tests.clouds.azure.conftest import OWN, Cloud
from tests.oracles.azure import metadata
from tests.oracles.azure.cloud import Reply, Request, State, serve, token
from tests.oracles.azure.programs import FOLDER  # noqa: F401 - puts the machine's modules on the path

from azure_machine import identity, patience, web  # isort: skip

VAULT = "https://vault.azure.net"


def test_it_asks_until_the_identity_has_arrived_and_waits_at_least_a_second_each_time(cloud: Cloud) -> None:
    assert patience.insist(lambda: identity.token(VAULT, OWN)) == token("me", VAULT)
    tokens = [row["status"] for row in cloud.state.requests("metadata") if row["path"] == metadata.TOKEN_PATH]
    assert tokens == [404, 429, 200]
    assert cloud.state.wrongs() == []
    assert len(cloud.pauses) == 2
    assert min(cloud.pauses) >= 1


def test_it_names_its_own_identity_as_a_policy_may_have_given_the_machine_others(cloud: Cloud) -> None:
    patience.insist(lambda: identity.token(VAULT, OWN))
    named = {row["query"].get("msi_res_id") for row in cloud.state.requests("metadata")} - {None}
    assert named == {f"/subscriptions/{metadata.SUBSCRIPTION}/{OWN}"}


def test_another_s_identity_is_not_this_machine_s(cloud: Cloud) -> None:
    with pytest.raises(patience.NotYetError, match="Identity not found"):
        identity.token(VAULT, OWN.replace("/me", "/you"))


@pytest.mark.parametrize(
    ("reply", "least"),
    [
        (Reply(404), 0),
        (Reply(429), 0),
        (Reply(429, headers={"Retry-After": "17"}), 17),
        (Reply(500), 0),
        (Reply(503, b"<html>starting</html>"), 0),
        (Reply(410), 10),
        (Reply.document(400, {"error": "invalid_request", "error_description": "Identity not found"}), 0),
        (Reply.document(400, {"error": "invalid_resource", "error_description": "no"}), 60),
        (Reply(403), 60),
        (Reply(302, headers={"Location": "http://127.0.0.1:1/"}), 60),
        (Reply(200, b"{}"), 60),
    ],
)
def test_a_refusal_of_a_moment_is_asked_again_soon_and_any_other_rarely(
    reply: Reply, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "call", lambda *_: web.Answer(reply.status, reply.headers, reply.body))
    with pytest.raises(patience.NotYetError) as refused:
        identity.token(VAULT, OWN)
    assert refused.value.pause == least


def test_pauses_grow_up_to_half_a_minute_and_are_scattered(impatient: list[float]) -> None:
    def never() -> None:
        raise patience.NotYetError("no")

    with pytest.raises(patience.NotYetError, match="no"):
        patience.insist(never, 600)
    assert sum(impatient) <= 600
    steps = [1, 2, 4, 8, 16, *[30] * (len(impatient) - 5)]
    assert all(step <= pause <= 1.5 * step for step, pause in zip(steps, impatient, strict=True))
    assert len(set(impatient)) == len(impatient)


def test_a_pause_that_is_asked_for_is_kept(impatient: list[float]) -> None:
    reasons = iter([patience.NotYetError("no", 100), patience.NotYetError("no", 0.5)])

    def attempt() -> str:
        for reason in reasons:
            raise reason
        return "yes"

    assert patience.insist(attempt) == "yes"
    assert impatient[0] >= 100
    assert 2 <= impatient[1] <= 3


def test_a_reason_is_said_once_and_again_only_when_it_changes_or_much_later(
    impatient: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    reasons = iter(["one", "one", "two", *["two"] * 40])

    def attempt() -> None:
        raise patience.NotYetError(next(reasons, "two"))

    with pytest.raises(patience.NotYetError):
        patience.insist(attempt, 700)
    said = capsys.readouterr().err.splitlines()
    assert said == ["waiting: one", "waiting: two", "waiting: two"]


def test_no_answer_at_all_is_asked_again(monkeypatch: pytest.MonkeyPatch, cloud: Cloud) -> None:
    # Bound and not listening: nobody else answers there meanwhile.
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        answers = iter([f"http://127.0.0.1:{port}/", identity.SERVICE, identity.SERVICE, identity.SERVICE])

        def attempt() -> str:
            monkeypatch.setattr(identity, "SERVICE", next(answers))
            return str(identity.token(VAULT, OWN))

        assert patience.insist(attempt) == token("me", VAULT)
    assert len(cloud.pauses) == 3


def test_no_proxy_is_used_whatever_the_environment_says(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    # As at a program's start: the environment is read when the module is.
    assert importlib.reload(web).call("GET", f"{identity.SERVICE}/identity/oauth2/token", {}).status == 400


def test_a_redirect_is_an_answer_and_its_target_sees_no_token(cloud: Cloud) -> None:
    seen: list[Request] = []

    def elsewhere(_state: State, request: Request) -> Reply:
        seen.append(request)
        return Reply(200)

    other = serve(cloud.state, SimpleNamespace(NAME="other", answer=elsewhere), "127.0.0.1", 0)
    target = f"http://127.0.0.1:{other.server_address[1]}/"

    def pointing(*_: Any) -> Reply:
        return Reply(302, headers={"Location": target})

    first = serve(cloud.state, SimpleNamespace(NAME="first", answer=pointing), "127.0.0.1", 0)
    answer = web.call("GET", f"http://127.0.0.1:{first.server_address[1]}/", {"Authorization": "Bearer secret"})
    assert (answer.status, seen) == (302, [])
    for server in (first, other):
        server.shutdown()
        server.server_close()
