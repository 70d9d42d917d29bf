import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kilonode.clouds.local.host import lock, machines, names, paths, sweep
from kilonode.clouds.local.host.lock import locked


@pytest.fixture
def run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    folders = (tmp_path / "propagate", tmp_path / "locks")
    monkeypatch.setattr(machines, "PROPAGATED", folders[0])
    monkeypatch.setattr(sweep, "LOCKS", folders[1])
    for folder in folders:
        folder.mkdir()
    return folders


def test_a_sweep_takes_all_of_its_region_and_nothing_of_one_whose_name_begins_alike(
    home: Path, run_folders: tuple[Path, Path]
) -> None:
    propagate, locks = run_folders
    for region in ("zz-a", "zz-a-b", "zz"):
        (paths.make_private(paths.machine(region, "m")) / "data").write_text("kept")
        (propagate / names.nspawn(region, "m")).mkdir()
        (locks / names.whole(region, "m")).write_text("")
    assert len(sweep.sweep("zz-a")) == 3
    assert sweep.leftovers("zz-a") == []
    assert len(sweep.leftovers("zz-a-b")) == len(sweep.leftovers("zz")) == 3
    assert sorted(path.name for path in (home / "regions").iterdir()) == ["zz", "zz-a-b"]


def test_the_last_region_takes_the_home_with_it(home: Path, run_folders: tuple[Path, Path]) -> None:
    paths.make_private(paths.disk("zz-a", "d"))
    sweep.sweep("zz-a")
    assert not home.exists()
    assert run_folders


def test_sweeping_what_was_never_made_removes_nothing(home: Path) -> None:
    assert sweep.sweep("zz-never") == []
    assert not home.exists()


def test_folders_are_made_while_another_run_removes_their_empty_parents(home: Path) -> None:
    leaves = [home / "regions" / "zz-a" / f"m{number}" for number in range(8)]

    def churn(leaf: Path) -> None:
        for _ in range(200):
            assert paths.make_private(leaf).is_dir()
            paths.remove(leaf)

    with ThreadPoolExecutor(len(leaves)) as threads:
        list(threads.map(churn, leaves))
    assert not home.exists()


def _hold(path: Path, held: "multiprocessing.synchronize.Event") -> None:
    with locked(path):
        held.set()
        multiprocessing.Event().wait()


def test_a_lock_ends_with_a_killed_holder_and_leaves_no_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    held = context.Event()
    holder = context.Process(target=_hold, args=(tmp_path / "lock", held))
    holder.start()
    assert held.wait(60)
    holder.kill()
    holder.join()
    with lock.locked(tmp_path / "lock"):
        assert (tmp_path / "lock").exists()
    assert not (tmp_path / "lock").exists()
