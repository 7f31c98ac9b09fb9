"""Task sets through the workflow: fresh families from another seed, and requests that cannot be met."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from double_build import copy_checkout, snakemake
from mini_build import MiniBuild

from tau_rec_books.core.canonical import read_json, read_jsonl, write_json

pytestmark = pytest.mark.workflow


def requests(path: Path) -> set[str]:
    """The requests of a families.jsonl, whatever ids they have."""
    return {
        "; ".join(f"{p['field']} {p['operator']} {p['value']}" for p in family["predicates"])
        for family in read_jsonl(path)
    }


def test_another_seed_gives_a_disjoint_valid_set_that_tells_its_overlap(mini_build: MiniBuild) -> None:
    run = mini_build.run("tasks", "--config", "tasks={seed: other}", "track=books-fresh")
    assert run.returncode == 0, run.stdout + run.stderr
    fresh, first = (
        mini_build.checkout / "results" / track / "tasks" for track in ("books-fresh", "books-mini")
    )
    assert read_json(fresh / "validation.json")["passed"] is True
    one, other = (requests(folder / "families.jsonl") for folder in (first, fresh))
    assert len(one) == len(other) == 24 and not one & other
    assert read_json(first / "overlap.json") == []
    (shared,) = read_json(fresh / "overlap.json")
    assert shared["set"] == "books-tasks-v1" and shared["families_first"] == 24
    assert shared["same_predicates"] == [] and 0 < shared["sizes"]["3k"]["shared_answers"] < 1


def test_too_many_nvr_families_end_the_run_with_the_rule_that_failed_most(tmp_path: Path) -> None:
    """On the bundled snapshot, as a user would ask for it."""
    copy_checkout(tmp_path)
    counts = "{complex: {satisfiable: 45, nvr: 500}}"
    run = snakemake(tmp_path, "tasks", "--config", f"tasks={{tiers: {counts}}}")
    output = run.stdout + run.stderr
    assert run.returncode != 0 and "Traceback" not in output
    (sentence,) = [line for line in output.splitlines() if line.startswith("tau-rec-books: No complex NVR")]
    assert "the rule that failed most is nvr_leave_one_out" in sentence
    assert "needed at least 3" in sentence and "lower tasks.nvr_leave_one_out" in sentence
    assert not (tmp_path / "results" / "books-synthetic-v1" / "tasks" / "families.jsonl").exists()


def test_too_many_nvr_families_are_told_by_the_verb_alone(
    mini_build: MiniBuild, run_verb: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    settings = read_json(mini_build.results / "settings" / "tasks.json")
    settings["tiers"]["complex"]["nvr"] = 500
    write_json(tmp_path / "settings.json", settings)
    made = run_verb(
        "make-tasks", "--catalog", mini_build.results / "catalog", "--sizes", "750,1500,3000",
        "--settings", tmp_path / "settings.json", "--out", tmp_path / "tasks",
    )  # fmt: skip
    assert made.returncode == 2 and not (tmp_path / "tasks").exists()
    assert made.stderr.startswith("tau-rec-books: No complex NVR family number ")
    assert "the rule that failed most is nvr_leave_one_out" in made.stderr
