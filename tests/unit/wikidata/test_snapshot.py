"""A snapshot is what its manifest says, or the first file that differs is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tau_rec_books.core.canonical import read_csv, read_json, write_json
from tau_rec_books.core.errors import CheckFailed, Problem
from tau_rec_books.wikidata.compare import check_labels, compare_snapshots
from tau_rec_books.wikidata.index import update_index
from tau_rec_books.wikidata.layout import (
    MANIFEST,
    Part,
    manifest_of,
    page_entry,
    read_body,
    response_entry,
    write_body,
)
from tau_rec_books.wikidata.queries import QUERY_NAMES
from tau_rec_books.wikidata.snapshot import (
    SnapshotChanged,
    read_snapshot_manifest,
    verify_snapshot,
    write_snapshot,
)
from tau_rec_books.wikidata.statements import COLUMNS, Statement, parse_rows, read_statements, rows_hash
from tau_rec_books.wikidata.tables import language_items

ENTITY = "http://www.wikidata.org/entity/"
CRIME = "05-crime"


def body_of(rows: list[tuple[Any, ...]]) -> bytes:
    def cell(text: str) -> dict[str, str]:
        is_item = text[:1] == "Q" and text[1:].isdigit()
        return {"type": "uri", "value": ENTITY + text} if is_item else {"type": "literal", "value": text}

    bindings = [
        {column: cell(text) for column, text in zip(COLUMNS, row, strict=False) if text is not None}
        for row in rows
    ]
    return json.dumps({"head": {"vars": COLUMNS}, "results": {"bindings": bindings}}).encode()


def rows_of(place: int) -> list[tuple[Any, ...]]:
    work = f"Q{900 + place}"
    return [
        (work, "P31", "Q7725634", None),
        (work, "P577", "1990-01-01T00:00:00Z", "9"),
        (work, "label", f"Book {place}", "en"),
        ("Q7725634", "label", "literary work", "en"),
    ]


def make(folder: Path, change: Callable[[str, list[Any]], list[Any]] = lambda name, rows: rows) -> Path:
    bodies = [
        (name, f"SELECT {name}\n", body_of(change(name, rows_of(place))))
        for place, name in enumerate(QUERY_NAMES)
    ]
    write_snapshot(folder, folder.name, bodies, endpoint="made by hand", level=3)
    return folder


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return make(tmp_path / "snapshots" / "one")


def problems(folder: Path) -> list[str]:
    with pytest.raises(SnapshotChanged) as raised:
        verify_snapshot(folder)
    assert isinstance(raised.value, CheckFailed)
    assert str(raised.value).startswith(raised.value.problems[0])
    return raised.value.problems


def edit(folder: Path, change: Callable[[Any], object]) -> None:
    manifest = read_json(folder / MANIFEST)
    change(manifest)
    write_json(folder / MANIFEST, manifest)


def test_an_unchanged_snapshot_passes_and_is_counted(snapshot: Path) -> None:
    report = verify_snapshot(snapshot)
    assert report["passed"] and report["snapshot"] == "one"
    assert report["totals"]["responses"] == 21
    assert report["totals"]["rows"] == 84
    assert [response["name"] for response in report["responses"]] == list(QUERY_NAMES)


def test_statements_come_response_by_response_in_query_order(snapshot: Path) -> None:
    read = list(read_statements(snapshot))
    assert [name for name, _ in read] == list(QUERY_NAMES)
    assert read[4] == (CRIME, [Statement(*row) for row in rows_of(4)])


def test_a_snapshot_is_never_overwritten(snapshot: Path) -> None:
    with pytest.raises(Problem, match="never overwritten"):
        write_snapshot(snapshot, "one", [], endpoint="elsewhere")
    assert verify_snapshot(snapshot)["passed"]


@pytest.mark.parametrize("name", [QUERY_NAMES[0], CRIME, QUERY_NAMES[-1]])
def test_a_missing_response_is_named(snapshot: Path, name: str) -> None:
    (snapshot / Part(name).response_file).unlink()
    assert problems(snapshot) == [
        f"{snapshot / Part(name).response_file} is missing; restore it or take the snapshot again."
    ]
    with pytest.raises(Problem, match=f"{name}.json.zst is missing"):
        list(read_statements(snapshot))


def test_a_response_replaced_by_another_valid_one_is_named(snapshot: Path) -> None:
    file = snapshot / Part(CRIME).response_file
    file.write_bytes((snapshot / Part("06-dystopian").response_file).read_bytes())
    assert problems(snapshot) == [
        f"{file} is not the response to {CRIME} that was taken; restore it or take the snapshot again."
    ]


def test_a_changed_byte_of_any_file_is_named(snapshot: Path) -> None:
    update_index(snapshot.parent)
    files = sorted(path for path in snapshot.rglob("*") if path.is_file())
    assert len(files) == 43
    for file in files:
        good = file.read_bytes()
        for place in (0, len(good) // 2, len(good) - 1):
            file.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
            assert str(file) in problems(snapshot)[0]
        file.write_bytes(good)
    assert verify_snapshot(snapshot)["passed"]


def test_a_changed_manifest_is_seen_by_the_list_of_snapshots(snapshot: Path) -> None:
    update_index(snapshot.parent)
    assert verify_snapshot(snapshot)["passed"]
    edit(snapshot, lambda manifest: manifest.update(endpoint="somewhere else"))
    assert f"{snapshot / MANIFEST} is not the file that index.csv lists" in problems(snapshot)[0]


def test_an_extra_file_is_named(snapshot: Path) -> None:
    (snapshot / "responses" / "22-poetry.json.zst").write_bytes(b"")
    (snapshot / ".hidden").write_bytes(b"")
    assert problems(snapshot) == [
        f"{snapshot / '.hidden'} does not belong to the snapshot; remove it.",
        f"{snapshot / 'responses' / '22-poetry.json.zst'} does not belong to the snapshot; remove it.",
    ]


def test_all_problems_are_listed_in_the_order_of_the_queries(snapshot: Path) -> None:
    (snapshot / Part("09-horror").response_file).unlink()
    (snapshot / Part(CRIME).query_file).write_text("SELECT something else\n")
    (snapshot / Part("02-biography-and-memoir").response_file).write_bytes(b"not compressed")
    told = problems(snapshot)
    assert [Path(problem.split()[0]).name.split(".")[0] for problem in told] == [
        "02-biography-and-memoir",
        CRIME,
        "09-horror",
    ]


def test_a_reordered_body_is_another_body_with_the_same_rows(snapshot: Path) -> None:
    rows = rows_of(4)
    shuffled = body_of(rows[::-1])
    write_body(snapshot / Part(CRIME).response_file, shuffled)
    assert "is not the response to 05-crime" in problems(snapshot)[0]
    assert rows_hash(parse_rows(shuffled, "")) == rows_hash(parse_rows(body_of(rows), ""))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda m: m["responses"].pop(4), "the response 05-crime is missing"),
        (lambda m: m["responses"].reverse(), "not in query order"),
        (lambda m: m["responses"][4].update(name="05-poetry"), "05-crime is missing"),
        (lambda m: m["responses"].append(m["responses"][4]), "not in query order"),
        (lambda m: m["responses"][4].update(rows=5), "the rows of 05-crime are not the sum"),
        (lambda m: m["totals"].update(bytes=1), "the total of bytes"),
        (lambda m: m["responses"][4]["pages"][0].update(modulus=2), "do not cover every item number once"),
        (lambda m: m["responses"][4]["pages"][0].update(remainder=1), "do not cover every item number once"),
        (lambda m: m["responses"][4]["pages"].append(m["responses"][4]["pages"][0]), "do not cover"),
        (
            lambda m: m["responses"][4]["pages"][0].update(file="responses/x.json.zst"),
            "not the name of that page",
        ),
        (lambda m: m["responses"][4]["pages"][0].update(file="../../etc/passwd"), "does not match"),
        (
            lambda m: m["responses"][4]["pages"][0].update(body_sha256="0" * 64),
            "not the response to 05-crime",
        ),
        (lambda m: m["responses"][4]["pages"][0].update(rows_sha256="0" * 64), "has other rows"),
        (lambda m: m.update(comment="hello"), "Additional properties"),
        (lambda m: m.pop("id"), "'id' is a required property"),
        (lambda m: m.update(schema_version=2), "1 was expected"),
    ],
)
def test_a_manifest_that_contradicts_itself_or_its_files_is_refused(
    snapshot: Path, change: Callable[[Any], object], told: str
) -> None:
    edit(snapshot, change)
    assert told in problems(snapshot)[0]


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '"one"', "\xff"])
def test_a_manifest_that_is_none_is_refused(snapshot: Path, text: str) -> None:
    (snapshot / MANIFEST).write_bytes(text.encode("latin-1"))
    with pytest.raises(Problem, match=MANIFEST):
        read_snapshot_manifest(snapshot)
    assert MANIFEST in problems(snapshot)[0]


def test_a_folder_that_is_no_snapshot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="There is no snapshot"):
        verify_snapshot(tmp_path / "nowhere")
    with pytest.raises(CheckFailed, match="does not exist"):
        verify_snapshot(tmp_path)


def test_a_body_that_would_unpack_to_more_than_it_should_is_not_unpacked(snapshot: Path) -> None:
    bomb = zstandard.ZstdCompressor().compress(b"0" * 50_000_000)
    (snapshot / Part(CRIME).response_file).write_bytes(bomb)
    assert "holds 50,000,000 bytes where snapshot.json says" in problems(snapshot)[0]
    stream = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    (snapshot / Part(CRIME).response_file).write_bytes(stream.compress(b"0" * 900) + stream.flush())
    assert "holds a body of unknown length" in problems(snapshot)[0]


def test_the_same_body_has_the_same_bytes_on_disk(tmp_path: Path) -> None:
    body = body_of(rows_of(1) * 500)
    for name in ("a", "b"):
        write_body(tmp_path / name, body)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert read_body(tmp_path, {"file": "a", "bytes": len(body)}) == body


def split_snapshot(folder: Path, parts: list[Part]) -> Path:
    """A snapshot whose response ``05-crime`` has these pages."""
    make(folder)
    manifest = read_json(folder / MANIFEST)
    (folder / Part(CRIME).response_file).unlink()
    pages = []
    for part in parts:
        rows = [row for row in rows_of(4) if row[0] != "Q904" or 904 % part.modulus == part.remainder]
        body = body_of(rows)
        write_body(folder / part.response_file, body)
        (folder / part.query_file).write_text(f"SELECT {part.stem}\n")
        from tau_rec_books.core.digest import sha256_bytes

        hashes = (sha256_bytes(body), rows_hash(parse_rows(body, "")))
        pages.append(page_entry(part, f"SELECT {part.stem}\n", *hashes, len(rows), len(body)))
    manifest["responses"][4] = response_entry(CRIME, f"SELECT {CRIME}\n", pages)
    write_json(
        folder / MANIFEST,
        manifest_of(
            folder.name,
            endpoint="made by hand",
            user_agent="none",
            started=manifest["started"],
            ended=manifest["ended"],
            modified_before=None,
            modified_after=None,
            responses=manifest["responses"],
        ),
    )
    return folder


def test_pages_of_a_split_response_are_verified_and_joined(snapshot: Path, tmp_path: Path) -> None:
    parts = [Part(CRIME, 0, 2), Part(CRIME, 1, 4), Part(CRIME, 3, 4)]
    split = split_snapshot(tmp_path / "split", parts)
    assert verify_snapshot(split)["responses"][4] == {"name": CRIME, "rows": 6, "pages": 3}
    joined = dict(read_statements(split))[CRIME]
    assert set(joined) == {Statement(*row) for row in rows_of(4)}
    assert compare_snapshots(snapshot, split) == []
    (split / parts[1].response_file).unlink()
    assert "05-crime.01of04.json.zst is missing" in problems(split)[0]


@pytest.mark.parametrize("places", [[(0, 2)], [(0, 2), (1, 4)], [(0, 2), (1, 2), (1, 2)], [(0, 2), (1, 3)]])
def test_pages_that_leave_a_gap_or_overlap_are_refused(tmp_path: Path, places: list[tuple[int, int]]) -> None:
    split = split_snapshot(tmp_path / "split", [Part(CRIME, *place) for place in places])
    assert "the pages of 05-crime do not cover every item number once" in problems(split)[0]


def test_the_halves_of_a_part_are_the_part() -> None:
    part = Part(CRIME, 3, 8)
    halves = part.halves()
    assert [half.stem for half in halves] == ["05-crime.03of16", "05-crime.11of16"]
    for number in range(200):
        inside = sum(number % half.modulus == half.remainder for half in halves)
        assert inside == (number % 8 == 3)


def test_the_list_of_snapshots_is_sorted_keeps_known_rows_and_drops_gone_ones(snapshot: Path) -> None:
    folder = snapshot.parent
    make(folder / "a-first")
    make(folder / "gone")
    (folder / ".two.partial").mkdir()
    (folder / "notes").mkdir()
    index = update_index(folder)
    assert [row["id"] for row in read_csv(index)] == ["a-first", "gone", "one"]
    before = {row["id"]: row for row in read_csv(index)}
    for path in sorted((folder / "gone").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (folder / "gone").rmdir()
    edit(snapshot, lambda manifest: manifest.update(endpoint="changed"))
    make(folder / "two")
    update_index(folder)
    after = {row["id"]: row for row in read_csv(index)}
    assert list(after) == ["a-first", "one", "two"]
    assert after["one"] == before["one"], "a changed manifest must not be blessed"
    assert after["two"]["rows"] == "84" and after["two"]["date"] == "1970-01-01"
    assert problems(snapshot)


def test_two_snapshots_differ_in_works_their_facts_and_the_labels_of_other_items(
    snapshot: Path, tmp_path: Path
) -> None:
    def change(name: str, rows: list[Any]) -> list[Any]:
        rows = [
            ("Q7725634", "label", "work of literature", "en") if row[0] == "Q7725634" else row for row in rows
        ]
        if name == "03-childrens-literature":
            return rows[3:]
        if name == CRIME:
            rows[1] = ("Q904", "P577", "1991-01-01T00:00:00Z", "9")
            rows.append(("Q904", "P407", "Q1860", None))
        if name == "07-fantasy":
            rows += [("Q777", "P31", "Q7725634", None), ("Q777", "label", "New book", "mul")]
        return rows

    later = make(tmp_path / "later", change)
    assert [tuple(row) for row in compare_snapshots(snapshot, later)] == [
        ("added", "Q777", "New book", "", "", ""),
        ("removed", "Q902", "Book 2", "", "", ""),
        ("changed", "Q904", "Book 4", "P407", "", "Q1860"),
        ("changed", "Q904", "Book 4", "P577", "1990-01-01T00:00:00Z (9)", "1991-01-01T00:00:00Z (9)"),
        ("label", "Q7725634", "work of literature", "label", "literary work (en)", "work of literature (en)"),
    ]
    assert compare_snapshots(snapshot, snapshot) == []


def test_the_labels_that_the_tables_believe_in_are_compared_with_the_snapshots() -> None:
    first, second, third = language_items()[:3]
    rows = [
        Statement(first.qid, "label", first.label, "en"),
        Statement(second.qid, "label", "renamed", "mul"),
        Statement("Q904", "P407", third.qid, None),
    ]
    found = {
        check.qid: (check.found, check.status) for check in check_labels(rows) if check.table == "languages"
    }
    assert found[first.qid] == (first.label, "same")
    assert found[second.qid] == ("renamed", "drifted")
    assert found[third.qid] == ("", "drifted")
    assert found[language_items()[5].qid] == ("", "absent")


def test_an_english_label_counts_before_the_one_for_all_languages() -> None:
    item = language_items()[0]
    rows = [Statement(item.qid, "label", "general", "mul"), Statement(item.qid, "label", item.label, "en")]
    check = next(
        check for check in check_labels(rows) if check.qid == item.qid and check.table == "languages"
    )
    assert check.status == "same"
