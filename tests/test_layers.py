"""What import-linter's contracts cannot say: that their list of pure files is whole, and that there is no circle."""

import tomllib
from collections.abc import Iterable, Iterator

import grimp
import pytest

from ops.stack import CLONE

SDKS = {"pulumi", "pulumi_azure_native"}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("kilonode", "ops", "toolchain", include_external_packages=True, cache_dir=None)


def files(graph: grimp.ImportGraph, package: str) -> Iterator[str]:
    """The modules that are no folders."""
    return (each for each in graph.find_descendants(package) if not graph.find_children(each))


def listed() -> tuple[str, ...]:
    contracts = tomllib.loads((CLONE / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (pure,) = (each for each in contracts if "before deployment" in each["name"])
    return tuple(pure["source_modules"])


def within(module: str, packages: Iterable[str]) -> bool:
    return any(module == each or module.startswith(f"{each}.") for each in packages)


def test_every_file_of_the_library_that_needs_no_pulumi_is_held_to_it(graph: grimp.ImportGraph) -> None:
    pure = {each for each in files(graph, "kilonode") if not SDKS & graph.find_upstream_modules(each)}
    assert len(pure) > 100
    assert {each for each in pure if not within(each, listed())} == set()


def test_no_two_files_import_each_other_however_far_around(graph: grimp.ImportGraph) -> None:
    own = [each for root in ("kilonode", "ops", "toolchain") for each in files(graph, root)]
    leads_to = {each: graph.find_upstream_modules(each) for each in own}
    imports = {each: graph.find_modules_directly_imported_by(each) & leads_to.keys() for each in own}
    assert {each for each in own if any(each in leads_to[other] for other in imports[each])} == set()
