"""Speed and growth of both searches, beside well-kept programs, in one run (`make bench-search`).

Keyword: against `rank_bm25` summed over the same fields (the same top 20 is asserted), bm25s and tantivy.
Structured: against the same filter as a DuckDB query (the same page and total are asserted). Everybody
answers the same queries in rounds that take turns, in seconds of one core; the best round counts. Growth:
index, queries and trials over 20k, 100k and 1M books, each in a process of its own.
"""

import argparse
import contextlib
import ctypes
import gc
import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tau_rec_books.agents.run import TrialRunner
from tau_rec_books.catalog.books import Book, Catalog, read_catalog
from tau_rec_books.core.canonical import read_jsonl, write_json
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.keyword import FIELDS, K1, TOP, UNIT, B, KeywordSearch, field_tokens
from tau_rec_books.trial.search import Filters, StructuredSearch, popularity_key
from tau_rec_books.trial.text import tokens
from tau_rec_books.trial.trace import Identity, trace_line

ROOT = Path(__file__).parents[2]
ROUNDS = 5
SLOW_QUERIES = 40
"""rank_bm25 needs about 50 ms per query, so it answers a share of the queries; its time is per query, too."""
SIZES = (20_000, 100_000, 1_000_000)
TARGETS = {"rank_bm25": 100.0, "bm25s": 1.0, "bm25s, joined text": 1.0, "tantivy": 1.0, "duckdb": 20.0}
Search = Callable[[Any], Any]


def best_rounds(
    searches: dict[str, Search], queries: Sequence[Any], rounds: int = ROUNDS
) -> dict[str, float]:
    """Microseconds of one core per query, the best of several rounds in which everybody takes turns."""
    best = dict.fromkeys(searches, float("inf"))
    for _ in range(rounds):
        for name, search in searches.items():
            start = time.process_time()
            for query in queries:
                search(query)
            best[name] = min(best[name], (time.process_time() - start) / len(queries))
    return {name: seconds * 1e6 for name, seconds in best.items()}


def keyword_queries(books: Sequence[Book], families: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Queries as agents make them, by kind: a genre, a request's labels, titles, authors, a title's word."""
    labels = [[str(p["value"]) for p in f["predicates"] if p["field"] != "year"] for f in families]
    kinds = {
        "a genre": [found[0] for found in labels],
        "a request's labels": [" ".join(found) for found in labels if len(found) > 1],
        "a title": [book.title for book in books[::200]],
        "an author": [book.authors[0] for book in books[::200]],
        "a word of a title": [book.title.split()[-1] for book in books[::200]],
    }
    return {kind: list(dict.fromkeys(queries)) for kind, queries in kinds.items()}


def rank_bm25_search(documents: dict[str, list[list[str]]]) -> Search:
    """The sum of rank_bm25's Okapi scores; with ``epsilon=0`` its idf has the same floor as ours."""
    import numpy as np
    from rank_bm25 import BM25Okapi

    indexes = [BM25Okapi(documents[field], k1=K1, b=B, epsilon=0) for field in FIELDS]

    def search(query: str) -> list[int]:
        words = tokens(query)
        scores = sum(index.get_scores(words) for index in indexes)
        rounded = np.rint(np.asarray(scores) * (UNIT / 100)).astype(np.int64)
        order = np.lexsort((np.arange(len(rounded)), -rounded))[:TOP]
        return [int(position) for position in order if rounded[position] > 0]

    return search


def bm25s_searches(documents: dict[str, list[list[str]]]) -> dict[str, Search]:
    """bm25s over five indexes summed, and, as an easier question, over one index of all fields joined."""
    import bm25s
    import numpy as np

    def index(texts: list[list[str]]) -> Any:
        made = bm25s.BM25(k1=K1, b=B, method="robertson")
        made.index(texts, show_progress=False)
        return made

    indexes = [index(documents[field]) for field in FIELDS]
    joined = index(
        [[word for text in texts for word in text] for texts in zip(*documents.values(), strict=True)]
    )

    def summed(query: str) -> Any:
        words = tokens(query)
        scores = sum(one.get_scores(words) for one in indexes)
        top = np.argpartition(scores, -TOP)[-TOP:]
        return top[np.argsort(-scores[top])]

    return {
        "bm25s": summed,
        "bm25s, joined text": lambda query: joined.retrieve([tokens(query)], k=TOP, show_progress=False),
    }


def tantivy_search(books: Sequence[Book]) -> Search:
    """tantivy over the five fields in memory, one segment, one thread; it only gives document addresses."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    for field in FIELDS:
        builder.add_text_field(field)
    index = tantivy.Index(builder.build())
    writer = index.writer(200_000_000, 1)
    for book in books:
        values = {field: getattr(book, field) for field in FIELDS}
        texts = {field: [v] if isinstance(v, str) else list(v) for field, v in values.items()}
        writer.add_document(tantivy.Document(**texts))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, fields = index.searcher(), list(FIELDS)
    return lambda query: searcher.search(index.parse_query(" ".join(tokens(query)), fields), TOP, count=False)


def keyword_report(catalog: Catalog, families: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Times per kind of query and over all, after checking the top 20 against rank_bm25."""
    books = sorted(catalog.books, key=popularity_key)
    documents = {field: [field_tokens(book, field) for book in books] for field in FIELDS}
    kinds = keyword_queries(books, families)
    everything = [query for queries in kinds.values() for query in queries]
    ours = KeywordSearch(catalog)
    slow = rank_bm25_search(documents)
    sample = everything[:: max(1, len(everything) // SLOW_QUERIES)]
    for query in sample:
        found = [position for position, _ in ours.ranked(query)]
        if found != slow(query):
            sys.exit(f"another top 20 than rank_bm25 for {query!r}: {found} and {slow(query)}")
    searches: dict[str, Search] = {
        "ours": ours.search,
        **bm25s_searches(documents),
        "tantivy": tantivy_search(books),
    }
    all_of = {**kinds, "all": everything}
    times = {kind: best_rounds(searches, queries) for kind, queries in all_of.items()}
    sampled = best_rounds({"ours": ours.search, "rank_bm25": slow}, sample, rounds=2)
    return {
        "queries": {kind: len(queries) for kind, queries in all_of.items()},
        "same_top_20_as_rank_bm25": len(sample),
        "microseconds": {kind: _rounded(found) for kind, found in times.items()}
        | {"sample": _rounded(sampled)},
        "times_faster_than": _rounded(
            {name: seconds / times["all"]["ours"] for name, seconds in times["all"].items() if name != "ours"}
            | {"rank_bm25": sampled["rank_bm25"] / sampled["ours"]}
        ),
    }


def structured_queries(families: Sequence[dict[str, Any]]) -> list[Filters]:
    """The filters of every family: what it states first, all of it, and all of it by recency."""
    found = []
    for family in families:
        predicates = family["predicates"]
        named = {"language": None, "country": None} | {
            p["field"]: p["value"] for p in predicates if p["field"] in ("language", "country")
        }
        years = {f"year_{p['operator']}": p["value"] for p in predicates if p["field"] == "year"}
        whole = Filters(
            genres=tuple(sorted(p["value"] for p in predicates if p["field"] == "genre")),
            formats=tuple(family["accepted_formats"] or ()),
            **named, **years,
        )  # fmt: skip
        found += [whole, replace(whole, sort="recency"), replace(whole, year_min=None, year_max=None)]
    return list(dict.fromkeys(found))


def duckdb_search(catalog: Catalog) -> Callable[[Filters], tuple[int, list[str]]]:
    """The same filter in SQL over a table in memory, one thread: the first page and the total."""
    import duckdb
    import pyarrow as pa

    from tau_rec_books.catalog.books import BOOK_SCHEMA, book_rows

    connection = duckdb.connect(":memory:", config={"threads": 1})
    rows = pa.Table.from_pylist(book_rows(catalog.books), schema=BOOK_SCHEMA)
    connection.register("rows", rows)
    connection.execute("CREATE TABLE books AS SELECT *, CAST(substr(id, 5) AS BIGINT) AS number FROM rows")
    connection.unregister("rows")
    vocabulary = catalog.vocabulary

    def search(filters: Filters) -> tuple[int, list[str]]:
        wheres, values = [], []
        for genre in filters.genres:
            wheres.append("list_contains(genres, ?)")
            values.append(genre)
        for field, label in (("language", filters.language), ("country", filters.country)):
            if label is not None:
                wheres.append(f"list_has_any({'languages' if field == 'language' else 'countries'}, ?)")
                values.append(list(vocabulary.covered(field, label)))
        if filters.year_min is not None:
            wheres.append("year >= ?")
            values.append(filters.year_min)
        if filters.year_max is not None:
            wheres.append("year <= ?")
            values.append(filters.year_max)
        if filters.formats:
            wheres.append("list_has_any(formats, ?)")
            values.append(list(filters.formats))
        order = "sitelinks DESC" if filters.sort == "popularity" else "year DESC"
        found = connection.execute(
            f"SELECT id, count(*) OVER () FROM books WHERE {' AND '.join(wheres) or 'true'} "
            f"ORDER BY {order}, number LIMIT 20",
            values,
        ).fetchall()
        return (found[0][1] if found else 0), [row[0] for row in found]

    return search


def structured_report(catalog: Catalog, families: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Times against DuckDB; there are more filters than the search remembers, so none comes from memory."""
    ours, theirs = StructuredSearch(catalog), duckdb_search(catalog)
    queries = structured_queries(families)
    for filters in queries:
        page = ours.page(filters)
        if (page["total"], [book["id"] for book in page["results"]]) != theirs(filters):
            sys.exit(f"another page than DuckDB for {filters}")
    times = best_rounds({"ours": ours.page, "duckdb": theirs}, queries, rounds=3)
    remembered = best_rounds({"ours": ours.page}, queries[:50])["ours"]
    return {
        "queries": len(queries),
        "same_pages_as_duckdb": len(queries),
        "microseconds": _rounded({**times, "ours, asked before": remembered}),
        "times_faster_than": _rounded({"duckdb": times["duckdb"] / times["ours"]}),
    }


def grown(catalog: Catalog, size: int) -> Catalog:
    """A catalog of ``size`` books: the given ones over and over, each with its own id and title word."""
    base = catalog.books
    books: list[Book] = []
    while len(books) < size:
        copy, place = divmod(len(books), len(base))
        book = base[place]
        number = int(book.id[4:]) + copy * 1_000_000_000
        books.append(replace(book, id=f"wd_Q{number}", title=f"{book.title} x{len(books):x}"))
    return Catalog(tuple(books), catalog.vocabulary)


def megabytes() -> float:
    """Memory of this process now, without what the allocator keeps for later."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def growth_row(results: Path, size: int) -> dict[str, float]:
    """Build and query both indexes, and run trials, over one grown catalog."""
    catalog = grown(_catalog(results), size)
    families = list(read_jsonl(results / "tasks" / "families.jsonl"))
    tasks = [Task.from_document(t) for t in read_jsonl(results / "tasks" / "tasks.jsonl")][1::9]
    words = [
        query for found in keyword_queries(_catalog(results).books, families).values() for query in found
    ][::3]
    filters = structured_queries(families)
    row: dict[str, float] = {"books": size}
    for name, build in (("structured", StructuredSearch), ("keyword", KeywordSearch)):
        before, start = megabytes(), time.process_time()
        index = build(catalog)
        if isinstance(index, StructuredSearch):
            for sort in ("popularity", "recency"):
                index.page(Filters(sort=sort))  # type: ignore[arg-type]
        row[f"{name} index s"] = time.process_time() - start
        row[f"{name} index MB"] = megabytes() - before
        if isinstance(index, KeywordSearch):
            row["keyword query µs"] = best_rounds({"ours": index.search}, words, rounds=3)["ours"]
        else:
            row["structured query µs"] = best_rounds({"ours": index.page}, filters, rounds=3)["ours"]
    runner = TrialRunner(catalog, "grown", Caps())
    for interface in ("keyword", "structured"):
        runner.start(tasks[0], interface, "rule-v1")
        start = time.process_time()
        for task in tasks:
            trace_line(
                runner.run(
                    task, Identity("b", "b", "popularity", interface, "grown", "rule-v1", "", task.id, 1, 1)
                )
            )
        row[f"{interface} trial ms"] = (time.process_time() - start) / len(tasks) * 1000
    row["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return _rounded(row)


def growth_report(results: Path) -> dict[str, Any]:
    """Rows per size, and how each figure of the larger sizes compares with growing in proportion (1.0)."""
    rows = []
    for size in SIZES:
        command = [sys.executable, __file__, "--results", str(results), "--growth-row", str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        rows.append(json.loads(done.stdout))
    first = rows[0]
    factors = [
        {
            key: round(row[key] / first[key] / (row["books"] / first["books"]), 2)
            for key in first
            if key != "books"
        }
        for row in rows[1:]
    ]
    return {"rows": rows, "against_proportional": factors}


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {key: float(f"{value:.4g}") for key, value in values.items()}


def _catalog(results: Path) -> Catalog:
    return read_catalog(results / "catalog" / "20k.parquet", results / "catalog" / "vocabulary.json")


def print_report(report: dict[str, Any]) -> None:
    """The figures as tables."""
    keyword, structured, growth = report["keyword"], report["structured"], report["growth"]
    names = list(keyword["microseconds"]["all"])
    print(
        f"Keyword search, 20k books: microseconds per query\n{'':20} {'queries':>7} "
        + " ".join(f"{n:>18}" for n in names)
    )
    for kind, count in keyword["queries"].items():
        cells = " ".join(f"{keyword['microseconds'][kind][name]:>18,.0f}" for name in names)
        print(f"{kind:20} {count:>7} {cells}")
    print(f"The same top 20 as rank_bm25 for {keyword['same_top_20_as_rank_bm25']} queries.")
    print(f"\nStructured search, 20k books, {structured['queries']} filters: microseconds per query")
    print("  ".join(f"{name} {value:,.0f}" for name, value in structured["microseconds"].items()))
    print("\nTimes faster (target)")
    for name, times in {**keyword["times_faster_than"], **structured["times_faster_than"]}.items():
        verdict = "reached" if times > TARGETS[name] else "MISSED"
        print(f"  than {name:20} {times:>8.1f}  (> {TARGETS[name]:g}: {verdict})")
    if growth is None:
        return
    print("\nGrowth (in brackets: against growing in proportion to the books)")
    print(f"{'':20} " + " ".join(f"{row['books']:>20,}" for row in growth["rows"]))
    for key in list(growth["rows"][0])[1:]:
        cells = [f"{growth['rows'][0][key]:>20,}"]
        for row, factor in zip(growth["rows"][1:], growth["against_proportional"], strict=True):
            cells.append(f"{row[key]:>12,.4g} ({factor[key]:.2f})".rjust(20))
        print(f"{key:20} " + " ".join(cells))


def main() -> None:
    """Measure, print, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "books-synthetic-v1")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "benchmarks" / "search.json")
    parser.add_argument("--no-growth", action="store_true", help="leave out the larger catalogs")
    parser.add_argument("--growth-row", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not (arguments.results / "tasks" / "families.jsonl").exists():
        sys.exit(
            f"{arguments.results} holds no tasks; run `make` first or name a track's folder with --results."
        )
    if arguments.growth_row:
        print(json.dumps(growth_row(arguments.results, arguments.growth_row)))
        return
    catalog = _catalog(arguments.results)
    families = list(read_jsonl(arguments.results / "tasks" / "families.jsonl"))
    report = {
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("bm25s", "duckdb", "numpy", "rank-bm25", "tantivy")},
        "keyword": keyword_report(catalog, families),
        "structured": structured_report(catalog, families),
        "growth": None if arguments.no_growth else growth_report(arguments.results),
    }
    print_report(report)
    write_json(arguments.out, report)
    print(f"\nwritten: {arguments.out}")


if __name__ == "__main__":
    main()
