"""`make preview` of the local stack, on a machine that has no region."""

import os
import subprocess
from pathlib import Path

import pytest

from ops.stack import CLONE

pytestmark = [pytest.mark.engine, pytest.mark.tools]


def test_the_local_stack_is_previewed_as_a_new_one_and_leaves_no_home_behind(tmp_path: Path) -> None:
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    scratch.mkdir()
    environment = os.environ | {"KILONODE_HOME": str(home), "TMPDIR": str(scratch)}
    for _ in range(2):
        done = subprocess.run(
            ["make", "--no-print-directory", "preview", "STACK=local"],
            cwd=CLONE,
            env=environment,
            text=True,
            capture_output=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "no backend has a stack local" in done.stdout
        assert "kilonode" in done.stdout.partition("Policy Packs run:")[2]
        assert not home.exists()
        assert list(scratch.iterdir()) == []
