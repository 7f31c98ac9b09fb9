"""Reading histories and single formats on catalogs small enough to read."""

from tau_rec_books.catalog.books import Book, Catalog, Vocabulary
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.families import Predicate
from tau_rec_books.tasks.histories import acceptable_left, draw_format, draw_history, near_misses
from tau_rec_books.tasks.rules import Rejection

WAR, CRIME, YOUNG = (
    Predicate("p1", "genre", "is", "Crime"),
    Predicate("p2", "genre", "is", "War"),
    Predicate("p3", "year", "min", 2000),
)


def index_of(*rows: tuple[str, int, str]) -> BooksIndex:
    """An index of books given as (genres, year, formats), each joined by plus signs."""
    books = tuple(
        Book(f"wd_Q{n}", f"Book {n}", "en", ("A",), (), tuple(genres.split("+")), ("English",), (), year, 1,
             tuple(formats.split("+")))
        for n, (genres, year, formats) in enumerate(rows, start=1)
    )  # fmt: skip
    labels = sorted({genre for book in books for genre in book.genres})
    return BooksIndex(
        Catalog(books, Vocabulary({label: {} for label in labels}, {"English": {}}, {}, {}, {})),
        (len(books),),
    )


def ids(index: BooksIndex, bits: int) -> list[str]:
    return index.book_ids(bits)


def test_a_near_miss_for_a_hidden_genre_carries_another_genre_instead() -> None:
    index = index_of(
        ("Crime+War", 2001, "ebook"),
        ("Crime", 2001, "ebook"),
        ("Crime+Horror", 2002, "ebook"),
        ("Horror", 2002, "ebook"),
    )
    predicates = (WAR, CRIME, YOUNG)
    answers = index.meeting(predicates)
    assert ids(index, near_misses(predicates, answers, CRIME, index)) == ["wd_Q3"]


def test_a_near_miss_for_a_hidden_year_meets_everything_else() -> None:
    index = index_of(("Crime+War", 2001, "ebook"), ("Crime+War", 1999, "ebook"), ("Crime", 1999, "ebook"))
    predicates = (WAR, CRIME, YOUNG)
    answers = index.meeting(predicates)
    assert ids(index, near_misses(predicates, answers, YOUNG, index)) == ["wd_Q2"]


def test_a_history_leaves_an_unread_answer() -> None:
    rows = [("Crime+War", 2001, "ebook"), ("Crime+War", 2002, "ebook"), ("Crime+War", 1990, "ebook")]
    predicates = (WAR, CRIME, YOUNG)
    index = index_of(*rows)
    history = draw_history(predicates, index.meeting(predicates), (YOUNG,), None, "key", index)
    assert not isinstance(history, Rejection)
    assert "wd_Q3" in history and len(history) == 2 and len(set(history)) == 2
    alone = index_of(rows[0], rows[2])
    refused = draw_history(predicates, alone.meeting(predicates), (YOUNG,), None, "key", alone)
    assert isinstance(refused, Rejection) and refused.rule == "history"


def test_the_answer_that_was_read_is_not_the_only_one_that_the_format_decides_about() -> None:
    rows = [("Crime+War", 2001, "ebook"), ("Crime+War", 2002, "paperback"), ("Crime+War", 2003, "ebook")]
    index = index_of(*rows, ("Crime+War", 1990, "ebook"))
    predicates = (WAR, CRIME, YOUNG)
    for key in map(str, range(20)):
        history = draw_history(predicates, index.meeting(predicates), (YOUNG,), "ebook", key, index)
        assert not isinstance(history, Rejection) and "wd_Q2" not in history


def test_a_format_is_drawn_only_when_an_answer_has_it_and_another_lacks_it() -> None:
    mixed = index_of(("War", 2001, "ebook+hardcover"), ("War", 2002, "hardcover"), ("War", 2003, "hardcover"))
    answers = mixed.meeting([CRIME])
    assert {draw_format(answers, str(n), mixed) for n in range(20)} == {"ebook"}
    alike = index_of(("War", 2001, "ebook"), ("War", 2002, "ebook"))
    refused = draw_format(alike.meeting([CRIME]), "key", alike)
    assert isinstance(refused, Rejection) and refused.rule == "single_format"


def test_answers_outside_the_smallest_catalog_do_not_count() -> None:
    index = index_of(("War", 2001, "ebook"), ("Crime", 2002, "ebook"))
    smaller = BooksIndex(
        Catalog(
            tuple(
                Book(b, b, "en", ("A",), (), ("War",), ("English",), (), 2001, 1, ("ebook",))
                for b in ("wd_Q1", "wd_Q2")
            ),
            Vocabulary({"War": {}}, {"English": {}}, {}, {}, {}),
        ),
        (1, 2),
    )
    assert acceptable_left(0b10, 0, None, smaller) is not None
    assert acceptable_left(0b01, 0, None, smaller) is None
    assert acceptable_left(index.meeting([CRIME]), 0b01, None, index) is not None
