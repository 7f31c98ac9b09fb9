"""A release forged with care: content edited, manifest and sums made to fit; re-deriving still tells."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mini_build import MiniBuild

from tau_rec_books.catalog.books import BOOK_SCHEMA, book_rows, read_books
from tau_rec_books.core.canonical import read_json, read_jsonl, write_json, write_jsonl, write_parquet
from tau_rec_books.release.checksums import MANIFEST, write_sums
from tau_rec_books.release.manifest import release_manifest

pytestmark = pytest.mark.workflow


def lines(release: Path, name: str, edit: Callable[[list[Any]], object]) -> None:
    """Edit the rows of a JSON Lines file in place."""
    rows = list(read_jsonl(release / name))
    edit(rows)
    write_jsonl(release / name, rows)


def text(release: Path, name: str, old: str, new: str) -> None:
    """Replace the last occurrence of a text."""
    content = (release / name).read_text(encoding="utf-8")
    before, found, after = content.rpartition(old)
    assert found, f"{old!r} is not in {name}"
    (release / name).write_text(before + new + after, encoding="utf-8")


def drop_an_answer(release: Path) -> None:
    def edit(rows: list[Any]) -> None:
        row = next(row for row in rows if len(row["sizes"]["3k"]["answers"]) > 2)
        row["sizes"]["3k"]["answers"].pop()

    lines(release, "tasks/answers.jsonl", edit)


def reorder_answers(release: Path) -> None:
    def edit(rows: list[Any]) -> None:
        row = next(row for row in rows if len(row["sizes"]["3k"]["answers"]) > 2)
        row["sizes"]["3k"]["answers"].reverse()

    lines(release, "tasks/answers.jsonl", edit)


def hide_another_predicate(release: Path) -> None:
    def edit(rows: list[Any]) -> None:
        row = next(row for row in rows if row["condition"] == "volunteer")
        row["predicates"][0]["reveal"] = "on_ask"

    lines(release, "tasks/tasks.jsonl", edit)


def reverse_a_verdict(release: Path) -> None:
    content = (release / "traces/popularity.jsonl").read_text(encoding="utf-8")
    assert "###REJECTED###" in content
    (release / "traces/popularity.jsonl").write_text(
        content.replace("###REJECTED###", "###ACCEPTED###", 1), encoding="utf-8"
    )


def claim_a_success(release: Path) -> None:
    def edit(rows: list[Any]) -> None:
        row = next(row for row in rows if not row["evaluation"]["success"])
        row["evaluation"]["success"] = True

    lines(release, "traces/no-ask.jsonl", edit)


def drop_a_trial(release: Path) -> None:
    lines(release, "traces/no-ask.jsonl", lambda rows: rows.pop())


def improve_the_table(release: Path) -> None:
    text(release, "statistics/pass_hat_k.csv", "0.000000,0.000000,0.000000", "1.000000,1.000000,1.000000")


def improve_the_index(release: Path) -> None:
    content = (release / "traces/trials.csv").read_text(encoding="utf-8")
    (release / "traces/trials.csv").write_text(content.replace(",false,", ",true,", 1), encoding="utf-8")


def swap_two_books(release: Path) -> None:
    books = list(read_books(release / "catalog/750.parquet"))
    books[3], books[4] = books[4], books[3]
    write_parquet(release / "catalog/750.parquet", book_rows(books), BOOK_SCHEMA)


def soften_the_validation(release: Path) -> None:
    document = read_json(release / "tasks/validation.json")
    document["summary"] = {}
    write_json(release / "tasks/validation.json", document)


def add_a_key_to_a_family(release: Path) -> None:
    lines(release, "tasks/families.jsonl", lambda rows: rows[0].update(note="mine"))


FORGERIES: list[tuple[Callable[[Path], None], str]] = [
    (drop_an_answer, "answers"),
    (reorder_answers, "answers"),
    (hide_another_predicate, "volunteer"),
    (reverse_a_verdict, "traces/popularity.jsonl"),
    (claim_a_success, "traces/no-ask.jsonl"),
    (drop_a_trial, "trials.csv"),
    (improve_the_table, "statistics/pass_hat_k.csv"),
    (improve_the_index, "traces/trials.csv"),
    (swap_two_books, "catalog/750.parquet"),
    (soften_the_validation, "tasks/validation.json"),
    (add_a_key_to_a_family, "tasks/families.jsonl"),
]


@pytest.mark.parametrize(("forge", "named"), FORGERIES, ids=[forge.__name__ for forge, _ in FORGERIES])
def test_a_forged_release_does_not_verify(
    mini_build: MiniBuild,
    run_verb: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    forge: Callable[[Path], None],
    named: str,
) -> None:
    release = tmp_path / "release"
    shutil.copytree(mini_build.results / "release", release)
    manifest = read_json(release / MANIFEST)
    forge(release)
    config = read_json(release / "config.json")
    write_json(release / MANIFEST, release_manifest(release, config, manifest["snapshot"]["sha256"]))
    write_sums(release)
    verdict = run_verb("verify", release, "--json")
    outcome = json.loads(verdict.stdout)
    assert verdict.returncode == 1
    assert outcome["passed"] is False
    assert outcome["checks"][0] == {
        "check": "checksums",
        "examined": outcome["checks"][0]["examined"],
        "problems": [],
    }
    assert any(named in problem for problem in outcome["checks"][-1]["problems"]), outcome["checks"][-1]
