"""The verbs of snapshots: exit status, one sentence, and output that can be read."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tau_rec_books.cli import main
from tau_rec_books.cli.snapshot import diff
from tau_rec_books.core.canonical import read_csv, read_json
from tau_rec_books.wikidata.layout import Part
from tau_rec_books.wikidata.queries import QUERY_NAMES
from tau_rec_books.wikidata.snapshot import write_snapshot
from tau_rec_books.wikidata.statements import COLUMNS


def make(folder: Path, title: str) -> Path:
    """A snapshot in which every response describes one work of its own."""
    bodies = []
    for place, name in enumerate(QUERY_NAMES):
        subject = {"type": "uri", "value": f"http://www.wikidata.org/entity/Q{900 + place}"}
        rows = [("P1476", title), ("sitelinks", "3")]
        bindings = [
            {
                "subject": subject,
                "property": {"type": "literal", "value": code},
                "value": {"type": "literal", "value": text},
            }
            for code, text in rows
        ]
        document = {"head": {"vars": COLUMNS}, "results": {"bindings": bindings}}
        bodies.append((name, f"SELECT {name}\n", json.dumps(document).encode()))
    write_snapshot(folder, folder.name, bodies, endpoint="made by hand", level=3)
    return folder


def status_of(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_an_unchanged_snapshot_is_told_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make(tmp_path / "one", "A title")
    assert status_of("verify-snapshot", str(folder), "--report", str(tmp_path / "report.json")) == 0
    assert "is unchanged: 21 responses, 42 rows" in capsys.readouterr().out
    assert read_json(tmp_path / "report.json")["passed"] is True


def test_a_changed_snapshot_exits_with_1_names_the_file_and_leaves_the_report_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make(tmp_path / "one", "A title")
    (tmp_path / "report.json").write_text("earlier")
    for name in ("05-crime", "09-horror"):
        (folder / Part(name).response_file).unlink()
    assert status_of("verify-snapshot", str(folder), "--report", str(tmp_path / "report.json")) == 1
    told = capsys.readouterr().err.splitlines()
    assert "05-crime.json.zst is missing" in told[0]
    assert "09-horror.json.zst is missing" in told[1]
    assert (tmp_path / "report.json").read_text() == "earlier"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--endpoint", "http://127.0.0.1:9/", "--id", "../elsewhere"], "cannot be the id of a snapshot"),
        (["--endpoint", "http://127.0.0.1:9/", "--id", "Books"], "cannot be the id of a snapshot"),
        (["--endpoint", "query.wikidata.org", "--id", "a"], "is not the address of an endpoint"),
        (["--endpoint", "ftp://example.org/", "--id", "a"], "is not the address of an endpoint"),
        (["--endpoint", "http://[::1/", "--id", "a"], "is not the address of an endpoint"),
        (["--endpoint", "http://example.org:x/", "--id", "a"], "is not the address of an endpoint"),
        (["--endpoint", "https://me:secret@example.org/", "--id", "a"], "would end up in the snapshot"),
        (["--endpoint", "https://example.org/sparql", "--id", "a"], "give --contact"),
        (["--endpoint", "http://127.0.0.1:9/", "--id", "a", "--contact", "a\nb"], "cannot be sent"),
        (
            ["--endpoint", "http://127.0.0.1:9/", "--id", "a", "--reference", "nowhere"],
            "There is no snapshot",
        ),
        (["--endpoint", "http://127.0.0.1:9/", "--id", "a", "--attempts", "1"], "cannot be reached"),
    ],
)
def test_a_fetch_that_cannot_be_is_one_sentence(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status_of("fetch", *arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and told in lines[0] and "secret" not in lines[0]
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "requests.jsonl"] == []


def test_two_snapshots_are_compared_for_reading_and_as_a_table(tmp_path: Path) -> None:
    one, two = make(tmp_path / "one", "A title"), make(tmp_path / "two", "=A title")
    table = tmp_path / "differences.csv"
    done = CliRunner().invoke(diff, [str(one), str(two), "--csv", str(table), "--show", "1"])
    assert done.exit_code == 0, done.output
    assert "0 works added" in done.output
    assert "21 properties of works changed\n  Q900 =A title: P1476 A title → =A title\n" in done.output
    rows = read_csv(table)
    assert len(rows) == 21
    assert list(rows[0].values()) == ["changed", "Q900", "=A title", "P1476", "A title", "=A title"]
    assert "'=A title" in table.read_text()
