"""An in-memory DuckDB with catalogs, task files and settings as tables, and what follows from them."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tau_rec_books.core.canonical import json_text, read_json, read_jsonl
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.validation.rulebook import query

TIER_ORDER = ("simple", "medium", "complex")
"""Tiers in the order of family ids, from the shortest requests to the longest."""

SLOTS = {
    "genre": ("genre", "is"),
    "language": ("language", "is"),
    "country": ("country", "is"),
    "year_min": ("year", "min"),
    "year_max": ("year", "max"),
}
"""Template slot → field and operator of its predicate."""

_TABLES = ("1-vocabulary", "2-carried-labels", "3-documents", "4-matches")
_TASK_FILES = {"raw_family": "families.jsonl", "raw_task": "tasks.jsonl", "raw_answer": "answers.jsonl"}
_TEXT = pa.string()


def gather(
    catalog_dir: Path,
    tasks_dir: Path,
    sizes: Mapping[str, int],
    settings: Mapping[str, Any] | None = None,
    *,
    family: str | None = None,
    fewer_books: bool = False,
) -> duckdb.DuckDBPyConnection:
    """Load everything the rules look at.

    Args:
        catalog_dir: folder of ``{size}.parquet`` and ``vocabulary.json``.
        tasks_dir: folder of ``families.jsonl``, ``tasks.jsonl`` and ``answers.jsonl``.
        sizes: name of each catalog → number of its books, increasing.
        settings: the section ``tasks`` of the configuration; ``None`` leaves the settings' tables out.
        family: look at this family only (all others are left out of the derived tables).
        fewer_books: the snapshot may hold fewer works than a catalog's name says.

    Raises:
        Problem: when a file is missing or cannot be read as what it should be.
    """
    con = duckdb.connect(":memory:", config={"threads": 1})
    try:
        _load_sizes(con, sizes)
        if settings is not None:
            _load_settings(con, settings, fewer_books)
        _load_data_files(con)
        for name in sizes:
            _load_catalog(con, catalog_dir / f"{name}.parquet", name)
        vocabulary = catalog_dir / "vocabulary.json"
        _fill(con, "raw_vocabulary", {"document": ([json_text(read_json(vocabulary))], _TEXT)}, document=True)
        for table, name in _TASK_FILES.items():
            _load_lines(con, table, tasks_dir / name)
        con.execute("set variable selected = ?", [family])
        for step in _TABLES:
            con.execute(query("tables", step))
    except duckdb.Error as error:
        con.close()
        raise Problem(
            f"The task set in {tasks_dir} cannot be laid out as tables ({str(error).splitlines()[0]}); "
            "build it again."
        ) from error
    return con


def catalogs_in(folder: Path) -> dict[str, int]:
    """The catalogs that a folder holds: name → number of books, increasing.

    Raises:
        Problem: when there is none, or one cannot be read.
    """
    found = {}
    for path in sorted(folder.glob("*.parquet")):
        try:
            found[path.stem] = pq.read_metadata(path).num_rows
        except (pa.ArrowException, OSError) as error:
            raise Problem(
                f"{path} is not a readable Parquet file ({error}); build the catalog again."
            ) from error
    if not found:
        raise Problem(f"{folder} holds no catalog; build the catalog first or check the path.")
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))


def rows(con: duckdb.DuckDBPyConnection, sql: str, *parameters: Any) -> list[dict[str, Any]]:
    """The rows of a query as dictionaries."""
    result = con.execute(sql, list(parameters))
    columns = [column[0] for column in result.description or []]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def _fill(
    con: duckdb.DuckDBPyConnection,
    table: str,
    columns: Mapping[str, tuple[Sequence[Any], pa.DataType]],
    *,
    document: bool = False,
) -> None:
    """Create a table from columns; ``document=True`` makes the column ``document`` JSON."""
    given = pa.table({name: pa.array(values, kind) for name, (values, kind) in columns.items()})
    con.register("given", given)
    change = " replace (document::json as document)" if document else ""
    con.execute(f"create table {table} as select *{change} from given")
    con.unregister("given")


def _load_sizes(con: duckdb.DuckDBPyConnection, sizes: Mapping[str, int]) -> None:
    _fill(
        con,
        "size",
        {
            "size": (list(sizes), _TEXT),
            "books": (list(sizes.values()), pa.int64()),
            "ordinal": (list(range(1, len(sizes) + 1)), pa.int32()),
        },
    )
    con.execute("create table smallest as select size from size order by ordinal limit 1")
    con.execute("create table largest as select size from size order by ordinal desc limit 1")


def _load_settings(con: duckdb.DuckDBPyConnection, settings: Mapping[str, Any], fewer_books: bool) -> None:
    """Counts as integers, shares as exact decimals: 5 % of 20 is 1, not a float beside it."""
    share = pa.decimal128(12, 6)
    try:
        plain: dict[str, tuple[list[Any], pa.DataType]] = {
            key: ([settings[key]], pa.int64())
            for key in (
                "answers_min_smallest",
                "answers_max_largest",
                "material_books",
                "nvr_leave_one_out",
                "single_format_families",
                "history_families",
                "history_two_hidden",
            )
        }
        for key in ("material_share", "hidden_exclusion", "giveaway_share"):
            plain[key] = ([Decimal(str(settings[key])).quantize(Decimal("0.000001"))], share)
        for block in ("panel", "reliability"):
            for kind in ("satisfiable", "nvr"):
                plain[f"{block}_{kind}"] = ([settings[block][kind]], pa.int64())
        plain["allow_fewer"] = ([bool(settings.get("allow_fewer", False))], pa.bool_())
        plain["fewer_books"] = ([fewer_books], pa.bool_())
        # The order of the tiers is theirs, not that of the keys in somebody's file.
        tiers = {tier: settings["tiers"][tier] for tier in TIER_ORDER if tier in settings["tiers"]}
        templates = settings["templates"]
        slots = [
            (template["id"], ordinal, *SLOTS[slot])
            for template in templates
            for ordinal, slot in enumerate(template["slots"], start=1)
        ]
        tier_columns: dict[str, tuple[Sequence[Any], Any]] = {
            "ordinal": (list(range(1, len(tiers) + 1)), pa.int32()),
            "tier": (list(tiers), _TEXT),
            "satisfiable": ([counts["satisfiable"] for counts in tiers.values()], pa.int64()),
            "nvr": ([counts["nvr"] for counts in tiers.values()], pa.int64()),
        }
        template_columns = {
            "ordinal": (list(range(1, len(templates) + 1)), pa.int32()),
            "template": ([template["id"] for template in templates], _TEXT),
            "tier": ([template["tier"] for template in templates], _TEXT),
        }
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise Problem(
            f"The settings of the tasks lack or misstate {error}; check the section tasks."
        ) from error
    _fill(con, "setting", plain)
    _fill(con, "tier_setting", tier_columns)
    _fill(con, "template", template_columns)
    _fill(
        con,
        "template_slot",
        {
            "template": ([slot[0] for slot in slots], _TEXT),
            "ordinal": ([slot[1] for slot in slots], pa.int32()),
            "field": ([slot[2] for slot in slots], _TEXT),
            "operator": ([slot[3] for slot in slots], _TEXT),
        },
    )


def _load_data_files(con: duckdb.DuckDBPyConnection) -> None:
    for table, name in (
        ("language_variety", "language_varieties.csv"),
        ("document_shape", "document_shapes.csv"),
    ):
        lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
        cells = [line.split(",") for line in lines]
        columns = {
            header: ([row[index] for row in cells[1:]], _TEXT) for index, header in enumerate(cells[0])
        }
        _fill(con, table, columns)


def _load_catalog(con: duckdb.DuckDBPyConnection, path: Path, size: str) -> None:
    if not path.is_file():
        raise Problem(f"{path} does not exist; build the catalog first or check the path and the sizes.")
    con.execute(
        """create table if not exists book (
            size varchar, position bigint, id varchar, title varchar, title_source varchar, authors varchar[],
            author_ids varchar[], genres varchar[], languages varchar[], countries varchar[], year integer,
            sitelinks integer, formats varchar[])"""
    )
    try:
        con.execute(
            """insert into book
            select ?, file_row_number, id, title, title_source, authors, author_ids, genres, languages,
                countries, year, sitelinks, formats
            from read_parquet(?, file_row_number = true)""",
            # DuckDB reads [, * and ? in a path as patterns.
            [size, re.sub(r"([\[*?])", r"[\1]", str(path))],
        )
    except duckdb.Error as error:
        raise Problem(
            f"{path} cannot be read as a catalog ({str(error).splitlines()[0]}); build the catalog again."
        ) from error


def _load_lines(con: duckdb.DuckDBPyConnection, table: str, path: Path) -> None:
    """The lines of a JSON Lines file; ``canonical`` says whether a line is written the one canonical way."""
    documents = list(read_jsonl(path))
    lines = path.read_text(encoding="utf-8").split("\n")[: len(documents)]
    _fill(
        con,
        table,
        {
            "line": (list(range(1, len(documents) + 1)), pa.int64()),
            "document": (lines, _TEXT),
            "canonical": (
                [json_text(value) == line for value, line in zip(documents, lines, strict=True)],
                pa.bool_(),
            ),
        },
        document=True,
    )
