"""Planned trials on disk: plan, run, resume after a kill, merge, replay."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tau_rec_books.agents.journal import open_journal
from tau_rec_books.catalog.books import BOOK_SCHEMA, Catalog, book_rows
from tau_rec_books.cli import trials
from tau_rec_books.core.canonical import write_json, write_jsonl, write_parquet
from tau_rec_books.core.errors import CheckFailed, Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.plan import Block, plan, read_plan, write_plan

AGENTS = ("always-abstain", "no-ask", "popularity")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog, tasks: list[Task]) -> Path:
    """A folder with a catalog, tasks and a plan of two shards per agent."""
    folder = tmp_path_factory.mktemp("built")
    write_parquet(folder / "catalog" / "1500.parquet", book_rows(catalog.books), BOOK_SCHEMA)
    write_json(folder / "catalog" / "vocabulary.json", catalog.vocabulary.document())
    write_jsonl(folder / "tasks" / "tasks.jsonl", (task.document() for task in tasks))
    agents = [part for agent in AGENTS for part in ("--agent", agent)]
    verb("plan_trials", folder, *agents, "--shards", "2", "--out", str(folder / "plan.csv"))
    return folder


def verb(name: str, folder: Path, *more: str) -> Result:
    plan_file, books, requests = f"{folder}/plan.csv", f"{folder}/catalog", f"{folder}/tasks"
    fixed = {
        "plan_trials": ["--tasks", f"{requests}/tasks.jsonl", "--track", "t", "--size", "1500"],
        "run_trials": ["--plan", plan_file, "--catalog", books, "--tasks", requests],
        "merge_trials": ["--plan", plan_file],
        "replay": ["--catalog", books, "--tasks", f"{requests}/tasks.jsonl"],
    }[name]
    result = CliRunner().invoke(getattr(trials, name), [*fixed, *more], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def run_shard(folder: Path, out: Path, agent: str, shard: str, journal: Path) -> str:
    target = out / agent / f"{shard}.jsonl"
    options = ["--agent", agent, "--shard", shard, "--journal", str(journal), "--out", str(target)]
    return verb("run_trials", folder, *options).output


@pytest.fixture(scope="module")
def all_shards(built: Path) -> Path:
    """All shards of the plan, run once."""
    for agent in AGENTS:
        for shard in ("0000", "0001"):
            run_shard(built, built / "shards", agent, shard, built / "journal")
    return built / "shards"


@pytest.fixture
def shards(all_shards: Path, tmp_path: Path) -> Path:
    """A copy of all shards, for one test to spoil."""
    shutil.copytree(all_shards, tmp_path / "shards")
    return tmp_path / "shards"


def test_the_plan_holds_every_task_of_every_agent_in_contiguous_shards(
    built: Path, tasks: list[Task]
) -> None:
    planned = read_plan(built / "plan.csv")
    assert [t.identity.agent for t in planned] == [agent for agent in AGENTS for _ in tasks]
    assert [t.identity.task for t in planned] == [task.id for task in tasks] * len(AGENTS)
    assert [t.shard for t in planned] == (["0000"] * 18 + ["0001"] * 18) * len(AGENTS)


def test_merged_trials_are_the_plan_and_replay(built: Path, shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "merged"
    assert "0 pending" in verb("merge_trials", built, "--shards", str(shards), "--out", str(out)).output
    with (out / "trials.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["trial_id"] for row in rows] == [t.identity.trial_id for t in read_plan(built / "plan.csv")]
    assert {row["success"] for row in rows} == {"true", "false"}
    files = [str(out / "traces" / f"{agent}.jsonl") for agent in AGENTS]
    assert "108 traces replayed, 0 with differences" in verb("replay", built, *files).output


def test_an_edited_trace_fails_the_replay(built: Path, shards: Path) -> None:
    path = shards / "popularity" / "0000.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[4] = lines[4].replace('"success":true', '"success":false')
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(CheckFailed, match="1 of 18"):
        verb("replay", built, str(path))


def test_a_second_run_takes_everything_from_the_journal(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "shards"
    journal = tmp_path / "journal"
    assert "18 run now" in run_shard(built, out, "popularity", "0000", journal)
    first = (out / "popularity" / "0000.jsonl").read_bytes()
    (out / "popularity" / "0000.jsonl").unlink()
    assert "0 run now, 18 from the journal" in run_shard(built, out, "popularity", "0000", journal)
    assert (out / "popularity" / "0000.jsonl").read_bytes() == first


def test_another_cap_is_another_trial_for_the_journal(built: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    run_shard(built, tmp_path, "no-ask", "0000", journal)
    options = ["--agent", "no-ask", "--shard", "0000", "--journal", str(journal), "--agent-turns", "3"]
    output = verb("run_trials", built, *options, "--out", str(tmp_path / "x.jsonl")).output
    assert "18 run now" in output


def test_an_empty_shard_is_an_empty_file(built: Path, tmp_path: Path) -> None:
    assert "0 trials" in run_shard(built, tmp_path, "no-ask", "0007", tmp_path / "journal")
    assert (tmp_path / "no-ask" / "0007.jsonl").read_bytes() == b""


def test_a_killed_run_repeats_no_finished_trial(built: Path, tmp_path: Path) -> None:
    """A real kill -9 in the middle of a shard, at whatever moment the journal has begun to grow."""
    journal = tmp_path / "journal" / "popularity-0000.jsonl"
    out = tmp_path / "popularity.jsonl"
    command = [sys.executable, "-m", "tau_rec_books", "run-trials", "--plan", f"{built}/plan.csv"]
    command += ["--agent", "popularity", "--shard", "0000", "--catalog", f"{built}/catalog", "--tasks"]
    command += [f"{built}/tasks", "--journal", str(journal.parent), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None and (not journal.exists() or journal.stat().st_size == 0):
        time.sleep(0.001)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = journal.read_bytes().count(b"}\n")
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"{18 - kept} run now, {kept} from the journal" in output
    clean = tmp_path / "clean"
    run_shard(built, clean, "popularity", "0000", tmp_path / "other journal")
    assert out.read_bytes() == (clean / "popularity" / "0000.jsonl").read_bytes()


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_torn_last_line_of_the_journal_is_run_again(built: Path, tmp_path: Path, cut: int) -> None:
    journal = tmp_path / "journal"
    run_shard(built, tmp_path, "no-ask", "0001", journal)
    whole = (tmp_path / "no-ask" / "0001.jsonl").read_bytes()
    path = journal / "no-ask-0001.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    assert "1 run now, 17 from the journal" in run_shard(built, tmp_path, "no-ask", "0001", journal)
    assert (tmp_path / "no-ask" / "0001.jsonl").read_bytes() == whole


def test_a_pending_trial_is_tried_again_and_the_later_entry_counts(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with open_journal(path) as journal:
        journal.add("k1", "pending", '{"a":1}\n')
        assert journal.status("k1") == "pending"
        journal.add("k1", "scored", '{"a":2}\n')
        journal.add("k2", "scored", '{"ü":3}\n')
    with open_journal(path) as journal:
        assert (journal.status("k1"), journal.status("k2"), journal.status("k3")) == (
            "scored",
            "scored",
            None,
        )
        assert journal.trace("k1") == b'{"a":2}\n'
        assert journal.trace("k2") == '{"ü":3}\n'.encode()


def test_two_runs_cannot_write_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with open_journal(path), pytest.raises(Problem, match="Another run"), open_journal(path):
        pass


def change(path: Path, edit: Callable[[list[str]], list[str]]) -> None:
    path.write_text(
        "".join(edit(path.read_text(encoding="utf-8").splitlines(keepends=True))), encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda lines: lines[:-1], "lacks the planned trial"),
        (lambda lines: [*lines, lines[0]], "twice"),
        (lambda lines: [lines[0], lines[0], *lines[2:]], "twice"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "where the plan has"),
        (lambda lines: [*lines, lines[0].replace(json.loads(lines[0])["trial_id"], "0" * 64)], "plan lacks"),
        (
            lambda lines: [lines[0].replace('"repetition":1', '"repetition":2'), *lines[1:]],
            "planned identity",
        ),
    ],
)
def test_a_merge_refuses_what_is_not_planned(
    built: Path, shards: Path, tmp_path: Path, edit: Callable[[list[str]], list[str]], told: str
) -> None:
    change(shards / "popularity" / "0001.jsonl", edit)
    with pytest.raises(CheckFailed, match=told):
        verb("merge_trials", built, "--shards", str(shards), "--out", str(tmp_path / "merged"))
    assert not list((tmp_path / "merged").rglob("*.*"))


def test_a_merge_refuses_missing_and_foreign_shards(built: Path, shards: Path, tmp_path: Path) -> None:
    (shards / "no-ask" / "0009.jsonl").write_text("{}\n")
    with pytest.raises(CheckFailed, match="no shard of the plan"):
        verb("merge_trials", built, "--shards", str(shards), "--out", str(tmp_path / "merged"))
    (shards / "no-ask" / "0009.jsonl").write_text("")
    (shards / "no-ask" / "0000.jsonl").unlink()
    with pytest.raises(Problem, match="does not exist"):
        verb("merge_trials", built, "--shards", str(shards), "--out", str(tmp_path / "merged"))


def test_shards_by_size_leave_a_smaller_last_one() -> None:
    block = Block("b", ("a", "z"), ("keyword",), ("5k",), ("rule-v1",), ("",), tuple("defgh"), 2)
    planned = plan([block], "t", 1, shard_size=4)
    assert [t.shard for t in planned if t.identity.agent == "z"] == ["0000"] * 4 + ["0001"] * 4 + ["0002"] * 2
    few = plan([block], "t", 1, shards=16)
    assert sorted({t.shard for t in few if t.identity.agent == "a"})[-1] <= "0015"


def test_a_plan_is_either_by_size_or_by_number() -> None:
    for options in ({}, {"shards": 0}, {"shards": 1, "shard_size": 1}):
        with pytest.raises(Problem, match="shard"):
            plan([], "t", 1, **options)  # type: ignore[arg-type]


def test_an_edited_plan_is_a_problem(tmp_path: Path) -> None:
    block = Block("b", ("a",), ("keyword",), ("5k",), ("rule-v1",), ("",), ("d", "e"), 1)
    path = tmp_path / "plan.csv"
    write_plan(path, plan([block], "t", 1, shards=1))
    assert len(read_plan(path)) == 2
    text = path.read_text(encoding="utf-8")
    for broken, told in (
        (text.replace(",keyword,", ",structured,", 1), "trial id"),
        (text + text.splitlines()[1] + "\n", "twice"),
        (text.replace(",1,1\n", ",one,1\n", 1), "not a planned trial"),
    ):
        path.write_text(broken, encoding="utf-8")
        with pytest.raises(Problem, match=told):
            read_plan(path)


def test_one_trial_planned_by_two_blocks_is_a_problem() -> None:
    block = Block("b", ("a",), ("keyword",), ("5k",), ("rule-v1",), ("",), ("d",), 1)
    with pytest.raises(Problem, match="same trial"):
        plan([block, block], "t", 1, shards=1)


def test_an_unknown_agent_or_task_is_a_problem(built: Path, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="genius"):
        verb("plan_trials", built, "--agent", "genius", "--shards", "1", "--out", str(tmp_path / "p.csv"))
    (tmp_path / "tasks.jsonl").write_text("")
    options = ["--plan", f"{built}/plan.csv", "--catalog", f"{built}/catalog", "--tasks", str(tmp_path)]
    options += [
        "--agent",
        "no-ask",
        "--shard",
        "0000",
        "--journal",
        str(tmp_path),
        "--out",
        str(tmp_path / "o"),
    ]
    result = CliRunner().invoke(trials.run_trials, options, standalone_mode=False)
    assert isinstance(result.exception, Problem)
    assert "tasks.jsonl lacks" in str(result.exception)
