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
_LINES = {
    "minutely": "* * * * *",
    "hourly": "0 * * * *",
    **dict.fromkeys(("daily", "midnight"), "0 0 * * *"),
    "weekly": "0 0 * * 1",
    "monthly": "0 0 1 * *",
    "quarterly": "0 0 1 1,4,7,10 *",
    **dict.fromkeys(("semiannually", "semi-annually", "biannually", "bi-annually"), "0 0 1 1,7 *"),
    **dict.fromkeys(("yearly", "annually", "anually"), "0 0 1 1 *"),
}
"""Lines of cron for words (systemd.time(7), calendar events); cron's own week begins a day earlier (crontab(5))."""

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
_DAYS = tuple(_BEGIN + timedelta(days=number) for number in range(366 + 365))
"""Of two years, one of them a leap year: the longest time there is between two starts of one line that comes every year."""

_FAULTS = (CronSimError, ValueError)
"""Of a line that is none, and of a figure that Python takes for too long."""


@cache
def rarer(schedules: tuple[str, ...], hours: int) -> bool:
    """Whether two starts may be further apart than that, by all of the schedules together; not where one cannot be read."""
    spans = {each: _hours(each) for each in schedules}
    if any(span is not None and span <= hours for span in spans.values()):
        return False
    lines = [_LINES.get(each.lower().removeprefix("@"), each) for each, span in spans.items() if span is None]
    try:
        return not lines or _apart(lines, 60 * hours)
    except _FAULTS:
        return False


def _hours(schedule: str) -> float | None:
    """Hours between two starts; None for what is no span."""
    if schedule.startswith("@every "):
        found = go.seconds(schedule.removeprefix("@every ").strip())
        return None if found is None else found / 3600
    parts = _PART.findall(schedule)
    whole = not _PART.sub("", schedule).strip() and all(unit in _UNITS for _, unit in parts)
    # Several numbers without units are fields of cron.
    if not parts or not whole or (len(parts) > 1 and not all(unit for _, unit in parts)):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _apart(lines: Sequence[str], most: int) -> bool:
    """Whether two starts by lines of cron may be more minutes apart; so it is where nothing comes.

    Raises:
        ValueError, CronSimError: for a line that is none.
    """
    days = [0] * len(_DAYS)
    for each in lines:
        if len(each.split()) != _FIELDS:
            raise ValueError(each)
        line = CronSim(each, _BEGIN)
        hour = sum(1 << (59 - minute) for minute in line.minutes)
        minutes = sum(hour << 60 * (23 - number) for number in line.hours)
        for number, day in enumerate(_DAYS):
            if day.month in line.months and line.match_day(day):
                days[number] |= minutes
    # A figure for each minute: 1 where something starts.
    return "0" * most in "".join(f"{day:01440b}" for day in days)
