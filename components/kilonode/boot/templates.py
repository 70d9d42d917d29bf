"""Templates for units, ini and shell: files of a ``rootfs`` tree at the path they land on.

Here a tree is a role's; a cloud has one of its own.
"""

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from jinja2 import Environment, StrictUndefined, meta

UNIT_FOLDER = "/etc/systemd/system/"
PROGRAM_FOLDER = "/usr/lib/kilonode/"

_ROOTFS = files("kilonode.boot") / "rootfs"
_ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - it renders units and ini, never HTML
)


def render(role: str, path: str, values: Mapping[str, object]) -> str:
    """Render the template of ``role`` that lands at ``path``.

    Raises:
        ValueError: when the template's variables and ``values`` are not the same names.
    """
    return filled(f"{role}{path}", source_of(role, path), values)


def filled(name: str, source: str, values: Mapping[str, object]) -> str:
    """Render a template's text; ``name`` is what errors call it.

    Raises:
        ValueError: when the template's variables and ``values`` are not the same names.
    """
    used = meta.find_undeclared_variables(_ENVIRONMENT.parse(source))
    if used != set(values):
        raise ValueError(
            f"{name}: the template uses {sorted(used - set(values))} that are not given; "
            f"{sorted(set(values) - used)} are given and not used"
        )
    return _ENVIRONMENT.from_string(source).render(values)


def source_of(role: str, path: str) -> str:
    """The text of the file of ``role`` that lands at ``path``."""
    return _at(role).joinpath(path.lstrip("/")).read_text(encoding="utf-8")


def tree(role: str) -> dict[str, str]:
    """Every file of a role: path on the machine to its text."""
    return files_below(_at(role))


def files_below(folder: Traversable) -> dict[str, str]:
    """Every file of a tree: path on the machine to its text."""
    return dict(sorted(_walk(folder, "")))


def mode_of(path: str) -> int:
    """The mode of a file that lands at ``path``: programs are executable, what they import is not."""
    return 0o755 if path.startswith(PROGRAM_FOLDER) and not path.endswith(".py") else 0o644


def _at(role: str) -> Traversable:
    return _ROOTFS / role


def _walk(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found = []
    for entry in folder.iterdir():
        if entry.name == "__pycache__":  # whoever installs or tests the library may compile the modules in here
            continue
        here = f"{path}/{entry.name}"
        found += _walk(entry, here) if entry.is_dir() else [(here, entry.read_text(encoding="utf-8"))]
    return found
