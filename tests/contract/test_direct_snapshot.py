"""Snapshots that benchmarks write without a server hold what the server answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from direct_snapshot import write_direct_snapshot

from tau_rec_books.catalog.build import build, read_facts, write_catalog
from tau_rec_books.core.digest import sha256_file
from tau_rec_books.wikidata.snapshot import read_snapshot_manifest, verify_snapshot

SIZES = (200, 500)


@pytest.fixture(scope="module")
def write_direct(small_world: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Function that writes the snapshot of the small world directly, on so many pages per response."""

    def write(pages: int) -> Path:
        folder = tmp_path_factory.mktemp("direct") / "small"
        write_direct_snapshot(folder, small_world.seed, small_world.scale, pages=pages)
        return folder

    return write


def catalog_files(snapshot: Path, out: Path) -> dict[str, str]:
    """Digests of the files of a catalog built from a snapshot."""
    facts = read_facts(snapshot)
    built = build(facts, seed="s", sizes=SIZES, year_min=1460, year_max=2026, allow_fewer=False)
    write_catalog(out, built, SIZES)
    return {path.name: sha256_file(path) for path in sorted(out.iterdir())}


@pytest.mark.endpoint
def test_every_response_has_the_rows_that_the_server_gives(
    taken: Path, write_direct: Callable[[int], Path]
) -> None:
    fetched, direct = (
        {response["name"]: response for response in read_snapshot_manifest(folder)["responses"]}
        for folder in (taken, write_direct(1))
    )
    for name, response in fetched.items():
        assert direct[name]["query_sha256"] == response["query_sha256"], name
        assert direct[name]["rows"] == response["rows"], name
        assert direct[name]["pages"][0]["rows_sha256"] == response["pages"][0]["rows_sha256"], name


@pytest.mark.endpoint
def test_the_catalog_is_the_same_on_one_page_or_on_several(
    taken: Path, write_direct: Callable[[int], Path], tmp_path: Path
) -> None:
    paged = write_direct(3)
    assert verify_snapshot(paged)["totals"]["pages"] == 3 * 19 + 2
    assert catalog_files(paged, tmp_path / "direct") == catalog_files(taken, tmp_path / "fetched")
