"""A real endpoint with a tiny world, the fault server before it, and fetches that were stopped half-way."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import fault_server
import pytest
from fault_bench import EPOCH, TARGET, Bench, tiny_world, tree_hashes

from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.fetch import fetch_snapshot
from tau_rec_books.wikidata.settings import FetchSettings
from tau_rec_books.world.endpoint import serve


@pytest.fixture(scope="session")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real SPARQL endpoint with the tiny world."""
    data = tmp_path_factory.mktemp("world") / "tiny.nt"
    data.write_text(tiny_world(), encoding="utf-8")
    with serve([data]) as url:
        yield url


@pytest.fixture(scope="session")
def fault_endpoint(upstream: str) -> Iterator[Any]:
    """The fault server before that endpoint."""
    with fault_server.FaultServer(upstream).running() as server:
        yield server


@pytest.fixture(scope="session")
def quick() -> FetchSettings:
    """Settings whose pauses are short."""
    return FetchSettings(
        endpoint="",
        endpoint_name="tiny world",
        user_agent="tau-rec-books/1 (tests)",
        deadline=10.0,
        total=60.0,
        attempts=3,
        backoff=0.02,
        longest_backoff=0.1,
        longest_wait=5.0,
        pause=0.0,
        most_pages=8,
        compression_level=3,
    )


@pytest.fixture(scope="session")
def template(
    tmp_path_factory: pytest.TempPathFactory, fault_endpoint: Any, quick: FetchSettings
) -> Iterator[Path]:
    """A clean snapshot ``old``, and a fetch of ``new`` that a ban has stopped before the target query."""
    root = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", EPOCH)
        settings = replace(quick, endpoint=fault_endpoint.url)
        fault_endpoint.reset()
        fetch_snapshot("old", root / "snapshots", root / "logs", settings)
        ban = fault_server.status(403, fault_server.BANNED)
        fault_endpoint.reset(lambda question, before: ban if question.name == TARGET else None)
        with pytest.raises(Problem, match="banned until"):
            fetch_snapshot("new", root / "snapshots", root / "logs", settings)
    shutil.rmtree(root / "logs")
    yield root


@pytest.fixture
def bench(
    template: Path,
    tmp_path: Path,
    fault_endpoint: Any,
    quick: FetchSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Bench]:
    """A copy of the stopped fetch; afterwards the older snapshot must be as it was."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    # Hard links are enough: the product replaces files and never writes into them.
    shutil.copytree(template, tmp_path / "work", copy_function=os.link)
    before = tree_hashes(tmp_path / "work" / "snapshots" / "old")
    yield Bench(fault_endpoint, tmp_path / "work", quick)
    fault_endpoint.reset()
    assert tree_hashes(tmp_path / "work" / "snapshots" / "old") == before
