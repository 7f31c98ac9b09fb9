"""Families that deserve a second look: too easy, too hard, or nearly the same as another."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tau_rec_books.tasks.validation.evidence import catalogs_in, gather, rows
from tau_rec_books.tasks.validation.rulebook import query

FINDINGS = ("too easy", "too hard", "near-duplicate")


def examine(
    catalog_dir: Path, tasks_dir: Path, *, proposals: int = 18, similar: float = 0.5
) -> dict[str, Any]:
    """Findings about single families and pairs, at the largest catalog of a folder.

    Args:
        catalog_dir: folder of the catalogs and their vocabulary.
        tasks_dir: folder of the three task files.
        proposals: proposals that a trial has room for; a hidden family whose most popular acceptable answer
            stands later than that is too hard for an agent that goes by popularity.
        similar: Jaccard index of two answer sets from which on the families count as near-duplicates.

    Returns:
        ``{"families": number, "satisfiable": number, "findings": [{"finding", "condition", "family", "tier",
        "template", "detail"}]}``, by finding and family; ``condition`` is the reader of a finding ("" for
        pairs). Only satisfiable families are too easy or too hard.

    Raises:
        Problem: when a file is missing or cannot be read as what it should be.
    """
    name, books = list(catalogs_in(catalog_dir).items())[-1]
    con = gather(catalog_dir, tasks_dir, {name: books})
    try:
        known = {
            row["family"]: row
            for row in rows(con, "select family, tier, template, nvr from family order by line")
        }
        findings = [
            *_easy_or_hard(rows(con, query("reading", "health-openings")), proposals),
            *(
                _finding(
                    "near-duplicate",
                    "",
                    known[row["one"]],
                    f"{row['shared']} of {row['joined']} answers as {row['other']}",
                )
                for row in rows(con, query("reading", "health-pairs"), similar)
            ),
        ]
    finally:
        con.close()
    return {
        "families": len(known),
        "satisfiable": sum(not row["nvr"] for row in known.values()),
        "findings": sorted(
            findings,
            key=lambda row: (FINDINGS.index(row["finding"]), row["family"], row["condition"], row["detail"]),
        ),
    }


def _finding(finding: str, condition: str, family: dict[str, Any], detail: str) -> dict[str, Any]:
    return {
        "finding": finding,
        "condition": condition,
        "family": family["family"],
        "tier": family["tier"],
        "template": family["template"],
        "detail": detail,
    }


def _easy_or_hard(places: list[dict[str, Any]], proposals: int) -> Iterator[dict[str, Any]]:
    for row in places:
        for condition, known in (("mixed", "opening"), ("hidden", "revealed")):
            place, books = row[f"{known}_place"], row[f"{known}_books"]
            detail = f"first answer at {place} of {books}"
            if place == 1:
                yield _finding("too easy", condition, row, detail)
            elif condition == "hidden" and place is not None and place > proposals:
                yield _finding("too hard", condition, row, detail)
