"""Figures, durations and truths as Go's programs write them."""

import re

_NUMBER = r"(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})"
_PART = re.compile(rf"({_NUMBER})(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_DURATION = re.compile(rf"(?P<sign>[+-]?)(?:0|(?P<parts>(?:{_PART.pattern})+))", re.ASCII)
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
_FIGURE = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,2})?", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(
    r"(?P<sign>[+-]?)(?:0(?:x(?P<hex>(?:_?[0-9a-f]){1,16})|b(?P<bits>(?:_?[01]){1,64})|o?(?P<octal>(?:_?[0-7]){1,22}))"
    r"|(?P<plain>0|[1-9](?:_?[0-9]){0,18}))",
    re.ASCII | re.IGNORECASE,
)
_BASES = {"hex": 16, "bits": 2, "octal": 8, "plain": 10}
_INT64 = range(-(2**63), 2**63)
_TRUTHS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def figure(text: str) -> float | None:
    """The number; None where it is none, so that NaN is below and above nothing."""
    return float(text) if _FIGURE.fullmatch(text) else None


def whole(text: str) -> int | None:
    """The whole number, also with a base's prefix and ``_`` between digits (strconv.ParseInt, base 0); None where it is none."""
    found = _WHOLE.fullmatch(text)
    if not found:
        return None
    (number,) = (int(digits, _BASES[name]) for name in _BASES if (digits := (found[name] or "").replace("_", "")))
    number = -number if found["sign"] == "-" else number
    return number if number in _INT64 else None


def seconds(text: str) -> float | None:
    """Seconds of a duration such as ``1h0m0s``; None where it is none. Only 0 needs no unit."""
    given = _DURATION.fullmatch(text)
    if not given:
        return None
    total = sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(given["parts"] or ""))
    return -total if given["sign"] == "-" else total


def truth(text: str | None) -> bool | None:
    """What a flag for a truth says; None where it is not given, or where Go takes it for none (strconv.ParseBool)."""
    return None if text is None else _TRUTHS.get(text)
