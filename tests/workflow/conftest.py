"""A small snapshot, taken by the fetcher from a real SPARQL server, and a build made from it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from double_build import copy_checkout
from mini_build import MINI, SCALE, MiniBuild, verb

from tau_rec_books.world.endpoint import serve


@pytest.fixture(scope="session")
def run_verb() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Function that runs a verb of the command line."""
    return verb


@pytest.fixture(scope="session")
def small_snapshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with one snapshot, ``small``, of a small synthetic world."""
    place = tmp_path_factory.mktemp("small world")
    made = verb("make-world", "--scale", SCALE, "--out", place / "world.nt")
    assert made.returncode == 0, made.stderr
    with serve([place / "world.nt"]) as url:
        taken = verb("fetch", "--endpoint", url, "--id", "small", "--folder", place / "snapshots")
    assert taken.returncode == 0, taken.stderr
    return place / "snapshots"


@pytest.fixture(scope="session")
def mini_config(small_snapshots: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Configuration overlays of the small build."""
    place = tmp_path_factory.mktemp("config") / "snapshot.yaml"
    place.write_text(yaml.safe_dump({"snapshot": {"folder": str(small_snapshots), "id": "small"}}))
    return (MINI, place)


@pytest.fixture(scope="session")
def mini_build(mini_config: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> MiniBuild:
    """The small release, built once for all tests."""
    checkout = tmp_path_factory.mktemp("checkout")
    copy_checkout(checkout)
    mini = MiniBuild(checkout, mini_config)
    run = mini.run("all")
    assert run.returncode == 0, run.stdout + run.stderr
    return mini
