"""Writing families, tasks, answers, draws and summary; and reading families back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.canonical import read_jsonl, write_csv, write_json, write_jsonl, write_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.answers import answer_rows
from tau_rec_books.tasks.audit import AUDIT_COLUMNS, audit_rows, audit_rubric
from tau_rec_books.tasks.draw_log import DRAW_COLUMNS
from tau_rec_books.tasks.families import CONDITIONS, Family
from tau_rec_books.tasks.generate import Generation
from tau_rec_books.tasks.overlap import overlap
from tau_rec_books.tasks.summary import summarise


def write_tasks(
    out: Path,
    generation: Generation,
    catalog: Catalog,
    sizes: Sequence[int],
    earlier: Sequence[tuple[str, Sequence[Family]]] = (),
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Write everything the generator makes into a folder; return the summary and the overlaps.

    Files: ``families.jsonl``; ``tasks.jsonl``, each family under volunteer, mixed and hidden;
    ``answers.jsonl``; ``draws.csv``, why each draw was accepted or rejected; ``summary.json``;
    ``overlap.json``, what the set shares with each of the named sets that it stays clear of;
    ``audit_sample.csv``, families for people to judge, and ``audit_rubric.md``, how.

    Raises:
        Problem: when the folder cannot be written.
    """
    answers = answer_rows(generation.families, catalog, sizes)
    summary = summarise(generation, answers)
    write_jsonl(out / "families.jsonl", [family.document() for family in generation.families])
    write_jsonl(
        out / "tasks.jsonl",
        [family.task(condition).document() for family in generation.families for condition in CONDITIONS],
    )
    write_jsonl(out / "answers.jsonl", answers)
    write_csv(out / "draws.csv", DRAW_COLUMNS, [draw.row(family) for family, draw in generation.draws])
    write_json(out / "summary.json", summary)
    rows = audit_rows(generation.families, answers, catalog, sizes, generation.settings.seed)
    write_csv(out / "audit_sample.csv", AUDIT_COLUMNS, rows)
    write_text(out / "audit_rubric.md", audit_rubric())
    overlaps = [
        {"set": name, **overlap(families, generation.families, catalog, sizes)} for name, families in earlier
    ]
    write_json(out / "overlap.json", overlaps)
    return summary, overlaps


def read_families(path: Path) -> tuple[Family, ...]:
    """Read a ``families.jsonl``.

    Raises:
        Problem: when the file is missing or holds something else.
    """
    try:
        return tuple(Family.from_document(document) for document in read_jsonl(path))
    except (KeyError, TypeError) as error:
        raise Problem(f"{path} does not hold task families ({error!r}); check the path.") from error
