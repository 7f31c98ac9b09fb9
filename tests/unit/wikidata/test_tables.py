"""The item tables decide each item once, with a reason, and use no item in a sense it does not have."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.core.canonical import csv_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import QID, qid_number
from tau_rec_books.wikidata import tables
from tau_rec_books.wikidata.tables import ClassItem, GenreItem, Placeholder, PlaceItem

GENRES = (
    "Adventure", "Biography and Memoir", "Children's Literature", "Coming of Age", "Crime", "Dystopian",
    "Fantasy", "Historical Fiction", "Horror", "Humor", "Mystery", "Non-Fiction", "Philosophical Fiction",
    "Romance", "Science Fiction", "Thriller", "War", "Western", "Young Adult",
)  # fmt: skip

TABLES: tuple[Callable[[], Sequence[Any]], ...] = (
    tables.genre_items,
    tables.class_items,
    tables.language_items,
    tables.country_items,
    tables.placeholders,
    tables.corrections,
    tables.exclusions,
)

NOT_WHAT_LISTS_SAY = {
    "Q131539": "children's literature",
    "Q1233720": "young adult literature",
    "Q192782": "Gothic novel",
    "Q856713": "Christian hymn",
    "Q12132683": "science fiction novel",
    "Q367591": "Western literature",
    "Q179461": "religious text",
    "Q170072": "Dutch Republic",
    "Q174193": "United Kingdom of Great Britain and Ireland",
    "Q161885": "Kingdom of Great Britain",
    "Q41304": "Weimar Republic",
}
"""Items that hand-made lists give under another meaning, with what they really are."""

NEVER_MEANT = (
    "Q1075302",  # a dialect of Albanian, given for travel writing
    "Q7725635",  # off by one from literary work
    "Q7725633",
    "Q8260",  # off by one from novel
    "Q8262",
    "Q47461345",  # off by one from written work
)


def genre_of() -> dict[str, str]:
    return {item.qid: item.genre for item in tables.genre_items()}


def published(field: str) -> dict[str, str]:
    places = {"language": tables.language_items, "country": tables.country_items}[field]()
    corrected = {row.qid: row.corrected for row in tables.corrections() if row.field == field}
    return {item.qid: corrected.get(item.qid, item.label) for item in places}


def places() -> list[tuple[str, tuple[PlaceItem, ...]]]:
    return [("language", tables.language_items()), ("country", tables.country_items())]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_no_item_is_twice_in_a_table(table: Callable[[], Sequence[Any]]) -> None:
    qids = [row.qid for row in table()]
    assert len(qids) == len(set(qids))
    assert all(QID.fullmatch(qid) for qid in qids)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_row_has_a_short_reason(table: Callable[[], Sequence[Any]]) -> None:
    for row in table():
        assert 3 <= len(row.reason) <= 90, row
        assert not row.reason.endswith("."), row


def test_the_nineteen_genres_are_published() -> None:
    assert tables.published_genres() == GENRES
    assert len(GENRES) == 19


def test_several_hundred_items_are_decided() -> None:
    mapped = [item for item in tables.genre_items() if item.genre]
    assert len(tables.genre_items()) > 300
    assert len(mapped) > 200
    assert all(item.genre in GENRES for item in mapped)
    assert sum(len(table()) for table in TABLES) > 700


def test_each_mapped_item_belongs_to_one_published_genre() -> None:
    listed = [qid for genre in GENRES for qid in tables.genre_qids(genre)]
    assert len(listed) == len(set(listed))
    assert set(listed) == {item.qid for item in tables.genre_items() if item.genre}


@pytest.mark.parametrize("genre", GENRES)
def test_the_items_of_a_genre_come_by_number(genre: str) -> None:
    qids = tables.genre_qids(genre)
    assert list(qids) == sorted(qids, key=qid_number)
    assert len(qids) >= 2


@pytest.mark.parametrize("genre", ["Literary Fiction", "", "science fiction"])
def test_an_unknown_genre_is_told_with_the_known_ones(genre: str) -> None:
    with pytest.raises(Problem, match="the genres are Adventure, Biography and Memoir"):
        tables.genre_qids(genre)


def test_items_that_hand_made_lists_get_wrong_carry_their_true_label() -> None:
    labels = {
        row.qid: row.label
        for table in TABLES
        for row in table()
        if hasattr(row, "label") and row.qid in NOT_WHAT_LISTS_SAY
    }
    assert labels == NOT_WHAT_LISTS_SAY


def test_items_that_hand_made_lists_get_wrong_are_used_in_their_true_sense() -> None:
    genres = genre_of()
    assert genres["Q131539"] == "Children's Literature"
    assert genres["Q1233720"] == "Young Adult"
    assert genres["Q192782"] == "Horror"
    assert genres["Q12132683"] == "Science Fiction"
    assert genres["Q856713"] == genres["Q367591"] == genres["Q179461"] == ""
    parents = {item.qid: item.parent for item in tables.country_items()}
    assert parents["Q170072"] == "Q55"
    assert parents["Q174193"] == parents["Q161885"] == parents["Q230791"] == "Q145"
    assert parents["Q41304"] == "Q183"


def test_ids_that_mean_something_quite_else_are_in_no_table() -> None:
    used = {row.qid for table in TABLES for row in table()}
    used |= {item.parent for _, rows in places() for item in rows}
    assert not used & set(NEVER_MEANT)


def test_the_true_items_are_used_instead() -> None:
    genres = genre_of()
    assert genres["Q319226"] == "Adventure"
    assert genres["Q21590660"] == genres["Q12197074"] == "Western"
    assert genres["Q4184"] == "Biography and Memoir"


@pytest.mark.parametrize(
    ("qid", "genre"),
    [
        ("Q20669641", "Horror"),  # Gothic fiction
        ("Q181001", "Romance"),  # erotica
        ("Q102439494", "Fantasy"),  # magic realist fiction
        ("Q699", "Fantasy"),  # fairy tale
        ("Q20664331", "Thriller"),  # spy fiction
        ("Q224989", "Science Fiction"),  # alternate history
        ("Q15062360", "Dystopian"),  # utopian fiction
        ("Q128758", "Humor"),  # satire
        ("Q112983", "Biography and Memoir"),  # memoir
        ("Q10927187", "Biography and Memoir"),  # autofiction
        ("Q35760", "Non-Fiction"),  # essay
        ("Q605076", "Non-Fiction"),  # cookbook
    ],
)
def test_smaller_genres_fold_into_a_published_one(qid: str, genre: str) -> None:
    assert genre_of()[qid] == genre


@pytest.mark.parametrize(
    "qid",
    [
        "Q6647667",  # literary fiction
        "Q20358335",  # political novel
        "Q286328",  # psychological novel
        "Q108281294",  # LGBTQ+ fiction
        "Q111396566",  # religious fiction
        "Q9326077",  # speculative fiction
        "Q8261",  # novel
        "Q1004",  # comics
        "Q482",  # poetry
        "Q130232",  # drama film
        "Q362",  # World War II
        "Q3440956",  # novel of Romanticism
        "Q3290744",  # "Fantasy", not fantasy
    ],
)
def test_what_is_no_genre_of_a_book_is_left_out_on_purpose(qid: str) -> None:
    assert genre_of()[qid] == ""


def test_a_dropped_class_carries_no_published_genre() -> None:
    dropped = {item.qid for item in tables.class_items() if item.decision == "drop"}
    assert [qid for qid, genre in genre_of().items() if genre and qid in dropped] == []


def test_whole_books_are_kept_and_parts_or_editions_are_dropped() -> None:
    rows = {item.qid: item for item in tables.class_items()}
    assert {rows[qid].decision for qid in ("Q7725634", "Q47461344", "Q571", "Q8261", "Q1279564")} == {"keep"}
    assert {item.kind for item in rows.values() if item.decision == "keep"} == {"work", "collection"}
    dropped = {item.kind for item in rows.values() if item.decision == "drop"}
    assert dropped >= {"edition", "series", "article", "chapter", "play", "poem", "short story", "comics"}
    assert {item.kind for item in rows.values()} == set(tables.KINDS)
    assert rows["Q3331189"].kind == "edition"
    assert rows["Q49084"].kind == "short story"


def test_classes_too_broad_to_decide_are_in_no_row() -> None:
    assert not {"Q17537576", "Q732577"} & {item.qid for item in tables.class_items()}


@pytest.mark.parametrize(("field", "rows"), places(), ids=["languages", "countries"])
def test_parents_stand_one_level_above_their_children(field: str, rows: tuple[PlaceItem, ...]) -> None:
    table = {item.qid: item for item in rows}
    children = [item for item in rows if item.parent]
    assert len(children) > 50
    for item in children:
        assert item.parent != item.qid
        assert table[item.parent].parent == ""


@pytest.mark.parametrize(("field", "rows"), places(), ids=["languages", "countries"])
def test_a_published_label_has_one_parent_whatever_item_carries_it(
    field: str, rows: tuple[PlaceItem, ...]
) -> None:
    labels = published(field)
    parents: dict[str, set[str]] = {}
    for item in rows:
        parents.setdefault(labels[item.qid], set()).add(labels[item.parent] if item.parent else "")
    assert {label: found for label, found in parents.items() if len(found) > 1} == {}
    assert all(label not in found for label, found in parents.items())


@pytest.mark.parametrize(("field", "rows"), places(), ids=["languages", "countries"])
def test_two_items_share_a_published_label_only_by_correction(
    field: str, rows: tuple[PlaceItem, ...]
) -> None:
    corrected = {row.qid for row in tables.corrections()}
    carriers: dict[str, list[str]] = {}
    for qid, label in published(field).items():
        carriers.setdefault(label, []).append(qid)
    for label, qids in carriers.items():
        assert len([qid for qid in qids if qid not in corrected]) <= 1, label


@pytest.mark.parametrize(
    ("child", "parent"),
    [
        ("Q7979", "Q1860"),  # British English
        ("Q7976", "Q1860"),  # American English
        ("Q36395", "Q1860"),  # Middle English
        ("Q750553", "Q5146"),  # Brazilian Portuguese
        ("Q9299", "Q9301"),  # Serbian
        ("Q35497", "Q9129"),  # Ancient Greek
        ("Q37041", "Q7850"),  # Classical Chinese
    ],
)
def test_varieties_and_stages_are_covered_by_their_language(child: str, parent: str) -> None:
    assert {item.qid: item.parent for item in tables.language_items()}[child] == parent


@pytest.mark.parametrize(
    "qid",
    [
        "Q14549",  # Scots
        "Q14196",  # Afrikaans
        "Q35228",  # Old East Slavic
        "Q33251",  # Church Slavonic
        "Q8798",  # Ukrainian
        "Q9091",  # Belarusian
        "Q1568",  # Hindi
        "Q1617",  # Urdu
        "Q9307",  # Galician
    ],
)
def test_sister_languages_are_covered_by_no_other(qid: str) -> None:
    assert {item.qid: item.parent for item in tables.language_items()}[qid] == ""


@pytest.mark.parametrize(
    ("child", "parent"),
    [
        ("Q21", "Q145"),  # England
        ("Q22", "Q145"),  # Scotland
        ("Q174193", "Q145"),  # United Kingdom of Great Britain and Ireland
        ("Q31747", "Q27"),  # Irish Free State
        ("Q16957", "Q183"),  # East Germany
        ("Q34266", "Q159"),  # Russian Empire
        ("Q133356", "Q212"),  # Ukrainian Soviet Socialist Republic
        ("Q2895", "Q184"),  # Byelorussian Soviet Socialist Republic
        ("Q8733", "Q148"),  # Qing dynasty
        ("Q285658", "Q96"),  # First Mexican Empire, in a row of the sources with Brazil
        ("Q738144", "Q414"),  # United Provinces of the Río de la Plata, likewise
    ],
)
def test_historical_states_are_covered_by_the_country_of_today(child: str, parent: str) -> None:
    assert {item.qid: item.parent for item in tables.country_items()}[child] == parent


@pytest.mark.parametrize(
    "qid",
    [
        "Q33946",  # Czechoslovakia
        "Q36704",  # Yugoslavia
        "Q28513",  # Austria-Hungary
        "Q20",  # Norway
        "Q801",  # Israel
        "Q193714",  # Mandatory Palestine
        "Q219060",  # State of Palestine
        "Q2277",  # Roman Empire
        "Q423",  # North Korea
        "Q865",  # Taiwan
    ],
)
def test_countries_without_a_single_heir_are_covered_by_no_other(qid: str) -> None:
    assert {item.qid: item.parent for item in tables.country_items()}[qid] == ""


def test_placeholders_count_as_missing_and_are_no_values() -> None:
    found = {(row.field, row.qid) for row in tables.placeholders()}
    assert {("language", qid) for qid in ("Q20923490", "Q22282914", "Q22282939", "Q22283016")} <= found
    assert {("author", qid) for qid in ("Q4233718", "Q2818964", "Q567620")} <= found
    assert {("country", qid) for qid in ("Q15", "Q48214", "Q15652")} <= found
    values = {item.qid for _, rows in places() for item in rows}
    assert not values & {row.qid for row in tables.placeholders()}


def test_there_are_twenty_five_label_corrections() -> None:
    assert len(tables.corrections()) == 25


def test_each_correction_changes_the_believed_label_of_an_item_of_its_field() -> None:
    labels = {field: {item.qid: item.label for item in rows} for field, rows in places()}
    for row in tables.corrections():
        assert labels[row.field][row.qid] == row.label
        assert row.corrected != row.label
        assert row.corrected == row.corrected.strip()


@pytest.mark.parametrize(
    ("field", "qid", "label"),
    [
        ("country", "Q30", "United States"),
        ("country", "Q27", "Ireland"),
        ("country", "Q148", "China"),
        ("country", "Q29999", "Netherlands"),
        ("country", "Q28513", "Austria-Hungary"),
        ("country", "Q16957", "East Germany"),
        ("country", "Q83286", "Yugoslavia"),
        ("language", "Q13414913", "Chinese"),
        ("language", "Q3513637", "Persian"),
    ],
)
def test_corrected_labels_are_published(field: str, qid: str, label: str) -> None:
    assert published(field)[qid] == label


def test_languages_and_countries_are_different_items() -> None:
    assert not set(published("language")) & set(published("country"))


GENRE_HEADER = "qid,label,genre,reason"


@pytest.mark.parametrize(
    ("row_type", "text", "sentence"),
    [
        (GenreItem, "", "header must read qid,label,genre,reason"),
        (GenreItem, "qid,genre,label,reason\n", "header must read qid,label,genre,reason"),
        (GenreItem, f"{GENRE_HEADER}\nQ1,a,Humor\n", "line 2: 3 cells where 4 are due"),
        (GenreItem, f"{GENRE_HEADER}\nQ1,a,Humor,b,c\n", "line 2: 5 cells where 4 are due"),
        (GenreItem, f"{GENRE_HEADER}\nQ1,,Humor,b\n", "the cell 'label' is empty"),
        (GenreItem, f"{GENRE_HEADER}\nQ1,a,Humor,\n", "the cell 'reason' is empty"),
        (GenreItem, f"{GENRE_HEADER}\nQ1,a, Humor,b\n", "the cell 'genre' is empty or padded"),
        (GenreItem, f"{GENRE_HEADER}\nq1,a,Humor,b\n", "'q1' is not an item id"),
        (GenreItem, f"{GENRE_HEADER}\nQ01,a,Humor,b\n", "'Q01' is not an item id"),
        (
            GenreItem,
            f"{GENRE_HEADER}\nQ1,a,Humor,b\nQ2,a,,b\nQ1,a,War,b\n",
            "line 4: Q1 is already on line 2",
        ),
        (GenreItem, f'{GENRE_HEADER}\nQ1,"a"b,Humor,b\n', "not a CSV table"),
        (ClassItem, "qid,label,decision,kind,reason\nQ1,a,maybe,work,b\n", "decision 'maybe' is not one of"),
        (ClassItem, "qid,label,decision,kind,reason\nQ1,a,keep,novel,b\n", "kind 'novel' is not one of"),
        (Placeholder, "qid,label,field,reason\nQ1,a,genre,b\n", "field 'genre' is not one of"),
        (PlaceItem, "qid,label,parent,reason\nQ1,a,England,b\n", "'England' is not an item id"),
    ],
)
def test_a_table_that_was_edited_wrongly_is_refused_with_its_line(
    row_type: type[Any], text: str, sentence: str
) -> None:
    with pytest.raises(Problem) as problem:
        tables.parse_table(text, "edited.csv", row_type)
    assert "edited.csv" in str(problem.value)
    assert sentence in str(problem.value)


@pytest.mark.parametrize(
    "parents",
    [
        {"Q1": "Q2"},  # a parent that is in no row
        {"Q1": "Q1"},  # its own parent
        {"Q1": "Q2", "Q2": "Q1"},  # a circle
        {"Q1": "Q2", "Q2": "Q3", "Q3": ""},  # a grandparent
    ],
)
def test_parents_outside_the_table_circles_and_grandparents_are_refused(parents: dict[str, str]) -> None:
    rows = [PlaceItem(qid, "label", parent, "reason") for qid, parent in parents.items()]
    with pytest.raises(Problem, match=r"the parent Q\d of Q1 "):
        tables.check_places(rows, "edited.csv")


CELL = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1).map(str.strip).filter(
    lambda text: text and not text.startswith(("=", "+", "-", "@"))
)  # fmt: skip


@given(st.dictionaries(st.integers(1, 10**10), st.tuples(CELL, st.just("") | CELL, CELL), max_size=20))
def test_a_written_table_reads_back_row_by_row(cells: dict[int, tuple[str, str, str]]) -> None:
    rows = tuple(GenreItem(f"Q{number}", *texts) for number, texts in cells.items())
    columns = ("qid", "label", "genre", "reason")
    text = csv_text(columns, [{column: getattr(row, column) for column in columns} for row in rows])
    assert tables.parse_table(text, "written.csv", GenreItem) == rows
