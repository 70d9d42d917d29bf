"""What starts more rarely than a limit is told from what starts as often, and from what nobody here can read."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.rules.read.schedules import UNREAD, rarer

DAY = 24


@pytest.mark.parametrize(
    ("schedule", "hours", "rare"),
    [
        # systemd's and cron's words.
        ("minutely", 1, False), ("hourly", 1, False), ("daily", DAY, False), ("daily", 23, True), ("@midnight", DAY, False),
        ("weekly", DAY, True), ("weekly", 168, False), ("@weekly", 167, True), ("Monthly", 31 * DAY, False),
        ("monthly", 30 * DAY, True), ("quarterly", 92 * DAY, False), ("quarterly", 91 * DAY, True),
        ("semi-annually", 184 * DAY, False), ("semiannually", 183 * DAY, True), ("yearly", 366 * DAY, False),
        ("@annually", 365 * DAY, True), ("anually", DAY, True), ("@yearly", DAY, True),
        # systemd's spans.
        ("86400", DAY, False), ("86401", DAY, True), ("1d", DAY, False), ("2 days", DAY, True), ("23h 60min", DAY, False),
        ("23h 61min", DAY, True), ("1w", 168, False), ("1M", DAY, True), ("1m", DAY, False), ("1.5d", DAY, True), ("1y", DAY, True),
        ("90 sec", 1, False),
        # Go's durations.
        ("@every 24h", DAY, False), ("@every 720h", DAY, True), ("@every 1h30m", 1, True),
        # Lines of cron.
        ("* * * * *", 1, False), ("0 * * * *", 1, False), ("*/30 2 * * *", DAY, False), ("0 2 * * *", 23, True),
        ("0 2,14 * * *", 12, False), ("0 2,15 * * *", 12, True), ("0 2 * * 1-5", DAY, True), ("0 2 * * 1-5", 72, False),
        ("0 2 * * sun", 168, False), ("0 0 1 * *", 30 * DAY, True), ("0 0 1 * *", 31 * DAY, False), ("* * 1 * *", DAY, True),
        ("0 0 1 JAN *", 366 * DAY, False), ("0 0 1 1 *", 365 * DAY, True), ("0 0 */2 * *", DAY, True), ("0 0 1-31 * *", DAY, False),
        ("* * */20 * 1L", 366 * DAY, True),
        # What is not read.
        (UNREAD, 1, False), ("*-*-01 00:00:00", 1, False), ("Mon 03:00", 1, False), ("@reboot", 1, False), ("infinity", 1, False),
        ("61 * * * *", 1, False), ("0 0 ? * *", 1, False), ("a b c d e", 1, False), ("TZ=UTC 0 0 1 * *", 1, False),
        ("0 0 31 2 *", 1, False), ("1" * 5000 + " * * * *", 1, False), ("@every soon", 1, False), ("3 fortnights", 1, False),
    ],
)  # fmt: skip
def test_what_starts_more_rarely_is_told(schedule: str, hours: int, rare: bool) -> None:
    assert rarer((schedule,), hours) is rare


@pytest.mark.parametrize(
    ("schedules", "rare"),
    [
        (("weekly", "0 0 * * 2-7"), False),
        (("weekly", "0 0 * * 2-6"), True),
        (("0 2 * * 1-5", "0 2 * * 0,6"), False),
        (("0 2 * * 1-5", "0 2 * * 0"), True),
        (("0 2 1-20 * *", "0 2 21-31 * *"), False),
        (("* * */20 * 1L", "0 2 * * *"), False),
        (("monthly", "daily"), False),
        (("monthly", "30d"), True),
        (("monthly", "0 0 * * *"), False),
        (("monthly", "0 0 1 * *"), True),
        (("monthly", UNREAD), False),
    ],
)
def test_what_starts_by_several_schedules_is_as_often_as_all_of_them(schedules: tuple[str, ...], rare: bool) -> None:
    assert rarer(schedules, DAY) is rare


def test_a_day_on_which_it_starts_often_tells_nothing_of_the_others() -> None:
    assert rarer(("0 2 * * *", "0 * * * 1,2"), 12)


@given(
    st.lists(st.text(max_size=20) | st.from_regex(r"([0-9*/,-]{1,4} ){4}[0-9*/,-]{1,4}", fullmatch=True), max_size=3)
)
def test_no_text_is_a_crash(schedules: list[str]) -> None:
    rarer(tuple(schedules), DAY)


@pytest.mark.parametrize(
    "schedules",
    [
        ("0,30 * * * 0-6",), ("0 0 30 2 *",), ("* * 29 2 *",), ("*/7 */5 */3 * 1,3,5",), ("1" * 400_000,),
        ("0-59/1," * 20_000 + "0 * * * *",), tuple(f"{n % 60} {n // 60} * * 0-6" for n in range(1440)),
        tuple(f"{n % 60} {n % 24} {1 + n % 31} {1 + n % 12} {n % 7}" for n in range(1440)),
    ],
)  # fmt: skip
def test_schedules_are_read_in_no_time(schedules: tuple[str, ...]) -> None:
    began = time.process_time()
    rarer(schedules, 1)
    assert time.process_time() - began < 5
