"""What a machine is told at first boot: files, sysctl floors and the units to start."""

from collections.abc import Iterable
from dataclasses import dataclass

import yaml

from kilonode.boot.sysctl import Sysctl

SYSCTLS = "/etc/kilonode/sysctls.conf"
FLOORS_UNIT = "kilonode-sysctl.service"
UNITS = "/etc/kilonode/units"
"""A role's unit in the image starts where a file of its name is in here: all roles share one image."""

_BREAKS = frozenset("\x85\u2028\u2029")
"""YAML 1.1 reads these as line ends and folds them into a space; only double quotes keep them."""


@dataclass(frozen=True)
class File:
    """A file as it lands on the machine; ``owner`` is ``user:group``."""

    path: str
    content: str
    mode: int = 0o644
    owner: str = "root:root"


@dataclass(frozen=True)
class BootData:
    """The boot data of one machine; it holds no secret, only where secrets will be."""

    hostname: str
    files: tuple[File, ...]
    units: tuple[str, ...]
    sysctls: tuple[Sysctl, ...]

    @property
    def all_files(self) -> tuple[File, ...]:
        """The files, with the sysctl floors and a file for each unit to start among them."""
        floors = "".join(row.line for row in self.sysctls)
        units = (FLOORS_UNIT, *self.units)
        return (*self.files, File(SYSCTLS, floors), *(File(f"{UNITS}/{unit}", "") for unit in units))


def dump_yaml(value: object) -> str:
    """YAML in a stable form: keys in the order given, no aliases, no line folding."""
    return yaml.dump(value, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=2**20)


def dump_all(values: Iterable[object]) -> str:
    """Several YAML documents in one file."""
    return "---\n".join(dump_yaml(value) for value in values)


class _Plain(yaml.SafeDumper):
    """Safe YAML with text of several lines as a block, so that a person can read what a machine gets."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the base class decides the signature
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style: str | None = "|" if "\n" in value else None
    if any(character in _BREAKS for character in value):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Plain.add_representer(str, _text)


def environment(variable: str, flags: tuple[str, ...]) -> str:
    """A systemd EnvironmentFile that holds command-line flags in one variable.

    Raises:
        ValueError: when a flag holds white space, a quote, a backslash or a dollar sign, which systemd reads as its own.
    """
    for flag in flags:
        if any(character.isspace() or character in "\"'\\$" for character in flag):
            raise ValueError(
                f"the flag {flag!r} would not survive an EnvironmentFile: systemd reads white space, quotes, \\ and $ as its own"
            )
    return f'{variable}="{" ".join(flags)}"\n'
