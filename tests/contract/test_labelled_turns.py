"""The labelled agent turns: well-formed, enough, and a report that a change of the lexicon has to move."""

from collections import Counter
from importlib.resources import files
from pathlib import Path

from tau_rec_books.core.canonical import read_csv, write_csv
from tau_rec_books.trial.match_report import REPORT_COLUMNS, compare, labelled_turns, report_lines
from tau_rec_books.trial.matching import ASK_FIELDS, matcher

FOLDER = Path(str(files("tau_rec_books.trial"))) / "data" / "labelled-turns"
KINDS = ("plain", "several", "broad", "statement", "book_question", "unusual", "indirect", "list", "long",
         "none", "hard")  # fmt: skip


def test_there_are_enough_turns_of_every_kind() -> None:
    kinds = Counter(turn["kind"] for turn in labelled_turns())
    assert kinds.total() >= 200
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 10


def test_every_label_is_well_formed() -> None:
    turns = labelled_turns()
    assert [turn["id"] for turn in turns] == [f"t{number:03d}" for number in range(1, len(turns) + 1)]
    for turn in turns:
        assert set(turn) == {"id", "text", "fields", "generic", "kind", "note"}, turn["id"]
        assert isinstance(turn["text"], str)
        assert isinstance(turn["note"], str)
        assert turn["fields"] == [field for field in ASK_FIELDS if field in turn["fields"]], turn["id"]
        assert isinstance(turn["generic"], bool)
        assert not turn["generic"] or turn["fields"] == list(ASK_FIELDS), turn["id"]
        assert turn["kind"] not in ("statement", "book_question", "none") or not turn["fields"], turn["id"]


def test_no_two_turns_say_the_same() -> None:
    texts = [" ".join(turn["text"].split()).casefold() for turn in labelled_turns()]
    assert len(set(texts)) == len(texts)


def test_the_report_is_the_one_beside_the_turns(tmp_path: Path) -> None:
    """After a deliberate change: `pytest -s` shows the figures; copy the derived file over report.csv."""
    rows = compare(labelled_turns(), matcher("rule-v1"))
    print("\n" + "\n".join(report_lines(rows)))
    derived = tmp_path / "report.csv"
    write_csv(derived, REPORT_COLUMNS, (row.row() for row in rows))
    assert read_csv(derived) == read_csv(FOLDER / "report.csv"), f"the figures moved; see {derived}"
    assert derived.read_bytes() == (FOLDER / "report.csv").read_bytes()
