"""A Pulumi program without the library: what a stack has made, resource by resource, as a person would type it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NATIVE = "azure-native:"
DYNAMIC = "pulumi-python:dynamic/"
SECRET, SECRET_MARK = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
"""The key and the mark by which the engine's state tells a secret from a plain value."""

HEAD = """\
import pulumi
import pulumi_azure_native as azure
from pulumi import dynamic


class Provider(dynamic.ResourceProvider):
    def create(self, props):
        return dynamic.CreateResult("made", props)


"""

NOT_TYPED = ("azureApiVersion", "__")
"""How inputs begin that the SDK and the provider add."""


@dataclass(frozen=True)
class Made:
    """One resource of a state, and the variable that holds it in the program."""

    variable: str
    state: Mapping[str, Any]

    @property
    def urn(self) -> str:
        """Its name in the engine."""
        return str(self.state["urn"])


def bare_program(resources: Iterable[Mapping[str, Any]]) -> str:
    """The program that declares ``resources``: an exported state's, in its order, with secrets in plain text.

    Types, names and inputs are the same. An id is the output of the resource that has it, and what has to exist before a
    resource without being named in it is a ``depends_on``. Components and other options are left out. A dynamic resource
    has its type and inputs, and a provider that does nothing.
    """
    known = [Made(f"r{number}", each) for number, each in enumerate(resources) if _declared(each["type"])]
    dynamics = sorted({each.state["type"] for each in known if each.state["type"].startswith(DYNAMIC)})
    classes = [_dynamic_class(number, token) for number, token in enumerate(dynamics)]
    needed = _needed(known)
    statements = [_statement(each, known[:number], needed[each.urn], dynamics) for number, each in enumerate(known)]
    return HEAD + "\n\n".join(classes) + "\n\n" + "\n".join(statements) + "\n"


def _declared(token: str) -> bool:
    return token.startswith((NATIVE, DYNAMIC))


def _dynamic_class(number: int, token: str) -> str:
    module, _, name = token.removeprefix(DYNAMIC).partition(":")
    return f"class Dynamic{number}(dynamic.Resource, module={module!r}, name={name!r}):\n    pass\n"


def _needed(known: Sequence[Made]) -> dict[str, list[Made]]:
    """What each resource depends on, without what that depends on itself."""
    by_urn = {each.urn: each for each in known}
    before: dict[str, set[str]] = {}
    found = {}
    for each in known:
        direct = [urn for urn in each.state.get("dependencies", []) if urn in by_urn]
        beyond = set().union(*(before[urn] for urn in direct))
        before[each.urn] = beyond | set(direct)
        found[each.urn] = [by_urn[urn] for urn in direct if urn not in beyond]
    return found


def _statement(made: Made, earlier: Sequence[Made], needed: Sequence[Made], dynamics: Sequence[str]) -> str:
    name, token = made.urn.rpartition("::")[2], made.state["type"]
    ids = {each.state["id"].lower(): each for each in earlier if each.state["type"].startswith(NATIVE)}
    inputs = {key: value for key, value in made.state["inputs"].items() if not key.startswith(NOT_TYPED)}
    referred: set[str] = set()
    values = {key: "".join(_expression(value, ids, referred)) for key, value in inputs.items()}
    after = ", ".join(each.variable for each in needed if each.variable not in referred)
    opts = f"pulumi.ResourceOptions(depends_on=[{after}])" if after else "None"
    if token in dynamics:
        body = ", ".join(f"{key!r}: {value}" for key, value in values.items())
        return f"{made.variable} = Dynamic{dynamics.index(token)}(Provider(), {name!r}, {{{body}}}, {opts})"
    module, _, kind = token.removeprefix(NATIVE).partition(":")
    words = "".join(f"    {_snake(key)}={value},\n" for key, value in values.items())
    return f"{made.variable} = azure.{module}.{kind}(\n    {name!r},\n{words}    opts={opts},\n)"


def _expression(value: Any, ids: Mapping[str, Made], referred: set[str]) -> Iterator[str]:
    """``value`` as Python; adds to ``referred`` the variables it names."""
    match value:
        case {"plaintext": str(text), **rest} if rest == {SECRET: SECRET_MARK}:
            yield f"pulumi.Output.secret({text})"
        case dict():
            yield "{"
            for key, each in value.items():
                yield f"{key!r}: "
                yield from _expression(each, ids, referred)
                yield ", "
            yield "}"
        case list():
            yield "["
            for each in value:
                yield from _expression(each, ids, referred)
                yield ", "
            yield "]"
        case str() if value.startswith("/"):
            yield _reference(value, ids, referred)
        case float() if value.is_integer():
            yield repr(int(value))
        case _:
            yield repr(value)


def _reference(path: str, ids: Mapping[str, Made], referred: set[str]) -> str:
    """``path`` by the longest id it begins with, as is if that of no resource."""
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        found = ids.get("/".join(parts[:length]).lower())
        if found:
            referred.add(found.variable)
            rest = path[len("/".join(parts[:length])) :]
            return f"pulumi.Output.concat({found.variable}.id, {rest!r})" if rest else f"{found.variable}.id"
    return repr(path)


def _snake(name: str) -> str:
    """The SDK's spelling of an input; what its constructors call the name themselves has a line behind it."""
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return f"{spelled}_" if spelled == "resource_name" else spelled
