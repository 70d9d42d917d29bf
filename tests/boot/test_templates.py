"""Templates get exactly the values they use, and values are never templates themselves."""

import pytest

from kilonode.boot import templates
from kilonode.boot.image import BOOT_TEMPLATES, ROLES, machine_image
from kilonode.boot.templates import render, source_of, tree
from kilonode.loadbalancer.haproxy import PATH, values
from tests.plans import plan

UNIT = "/etc/systemd/system/etcd.service"
UNIT_VALUES: dict[str, object] = {"credentials": ("ca.crt",), "folder": "/f", "mount": "/m", "data": "/m/d"}


def test_a_template_is_rendered_with_the_values_it_uses() -> None:
    assert "LoadCredential=ca.crt:/f/ca.crt\n" in render("etcd", UNIT, UNIT_VALUES)


@pytest.mark.parametrize("missing", sorted(UNIT_VALUES))
def test_a_value_that_is_used_and_not_given_is_an_error(missing: str) -> None:
    given = {key: value for key, value in UNIT_VALUES.items() if key != missing}
    with pytest.raises(ValueError, match=rf"uses \['{missing}'\] that are not given"):
        render("etcd", UNIT, given)


def test_a_value_that_is_given_and_not_used_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"\['surplus'\] are given and not used"):
        render("etcd", UNIT, UNIT_VALUES | {"surplus": 1})


@pytest.mark.parametrize("text", ["{{ $labels.x }}", "{% raw %}", "{# x #}", "${x}", "<&>", "a\n"])
def test_text_in_a_value_that_looks_like_a_template_passes_untouched(text: str) -> None:
    assert f"AssertPathIsMountPoint={text}\n" in render("etcd", UNIT, UNIT_VALUES | {"mount": text})


def test_the_load_balancer_s_values_are_the_ones_its_template_uses() -> None:
    assert render("load-balancer", PATH, values(plan()))


def test_no_template_is_left_unrendered_in_the_image() -> None:
    for file in machine_image().files:
        assert "{%" not in file.content, file.path
        assert "{{" not in file.content, file.path


def test_every_file_below_rootfs_belongs_to_a_role_and_reaches_the_image_or_boot_data() -> None:
    assert sorted(entry.name for entry in templates._ROOTFS.iterdir()) == sorted(ROLES)
    paths = {path for role in ROLES for path in tree(role)}
    assert paths - {file.path for file in machine_image().files} == BOOT_TEMPLATES


def test_no_path_is_claimed_by_two_roles() -> None:
    paths = [path for role in ROLES for path in tree(role)]
    assert len(paths) == len(set(paths))


def test_every_file_of_a_role_ends_with_a_line_end_or_is_empty() -> None:
    for role in ROLES:
        for path in tree(role):
            text = source_of(role, path)
            assert text == "" or text.endswith("\n"), f"{role}{path}"


def test_programs_of_ours_are_executable_and_nothing_else_is() -> None:
    modes = {file.path: file.mode for file in machine_image().files}
    assert {path for path, mode in modes.items() if mode & 0o111} == {
        path for path in modes if path.startswith("/usr/lib/kilonode/") and not path.endswith(".py")
    }
    assert set(modes.values()) == {0o755, 0o644}
