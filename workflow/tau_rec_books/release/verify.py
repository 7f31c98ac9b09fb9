"""Verify a release with nothing but its folder: every class of check, every failure, one line each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tau_rec_books.catalog.books import BOOK_SCHEMA, Catalog, Vocabulary, book_rows, read_books
from tau_rec_books.core.canonical import content_hash, csv_text, json_text, read_csv, read_json, read_jsonl
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.core.progress import with_progress
from tau_rec_books.core.schemas import Schemas
from tau_rec_books.release.checksums import MANIFEST, checksum_problems
from tau_rec_books.statistics.table import table_columns, table_rows
from tau_rec_books.tasks.families import CONDITIONS, Family, Task
from tau_rec_books.tasks.validation import validate
from tau_rec_books.trial.merge import INDEX_COLUMNS, index_row
from tau_rec_books.trial.replay import Replayer

SCHEMAS: tuple[tuple[str, str], ...] = (
    ("config.json", "released-config.schema.json"),
    ("manifest.json", "release.schema.json"),
    ("snapshot/snapshot.json", "snapshot.schema.json"),
    ("tasks/families.jsonl", "family.schema.json"),
    ("tasks/tasks.jsonl", "task.schema.json"),
    ("tasks/answers.jsonl", "answers.schema.json"),
)
"""Released document, or JSON Lines file, and the schema of it or of its lines. Traces come on top."""


@dataclass
class Check:
    """Outcome of one class of checks.

    Attributes:
        name: class of the check.
        examined: how many things were looked at.
        problems: one sentence per failure, each naming its file; empty when all is well.
    """

    name: str
    examined: int
    problems: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The check in one line."""
        state = "ok" if not self.problems else f"{len(self.problems)} problems"
        return f"{self.name}: {state} ({self.examined} examined)"


class Release:
    """A release folder, read as its checks need it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def config(self) -> Mapping[str, Any]:
        """The released configuration."""
        document = read_json(self.folder / "config.json")
        assert isinstance(document, dict)
        return document

    @property
    def sizes(self) -> tuple[int, ...]:
        """Catalog sizes, increasing."""
        return tuple(self.config["catalog"]["sizes"])

    @cached_property
    def schemas(self) -> Schemas:
        """The JSON Schemas that came with the release."""
        return Schemas(self.folder / "schemas")

    def books(self, size: int) -> Sequence[Any]:
        """Books of one catalog file."""
        return read_books(self.folder / "catalog" / f"{size_name(size)}.parquet")

    def trace_files(self) -> list[Path]:
        """Trace files, by name."""
        return sorted((self.folder / "traces").glob("*.jsonl"))


def check_checksums(release: Release) -> Check:
    """Every file is listed, present and unchanged, in SHA256SUMS and in the manifest."""
    try:
        document = read_json(release.folder / MANIFEST)
        listed = {entry["path"]: entry["sha256"] for entry in document["files"]}
    except (Problem, KeyError, TypeError) as error:
        return Check("checksums", 1, [f"{MANIFEST}: missing or changed ({error})"])
    return Check("checksums", len(listed) + 2, checksum_problems(release.folder, listed))


def check_schemas(release: Release) -> Check:
    """Every document and every line keeps its JSON Schema."""
    check = Check("schemas", 0)
    for path, schema in SCHEMAS:
        if path.endswith(".jsonl"):
            for number, line in enumerate(read_jsonl(release.folder / path), start=1):
                check.examined += 1
                check.problems += release.schemas.problems(line, schema, f"{path}, line {number}")
        else:
            check.examined += 1
            document = read_json(release.folder / path)
            check.problems += release.schemas.problems(document, schema, path)
    return check


def check_catalogs(release: Release) -> Check:
    """Each catalog is a prefix of the next, ids are unique, and tables have their content hash."""
    check = Check("catalogs", 0)
    listed = {entry["path"]: entry for entry in read_json(release.folder / MANIFEST)["files"]}
    largest = release.books(release.sizes[-1])
    if len({book.id for book in largest}) != len(largest):
        check.problems.append("catalog: an id occurs twice in the largest catalog")
    for size in release.sizes:
        path = f"catalog/{size_name(size)}.parquet"
        books = release.books(size)
        check.examined += 1
        if books != largest[:size]:
            check.problems.append(f"{path}: not the first {size} works of the largest catalog")
        if listed[path].get("content_sha256") != content_hash(book_rows(books), BOOK_SCHEMA):
            check.problems.append(f"{path}: its content hash is not the one in {MANIFEST}")
    return check


def check_tasks(release: Release) -> Check:
    """Every rule of the families holds, answers are computed again, tasks and the report follow from them."""
    folder = release.folder
    report = validate(
        folder / "catalog",
        folder / "tasks",
        release.config["tasks"],
        release.sizes,
        folder / "schemas",
        fewer_books=release.config["catalog"]["allow_fewer"],
    )
    check = Check("tasks", sum(int(part["examined"]) for part in report["checks"]))
    check.problems += [f"tasks: {problem}" for part in report["checks"] for problem in part["problems"]]
    if json_text(report, indent=1) + "\n" != (folder / "tasks" / "validation.json").read_text(
        encoding="utf-8"
    ):
        check.problems.append("tasks/validation.json: not what the validator reports")
    families = [Family.from_document(line) for line in read_jsonl(folder / "tasks" / "families.jsonl")]
    expected = [family.task(condition).document() for family in families for condition in CONDITIONS]
    if expected != list(read_jsonl(folder / "tasks" / "tasks.jsonl")):
        check.problems.append("tasks/tasks.jsonl: not the families under their three conditions")
    return check


def check_traces(release: Release) -> Check:
    """Every trace keeps its schema and replays: tool results, replies, verdicts, scores, ending."""
    check = Check("traces", 0)
    config = release.config
    vocabulary = Vocabulary.from_document(read_json(release.folder / "catalog" / "vocabulary.json"))
    size = config["trials"]["size"]
    replayer = Replayer(Catalog(tuple(release.books(size)), vocabulary), size_name(size))
    tasks = _tasks(release)
    for path in release.trace_files():
        name = f"traces/{path.name}"
        for number, trace in enumerate(
            with_progress(read_jsonl(path), f"replaying {path.name}", len(tasks)), 1
        ):
            check.examined += 1
            place = f"{name}, line {number}"
            broken = release.schemas.problems(trace, "trace.schema.json", place, limit=1)
            if not broken:
                task = tasks.get(trace["identity"]["task"])
                broken = (
                    [f"{place}: the task {trace['identity']['task']!r} is not in this release"]
                    if task is None
                    else [f"{place}: {difference}" for difference in replayer.replay(trace, task)[:1]]
                )
            check.problems += broken
    return check


def check_tables(release: Release) -> Check:
    """The trials planned are the trials there, and every table follows from their traces."""
    folder, config = release.folder, release.config
    check = Check("tables", 2)
    rows = [index_row(trace) for path in release.trace_files() for trace in read_jsonl(path)]
    if csv_text(INDEX_COLUMNS, rows) != (folder / "traces" / "trials.csv").read_text(encoding="utf-8"):
        check.problems.append("traces/trials.csv: not the index of the traces")
    planned = {(agent, task) for agent in config["trials"]["agents"] for task in _tasks(release)}
    found = [(str(row["agent"]), str(row["task"])) for row in rows]
    if len(found) != len(set(found)) or set(found) != planned:
        check.problems.append("traces: not exactly one trial of every agent on every task")
    tasks = {line["id"]: line for line in read_jsonl(folder / "tasks" / "tasks.jsonl")}
    ks = config["statistics"]["pass_k"]
    table = table_rows(read_csv(folder / "traces" / "trials.csv"), tasks, ks)
    written = (folder / "statistics" / "pass_hat_k.csv").read_text(encoding="utf-8")
    if csv_text(table_columns(ks), table) != written:
        check.problems.append("statistics/pass_hat_k.csv: not what the trials give")
    return check


CHECKS: tuple[Callable[[Release], Check], ...] = (
    check_checksums,
    check_schemas,
    check_catalogs,
    check_tasks,
    check_traces,
    check_tables,
)
"""Classes of checks, cheapest first; a later class is meaningful only when the earlier ones hold."""


def verify_release(folder: Path) -> Iterator[Check]:
    """Run the classes of checks in order and stop after the first that finds a problem.

    Raises:
        Problem: when the folder is not a release at all.
    """
    if not folder.is_dir():
        raise Problem(f"{folder} is not a folder; give the folder that holds SHA256SUMS.")
    release = Release(folder)
    for check in CHECKS:
        try:
            outcome = check(release)
        except Problem as problem:
            outcome = Check(check.__name__.removeprefix("check_"), 1, [str(problem)])
        yield outcome
        if outcome.problems:
            return


def _tasks(release: Release) -> dict[str, Task]:
    rows = read_jsonl(release.folder / "tasks" / "tasks.jsonl")
    return {row["id"]: Task.from_document(row) for row in rows}
