"""The main job: a release comes out, a second run has nothing to do, other conditions move no byte."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from double_build import ROOT, compare_builds, copy_checkout, snakemake
from mini_build import MiniBuild

from tau_rec_books.core.canonical import read_csv, read_json
from tau_rec_books.release.checksums import released_files

pytestmark = pytest.mark.workflow

Verb = Callable[..., subprocess.CompletedProcess[str]]


def test_a_second_run_has_nothing_to_do(mini_build: MiniBuild) -> None:
    again = mini_build.run("all", "--dry-run")
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout + again.stderr


def test_the_release_verifies(mini_build: MiniBuild, run_verb: Verb) -> None:
    assert read_json(mini_build.results / "verification.json")["passed"] is True
    assert run_verb("verify", mini_build.results / "release").returncode == 0


def test_one_changed_byte_in_any_file_is_named(mini_build: MiniBuild, run_verb: Verb, tmp_path: Path) -> None:
    release = tmp_path / "release"
    shutil.copytree(mini_build.results / "release", release)
    for name in [*released_files(release), "SHA256SUMS"]:
        path = release / name
        original = path.read_bytes()
        place = len(original) // 2
        path.write_bytes(original[:place] + bytes([original[place] ^ 1]) + original[place + 1 :])
        verdict = run_verb("verify", release)
        assert verdict.returncode == 1, name
        assert name in verdict.stdout + verdict.stderr
        path.write_bytes(original)
    assert run_verb("verify", release).returncode == 0


@pytest.mark.parametrize("change", ["add", "remove", "rename"])
def test_an_added_missing_or_renamed_file_is_named(
    mini_build: MiniBuild, run_verb: Verb, tmp_path: Path, change: str
) -> None:
    release = tmp_path / "release"
    shutil.copytree(mini_build.results / "release", release)
    if change == "add":
        (release / "tasks" / "more.jsonl").write_text("{}\n")
    elif change == "remove":
        (release / "tasks" / "answers.jsonl").unlink()
    else:
        (release / "tasks" / "answers.jsonl").rename(release / "tasks" / "more.jsonl")
    verdict = run_verb("verify", release)
    assert verdict.returncode == 1
    for name in {"add": ["more"], "remove": ["answers"], "rename": ["more", "answers"]}[change]:
        assert f"tasks/{name}.jsonl" in verdict.stdout + verdict.stderr


def test_other_conditions_move_no_byte(
    mini_config: tuple[Path, ...], mini_build: MiniBuild, tmp_path: Path
) -> None:
    assert compare_builds(tmp_path, mini_config, "books-mini") == []


def test_references_and_controls_score_what_they_must(mini_build: MiniBuild) -> None:
    table = read_csv(mini_build.results / "statistics" / "pass_hat_k.csv")
    cells = {(r["agent"], r["condition"], r["kind"]): r for r in table if r["tier"] == "all"}
    for condition in ("volunteer", "mixed"):
        for kind in ("satisfiable", "nvr"):
            assert cells["popularity", condition, kind]["pass_hat_1"] == "1.000000"
            assert cells["eliminating", condition, kind]["pass_hat_1"] == "1.000000"
    for condition in ("volunteer", "mixed", "hidden"):
        for kind in ("satisfiable", "nvr"):
            assert cells["oracle", condition, kind]["pass_hat_1"] == "1.000000"
        assert cells["random", condition, "nvr"]["pass_hat_1"] == "0.000000"
        assert cells["always-abstain", condition, "satisfiable"]["pass_hat_1"] == "0.000000"
        assert cells["always-abstain", condition, "nvr"]["pass_hat_1"] == "1.000000"
    assert {int(r["pending"]) for r in table} == {0}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"catalog": {"sead": 1}}, "unknown key 'sead' in catalog"),
        ({"catalog": {"sizes": [500, 400]}}, "catalog.sizes must increase"),
    ],
)
def test_a_bad_configuration_stops_before_the_graph(
    mini_build: MiniBuild, tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    overlay = tmp_path / "bad.yaml"
    overlay.write_text(yaml.safe_dump(change))
    before = {path: path.read_bytes() for path in mini_build.results.rglob("*") if path.is_file()}
    run = MiniBuild(mini_build.checkout, (*mini_build.config_files, overlay)).run("all")
    output = run.stdout + run.stderr
    assert run.returncode != 0
    assert sentence in output
    assert "Traceback" not in output
    assert "Building DAG" not in output
    assert before == {path: path.read_bytes() for path in mini_build.results.rglob("*") if path.is_file()}


def test_a_snapshot_with_a_changed_byte_stops_the_run_with_its_name(
    mini_build: MiniBuild, small_snapshots: Path, tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"
    copy_checkout(checkout)
    shutil.copytree(mini_build.checkout / "results", checkout / "results")
    snapshots = tmp_path / "snapshots"
    shutil.copytree(small_snapshots, snapshots)
    victim = sorted((snapshots / "small" / "responses").iterdir())[4]
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    overlay = tmp_path / "snapshot.yaml"
    overlay.write_text(yaml.safe_dump({"snapshot": {"folder": str(snapshots)}}))
    products = checkout / "results" / "books-mini"
    kept = {
        path: path.read_bytes() for path in products.rglob("*") if path.is_file() and "logs" not in path.parts
    }
    run = MiniBuild(checkout, (*mini_build.config_files, overlay)).run("all")
    output = run.stdout + run.stderr
    assert run.returncode != 0
    assert victim.name in output
    assert "Traceback" not in output
    after = {path: path.read_bytes() for path in kept if path.exists()}
    assert after == kept
    assert victim.name in (products / "logs" / "verify_snapshot.log").read_text()


def test_lint_and_format_are_clean() -> None:
    lint = snakemake(ROOT, "--lint")
    assert lint.returncode == 0, lint.stdout + lint.stderr
