"""Numbers in a stack file mean what they look like, and providers' settings are kept."""

from pathlib import Path

import pytest

from kilonode.refusal import Refusal, RefusedError
from kilonode.region.spec import RegionSpec
from ops.stack import CLONE
from ops.stackfile import other_settings, read_stack, stack_file

GOOD = (CLONE / "stacks" / "Pulumi.local.yaml").read_text()


def read(folder: Path, ceiling: str) -> RegionSpec:
    file = folder / "Pulumi.numbers.yaml"
    assert "ceiling: 1000\n" in GOOD
    file.write_text(GOOD.replace("ceiling: 1000\n", f"ceiling: {ceiling}\n"))
    return read_stack(file)


def refused(folder: Path, ceiling: str) -> Refusal:
    with pytest.raises(RefusedError) as error:
        read(folder, ceiling)
    (found,) = error.value.refusals
    return found


def test_a_plain_decimal_number_is_what_it_says(tmp_path: Path) -> None:
    assert read(tmp_path, "1100").ceiling == 1100


@pytest.mark.parametrize(
    ("text", "number"),
    [("20:30", 1230), ("+1:2:3", 3723), ("02000", 1024), ("0x3E8", 1000), ("0b1111101000", 1000), ("1_000", 1000), ("+1000", 1000),
     ("!!int '0x3E8'", 1000)],
)  # fmt: skip
def test_a_number_in_any_other_form_is_refused_as_it_is_written(tmp_path: Path, text: str, number: int) -> None:
    found = refused(tmp_path, text)
    line = GOOD[: GOOD.index("ceiling: 1000\n")].count("\n") + 1
    written = text.removeprefix("!!int ").strip("'")
    assert (found.field, found.given) == ("stack file", f"{written} in line {line}")
    assert found.why.endswith(f"the number {number}")
    assert "put it in quotes" in found.fix


@pytest.mark.parametrize("text", ["0800", "0o17", "1e3"])
def test_what_yaml_reads_as_text_is_not_to_be_taken_out_of_quotes_it_never_had(tmp_path: Path, text: str) -> None:
    assert "quotes" not in refused(tmp_path, text).fix


def test_what_is_set_beside_the_region_is_for_providers_and_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.one.yaml"
    file.write_text(GOOD.replace("config:\n", "config:\n  azure-native:subscriptionId: 8d10da13\n", 1))
    assert other_settings(file) == {"azure-native:subscriptionId": "8d10da13"}


@pytest.mark.parametrize(
    ("word", "file"),
    [
        ("local", CLONE / "stacks" / "Pulumi.local.yaml"),
        ("v1.2", CLONE / "stacks" / "Pulumi.v1.2.yaml"),
        ("stacks/Pulumi.local.yaml", Path("stacks/Pulumi.local.yaml")),
        ("Pulumi.mine.yaml", Path("Pulumi.mine.yaml")),
        ("Pulumi.mine.yml", Path("Pulumi.mine.yml")),
        ("../mine", Path("../mine")),
    ],
)
def test_a_word_that_looks_like_a_path_is_one(word: str, file: Path) -> None:
    assert stack_file(word) == file


def test_who_names_no_stack_is_told_which_there_are() -> None:
    with pytest.raises(RefusedError) as error:
        read_stack(stack_file("nowhere"))
    assert error.value.refusals[0].fix.endswith(": azure-southcentralus, azure-westeurope-small, local")
