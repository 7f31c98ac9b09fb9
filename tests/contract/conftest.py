"""A small synthetic world, and the snapshot that the fetcher takes of it from a real SPARQL server."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tau_rec_books.wikidata.fetch import fetch_snapshot
from tau_rec_books.wikidata.settings import FetchSettings, user_agent
from tau_rec_books.world.build import write_world
from tau_rec_books.world.endpoint import serve


@dataclass(frozen=True)
class SmallWorld:
    """A world in a file, with the seed and the scale that make it again."""

    seed: str
    scale: float
    file: Path


def take_snapshot(url: str, identifier: str, place: Path) -> Path:
    """The folder of a snapshot that the fetcher takes of an endpoint on this machine."""
    settings = FetchSettings(endpoint=url, endpoint_name="test", user_agent=user_agent("local"), pause=0.0)
    return fetch_snapshot(identifier, place, place / "logs", settings)


@pytest.fixture(scope="session")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> SmallWorld:
    """A world of some thousand works in which every dirty case occurs at least twice."""
    world = SmallWorld("metadata cases", 0.03, tmp_path_factory.mktemp("world") / "world.nt")
    write_world(world.file, world.seed, world.scale)
    return world


@pytest.fixture(scope="session")
def taken(small_world: SmallWorld, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The snapshot of that world."""
    with serve([small_world.file]) as url:
        return take_snapshot(url, "small", tmp_path_factory.mktemp("snapshots"))


@pytest.fixture(scope="session")
def take() -> Callable[[str, str, Path], Path]:
    """Function that takes a snapshot: address, id, folder of snapshots."""
    return take_snapshot
