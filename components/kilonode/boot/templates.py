"""Templates for units, ini and shell: files under ``rootfs/<role>/`` at the path they land on."""

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from jinja2 import Environment, StrictUndefined, meta

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
    source = source_of(role, path)
    used = meta.find_undeclared_variables(_ENVIRONMENT.parse(source))
    if used != set(values):
        raise ValueError(
            f"{role}{path}: the template uses {sorted(used - set(values))} that are not given; "
            f"{sorted(set(values) - used)} are given and not used"
        )
    return _ENVIRONMENT.from_string(source).render(values)


def source_of(role: str, path: str) -> str:
    """The text of the file of ``role`` that lands at ``path``."""
    return _at(role).joinpath(path.lstrip("/")).read_text()


def tree(role: str) -> dict[str, str]:
    """Every file of a role: path on the machine to its text."""
    return dict(sorted(_walk(_at(role), "")))


def _at(role: str) -> Traversable:
    return _ROOTFS / role


def _walk(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found = []
    for entry in folder.iterdir():
        if entry.name == "__pycache__":  # whoever installs or tests the library may compile the modules in here
            continue
        here = f"{path}/{entry.name}"
        found += _walk(entry, here) if entry.is_dir() else [(here, entry.read_text())]
    return found
