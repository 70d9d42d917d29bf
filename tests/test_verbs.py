"""The README names the verbs that there are."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from ops.stack import CLONE

MAKEFILE = (CLONE / "Makefile").read_text()
README = (CLONE / "README.md").read_text()


def targets() -> set[str]:
    """The targets that `make help` lists, but for itself."""
    return set(re.findall(r"^([a-z]+):.*##", MAKEFILE, re.MULTILINE)) - {"help"}


def rows() -> list[str]:
    """The first cells of the table of verbs, in order."""
    return re.findall(r"^\| (`make [^|]*`) \|", README, re.MULTILINE)


def test_every_verb_of_the_makefile_is_in_the_readme_and_no_other() -> None:
    assert len(targets()) > 10
    assert {verb for row in rows() for verb in re.findall(r"`make ([a-z]+)`", row)} == targets()


def test_the_verbs_that_are_said_to_take_a_stack_do() -> None:
    found = re.search(r"^The first seven take `STACK=`", README, re.MULTILINE)
    assert found
    for row in rows()[:7]:
        (verb,) = re.findall(r"`make ([a-z]+)`", row)
        assert re.search(rf"^{verb}:.*\n(?:\t.*\n)*\t.*\$\(STACK\)", MAKEFILE, re.MULTILINE), verb
    assert "$(STACK)" not in MAKEFILE.partition("\nformat:")[2]


def test_a_verb_is_a_verb_though_a_file_is_called_so() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert set(phony.split()) == targets() | {"help"}


@pytest.mark.parametrize(("failures", "code", "asked"), [(0, 0, 2), (3, 0, 5), (1000, 2, 7)])
def test_packages_are_asked_for_again_while_apt_fails(tmp_path: Path, failures: int, code: int, asked: int) -> None:
    """As it does while another update holds the lock of the lists, or a mirror is away."""
    notes = tmp_path / "notes"
    for name in ("apt-get", "sleep"):
        script = f'#!/bin/sh\necho "{name} $@" >> {notes}\n'
        if name == "apt-get":
            script += f"test $(grep -c apt-get {notes}) -gt {failures}\n"
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    words = ["make", "--no-print-directory", "--eval", "try:\n\t@$(call install,curl git)", "try"]
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(words, cwd=CLONE, env=environment, capture_output=True, check=False)
    lines = notes.read_text().splitlines()
    assert (done.returncode, sum("apt-get" in line for line in lines)) == (code, asked)
    assert ("install" in lines[-1] and lines[-1].endswith(" curl git")) is (code == 0)
