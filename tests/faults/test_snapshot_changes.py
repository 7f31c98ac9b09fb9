"""A snapshot in which anything has changed stops the check and the build, with the name of the file."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from double_build import copy_checkout, snakemake
from fault_bench import tiny_world, tree_hashes

from tau_rec_books.cli import main
from tau_rec_books.core.digest import sha256_bytes
from tau_rec_books.wikidata.fetch import fetch_snapshot
from tau_rec_books.wikidata.layout import read_body, write_body
from tau_rec_books.wikidata.queries import QUERY_NAMES
from tau_rec_books.wikidata.settings import FetchSettings
from tau_rec_books.wikidata.snapshot import INDEX, verify_snapshot
from tau_rec_books.wikidata.statements import parse_rows, rows_hash
from tau_rec_books.world.endpoint import serve

pytestmark = pytest.mark.endpoint

EARLIER = b'{"the report": "of an earlier check"}\n'


@dataclass(frozen=True)
class Copy:
    """A copy of the good snapshot to change, and one of another world to take files from."""

    folder: Path
    stranger: Path

    def response(self, name: str) -> Path:
        """File of a response."""
        return self.folder / "responses" / f"{name}.json.zst"

    def query(self, name: str) -> Path:
        """File of a query."""
        return self.folder / "queries" / f"{name}.rq"

    @property
    def manifest(self) -> Path:
        """The manifest."""
        return self.folder / "snapshot.json"

    @property
    def index(self) -> Path:
        """The list of snapshots."""
        return self.folder.parent / INDEX

    def edit(self, change: Callable[[Any], object]) -> None:
        """Change the manifest and keep it in its form."""
        document = json.loads(self.manifest.read_text(encoding="utf-8"))
        change(document)
        text = json.dumps(document, ensure_ascii=False, sort_keys=True, indent=1, separators=(",", ": "))
        self.manifest.write_text(text + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory, quick: FetchSettings) -> Path:
    """A snapshot of a world that differs in every response."""
    place = tmp_path_factory.mktemp("another world")
    world = tiny_world()
    for old, new in (
        ("1990-01-01", "1991-02-03"),
        ('"English"', '"Anglic"'),
        ('"United Kingdom"', '"Great Britain"'),
    ):
        assert old in world
        world = world.replace(old, new)
    (place / "world.nt").write_text(world, encoding="utf-8")
    with serve([place / "world.nt"]) as url:
        settings = FetchSettings(endpoint=url, user_agent=quick.user_agent, pause=0.0)
        return fetch_snapshot("stranger", place / "snapshots", place / "logs", settings)


@pytest.fixture
def copy(template: Path, stranger: Path, tmp_path: Path) -> Copy:
    """A fresh copy of the good snapshot."""
    shutil.copytree(template / "snapshots" / "old", tmp_path / "snapshots" / "old")
    shutil.copyfile(template / "snapshots" / INDEX, tmp_path / "snapshots" / INDEX)
    return Copy(tmp_path / "snapshots" / "old", stranger)


@pytest.fixture
def told(copy: Copy, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """Function that runs ``verify-snapshot``, which must refuse and touch nothing, and gives its words."""

    def run() -> str:
        report = tmp_path / "report.json"
        report.write_bytes(EARLIER)
        before = tree_hashes(copy.folder.parent)
        with pytest.raises(SystemExit) as ended:
            main(["verify-snapshot", str(copy.folder), "--report", str(report)])
        written = capsys.readouterr()
        assert ended.value.code == 1, written.err
        assert written.out == ""
        assert "Traceback" not in written.err
        assert written.err.startswith("tau-rec-books: ")
        assert report.read_bytes() == EARLIER
        assert tree_hashes(copy.folder.parent) == before
        return written.err

    return run


def test_the_unchanged_copy_verifies(copy: Copy) -> None:
    assert verify_snapshot(copy.folder)["passed"]


def test_no_two_responses_are_the_same(copy: Copy) -> None:
    page = {
        response["name"]: response["pages"][0]
        for response in json.loads(copy.manifest.read_text())["responses"]
    }
    others = json.loads((copy.stranger / "snapshot.json").read_text())["responses"]
    bodies = {entry["body_sha256"] for entry in page.values()}
    bodies |= {response["pages"][0]["body_sha256"] for response in others}
    assert len(bodies) == 2 * len(QUERY_NAMES)


@pytest.mark.parametrize("name", QUERY_NAMES)
def test_a_missing_response_is_named(name: str, copy: Copy, told: Callable[[], str]) -> None:
    copy.response(name).unlink()
    assert f"{copy.response(name)} is missing" in told()


@pytest.mark.parametrize("name", QUERY_NAMES)
def test_a_response_with_the_body_of_another_is_named(name: str, copy: Copy, told: Callable[[], str]) -> None:
    other = QUERY_NAMES[(QUERY_NAMES.index(name) + 1) % len(QUERY_NAMES)]
    shutil.copyfile(copy.response(other), copy.response(name))
    words = told()
    assert str(copy.response(name)) in words
    assert str(copy.response(other)) not in words


@pytest.mark.parametrize("name", QUERY_NAMES)
def test_a_response_of_another_world_is_named(name: str, copy: Copy, told: Callable[[], str]) -> None:
    shutil.copyfile(copy.stranger / "responses" / copy.response(name).name, copy.response(name))
    assert str(copy.response(name)) in told()


@pytest.mark.parametrize("name", QUERY_NAMES)
def test_two_responses_that_changed_places_are_both_named(
    name: str, copy: Copy, told: Callable[[], str], tmp_path: Path
) -> None:
    other = QUERY_NAMES[(QUERY_NAMES.index(name) + 7) % len(QUERY_NAMES)]
    copy.response(name).rename(tmp_path / "aside")
    copy.response(other).rename(copy.response(name))
    (tmp_path / "aside").rename(copy.response(other))
    words = told()
    assert str(copy.response(name)) in words
    assert str(copy.response(other)) in words


@pytest.mark.parametrize("name", QUERY_NAMES)
@pytest.mark.parametrize("change", ["a comment", "line ends", "missing", "another"])
def test_a_changed_query_is_named(name: str, change: str, copy: Copy, told: Callable[[], str]) -> None:
    file = copy.query(name)
    text = file.read_bytes()
    match change:
        case "a comment":
            file.write_bytes(text + b"# nothing\n")
        case "line ends":
            file.write_bytes(text.replace(b"\n", b"\r\n"))
        case "missing":
            file.unlink()
        case _:
            file.write_bytes(copy.query(QUERY_NAMES[QUERY_NAMES.index(name) - 1]).read_bytes())
    assert str(file) in told()


@pytest.mark.parametrize(
    "damage",
    ["a bit", "cut off", "empty", "not compressed", "a folder", "two frames", "one row twice", "no row"],
)
def test_a_damaged_response_is_named(damage: str, copy: Copy, told: Callable[[], str]) -> None:
    file = copy.response("05-crime")
    packed = file.read_bytes()
    page = json.loads(copy.manifest.read_text())["responses"][4]["pages"][0]
    body = read_body(copy.folder, page)
    document = json.loads(body)
    match damage:
        case "a bit":
            middle = len(packed) // 2
            file.write_bytes(packed[:middle] + bytes([packed[middle] ^ 1]) + packed[middle + 1 :])
        case "cut off":
            file.write_bytes(packed[:-20])
        case "empty":
            file.write_bytes(b"")
        case "not compressed":
            file.write_bytes(body)
        case "a folder":
            file.unlink()
            file.mkdir()
        case "two frames":
            file.write_bytes(packed + packed)
        case "one row twice":
            document["results"]["bindings"].append(document["results"]["bindings"][0])
            write_body(file, json.dumps(document).encode())
        case _:
            document["results"]["bindings"] = []
            write_body(file, json.dumps(document).encode())
    assert str(file) in told()


@pytest.mark.parametrize(
    "place",
    [
        "note.txt",
        "responses/05-crime.json",
        "responses/05-crime.00of02.json.zst",
        "queries/22-more.rq",
        "more/a/b",
        ".x",
    ],
)
def test_a_file_that_was_added_is_named(place: str, copy: Copy, told: Callable[[], str]) -> None:
    added = copy.folder / place
    added.parent.mkdir(parents=True, exist_ok=True)
    added.write_text("")
    assert f"{added} does not belong to the snapshot" in told()


def test_a_link_that_was_added_is_named(copy: Copy, told: Callable[[], str]) -> None:
    added = copy.folder / "responses" / "link.json.zst"
    added.symlink_to("05-crime.json.zst")
    assert str(added) in told()


def _page(key: str, value: object) -> Callable[[Any], object]:
    return lambda document: document["responses"][4]["pages"][0].update({key: value})


def _response(key: str, value: object) -> Callable[[Any], object]:
    return lambda document: document["responses"][4].update({key: value})


def _one_row_more(document: Any) -> None:
    """One row more, in every place that counts rows."""
    for entry in (document["responses"][4]["pages"][0], document["responses"][4], document["totals"]):
        entry["rows"] += 1


EDITS: dict[str, Callable[[Any], object]] = {
    "rows of a page": _page("rows", 7),
    "rows of a response": _response("rows", 7),
    "rows, consistently": _one_row_more,
    "total of rows": lambda document: document["totals"].update(rows=7),
    "bytes of a page": _page("bytes", 7),
    "hash of a body": _page("body_sha256", "0" * 64),
    "hash of rows": _page("rows_sha256", "0" * 64),
    "hash of a query": _response("query_sha256", "0" * 64),
    "hash of a page's query": _page("query_sha256", "0" * 64),
    "half a hash": _page("body_sha256", "0" * 32),
    "file outside": _page("file", "../../secret"),
    "file of another response": _page("file", "responses/06-dystopian.json.zst"),
    "a page too few": _page("modulus", 2),
    "a response less": lambda document: document["responses"].pop(4),
    "a response twice": lambda document: document["responses"].append(document["responses"][4]),
    "another order": lambda document: document["responses"].reverse(),
    "a key more": lambda document: document.update(more=1),
    "a key less": lambda document: document.pop("totals"),
    "another schema": lambda document: document.update(schema_version=2),
}


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "not listed"])
@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_manifest_is_refused_with_what_it_contradicts(
    edit: str, listed: bool, copy: Copy, told: Callable[[], str]
) -> None:
    if not listed:
        copy.index.unlink()
    copy.edit(EDITS[edit])
    words = told()
    assert str(copy.manifest) in words or "05-crime" in words


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.update(endpoint="https://elsewhere.example/sparql"),
        lambda document: document.update(started="2020-01-01T00:00:00Z"),
        lambda document: document.update(id="older"),
    ],
    ids=["endpoint", "start", "id"],
)
def test_what_only_the_list_of_snapshots_can_contradict_is_refused(
    change: Callable[[Any], object], copy: Copy, told: Callable[[], str]
) -> None:
    copy.edit(change)
    assert f"{copy.manifest} is not the file that index.csv lists" in told()


def test_a_forged_response_with_a_manifest_to_match_is_refused(copy: Copy, told: Callable[[], str]) -> None:
    shutil.copyfile(copy.stranger / "responses" / "05-crime.json.zst", copy.response("05-crime"))
    theirs = json.loads((copy.stranger / "snapshot.json").read_text())["responses"][4]
    body = read_body(copy.folder, theirs["pages"][0])
    rows = parse_rows(body, where="forged")

    def forge(document: Any) -> None:
        entry = document["responses"][4]
        for key, value in (("rows", len(rows)), ("bytes", len(body))):
            document["totals"][key] += value - entry[key]
            entry[key] = entry["pages"][0][key] = value
        entry["pages"][0].update(body_sha256=sha256_bytes(body), rows_sha256=rows_hash(rows))

    copy.edit(forge)
    assert f"{copy.manifest} is not the file that index.csv lists" in told()
    copy.index.unlink()
    assert verify_snapshot(copy.folder)["passed"], "the forgery is not a good one"


@pytest.mark.parametrize("text", ["", "not JSON", "[]", '{"id": "old"}', "\x00", "{" * 5000])
def test_a_manifest_that_is_none_is_named(text: str, copy: Copy, told: Callable[[], str]) -> None:
    copy.manifest.write_text(text)
    assert str(copy.manifest) in told()


def test_a_missing_manifest_is_named(copy: Copy, told: Callable[[], str]) -> None:
    copy.manifest.unlink()
    assert str(copy.manifest) in told()


def test_a_body_that_is_compressed_in_another_way_is_the_same_response(copy: Copy) -> None:
    page = json.loads(copy.manifest.read_text())["responses"][4]["pages"][0]
    before = copy.response("05-crime").read_bytes()
    write_body(copy.response("05-crime"), read_body(copy.folder, page), level=1)
    assert copy.response("05-crime").read_bytes() != before
    assert verify_snapshot(copy.folder)["passed"]


# --- the build


@dataclass(frozen=True)
class Checkout:
    """A checkout with a catalog built from the good snapshot."""

    root: Path
    snapshots: Path
    config: Path

    def build_catalog(self) -> Any:
        """Ask Snakemake for the catalog."""
        return snakemake(self.root, "catalog", "--configfile", str(self.config))

    def products(self) -> dict[str, str]:
        """Hashes of what was built, logs and measurements aside."""
        found = tree_hashes(self.root / "results" / "books-tiny")
        return {path: digest for path, digest in found.items() if not path.startswith(("logs", "benchmarks"))}


@pytest.fixture(scope="session")
def checkout(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The catalog of the good snapshot, built once."""
    place = tmp_path_factory.mktemp("build")
    copy_checkout(place / "checkout")
    config = place / "tiny.yaml"
    settings = {
        "track": "books-tiny",
        "snapshot": {"folder": str(place / "snapshots"), "id": "old"},
        "catalog": {"sizes": [10, 20, 40]},
        "trials": {"size": 40},
    }
    config.write_text(yaml.safe_dump(settings))
    made = Checkout(place / "checkout", place / "snapshots", config)
    shutil.copytree(template / "snapshots" / "old", made.snapshots / "old")
    shutil.copyfile(template / "snapshots" / INDEX, made.snapshots / INDEX)
    run = made.build_catalog()
    assert run.returncode == 0, run.stdout + run.stderr
    return made


@pytest.mark.workflow
@pytest.mark.parametrize(
    "change", ["older", "added above", "deleted", "of another world", "query edited", "added"]
)
def test_a_changed_snapshot_stops_the_build_of_the_catalog(
    change: str, checkout: Checkout, stranger: Path
) -> None:
    folder = checkout.snapshots / "old"
    kept = shutil.copytree(folder, checkout.snapshots.parent / "kept")
    victim = folder / "responses" / "11-mystery.json.zst"
    products = checkout.products()
    assert len(products) >= 7
    try:
        match change:
            case "deleted":
                victim.unlink()
            case "of another world":
                victim.write_bytes((stranger / "responses" / victim.name).read_bytes())
            case "older":
                written = victim.stat().st_mtime - 3600
                victim.write_bytes((stranger / "responses" / victim.name).read_bytes())
                os.utime(victim, (written, written))
            case "added above":
                victim = folder / "note.txt"
                victim.write_bytes(b"")
            case "query edited":
                victim = folder / "queries" / "11-mystery.rq"
                victim.write_bytes(victim.read_bytes() + b"\n")
            case _:
                victim = folder / "responses" / "11-mystery-2.json.zst"
                victim.write_bytes(b"")
        run = checkout.build_catalog()
    finally:
        shutil.rmtree(folder)
        shutil.move(kept, folder)
    output = run.stdout + run.stderr
    assert run.returncode != 0
    assert victim.name in output
    assert "Traceback" not in output
    assert checkout.products() == products
