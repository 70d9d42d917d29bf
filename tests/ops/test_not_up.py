"""What the verbs say where there is no region, or no host for one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ops import up
from ops.drill import drill
from ops.ready import NotReadyError, Region
from ops.stack import CLONE, Stack, open_stack
from ops.up import HostError, require_host
from ops.verify import verify


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    monkeypatch.setenv("KILONODE_HOME", str(tmp_path))
    return open_stack(CLONE / "stacks" / "Pulumi.local.yaml")


@pytest.mark.parametrize(
    "verb", [verify, drill, lambda stack: Region(stack).report()], ids=["verify", "drill", "status"]
)
def test_a_region_that_nobody_has_made_is_not_asked(verb: Callable[[Stack], object], stack: Stack) -> None:
    with pytest.raises(NotReadyError, match=r"^region local is not up; `make up` makes it$"):
        verb(stack)


def test_all_that_a_host_lacks_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KILONODE_HOME", str(tmp_path))
    monkeypatch.setattr(up.os, "geteuid", lambda: 0)
    monkeypatch.setattr(up, "PROGRAMS", ("no-such-program", "nor-this-one", "sh"))
    monkeypatch.setattr(up, "ROOM", 2**80)
    with pytest.raises(HostError, match=r"not on PATH: no-such-program, nor-this-one; `make setup`[\s\S]*MiB free"):
        require_host()
    with pytest.raises(HostError) as error:
        require_host(room=False)
    assert "MiB free" not in str(error.value)
