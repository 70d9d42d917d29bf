"""systemd itself says how long a span is, and when a word of its calendar comes next."""

import math
import re
import subprocess
from datetime import datetime
from itertools import pairwise

import pytest

from kilonode.rules.read.schedules import rarer

pytestmark = pytest.mark.tools

SPANS = (
    "86400", "90 sec", "2hr", "1M", "100m", "23h 61min", "1.5d", "1y", "2 days", "1 w", "1month", "3years", "1d 12hours",
    "5seconds", "1mo", "3 fortnights", "1 2",
)  # fmt: skip
WORDS = (
    "minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually", "semi-annually", "biannually", "bi-annually",
    "yearly", "annually", "anually",
)  # fmt: skip


def said(*words: str) -> str | None:
    done = subprocess.run(["systemd-analyze", *words], capture_output=True, encoding="utf-8", check=False)
    return None if done.returncode else done.stdout


@pytest.mark.parametrize("span", SPANS)
def test_a_span_is_as_long_as_systemd_takes_it(span: str) -> None:
    text = said("timespan", span)
    found = re.search(r"μs: (\d+)", text or "")
    hours = math.ceil(int(found[1]) / 3.6e9) if found else 0
    assert not rarer((span,), max(hours, 1))
    assert hours <= 1 or rarer((span,), hours - 1)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_comes_as_rarely_as_systemd_has_it(word: str) -> None:
    text = said("calendar", "--base-time=2023-06-01 UTC", "--iterations=60", word) or ""
    times = [datetime.fromisoformat(each) for each in re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?= UTC)", text)]
    hours = math.ceil(max((b - a).total_seconds() for a, b in pairwise(times)) / 3600)
    assert not rarer((word,), hours)
    assert hours <= 1 or rarer((word,), hours - 1)
