"""Which works become books, and what their records say: one dirty case of real metadata at a time."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.catalog.books import Book
from tau_rec_books.catalog.build import Build, build
from tau_rec_books.catalog.facts import Facts
from tau_rec_books.catalog.select import simulated_formats
from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.statements import UNKNOWN, Statement
from tau_rec_books.wikidata.tables import genre_qids, published_genres

LITERARY_WORK, WRITTEN_WORK, EDITION, NOVEL_SERIES = "Q7725634", "Q47461344", "Q3331189", "Q1667921"
POEM, PLAY, SHORT_STORY, NOVEL = "Q5185279", "Q25379", "Q49084", "Q8261"
SCIENCE_FICTION, SF_NOVEL = "Q24925", "Q12132683"
ENGLISH, BRITISH_ENGLISH, SEVERAL_LANGUAGES = "Q1860", "Q7979", "Q20923490"
ENGLAND, UNITED_KINGDOM, UNITED_STATES = "Q21", "Q145", "Q30"
ANONYMOUS = "Q4233718"

LABELS = [
    Statement(ENGLISH, "label", "English", "en"),
    Statement(BRITISH_ENGLISH, "label", "British English", "en"),
    Statement(ENGLAND, "label", "England", "en"),
    Statement(UNITED_KINGDOM, "label", "United Kingdom", "en"),
    Statement(UNITED_STATES, "label", "United States of America", "en"),
    Statement("Q900", "label", "Ann Roe", "en"),
    Statement("Q901", "label", "Bo Lee", "mul"),
    Statement("Q902", "label", "Cy Fox", "en"),
]


def work(
    qid: str = "Q500", title: str = "Glass Rivers", **changes: Sequence[tuple[str, str | None]]
) -> list[Statement]:
    """Rows of a good work; each change replaces all values of one property."""
    facts: dict[str, Sequence[tuple[str, str | None]]] = {
        "P31": [(LITERARY_WORK, None)],
        "P136": [(SCIENCE_FICTION, None)],
        "P50": [("Q900", None)],
        "P577": [("1984-05-01T00:00:00Z", "11")],
        "P407": [(ENGLISH, None)],
        "P495": [(UNITED_STATES, None)],
        "sitelinks": [("7", None)],
        "label": [(title, "en")],
    } | changes
    return [
        Statement(qid, name, value, qualifier)
        for name, values in facts.items()
        for value, qualifier in values
    ]


def built(rows: list[Statement], sizes: Sequence[int] = (10,)) -> Build:
    facts = Facts()
    facts.add(LABELS + rows)
    return build(facts, seed="s", sizes=sizes, year_min=1460, year_max=2026, allow_fewer=True)


def one(rows: list[Statement]) -> Book:
    books = {book.id: book for book in built(rows).books}
    assert len(books) == 1
    return books["wd_Q500"]


def rule_that_drops(rows: list[Statement]) -> str:
    funnel = built(rows + work("Q999", "Another One")).funnel
    broken = [rule for rule, works in funnel.dropped.items() if "Q500" in works]
    assert len(broken) == 1
    return broken[0]


def test_a_good_work_becomes_a_record() -> None:
    book = one(work())
    assert (book.title, book.title_source, book.authors, book.author_ids) == (
        "Glass Rivers",
        "en",
        ("Ann Roe",),
        ("Q900",),
    )
    assert (book.genres, book.languages, book.countries) == (
        ("Science Fiction",),
        ("English",),
        ("United States",),
    )
    assert (book.year, book.sitelinks) == (1984, 7)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"P31": [("Q17537576", None)]}, "no_kept_class"),
        ({"P31": []}, "no_kept_class"),
        ({"P31": [(EDITION, None)]}, "edition"),
        ({"P31": [(LITERARY_WORK, None), (EDITION, None)]}, "edition"),
        ({"P629": [("Q501", None)]}, "edition"),
        ({"P31": [(LITERARY_WORK, None), (NOVEL_SERIES, None)]}, "series"),
        ({"P7937": [(POEM, None)]}, "poem"),
        ({"P7937": [(PLAY, None)]}, "play"),
        ({"P7937": [(SHORT_STORY, None)]}, "short story"),
        ({"P50": []}, "no_author"),
        ({"P50": [(UNKNOWN, None)]}, "no_author"),
        ({"P50": [(ANONYMOUS, None)]}, "no_author"),
        ({"P50": [("Q777", None)]}, "no_author"),
        ({"P577": []}, "no_date"),
        ({"P577": [("2000-01-01T00:00:00Z", "7")]}, "vague_date"),
        ({"P577": [("-0043-01-01T00:00:00Z", "9")]}, "year_out_of_bounds"),
        ({"P577": [("0000-01-01T00:00:00Z", "9")]}, "year_out_of_bounds"),
        ({"P577": [("12000-01-01T00:00:00Z", "9")]}, "year_out_of_bounds"),
        ({"P577": [("1459-01-01T00:00:00Z", "9")]}, "year_out_of_bounds"),
        ({"P407": []}, "no_language"),
        ({"P407": [(SEVERAL_LANGUAGES, None)]}, "no_language"),
        ({"label": []}, "no_title"),
        ({"label": [("Q500", "en")]}, "no_title"),
        ({"label": [("\u200b ", "en")]}, "no_title"),
        ({"P136": [(NOVEL, None)]}, "no_genre"),
        ({"label": [("List of novels about rivers", "en")]}, "no_book_title"),
        ({"label": [("Glass Rivers (play)", "en")], "P1476": [("Glass Rivers", "en")]}, "no_book_title"),
        ({"P407": [(q, None) for q in (ENGLISH, "Q150", "Q188", "Q1321", "Q652")]}, "overfull_lists"),
        ({"P136": [(genre_qids(genre)[0], None) for genre in published_genres()[:8]]}, "overfull_lists"),
    ],
)  # fmt: skip
def test_each_rule_drops_what_it_says(
    changes: dict[str, Sequence[tuple[str, str | None]]], rule: str
) -> None:
    assert rule_that_drops(work(**changes)) == rule


def test_both_kept_classes_and_a_kept_form_make_one_record() -> None:
    one(
        work(
            P31=[(LITERARY_WORK, None), (WRITTEN_WORK, None)], P7937=[(NOVEL, None)], P179=[("Q12345", None)]
        )
    )


def test_two_genre_items_of_one_label_are_one_genre() -> None:
    assert one(work(P136=[(SCIENCE_FICTION, None), (SF_NOVEL, None), (NOVEL, None)])).genres == (
        "Science Fiction",
    )


def test_the_title_comes_from_p1476_then_en_then_mul() -> None:
    titled = work(P1476=[("The Glass River", "en"), ("El río", "es")])
    assert (one(titled).title, one(titled).title_source) == ("The Glass River", "P1476")
    only_mul = one(work(label=[("Río", "mul")]))
    assert (only_mul.title, only_mul.title_source) == ("Río", "mul")


def test_the_label_settles_which_of_several_titles_counts() -> None:
    assert one(work(P1476=[("A River of Glass", "en"), ("Glass Rivers", "en")])).title == "Glass Rivers"


def test_authors_come_in_the_order_of_their_ordinals() -> None:
    book = one(work(P50=[("Q900", "10"), ("Q901", "2"), ("Q902", "1")], P2093=[("Di Ray", "2.5")]))
    assert book.authors == ("Cy Fox", "Bo Lee", "Di Ray", "Ann Roe")
    assert book.author_ids == ("Q902", "Q901", "Q900")


def test_a_name_string_that_repeats_an_item_is_no_second_author() -> None:
    assert one(work(P50=[("Q900", "1")], P2093=[("A. Roe", "1"), ("ann roe", None)])).authors == ("Ann Roe",)


def test_an_author_without_an_item_counts() -> None:
    book = one(work(P50=[], P2093=[("Di Ray", None)]))
    assert (book.authors, book.author_ids) == (("Di Ray",), ())


def test_the_earliest_date_of_year_precision_is_the_year() -> None:
    dates = [("1990-01-01T00:00:00Z", "9"), ("1988-03-02T00:00:00Z", "11"), ("1900-01-01T00:00:00Z", "7")]
    assert one(work(P577=dates)).year == 1988


def test_a_book_of_england_and_the_united_kingdom_shows_each_once() -> None:
    result = built(work(P495=[(ENGLAND, None), (UNITED_KINGDOM, None)], P407=[(BRITISH_ENGLISH, None)]))
    assert result.books[0].countries == ("England", "United Kingdom")
    assert result.vocabulary.country_children == {"United Kingdom": ("England",)}
    assert result.vocabulary.countries["United Kingdom"] == {"10": 1}
    assert result.vocabulary.languages["English"] == {"10": 1}
    assert result.vocabulary.covered("language", "English") == ("English", "British English")


def test_of_two_records_of_one_work_the_better_known_stays() -> None:
    rows = work("Q500", "Glass Rivers") + work("Q400", "GLASS RIVERS!", sitelinks=[("3", None)])
    result = built(rows)
    assert [book.id for book in result.books] == ["wd_Q500"]
    assert result.funnel.dropped["duplicate"] == ["Q400"]


def test_of_two_equally_known_records_the_lower_number_stays() -> None:
    result = built(work("Q500", "Glass Rivers") + work("Q1400", "Glass rivers"))
    assert [book.id for book in result.books] == ["wd_Q500"]


@pytest.mark.parametrize("other", ["Glass Rivers: The End", "Glass River", "Glass Rivers 2"])
def test_different_titles_of_one_author_stay_apart(other: str) -> None:
    assert len(built(work("Q500", "Glass Rivers") + work("Q501", other)).books) == 2


def test_one_title_by_two_authors_is_two_books() -> None:
    assert len(built(work("Q500") + work("Q501", P50=[("Q902", None)])).books) == 2


def test_every_work_is_in_the_catalog_or_under_exactly_one_rule() -> None:
    rows = work("Q500") + work("Q501", "Two") + work("Q502", "Three", P50=[]) + work("Q503", "Glass Rivers")
    result = built(rows, sizes=(1,))
    funnel = result.funnel.rows()
    assert funnel[0]["entered"] == 4
    assert funnel[-1]["kept"] == len(result.books) == result.funnel.kept == 1
    assert sum(int(str(row["dropped"])) for row in funnel) + len(result.books) == 4


def test_too_few_works_stop_the_build_with_both_numbers() -> None:
    facts = Facts()
    facts.add(LABELS + work())
    with pytest.raises(Problem, match=r"holds 1 eligible works but catalog\.sizes asks for 5"):
        build(facts, seed="s", sizes=(5,), year_min=1460, year_max=2026, allow_fewer=False)


@given(st.integers(2, 40), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_changes_the_catalog(count: int, random: object) -> None:
    rows = [
        row
        for number in range(count)
        for row in work(f"Q{500 + number}", f"Title {number % 7}", P50=[("Q900", None), ("Q901", "2")])
    ]
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert built(rows, sizes=(3, 20)).books == built(shuffled + rows[:5], sizes=(3, 20)).books


@given(st.integers(1, 10**9))
def test_every_book_comes_in_some_format_and_always_the_same(number: int) -> None:
    formats = simulated_formats(f"Q{number}")
    assert formats
    assert formats == simulated_formats(f"Q{number}")
    assert list(formats) == sorted(set(formats))


def test_formats_are_spread_evenly() -> None:
    counts = [len(simulated_formats(f"Q{number}")) for number in range(1, 4001)]
    # Fifteen equally likely subsets: 32 formats in 15 subsets.
    assert abs(sum(counts) / 4000 - 32 / 15) < 0.05
