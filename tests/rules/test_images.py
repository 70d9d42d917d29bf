"""Images: a tag that may move is told, and only what is latest stops a pull request."""

import pytest

from kilonode.rules.__main__ import CLEAN, VIOLATED
from tests.rules.doors import checked, exported
from tests.rules.foreign import Foreign


@pytest.mark.parametrize(
    ("image", "code", "said"),
    [
        ("registry.example.com/app:v1", CLEAN, "image-digest (advisory"),
        ("registry.example.com/app:latest", VIOLATED, "image-latest (mandatory"),
        ("registry.example.com/app", VIOLATED, "image-latest (mandatory"),
    ],
)
def test_a_tag_without_a_digest_is_told_and_only_latest_stops(image: str, code: int, said: str) -> None:
    of = Foreign()
    of.image = image
    found, written = checked(exported(of.resources()), {})
    assert found == code
    assert said in written
