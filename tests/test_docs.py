"""Links between the pages lead somewhere, and files the pages name are there."""

import re
from pathlib import Path

import pytest

from ops.stack import CLONE

PAGES = sorted([*CLONE.glob("*.md"), *CLONE.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?:)(?P<file>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
NAMED = re.compile(r"`((?:\w+/)+[\w.-]+\.(?:py|md|yaml|json))`")
ROOTS = (CLONE, CLONE / "components" / "kilonode")
"""What a page names stands below the clone, or below the library."""

YOURS = {"stacks/Pulumi.X.yaml", "stacks/Pulumi.mine.yaml", "stacks/policy.json"}
"""What the reader is told to write."""


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings, and those that a page sets itself."""
    text = page.read_text()
    heads = (
        re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-")
        for head in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    )
    return {*heads, *re.findall(r'<a id="([^"]+)">', text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CLONE)))
def test_links_lead_to_what_is_there(page: Path) -> None:
    for found in LINK.finditer(page.read_text()):
        target = (page.parent / found["file"]).resolve() if found["file"] else page
        assert target.exists(), found[0]
        if found["anchor"]:
            assert found["anchor"] in anchors(target), found[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CLONE)))
def test_files_that_a_page_names_exist(page: Path) -> None:
    for name in set(NAMED.findall(page.read_text())) - YOURS:
        assert any((root / name).exists() for root in ROOTS), name


def test_the_pages_are_read() -> None:
    texts = [page.read_text() for page in PAGES]
    assert sum(len(LINK.findall(text)) for text in texts) > 30
    assert sum(len(NAMED.findall(text)) for text in texts) > 15
