"""Running the planned trials of one shard, journalled, resumed by status."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from tau_rec_books.agents.journal import Journal, open_journal
from tau_rec_books.agents.run import TrialRunner
from tau_rec_books.core.canonical import atomic_file, json_text
from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.progress import progress_bar
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.endings import Ending
from tau_rec_books.trial.plan import PlannedTrial
from tau_rec_books.trial.trace import Identity, digests, trace_line
from tau_rec_books.trial.user import profile

RunnerOfSize = Callable[[str], TrialRunner]


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What a run of a shard did: planned trials, of which run now, and of which pending."""

    planned: int
    run: int
    pending: int


def run_shard(
    trials: Sequence[PlannedTrial],
    tasks: Mapping[str, Task],
    runner_of: RunnerOfSize,
    journal_path: Path,
    out: Path,
) -> ShardReport:
    """Run the unfinished trials of one shard, then write the traces of all in the order of the plan.

    Args:
        trials: the planned trials of the shard, in order; may be empty.
        tasks: task id → task.
        runner_of: size name → runner over that catalog.
        journal_path: where finished trials are kept outside the declared outputs.
        out: JSON Lines file of traces to write.

    Raises:
        Problem: when a planned task is unknown, or a file cannot be written.
    """
    for trial in trials:
        if trial.identity.task not in tasks:
            raise Problem(
                f"The plan names the task {trial.identity.task}, which tasks.jsonl lacks; plan again."
            )
    ran = pending = 0
    with open_journal(journal_path) as journal, progress_bar("Trials", len(trials)) as advance:
        keys = []
        for trial in trials:
            identity = trial.identity
            runner = runner_of(identity.size)
            task = tasks[identity.task]
            key = journal_key(identity, task, runner)
            keys.append(key)
            if journal.status(key) != "scored":
                _run_one(journal, key, runner, task, identity)
                ran += 1
            pending += journal.status(key) != "scored"
            advance()
        with atomic_file(out, buffering=1 << 20) as stream:
            for key in keys:
                stream.write(journal.trace(key))
    return ShardReport(len(trials), ran, pending)


def _run_one(journal: Journal, key: str, runner: TrialRunner, task: Task, identity: Identity) -> None:
    trace = runner.run(task, identity)
    status = "scored" if Ending(trace["ending"]).scored else "pending"
    journal.add(key, status, trace_line(trace))


def journal_key(identity: Identity, task: Task, runner: TrialRunner) -> str:
    """Digest of everything a trial's outcome depends on: identity, digests of its data, caps and program."""
    return sha256_text(
        json_text(
            {
                "identity": identity.document(),
                "digests": digests(task, profile(identity.user), runner.digests),
                "caps": runner.caps.document(),
                "program": program_digest(),
            }
        )
    )


@lru_cache(maxsize=1)
def program_digest() -> str:
    """Digest of the modules and data that decide a trial, so that an edited agent is run again."""
    digest = sha256()
    for room in ("core", "catalog", "tasks", "trial", "agents"):
        for name, data in _files_below(room):
            digest.update(f"{name} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()


def _files_below(room: str) -> list[tuple[str, bytes]]:
    root = Path(str(files(f"tau_rec_books.{room}")))
    paths = sorted(p for p in root.rglob("*") if p.is_file() and p.suffix in (".py", ".json", ".txt"))
    return [(f"{room}/{path.relative_to(root).as_posix()}", path.read_bytes()) for path in paths]
