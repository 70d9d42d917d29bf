"""Rows of an exported state: read with all they have, and named where they are none."""

from pathlib import Path

import pytest

from kilonode.rules.__main__ import CLEAN, UNDECIDED, UNREADABLE
from kilonode.rules.read.resource import SECRET, SIGNATURE, holds_secrets
from kilonode.rules.read.state import from_state
from kilonode.rules.unknown import Unknown
from tests.rules.test_state_door import checked

ROW = {"urn": "urn:pulumi:prod::foreign::kubernetes:core/v1:Pod::a", "type": "kubernetes:core/v1:Pod"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("x", "resources[1]: a mapping is expected, this is text"),
        (None, "resources[1]: a mapping is expected, this is nothing"),
        (ROW | {"urn": 5}, "resources[1]: urn is 5"),
        (ROW | {"urn": "app"}, 'resources[1]: urn is "app"'),
        (ROW | {"type": 5}, "resources[1]: type is 5"),
        (ROW | {"inputs": ["a"]}, "resources[1]: inputs is a list, expected a mapping"),
        (ROW | {"outputs": "a"}, "resources[1]: outputs is text, expected a mapping"),
        (ROW | {"ignoreChanges": 5}, "resources[1]: ignoreChanges is a number, expected a list"),
        (ROW | {"propertyDependencies": [5]}, "resources[1]: propertyDependencies is a list, expected a mapping"),
        *(
            (ROW | {key: {SIGNATURE: SECRET, **held}}, f"resources[1]: {key} is a secret or an output as a whole")
            for key in ("inputs", "outputs")
            for held in ({"ciphertext": "v1:a"}, {"plaintext": '"hunter2"'}, {"value": ["hunter2"]})
        ),
        (ROW | {"id": 5}, "resources[1]: id is a number, expected text"),
        (ROW | {"id": True}, "resources[1]: id is a truth, expected text"),
    ],
)
def test_a_row_that_is_none_is_named_and_ends_with_the_code_for_unreadable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: object, words: str
) -> None:
    assert checked(tmp_path, {"deployment": {"resources": [ROW, row]}}) == UNREADABLE
    assert words in capsys.readouterr().err


def test_a_row_is_read_with_all_it_has() -> None:
    depends, inputs, outputs = {"a": ["urn:pulumi:prod::b::c::d"]}, {"a": 1}, {"a": 1, "made": True}
    row = ROW | {
        "id": "/a",
        "inputs": inputs,
        "outputs": outputs,
        "protect": True,
        "ignoreChanges": ["b"],
        "propertyDependencies": depends,
    }
    (found,) = from_state({"deployment": {"resources": [row, ROW | {"delete": True}]}})
    assert (found.urn, found.type, found.name, found.id) == (ROW["urn"], ROW["type"], "a", "/a")
    assert (found.properties, found.outputs, found.depends) == (inputs, outputs, depends)
    assert (found.protect, found.ignore) == (True, ("b",))


@pytest.mark.parametrize(
    ("key", "external"), [("protect", False), ("retainOnDelete", False), ("external", True), ("none", None)]
)
def test_what_pulumi_never_deletes_is_protected(key: str, external: bool | None) -> None:
    (found,) = from_state({"deployment": {"resources": [ROW | {key: True}]}})
    assert (found.protect, found.external) == (external is not None, bool(external))


def test_a_mapping_that_is_a_secret_as_a_whole_is_read() -> None:
    (found,) = from_state(
        {"deployment": {"resources": [ROW | {"inputs": {SIGNATURE: SECRET, "plaintext": '{"a": "b"}'}}]}}
    )
    assert found.properties == {"a": "b"}
    assert holds_secrets(found.properties)


@pytest.mark.parametrize("key", ["protect", "retainOnDelete", "external", "delete", "pendingReplacement", "custom"])
def test_a_truth_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=rf"^resources\[0\]: {key} is text, expected a truth$"):
        list(from_state({"deployment": {"resources": [ROW | {key: "false"}]}}))


@pytest.mark.parametrize("inputs", [{}, {"inputs": {}}, {"inputs": None}])
def test_of_what_is_only_read_the_outputs_are_judged(inputs: dict[str, object]) -> None:
    (found,) = from_state({"deployment": {"resources": [ROW | inputs | {"outputs": {"a": 1}}]}})
    assert found.properties == {"a": 1}
    (found,) = from_state({"deployment": {"resources": [ROW | inputs | {"outputs": {"a": 1}, "custom": False}]}})
    assert found.properties == {}
    (found,) = from_state({"deployment": {"resources": [ROW | {"inputs": {"b": 1}, "outputs": {"a": 1}}]}})
    assert found.properties == {"b": 1}


def test_pending_operations_that_are_no_list_are_no_state() -> None:
    with pytest.raises(ValueError, match=r"^pending_operations is a number, expected a list$"):
        list(from_state({"deployment": {"resources": [], "pending_operations": 5}}))


def test_what_is_gone_until_the_next_update_is_not_there() -> None:
    assert list(from_state({"deployment": {"resources": [ROW | {"pendingReplacement": True}]}})) == []


@pytest.mark.parametrize(
    ("deployment", "begun"),
    [
        ({"resources": [], "pending_operations": [{"type": "creating"}, {}]}, 2),
        ({"resources": [ROW | {"pendingReplacement": True}]}, 1),
        ({"resources": [ROW, ROW | {"delete": True}], "pending_operations": None}, 0),
    ],
)
def test_what_had_begun_when_the_engine_was_interrupted_is_told_and_is_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], deployment: object, begun: int
) -> None:
    assert checked(tmp_path, {"deployment": deployment}) == CLEAN
    told = f"undecided: {begun} operations had not ended; what is deployed of them the state does not know"
    assert (told in capsys.readouterr().err) is bool(begun)
    assert checked(tmp_path, {"deployment": deployment}, "--strict") == (UNDECIDED if begun else CLEAN)


def test_a_row_that_has_little_is_read_too() -> None:
    (found,) = from_state({"deployment": {"resources": [ROW]}})
    assert (found.properties, found.outputs, found.depends, found.ignore, found.id) == ({}, {}, {}, (), None)
    assert found.protect is False


@pytest.mark.parametrize(("length", "shown"), [(58, 58), (59, 59)])
def test_a_value_that_is_wrong_is_shown_up_to_sixty_characters(length: int, shown: int) -> None:
    with pytest.raises(ValueError, match="urn is") as refused:
        list(from_state({"deployment": {"resources": [ROW | {"urn": "x" * length}]}}))
    # With its quotes the shorter one has sixty.
    assert str(refused.value).count("x") == shown + str(refused.value).count("expected")
    assert ("…" in str(refused.value)) is (length > 58)


def test_a_row_whose_dependencies_are_odd_is_read(tmp_path: Path) -> None:
    row = ROW | {
        "propertyDependencies": {"a": 5, "b": [5]},
        "ignoreChanges": [5],
        "inputs": None,
        "outputs": None,
        "id": None,
    }
    assert checked(tmp_path, {"deployment": {"resources": [row]}}) == CLEAN


@pytest.mark.parametrize("plaintext", ["{", "hunter2", 5, None])
def test_a_secret_that_cannot_be_opened_is_not_known_and_the_others_are_read(plaintext: object) -> None:
    row = ROW | {"inputs": {"a": {"b": {SIGNATURE: SECRET, "plaintext": plaintext}}, "c": 1}}
    (found,) = from_state({"deployment": {"resources": [row]}})
    assert found.properties == {"a": {"b": Unknown("a.b")}, "c": 1}


@pytest.mark.parametrize("row", ["hunter2", ["hunter2"], ROW | {"inputs": "hunter2"}, ROW | {"outputs": ["hunter2"]}])
def test_what_may_be_a_secret_is_not_shown_where_a_row_is_none(row: object) -> None:
    with pytest.raises(ValueError, match="expected") as refused:
        list(from_state({"deployment": {"resources": [row]}}))
    assert "hunter2" not in str(refused.value)
