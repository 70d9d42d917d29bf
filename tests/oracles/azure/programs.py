"""The programs of an Azure machine's image, as modules of a test."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import kilonode.clouds.azure

FOLDER = Path(kilonode.clouds.azure.__file__).parent / "rootfs/usr/lib/kilonode"
sys.path.append(str(FOLDER))


def loaded(program: str) -> ModuleType:
    """One program; what it imports is that of the image."""
    name = program.replace("-", "_")
    spec = spec_from_loader(name, SourceFileLoader(name, str(FOLDER / program)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
