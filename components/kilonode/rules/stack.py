"""Rules about the stack as a whole."""

from collections.abc import Iterator

from kilonode.rules import subjects
from kilonode.rules.facts.stack import Stack
from kilonode.rules.parameter import Parameter
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import Unknown, known


@rule(
    "required-tags", subjects.stack, severity="low",
    why="what nobody can name an owner of, nobody dares to remove",
    source="Azure and AWS docs, best practices for tagging", fix="add the tags",
    names=Parameter((), "names that every resource that can carry tags must have", "more"),
)  # fmt: skip
def tags(stack: Stack, names: tuple[str, ...]) -> Iterator[Fault]:
    """Resources carry the tags that the team asks for."""
    untold: list[Unknown] = []
    for each in stack.tagged if names else ():
        if isinstance(each.tags, Unknown):
            untold.append(each.tags)
        elif missing := each.without(names):
            if each.more:
                untold.append(each.more)
            else:
                yield Fault("tags", f"without {', '.join(missing)}", ", ".join(names), each.resource)
    known(next(iter(untold), None))


@rule(
    "stack-size", subjects.stack, severity="low",
    why="each preview and each up reads and writes all of them", source="kilonode: a region of 7,500 nodes has under 300",
    fix="keep nodes in pools, and split what changes apart into stacks", most=Parameter(2_000, "resources of one stack", "less"),
)  # fmt: skip
def size(stack: Stack, most: int) -> Iterator[Fault]:
    """A stack has a limited number of resources."""
    if stack.resources > most:
        yield Fault("resources", stack.resources, f"at most {most}")


RULES = (tags, size)
