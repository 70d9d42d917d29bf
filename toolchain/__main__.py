"""The command line: `python -m toolchain {list,ensure,path}`."""

from __future__ import annotations

import argparse
import os
import sys

from toolchain import provision
from toolchain.fault import ToolchainError
from toolchain.recipes import TOOLS

INTERRUPTED = 130


def _list() -> None:
    rows = [("TOOL", "VERSION", "FROM", "FOLDER")]
    for tool in TOOLS.values():
        found = provision.find(tool)
        rows.append((tool.name, tool.version_text, found.source, str(found.bin or "-")))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True)), row[3]]))


def _path(names: list[str]) -> None:
    """Print the folders to put before PATH; what PATH already serves needs none, so that its order stays."""
    found = [provision.find(provision.tool_named(name)) for name in names]
    missing = [f.tool.name for f in found if f.bin is None]
    if missing:
        raise ToolchainError(
            f"not built: {', '.join(missing)}. Fix: run `python -m toolchain ensure {' '.join(missing)}`"
        )
    print(os.pathsep.join(str(f.bin) for f in found if f.source == "cache"))


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 is success, 1 a failure told on stderr, 2 a wrong command line, 130 an interrupt."""
    parser = argparse.ArgumentParser(
        prog="python -m toolchain", description="Find or build the programs Kilonode drives."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print each tool, its version and where it comes from")
    ensure = commands.add_parser("ensure", help="build the tools that are neither on PATH nor in the cache")
    ensure.add_argument("tools", nargs="+", metavar="TOOL", choices=[*TOOLS, "all"], help=f"{', '.join(TOOLS)} or all")
    path = commands.add_parser("path", help="print the folders of built tools, joined for PATH")
    path.add_argument("tools", nargs="*", metavar="TOOL", help="default: every tool")
    given = parser.parse_args(arguments)
    try:
        if given.command == "list":
            _list()
        elif given.command == "ensure":
            provision.ensure(TOOLS if "all" in given.tools else given.tools)
        else:
            _path(given.tools or list(TOOLS))
    except ToolchainError as fault:
        print(f"toolchain: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "toolchain: interrupted; what Go has compiled is kept, so the next run goes on from here", file=sys.stderr
        )
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
