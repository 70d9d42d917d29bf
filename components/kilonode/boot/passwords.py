"""Passwords in a text: a word for one with a value behind it that is one, and no name of where it is."""

import base64
import re

_WORD = re.compile(
    r"(?i:password|passphrase|plain_text_passwd)(?P<sep>[\"']?[ \t]*[:=][ \t]*)(?P<value>[^\r\n]{1,256})"
)
"""With the rest of its line; what has a word behind that (passwordAuthentication, password-file) is another setting."""

_QUOTED = re.compile(r"\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'")
_BARE = re.compile(r"(?P<bare>[^\s,;}\]\"'()]+)[ \t]*(?:[,;}\]]|#.*|$)")
_PLACE = re.compile(r"[/$!&*|>{<%]|[\w+.-]+:/|[*•x.]+$", re.IGNORECASE)
"""How a path, a variable, a template, a tag of YAML, a URL and a blank begin; none of them is the password itself."""

_NONE = frozenset(
    {
        "",
        "null",
        "none",
        "nil",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "str",
        "string",
        "required",
        "optional",
        "random",
    }
)
_LEAST = 4
_VARIABLE = re.compile(r"(?:^|[\s;]|Environment=[\"']?)(?:export\s+)?[A-Za-z_.-]*$")
"""What may stand before an assignment that is one, and no argument of a function."""

_ADDRESS = re.compile(r"://[^\s/:@\"'<>]{0,64}:(?P<given>[^\s/@\"'<>]{1,128})@(?!sha\d)")
_OPTION = re.compile(
    r"\b(?:curl\b[^\n]{0,256}?[ \t](?:-[A-Za-z]{0,8}[uU][ \t]*|--(?:proxy-)?user[ \t=]+)[\"']?[^\s:\"'$]{1,64}:"
    r"|login\b[^\n]{0,256}?[ \t](?:-p|--password)[ \t=]+[\"']?)(?P<given>[^\s\"']{1,128})"
)
"""A password in a URL (a digest is behind a tag), and as an option of a command that logs in."""

_LOGIN = re.compile(r"[\"']auth[\"']\s{0,8}:\s{0,8}[\"'](?P<auth>[A-Za-z0-9+/]{8,512}={0,2})[\"']")
_LOGINS = re.compile(r"\.dockerconfigjson[\"']?[ \t]*:[ \t]*[\"']?[A-Za-z0-9+/]{20}")
_CHPASSWD = re.compile(
    r"[\w.-]{1,64}:(?P<piped>[^\s'\"$]{1,128})['\"]?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd\b"
    r"|\bchpasswd:[ \t]*\r?\n(?:[ \t]+\w+:[ \t]*\w*[ \t]*\r?\n){0,4}?[ \t]+list:[ \t]*[|>]?[-+]?[ \t]*\r?\n"
    r"(?P<rows>(?:[ \t]+(?:-[ \t]+)?[^\r\n]{1,256}(?:\r?\n|$)){1,64})"
)
_ROW = re.compile(r"^[ \t]+(?:-[ \t]+)?['\"]?[\w.-]{1,64}:(?P<value>[^\s'\"]+)", re.MULTILINE)


def password_in(text: str) -> bool:
    """Whether somebody's password stands in it; a hash of one is none."""
    return (
        any(_said(each, text) for each in _WORD.finditer(text))
        or any(_decodes(each["auth"]) for each in _LOGIN.finditer(text))
        or _LOGINS.search(text) is not None
        or any(map(_given, _CHPASSWD.finditer(text)))
        or any(_used(each, text) for pattern in (_ADDRESS, _OPTION) for each in pattern.finditer(text))
    )


def _said(found: re.Match[str], text: str) -> bool:
    before = text[max(0, found.start() - 128) : found.start()].rpartition("\n")[2]
    if "#" in before:
        return False
    if "=" in found["sep"] and not _VARIABLE.search(before):
        return False
    value = _QUOTED.match(found["value"]) or _BARE.match(found["value"])
    return value is not None and _literal(next(each for each in value.groups() if each is not None))


def _used(found: re.Match[str], text: str) -> bool:
    """Whether it stands in no comment, and is no name of where the password is."""
    before = text[max(0, found.start() - 128) : found.start()].rpartition("\n")[2]
    return "#" not in before and found["given"].lower() not in _NONE and not _PLACE.match(found["given"])


def _literal(value: str) -> bool:
    return len(value) >= _LEAST and value.lower() not in _NONE and not _PLACE.match(value)


def _decodes(auth: str) -> bool:
    """Whether it is a name and a password, as registries are logged in to."""
    try:
        name, colon, password = base64.b64decode(auth + "=" * (-len(auth) % 4)).decode().partition(":")
    except ValueError:
        return False
    return bool(name and colon and password)


def _given(found: re.Match[str]) -> bool:
    values = [found["piped"]] if found["piped"] else [row["value"] for row in _ROW.finditer(found["rows"])]
    return any(value != "R" and value.lower() not in _NONE and not _PLACE.match(value) for value in values)
