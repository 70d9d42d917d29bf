"""The pack and the library it judges with are released together."""

import tomllib

import yaml

from ops.stack import CLONE
from pack.policies import VERSION


def test_all_say_one_version() -> None:
    for folder in ("components", "policies"):
        assert tomllib.loads((CLONE / folder / "pyproject.toml").read_text())["project"]["version"] == VERSION
    for file in ("PulumiPolicy.yaml", "PulumiPolicy.installed.yaml"):
        assert yaml.safe_load((CLONE / "policies" / file).read_text())["version"] == VERSION
