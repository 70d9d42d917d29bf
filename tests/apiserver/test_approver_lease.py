"""One approver acts at a time, and whoever cannot renew its lease stops before another begins."""

from copy import deepcopy
from typing import Any

import pytest

from tests.apiserver.approver import api, lease


class Server:
    """The API server's side: one lease, versions, and conflicts; unavailable when told so."""

    def __init__(self) -> None:
        self.stored: dict[str, Any] | None = None
        self.version = 0
        self.away = False
        self.between: Any = None
        """Called once between a read and the write after it."""

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        if self.away:
            raise api.UnavailableError("away")
        if method == "GET":
            return (200, deepcopy(self.stored)) if self.stored else (404, {})
        between, self.between = self.between, None
        if between:
            between()
        assert body is not None
        current = "" if self.stored is None else self.stored["metadata"]["resourceVersion"]
        if body["metadata"].get("resourceVersion", "") != current:
            return 409, {}
        self.version += 1
        self.stored = deepcopy(body)
        self.stored["metadata"]["resourceVersion"] = str(self.version)
        return (201 if method == "POST" else 200), deepcopy(self.stored)


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(lease, "now", lambda: made.seconds)
    return made


@pytest.fixture
def server() -> Server:
    return Server()


def holder(server: Server) -> str | None:
    assert server.stored is not None
    held: str | None = server.stored["spec"].get("holderIdentity")
    return held


def test_the_first_to_ask_holds_it_and_the_second_stands_by(clock: Clock, server: Server) -> None:
    one, two = lease.Lease(server), lease.Lease(server)
    assert one.take()
    assert not two.take()
    assert (one.held, two.held) == (True, False)
    assert (holder(server), two.holder) == (one.identity, one.identity)


def test_a_second_process_of_the_same_machine_is_another_holder(clock: Clock, server: Server) -> None:
    assert lease.Lease(server).identity != lease.Lease(server).identity


def test_a_holder_that_renews_keeps_it_for_ever(clock: Clock, server: Server) -> None:
    one, two = lease.Lease(server), lease.Lease(server)
    for _ in range(100):
        assert one.take()
        assert not two.take()
        clock.seconds += lease.RENEW
        assert one.held
    assert server.stored is not None
    assert server.stored["spec"]["leaseTransitions"] == 1


def test_a_holder_that_cannot_renew_stops_before_another_begins(clock: Clock, server: Server) -> None:
    one, two = lease.Lease(server), lease.Lease(server)
    assert one.take()
    stopped = began = None
    for tenth in range(400):
        clock.seconds = 1000 + tenth / 10
        if stopped is None and not one.held:
            stopped = tenth / 10
        if began is None and two.take():
            began = tenth / 10
    assert (stopped, began) == (lease.DEADLINE, lease.DURATION + 0.1)
    assert holder(server) == two.identity


def test_whether_it_is_held_counts_from_before_the_renewal_was_sent(clock: Clock, server: Server) -> None:
    """A renewal that took long has been seen by the others long ago."""
    one = lease.Lease(server)

    def slow() -> None:
        clock.seconds += lease.DEADLINE

    server.between = slow
    assert one.take()
    assert not one.held


def test_an_api_server_that_is_away_renews_nothing_and_the_time_left_stays(clock: Clock, server: Server) -> None:
    one = lease.Lease(server)
    assert one.take()
    server.away = True
    clock.seconds += lease.DEADLINE - 0.1
    assert not one.take()
    assert one.held
    clock.seconds += 0.2
    assert not one.held
    server.away = False
    assert one.take()


def test_two_that_take_over_at_once_do_not_both_hold_it(clock: Clock, server: Server) -> None:
    gone, one, two = (lease.Lease(server) for _ in range(3))
    assert gone.take()
    assert not one.take()
    assert not two.take()
    clock.seconds += lease.DURATION + 1
    server.between = two.take
    assert not one.take()
    assert (one.held, two.held) == (False, True)


def test_two_that_create_it_at_once_do_not_both_hold_it(clock: Clock, server: Server) -> None:
    one, two = lease.Lease(server), lease.Lease(server)
    server.between = two.take
    assert not one.take()
    assert (one.held, two.held) == (False, True)


def test_what_was_sent_at_a_holder_s_last_moment_is_over_before_another_begins() -> None:
    assert lease.DEADLINE + api.TIMEOUT < lease.DURATION
    assert api.TIMEOUT < lease.DEADLINE - lease.RENEW


def test_the_clocks_of_two_machines_need_not_agree(clock: Clock, server: Server) -> None:
    """What counts is that nothing was renewed while one looked, not what the holder's clock had written."""
    one, two = lease.Lease(server), lease.Lease(server)
    assert one.take()
    assert server.stored is not None
    server.stored["spec"]["renewTime"] = "1999-01-01T00:00:00.000000Z"
    assert not two.take()
    clock.seconds += lease.DURATION
    assert not two.take()


def test_who_gives_it_up_acts_no_more_and_another_begins_at_once(clock: Clock, server: Server) -> None:
    one, two = lease.Lease(server), lease.Lease(server)
    assert one.take()
    one.give_up()
    assert not one.held
    assert two.take()
    one.give_up()
    assert holder(server) == two.identity


def test_who_has_lost_it_takes_it_from_nobody_by_giving_up(clock: Clock, server: Server) -> None:
    one, two = lease.Lease(server), lease.Lease(server)
    assert one.take()
    assert not two.take()
    clock.seconds += lease.DURATION + 1
    assert two.take()
    one.give_up()
    assert holder(server) == two.identity


def test_who_gives_up_a_lease_that_was_deleted_meanwhile_takes_the_next_one_from_nobody(
    clock: Clock, server: Server
) -> None:
    one, two = lease.Lease(server), lease.Lease(server)
    assert one.take()
    server.stored = None
    assert two.take()
    assert one.held
    one.give_up()
    assert holder(server) == two.identity
