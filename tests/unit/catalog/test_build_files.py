"""The files of a catalog: nested Parquet files of one schema, a vocabulary, a funnel and a profile."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tau_rec_books.catalog.books import BOOK_SCHEMA, read_books, read_catalog
from tau_rec_books.catalog.build import Build, build, write_catalog
from tau_rec_books.catalog.facts import Facts
from tau_rec_books.catalog.funnel import FUNNEL_COLUMNS, RULES
from tau_rec_books.catalog.profile import PROFILE_COLUMNS
from tau_rec_books.core.canonical import read_csv, read_json
from tau_rec_books.wikidata.statements import Statement

SIZES = (3, 6, 1000)
LISTS = ("authors", "author_ids", "genres", "languages", "countries", "formats")


def _works(count: int) -> list[Statement]:
    """Good works; the author of some has no item, some have no country, one is a poem, two are one."""
    rows = [
        Statement("Q1860", "label", "English", "en"),
        Statement("Q7979", "label", "British English", "en"),
        Statement("Q21", "label", "England", "en"),
        Statement("Q145", "label", "United Kingdom", "en"),
        Statement("Q900", "label", "=Ann, \"Roe\"", "en"),
    ]  # fmt: skip
    for number in range(count):
        qid = f"Q{500 + number}"
        rows += [
            Statement(qid, "P31", "Q7725634", None),
            Statement(qid, "P136", "Q24925", None),
            Statement(qid, "P407", "Q7979" if number % 3 == 0 else "Q1860", None),
            Statement(qid, "P577", f"{1900 + number}-01-01T00:00:00Z", "9"),
            Statement(qid, "label", f"Book №{max(1, number)}\n", "en"),
            Statement(qid, "sitelinks", str(number), None),
        ]
        if number % 2:
            rows.append(Statement(qid, "P495", "Q21", None))
        if number == 5:
            rows.append(Statement(qid, "P2093", "+Di Ray", None))
        else:
            rows.append(Statement(qid, "P50", "Q900", None))
        if number == 7:
            rows.append(Statement(qid, "P7937", "Q5185279", None))
    return rows


@pytest.fixture(scope="module")
def built() -> Build:
    """A catalog of ten works out of twelve."""
    facts = Facts()
    facts.add(_works(12))
    return build(facts, seed="s", sizes=SIZES, year_min=1460, year_max=2026, allow_fewer=True)


@pytest.fixture(scope="module")
def folder(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its files."""
    out = tmp_path_factory.mktemp("catalog")
    write_catalog(out, built, SIZES)
    return out


def test_a_catalog_is_these_files_and_no_others(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "1k.parquet", "3.parquet", "6.parquet", "audit_rubric.md", "audit_sample.csv", "funnel.csv",
        "profile.csv", "vocabulary.json",
    ]  # fmt: skip


def test_each_size_is_a_prefix_of_the_next(folder: Path, built: Build) -> None:
    small, middle, large = (read_books(folder / f"{name}.parquet") for name in ("3", "6", "1k"))
    assert (len(small), len(middle), len(large)) == (3, 6, 10)
    assert large[:6] == middle
    assert middle[:3] == small
    assert large == built.books


def test_every_file_has_the_schema_of_books_and_no_cell_is_empty(folder: Path) -> None:
    for path in folder.glob("*.parquet"):
        table = pq.read_table(path)
        assert table.schema.equals(BOOK_SCHEMA)
        assert all(table.column(name).null_count == 0 for name in table.column_names)
        for name in LISTS:
            lists = table.column(name).to_pylist()
            assert all(isinstance(cell, list) and None not in cell for cell in lists)
    authors = {book.id: book for book in read_books(folder / "1k.parquet")}
    assert authors["wd_Q505"].authors == ("+Di Ray",)
    assert authors["wd_Q505"].author_ids == ()
    assert authors["wd_Q504"].authors == ('=Ann, "Roe"',)
    assert authors["wd_Q504"].countries == ()


def test_the_catalog_reads_back_equal(folder: Path, built: Build) -> None:
    catalog = read_catalog(folder / "1k.parquet", folder / "vocabulary.json")
    assert catalog.books == built.books
    assert catalog.vocabulary == built.vocabulary


def test_parents_are_in_the_vocabulary_with_the_books_of_their_children(folder: Path, built: Build) -> None:
    document = read_json(folder / "vocabulary.json")
    assert document["country_children"] == {"United Kingdom": ["England"]}
    assert document["language_children"] == {"English": ["British English"]}
    for size, name in zip(SIZES, ("3", "6", "1k"), strict=True):
        books = built.books[:size]
        assert document["languages"]["English"][name] == len(books)
        british = sum("British English" in book.languages for book in books)
        assert document["languages"]["British English"][name] == british
        english = sum("England" in book.countries for book in books)
        assert (
            document["countries"]["United Kingdom"][name] == document["countries"]["England"][name] == english
        )


def test_the_funnel_has_a_row_for_each_rule_and_adds_up(folder: Path) -> None:
    rows = read_csv(folder / "funnel.csv")
    assert [row["rule"] for row in rows] == list(RULES)
    assert tuple(rows[0]) == FUNNEL_COLUMNS
    assert rows[0]["entered"] == "12"
    assert all(int(row["entered"]) - int(row["dropped"]) == int(row["kept"]) for row in rows)
    assert [row["kept"] for row in rows[:-1]] == [row["entered"] for row in rows[1:]]
    assert {row["rule"]: row["examples"] for row in rows if row["dropped"] != "0"} == {
        "poem": "Q507",
        "duplicate": "Q500",
    }


def test_the_profile_compares_with_the_paper(folder: Path) -> None:
    rows = read_csv(folder / "profile.csv")
    assert tuple(rows[0]) == PROFILE_COLUMNS
    measures = {row["measure"]: row["ours"] for row in rows}
    assert len(measures) == len(rows)
    assert measures["works in the largest catalog"] == measures["eligible works"] == "10"
    assert (measures["first year"], measures["last year"]) == ("1901", "1911")
    assert measures["English, % of records"] == "100.0"


def test_writing_again_gives_the_same_bytes(folder: Path, built: Build, tmp_path: Path) -> None:
    write_catalog(tmp_path, built, SIZES)
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
