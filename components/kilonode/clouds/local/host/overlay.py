"""A machine's root: the image's layers below, the machine's own layer on top."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

OPTIONS_LENGTH = 4095
"""mount(2) copies one page of options."""


def options(layers: Sequence[Path], upper: Path, work: Path) -> str:
    """Return overlayfs mount options; `layers` go from topmost to base (kernel: filesystems/overlayfs)."""
    lower = ":".join(_escaped(layer) for layer in layers)
    text = f"lowerdir={lower},upperdir={_escaped(upper)},workdir={_escaped(work)}"
    if len(text.encode()) > OPTIONS_LENGTH:
        raise ValueError(
            f"{len(layers)} layers need {len(text)} bytes of mount options; the kernel takes {OPTIONS_LENGTH}"
        )
    return text


def _escaped(path: Path) -> str:
    return "".join(f"\\{letter}" if letter in "\\:," else letter for letter in str(path))
