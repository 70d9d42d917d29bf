"""Figures and durations as Go's programs write them."""

import re

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


_FIGURE = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,2})?", re.ASCII | re.IGNORECASE)


def figure(text: str) -> float | None:
    """The number; None where it is none, so that NaN is below and above nothing."""
    return float(text) if _FIGURE.fullmatch(text) else None


def seconds(text: str) -> float | None:
    """Seconds of a duration such as ``1h0m0s``; None where it is none."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)
