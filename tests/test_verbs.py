"""The README names the verbs that there are."""

import re

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
