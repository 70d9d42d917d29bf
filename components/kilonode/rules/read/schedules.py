"""How often something starts: words and spans of systemd's timers, lines of cron, and schedules of CronJobs."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

from cronsim import CronSim, CronSimError

from kilonode.rules import go

UNREAD = ""
"""Stands for a schedule that nobody here can read."""

_DAY = 24.0
_WORDS = {
    "minutely": 1 / 60,
    "hourly": 1.0,
    **dict.fromkeys(("daily", "midnight"), _DAY),
    "weekly": 7 * _DAY,
    "monthly": 31 * _DAY,
    "quarterly": 92 * _DAY,
    **dict.fromkeys(("semiannually", "semi-annually", "biannually", "bi-annually"), 184 * _DAY),
    **dict.fromkeys(("yearly", "annually", "anually"), 366 * _DAY),
}
"""Hours at most between two starts (systemd.time(7), calendar events; crontab(5)); each is a special case of a calendar."""

_UNITS = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1 / 3600),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 1 / 60),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 1.0),
    **dict.fromkeys(("d", "day", "days"), _DAY),
    **dict.fromkeys(("w", "week", "weeks"), 7 * _DAY),
    **dict.fromkeys(("M", "month", "months"), 30.44 * _DAY),
    **dict.fromkeys(("y", "year", "years"), 365.25 * _DAY),
}
"""Hours; a number without a unit is one of seconds (systemd.time(7), time spans)."""

_PART = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([A-Za-z]{0,7})", re.ASCII)
_FIELDS = 5
_BEGIN = datetime(2024, 1, 1)
"""Of a year with every day there is."""

_YEAR = timedelta(days=366)
_FAULTS = (CronSimError, ValueError)
"""Of a line that is none, and of a figure that Python takes for too long."""


@cache
def rarer(schedules: tuple[str, ...], hours: int) -> bool:
    """Whether two starts may be further apart than that, by all of the schedules together; not where one cannot be read."""
    lines = [each for each in schedules if _hours(each) is None]
    if any((own := _hours(each)) is not None and own <= hours for each in schedules):
        return False
    try:
        return _apart(lines, timedelta(hours=hours))
    except _FAULTS:
        return False


def _hours(schedule: str) -> float | None:
    """Hours at most between two starts; None for what is neither a word nor a span."""
    if schedule.startswith("@every "):
        found = go.seconds(schedule.removeprefix("@every ").strip())
        return None if found is None else found / 3600
    if (word := schedule.lower().removeprefix("@")) in _WORDS:
        return _WORDS[word]
    parts = _PART.findall(schedule)
    whole = not _PART.sub("", schedule).strip() and all(unit in _UNITS for _, unit in parts)
    # Several numbers without units are fields of cron.
    if not parts or not whole or (len(parts) > 1 and not all(unit for _, unit in parts)):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _apart(lines: Sequence[str], most: timedelta) -> bool:
    """Whether two starts by lines of cron may be further apart, in a year from their first; so it is where nothing comes.

    Raises:
        ValueError, CronSimError: for a line that is none.
    """
    if any(len(each.split()) != _FIELDS for each in lines):
        raise ValueError(lines)
    tick = timedelta(seconds=1)
    begins = [found for each in lines if (found := next(CronSim(each, _BEGIN - tick), None))]
    if not begins:
        return True
    at = min(begins)
    # Where every day has the same, two tell.
    daily = any(each.split()[2:] == ["*", "*", "*"] for each in lines)
    end = at + (timedelta(days=2) if daily else _YEAR)
    while at < end:
        last = max(next(CronSim(each, at + most + tick, reverse=True), at) for each in lines)
        if last <= at:
            return True
        at = last
    return False
