"""Paths of properties are read as Pulumi reads those of ignoreChanges, and one covers what is below it."""

import pytest

from kilonode.rules.property_path import covers, steps
from kilonode.rules.read.facts import read_facts
from kilonode.rules.registry import BY_ID
from tests.rules.foreign import Foreign


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("sku", ("sku",)),
        ("sku.capacity", ("sku", "capacity")),
        ('sku["capacity"]', ("sku", "capacity")),
        ('["sku"].capacity', ("sku", "capacity")),
        ('tags["a.b"]', ("tags", "a.b")),
        (r'tags["a\"b"]', ("tags", 'a"b')),
        ("list[0].name", ("list", "0", "name")),
        ("list[*].name", ("list", "*", "name")),
        ("tags.*", ("tags", "*")),
        ("", ()),
        (".sku", ()),
        ("sku.", ()),
        ("sku..capacity", ()),
        ('["sku"]capacity', ()),
        ('sku["capacity', ()),
        ("list[x]", ()),
    ],
)
def test_a_path_is_read_step_by_step(path: str, read: tuple[str, ...]) -> None:
    assert steps(path) == read


@pytest.mark.parametrize(
    ("path", "covered"),
    [
        ("sku", True),
        ("sku.capacity", True),
        ('sku["capacity"]', True),
        ("sku.*", True),
        ("*", True),
        ("sku.name", False),
        ("sku.capacity.more", False),
        ("sk", False),
        ("capacity", False),
        ("", False),
    ],
)
def test_the_capacity_is_left_alone_by_its_path_and_by_what_it_is_in(path: str, covered: bool) -> None:
    assert covers(path, "sku.capacity") is covered
    of = Foreign()
    of.ignore = ("tags", path)
    assert bool(list(BY_ID["pool-capacity-ignored"].check(read_facts(of.resources())))) is not covered
