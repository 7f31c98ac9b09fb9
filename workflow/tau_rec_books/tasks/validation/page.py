"""One family as a page for people: what it asks, what answers it, and what each reader says."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tau_rec_books.core.canonical import read_csv
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.validation.evidence import catalogs_in, gather, rows
from tau_rec_books.tasks.validation.rulebook import RULES, query

CONDITIONS = ("volunteer", "mixed", "hidden")
_TAGS = {"stated": "stated", "on_ask": "on ask", "hidden": "hidden"}
_SLOT = ("tier", "kind", "slot")
_FAMILY_ANSWERS = ("answers-exact", "acceptable-exact")


def family_page(catalog_dir: Path, tasks_dir: Path, family: str) -> RenderableType:
    """The page of one family.

    Args:
        catalog_dir: folder of the catalogs and their vocabulary.
        tasks_dir: folder of the three task files and, if it is there, ``draws.csv``.
        family: a family's id, or its number alone.

    Raises:
        Problem: when there is no such family, or a file cannot be read.
    """
    wanted = f"family-{int(family):03d}" if family.isdecimal() else family
    con = gather(catalog_dir, tasks_dir, catalogs_in(catalog_dir), family=wanted)
    try:
        found = rows(con, "select * from family")
        if not found:
            raise Problem(
                f"{tasks_dir / 'families.jsonl'} holds no family {wanted!r}; its first and last are "
                f"{_first_and_last(con)}."
            )
        return Group(*_parts(con, found[0], tasks_dir))
    finally:
        con.close()


def plain(value: object) -> str:
    """Text without characters that could steer a terminal."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in ("Cc", "Cf") else character
        for character in str(value)
    )


def table(title: str, columns: Sequence[str], cells: Sequence[Sequence[object]]) -> RenderableType:
    """A table whose cells are plain text; columns of whole numbers stand to the right."""
    made = Table(header_style="bold", box=None, pad_edge=False, show_header=any(columns))
    for index, column in enumerate(columns):
        numbers = bool(cells) and all(isinstance(row[index], int) for row in cells)
        # Names that are looked up or compared stay in one piece.
        whole = column in ("book", "family", "predicate", "condition", "finding", "template")
        made.add_column(column, justify="right" if numbers else "left", overflow="fold", no_wrap=whole)
    for row in cells:
        made.add_row(*(Text(plain(cell)) for cell in row))
    return Group(Text(title, "bold"), made)


def _first_and_last(con: duckdb.DuckDBPyConnection) -> str:
    (row,) = rows(
        con, "select min(document ->> 'id') as first, max(document ->> 'id') as last from raw_family"
    )
    return f"{plain(row['first'])} and {plain(row['last'])}"


def _parts(
    con: duckdb.DuckDBPyConnection, family: Mapping[str, Any], tasks_dir: Path
) -> Iterator[RenderableType]:
    marks = ["NVR (no valid recommendation)" if family["nvr"] else "satisfiable"]
    marks += [name for name, key in (("panel", "panel"), ("reliability block", "reliability")) if family[key]]
    heading = [family["family"], family["tier"], family["template"], *marks]
    yield Text(plain(" · ".join(str(part) for part in heading)), "bold")
    yield Text()
    yield _request(con)
    yield Text()
    yield _excludes(con)
    yield Text()
    yield _counts(con)
    yield Text()
    if not family["nvr"]:
        yield _answers(con)
        yield Text()
    formats = family["formats"]
    yield _labelled("Accepted formats", "any" if formats is None else ", ".join(formats))
    if family["history"]:
        yield Text()
        yield table(
            "Reading history",
            ("book", "title", "authors", "year", "role"),
            [
                (
                    row["id"],
                    row["title"] or "not in the catalog",
                    _names(row["authors"]),
                    row["year"] or "",
                    row["role"],
                )
                for row in rows(con, query("reading", "family-history"))
            ],
        )
    else:
        yield _labelled("Reading history", "none")
    if family["history"]:
        yield Text()
    yield _labelled("Persona", _persona(con))
    yield Text()
    yield _draw(tasks_dir / "draws.csv", str(family["family"]))
    for rule in RULES:
        if rule.name in _FAMILY_ANSWERS:
            for row in rows(con, rule.sql):
                yield Text(plain("Note: " + rule.tell(row["family"], row["detail"])), "yellow")


def _labelled(label: str, value: str) -> Text:
    return Text.assemble((f"{label}: ", "bold"), plain(value))


def _names(authors: Sequence[str] | None) -> str:
    return ", ".join(authors or ())


def _persona(con: duckdb.DuckDBPyConnection) -> str:
    entries = rows(
        con,
        "select item.key, item.value ->> '$' as value from family, json_each(document -> 'persona') as item "
        "where item.key is not null order by item.key = 'id' desc, item.key",
    )
    return "; ".join(row["value"] for row in entries) or "none"


def _request(con: duckdb.DuckDBPyConnection) -> RenderableType:
    tags = {
        (row["condition"], row["predicate"]): _TAGS.get(row["reveal"], row["reveal"])
        for row in rows(
            con, "select condition, predicate, reveal from family_tag order by condition, predicate"
        )
    }
    return table(
        "Request, and when each reader reveals it",
        ("predicate", "asks for", *CONDITIONS),
        [
            (row["id"], row["words"], *(tags.get((condition, row["id"]), "–") for condition in CONDITIONS))
            for row in rows(con, "select id, words from predicate order by ordinal")
        ],
    )


def _excludes(con: duckdb.DuckDBPyConnection) -> RenderableType:
    return table(
        "What the hidden reader's silence rules out",
        ("size", "match all revealed", "match the hidden, too"),
        [
            (row["size"], row["matching"], row["answers"])
            for row in rows(con, query("reading", "family-excludes"))
        ],
    )


def _counts(con: duckdb.DuckDBPyConnection) -> RenderableType:
    """Answers per size, and what each predicate contributes."""
    counts = rows(con, query("reading", "family-counts"))
    sizes = [row["size"] for row in counts]
    cells: list[list[object]] = [
        ["answers", *(row["answers"] for row in counts)],
        ["acceptable answers", *(row["acceptable"] for row in counts)],
    ]
    dropped = rows(con, query("reading", "family-dropped"))
    for identifier in dict.fromkeys(row["id"] for row in dropped):
        mine = [row for row in dropped if row["id"] == identifier]
        cells.append([f"added without {identifier} ({mine[0]['words']})", *(row["added"] for row in mine)])
    return table("Books per catalog size", ("", *sizes), cells)


def _answers(con: duckdb.DuckDBPyConnection) -> RenderableType:
    def standing(row: Mapping[str, Any]) -> str:
        if row["read"]:
            return "already read"
        return "acceptable" if row["in_format"] else "other format"

    found = rows(con, query("reading", "family-answers"))
    columns = ["book", "title", "authors", "year", "sitelinks", "formats", "from", "standing"]
    cells: list[list[object]] = [
        [
            row["id"],
            row["title"],
            _names(row["authors"]),
            row["year"],
            row["sitelinks"],
            ", ".join(row["formats"]),
            row["since"],
            standing(row),
        ]
        for row in found
    ]
    if all(cell[-1] == "acceptable" for cell in cells):
        title = "First answers in catalog order, all acceptable"
        return table(title, columns[:-1], [cell[:-1] for cell in cells])
    return table("First answers in catalog order", columns, cells)


def _draw(path: Path, family: str) -> RenderableType:
    """How the family came about: its row of ``draws.csv``, and the draws of its slot turned down before."""
    title = "How it was drawn"
    if not path.is_file():
        return Text(f"{title}: draws.csv is not there.")
    listed = read_csv(path)
    mine = [row for row in listed if row.get("family") == family and row.get("outcome") == "accepted"]
    if not mine:
        return Text(f"{title}: draws.csv has no row of this family.")
    (row, *_) = mine
    place = [row.get(key) for key in _SLOT]
    before: Counter[str] = Counter()
    for other in listed:
        if other is not row and [other.get(key) for key in _SLOT] == place:
            before[other.get("outcome", "")] += int(other.get("draws") or 1)
    # The more often a rule turned a draw down, the earlier it is told; then by name.
    refused = ", ".join(f"{count} by {rule}" for rule, count in sorted(before.items(), key=_by_count))
    told = [
        ("place", f"{row.get('kind', '')} {row.get('slot', '')} of the {row.get('tier', '')} tier"),
        ("turned down before", refused or "none"),
        *(("accepted", part) for part in row.get("note", "").split("; ") if part),
    ]
    return table(title, ("", ""), told)


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
