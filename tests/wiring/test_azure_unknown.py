"""A preview of a region that is not there yet: every output unknown, and the same resources."""

import pytest
from pulumi.runtime import rpc

from ops.stack import CLONE
from tests.wiring.azure_monitor import SHIPPED, SIGNATURE, Monitor, Nobody, Recorder, shipped


@pytest.fixture(scope="module", params=SHIPPED)
def both(request: pytest.FixtureRequest) -> tuple[Monitor, Monitor]:
    return shipped(request.param, Recorder), shipped(request.param, Nobody, preview=True)


def urns(monitor: Monitor) -> list[tuple[str, str, str]]:
    return sorted((each.type, each.name, each.parent) for each in monitor.registered)


def test_these_are_all_stacks_on_azure() -> None:
    assert tuple(sorted(file.stem for file in (CLONE / "stacks").glob("Pulumi.azure-*.yaml"))) == tuple(
        f"Pulumi.{name}" for name in SHIPPED
    )


def test_the_same_resources_are_registered_whether_outputs_are_known_or_not(both: tuple[Monitor, Monitor]) -> None:
    known, unknown = both
    assert urns(known) == urns(unknown)
    assert len(set(urns(known))) == len(known.registered) > 100
    assert known.finished == unknown.finished


def test_what_is_protected_ignored_and_replaced_does_not_hang_on_an_output(both: tuple[Monitor, Monitor]) -> None:
    def options(monitor: Monitor) -> dict[str, tuple[object, ...]]:
        return {
            f"{each.type} {each.name}": (
                each.protect, each.deleteBeforeReplace, tuple(each.ignoreChanges), tuple(each.replaceOnChanges),
                tuple(each.additionalSecretOutputs), tuple(sorted(each.dependencies)),
            )
            for each in monitor.registered
        }  # fmt: skip

    known, unknown = map(options, both)
    assert known == unknown


def test_outputs_were_unknown_and_what_is_made_of_them_is_unknown_too(both: tuple[Monitor, Monitor]) -> None:
    _, unknown = both
    for kind, path in (("compute:VirtualMachine", ("osProfile", "customData")), ("keyvault:Secret", ("secretName",))):
        assert unknown.of(kind)
        for name, each in unknown.of(kind).items():
            value = each.object
            for step in path:
                value = value[step]
            assert value == rpc.UNKNOWN, name


def test_an_unknown_value_of_a_secret_is_a_secret_already(both: tuple[Monitor, Monitor]) -> None:
    """So a preview shows no more than the deployment."""
    _, unknown = both
    for name, each in unknown.of("keyvault:Secret").items():
        value = each.object["properties"]["value"]
        assert SIGNATURE in value, name
        assert value["value"] == rpc.UNKNOWN, name
