"""Agreement of two reviewers: Cohen's kappa, what counts, and what is refused in one sentence."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.catalog.audit import AUDIT_COLUMNS, AUDIT_JUDGEMENTS
from tau_rec_books.cli import main
from tau_rec_books.cli.audit import agreement
from tau_rec_books.core.agreement import (
    ANSWERS,
    OVERALL,
    Pair,
    cohens_kappa,
    compare_copies,
    read_filled_copy,
)
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks import audit as tasks_audit

Rows = list[dict[str, str]]
pairs_of_answers = st.lists(st.tuples(st.sampled_from(ANSWERS), st.sampled_from(ANSWERS)), max_size=80)


def copy_of(column: Sequence[str], name: str = "year") -> Rows:
    return [{"id": f"Q{number}", name: answer} for number, answer in enumerate(column)]


def test_kappa_of_fifty_pairs_worked_out_by_hand() -> None:
    # 20 times both yes, 15 times both no, 5 times yes/no, 10 times no/yes.
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    # They agree in 35 of 50: 0.7. One says yes in 25 of 50, the other in 30 of 50, so that by chance both
    # say yes in 0.5 * 0.6 and both no in 0.5 * 0.4, together 0.5; of the other 0.5 they reach 0.2.
    assert cohens_kappa(pairs) == pytest.approx((0.7 - 0.5) / (1 - 0.5))
    assert cohens_kappa(pairs) == pytest.approx(0.4)


def test_kappa_of_three_answers_from_first_principles() -> None:
    pairs = [("yes", "yes"), ("yes", "unsure"), ("no", "no"), ("unsure", "no"), ("yes", "yes"), ("no", "no")]
    observed = sum(a == b for a, b in pairs) / 6
    chance = sum(
        (sum(a == word for a, _ in pairs) / 6) * (sum(b == word for _, b in pairs) / 6) for word in ANSWERS
    )
    assert cohens_kappa(pairs) == pytest.approx((observed - chance) / (1 - chance))


@given(pairs_of_answers)
def test_kappa_is_symmetric_and_at_most_one(pairs: list[Pair]) -> None:
    kappa = cohens_kappa(pairs)
    assert kappa == cohens_kappa([(second, first) for first, second in pairs])
    if kappa is not None:
        assert -1 <= kappa <= 1
        assert (kappa == 1) == all(first == second for first, second in pairs)


@given(pairs_of_answers, st.randoms(use_true_random=False))
def test_the_order_of_pairs_does_not_matter(pairs: list[Pair], random: object) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert cohens_kappa(shuffled) == cohens_kappa(pairs)


@given(st.lists(st.sampled_from(ANSWERS), max_size=60))
def test_perfect_agreement_is_one_unless_there_is_only_one_word(column: list[str]) -> None:
    kappa = cohens_kappa([(answer, answer) for answer in column])
    assert kappa == (1 if len(set(column)) > 1 else None)


def test_opposite_answers_give_minus_one_and_chance_gives_zero() -> None:
    assert cohens_kappa([("yes", "no"), ("no", "yes")]) == -1
    assert cohens_kappa([(a, b) for a in ("yes", "no") for b in ("yes", "no")]) == 0
    assert cohens_kappa([("yes", "yes"), ("yes", "no")]) == 0


def test_what_both_call_not_applicable_is_set_aside_and_what_one_does_counts() -> None:
    first = copy_of(["yes", "not applicable", "not applicable", "no"])
    second = copy_of(["yes", "Not  Applicable ", "yes", "NO"])
    (year,) = compare_copies(first, second, "id", ["year"]).judgements
    assert (year.compared, year.agreed, year.not_applicable) == (3, 2, 1)
    assert year.percent == pytest.approx(200 / 3)
    assert year.kappa == pytest.approx(
        cohens_kappa([("yes", "yes"), ("not applicable", "yes"), ("no", "no")])
    )


def test_kappa_is_undefined_and_says_why() -> None:
    always = compare_copies(copy_of(["yes", "yes"]), copy_of(["yes", "yes"]), "id", ["year"]).judgements[0]
    assert (always.kappa, always.percent) == (None, 100)
    assert "both always say yes" in always.note
    nothing = copy_of(["not applicable"])
    never = compare_copies(nothing, nothing, "id", ["year"]).judgements[0]
    assert (never.kappa, never.percent, never.compared) == (None, None, 0)
    assert "nothing to compare" in never.note


def test_all_judgements_together_are_their_pairs_together() -> None:
    first = [{"id": "Q1", "a": "yes", "b": "no"}, {"id": "Q2", "a": "yes", "b": "yes"}]
    second = [{"id": "Q2", "a": "yes", "b": "no"}, {"id": "Q1", "a": "yes", "b": "no"}]
    compared = compare_copies(first, second, "id", ["a", "b"])
    assert compared.overall.judgement == OVERALL
    assert (compared.rows, compared.overall.compared, compared.overall.agreed) == (2, 4, 3)
    pairs = [("yes", "yes"), ("yes", "yes"), ("no", "no"), ("yes", "no")]
    assert compared.overall.kappa == pytest.approx(cohens_kappa(pairs))
    assert [(d.row, d.judgement, d.first, d.second) for d in compared.disagreements] == [
        ("Q2", "b", "yes", "no")
    ]


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        (copy_of(["yes"]), r"bo lacks 1 of the rows of ann, Q1 among them"),
        (copy_of(["yes", "no", "no"]), r"ann lacks 1 of the rows of bo, Q2 among them"),
        (copy_of(["yes", " "]), r"bo, row Q1, has no answer for year; write one of: yes, no, unsure"),
        (copy_of(["yes", "maybe"]), r"bo, row Q1, says 'maybe' for year"),
        (copy_of(["yes", "no"], "jahr"), r"bo has no column year"),
        ([*copy_of(["yes", "no"]), *copy_of(["no"])], r"bo has the row Q0 twice"),
    ],
)
def test_copies_that_cannot_be_compared_are_refused_in_one_sentence(second: Rows, sentence: str) -> None:
    with pytest.raises(Problem, match=sentence):
        compare_copies(copy_of(["yes", "no"]), second, "id", ["year"], ("ann", "bo"))


def fill(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, str]], mark: str = "") -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(mark)
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def catalog_copy(*changes: tuple[int, str, str]) -> Rows:
    rows = [
        {"id": f"wd_Q{n}", "title": "=SUM(1)"} | dict.fromkeys(AUDIT_JUDGEMENTS, "yes") for n in range(60)
    ]
    for row, judgement, answer in changes:
        rows[row][judgement] = answer
    return rows


def test_the_verb_prints_a_line_per_judgement_and_the_disagreements(tmp_path: Path) -> None:
    first = fill(tmp_path / "ann.csv", AUDIT_COLUMNS, catalog_copy((3, "year_right", "no")), mark="\ufeff")
    second = fill(
        tmp_path / "bo.csv", AUDIT_COLUMNS, catalog_copy((3, "year_right", "no"), (7, "genres_right", "no"))
    )
    result = CliRunner().invoke(agreement, [first, second], catch_exceptions=False)
    assert result.exit_code == 0
    lines = {line.split()[0]: line.split() for line in result.output.splitlines() if line.strip()}
    assert lines["year_right"][1:] == ["60", "60", "100.0", "1.000", "0"]
    assert lines["genres_right"][1:] == ["60", "59", "98.3", "0.000", "0"]
    assert lines["is_a_book"][1:] == ["60", "60", "100.0", "undefined", "0"]
    assert lines["all"][2:5] == ["300", "299", "99.7"]
    assert lines["wd_Q7"] == ["wd_Q7", "genres_right", "yes", "no"]
    assert "kappa of is_a_book is undefined: both always say yes" in result.output


def test_the_verb_knows_the_sample_of_the_tasks_and_writes_json(tmp_path: Path) -> None:
    rows = [
        {"family": f"family-{n:03}"}
        | dict.fromkeys(tasks_audit.AUDIT_JUDGEMENTS, "yes")
        | {"nvr_plausible": "yes" if n % 2 else "not applicable"}
        for n in range(30)
    ]
    copies = [fill(tmp_path / name, tasks_audit.AUDIT_COLUMNS, rows) for name in ("a.csv", "b.csv")]
    result = CliRunner().invoke(agreement, ["--json", *copies], catch_exceptions=False)
    document = json.loads(result.output)
    assert (document["sample"], document["rows"], document["disagreements"]) == ("tasks", 30, [])
    assert document["overall"]["compared"] == 135
    assert document["overall"]["not_applicable"] == 15


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no rows"),
        ("id,title\nwd_Q1,x\n", "neither the columns of the catalog's audit sample nor of the tasks'"),
        ("id;is_a_book;year_right\nwd_Q1;yes;yes\n", "save it as CSV with commas"),
        ("id,title\nwd_Q1\n", "does not fit the header"),
        (None, "does not exist"),
    ],
)
def test_a_file_that_is_no_filled_copy_gets_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, sentence: str
) -> None:
    if text is not None:
        (tmp_path / "ann.csv").write_text(text, encoding="utf-8")
    good = fill(tmp_path / "bo.csv", AUDIT_COLUMNS, catalog_copy())
    with pytest.raises(SystemExit) as stopped:
        main(["agreement", str(tmp_path / "ann.csv"), good])
    assert stopped.value.code == 2
    complaint = capsys.readouterr().err
    assert sentence in complaint
    assert complaint.count("\n") == 1


def test_a_copy_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ann.csv").write_bytes("id,é\n".encode("latin-1"))
    with pytest.raises(Problem, match="UTF-8"):
        read_filled_copy(tmp_path / "ann.csv")
