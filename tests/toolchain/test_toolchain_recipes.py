import re

import pytest

from toolchain import cache, go
from toolchain.recipes import TOOLS, ModuleFile, OwnFolder, OwnProgram, Tool

EVERY_TOOL = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
FETCHED = {name: tool for name, tool in TOOLS.items() if name != "pause"}
EVERY_FETCHED_TOOL = pytest.mark.parametrize("tool", FETCHED.values(), ids=FETCHED)


@EVERY_FETCHED_TOOL
def test_every_built_program_is_a_tool_of_the_locked_module(tool: Tool) -> None:
    module = (cache.module_folder(tool) / "go.mod").read_text()
    declared = re.findall(r"^(?:tool )?\t?(\S+)$", module[module.index("\ntool") :], re.MULTILINE)
    assert {p.package for p in tool.programs if p.package} <= set(declared)


@EVERY_FETCHED_TOOL
def test_every_module_is_locked_at_the_rows_version(tool: Tool) -> None:
    module = (cache.module_folder(tool) / "go.mod").read_text()
    sums = (cache.module_folder(tool) / "go.sum").read_text()
    for package in filter(None, (p.package for p in tool.programs)):
        required = [line.split()[:2] for line in module.splitlines() if re.match(r"\t\S+ v\S+", line)]
        owners = [(name, version) for name, version in required if package.startswith(name)]
        name, version = max(owners, key=lambda owner: len(owner[0]))
        assert version == f"v{tool.version_text}"
        assert f"{name} {version} h1:" in sums


def test_the_program_of_our_own_is_its_module_and_needs_no_other() -> None:
    (program,) = TOOLS["pause"].programs
    module = (cache.module_folder(TOOLS["pause"]) / "go.mod").read_text()
    assert f"module {program.package}\n" in module
    assert "require" not in module


def test_the_go_that_is_asked_for_is_the_newest_that_a_module_needs() -> None:
    modules = [(cache.module_folder(tool) / "go.mod").read_text() for tool in TOOLS.values()]
    lines = [re.search(r"^go (\d+)\.(\d+)\.(\d+)$", module, re.MULTILINE) for module in modules]
    assert max(tuple(map(int, line.groups())) for line in lines if line) == go.NEEDED
    assert all(lines)


def test_no_program_of_one_tool_hides_anothers_on_path() -> None:
    names = [program.name for tool in TOOLS.values() for program in tool.programs]
    assert len(names) == len(set(names))


@EVERY_TOOL
def test_every_program_is_built_or_installed(tool: Tool) -> None:
    installed = {item.target.removeprefix("bin/") for item in tool.files if isinstance(item, ModuleFile)}
    installed |= {item.source.rsplit("/", 1)[-1] for item in tool.files if isinstance(item, OwnProgram)}
    assert {p.name for p in tool.programs if p.package is None} <= installed


OWN = [item for tool in TOOLS.values() for item in tool.files if isinstance(item, OwnProgram | OwnFolder)]
STAMPS = [(tool, name, value) for tool in TOOLS.values() for name, value in tool.stamps]


@pytest.mark.parametrize("item", OWN, ids=str)
def test_every_file_of_ours_that_a_row_names_exists(item: OwnProgram | OwnFolder) -> None:
    if isinstance(item, OwnProgram):
        assert (cache.HERE / item.source).is_file()
    else:
        assert list((cache.HERE / item.name).glob("*.py"))


@pytest.mark.parametrize(("tool", "name", "value"), STAMPS, ids=[f"{tool.name} {name}" for tool, name, _ in STAMPS])
def test_every_stamp_says_the_rows_version(tool: Tool, name: str, value: str) -> None:
    major, minor, _ = tool.version
    parts = {"gitMajor": str(major), "gitMinor": str(minor), "gitTreeState": "clean"}
    assert value.removeprefix("v") == parts.get(name.rpartition(".")[2], tool.version_text)


def test_kubernetes_takes_all_staging_modules_at_the_version_that_belongs_to_it() -> None:
    tool = TOOLS["kubernetes"]
    module = (cache.module_folder(tool) / "go.mod").read_text()
    replaced = re.findall(r"^\t(k8s\.io/\S+) => (\S+) (\S+)$", module, re.MULTILINE)
    assert {version for _, _, version in replaced} == {f"v0.{tool.version[1]}.{tool.version[2]}"}
    assert all(before == after for before, after, _ in replaced)
    assert "k8s.io/client-go" in {before for before, _, _ in replaced}
