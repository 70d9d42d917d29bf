"""No rendered file of the Azure side is without a real program that reads it in some test."""

import re

from kilonode.boot.machine import UNITS
from kilonode.clouds.azure.differences import DIFFERENCES
from kilonode.clouds.azure.machine_files import image_files
from ops.stack import CLONE
from tests.clouds.azure import judges, shipped


def test_every_file_of_the_image_has_a_judge() -> None:
    assert {file.path for file in image_files()} == judges.IMAGE.keys()


def test_every_file_in_which_boot_data_differs_has_a_judge() -> None:
    paths = {row.path for row in DIFFERENCES}
    assert {path for path in paths if not path.startswith(f"{UNITS}/")} == judges.BOOT_DATA.keys()
    for boot in shipped.documents(shipped.STACKS[0]).values():
        assert all(file.content == "" for file in boot.all_files if file.path.startswith(f"{UNITS}/"))


def test_every_judge_is_a_test_there_is_and_one_that_needs_the_real_programs() -> None:
    rows = {each for of in (judges.IMAGE, judges.BOOT_DATA) for judged in of.values() for each in judged}
    for each in rows | {judges.CLOUD_INIT}:
        file, _, name = each.partition("::")
        text = (CLONE / file).read_text()
        assert re.search(rf"^def {name or 'test_'}", text, re.MULTILINE), each
        assert re.search(r"^pytestmark = .*pytest\.mark\.tools", text, re.MULTILINE), each
