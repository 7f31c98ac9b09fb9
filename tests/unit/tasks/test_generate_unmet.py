"""The pool of NVR requests holds exactly what a search through all labels and years finds."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.families import Predicate
from tau_rec_books.tasks.rules import Requirement, in_fixed_order, labels_of, no_match
from tau_rec_books.tasks.settings import TaskSettings, Template
from tau_rec_books.tasks.unmet import UnmetRequests

YEARS = range(2009, 2027)
TEMPLATES = (
    Template("labels", "simple", ("genre", "language")),
    Template("since", "simple", ("genre", "year_min")),
    Template("until", "simple", ("genre", "year_max")),
    Template("pair-until", "medium", ("genre", "country", "year_max")),
    Template("range", "medium", ("genre", "country", "year_min", "year_max")),
    Template("two-genres", "medium", ("genre", "genre", "country")),
)


def index_of(catalog: Catalog, books: int) -> BooksIndex:
    recent = tuple(book for book in catalog.books if book.year in YEARS)[:books]
    return BooksIndex(Catalog(recent, catalog.vocabulary), (books // 2, books))


def requests(template: Template, index: BooksIndex) -> list[tuple[Predicate, ...]]:
    """Every request of a template over all labels and years of the catalog."""
    options: list[list[Requirement]] = []
    for name in template.slots:
        if name == "year_min" or name == "year_max":
            options.append([Requirement("year", "min" if name == "year_min" else "max", y) for y in YEARS])
        else:
            options.append([Requirement(name, "is", label) for label in index.labels[name]])
    return [in_fixed_order(chosen) for chosen in product(*options) if len(set(chosen)) == len(chosen)]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_the_pool_holds_the_labels_of_every_possible_request(
    template: Template, catalog_of: Callable[[int], Catalog], settings_with: Callable[..., dict[str, Any]]
) -> None:
    settings = TaskSettings.from_mapping(settings_with(nvr_leave_one_out=2))
    index = index_of(catalog_of(2000), 300)
    possible = {
        labels_of(request)
        for request in requests(template, index)
        if no_match(request, index, settings) is None
        # A range must span more than one year, which in a gap of two years leaves no room to choose.
        and (len(years := [int(p.value) for p in request if p.field == "year"]) < 2 or years[1] > years[0])
    }
    pool = UnmetRequests(index, settings).pool(template)
    assert {unmet.labels for unmet in pool.possible} == possible
    assert possible or template.id == "since"
    assert not possible & {labels for labels, _ in pool.failures}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_whatever_is_drawn_from_a_pool_is_an_nvr_request_with_new_labels(
    template: Template, catalog_of: Callable[[int], Catalog], settings_with: Callable[..., dict[str, Any]]
) -> None:
    settings = TaskSettings.from_mapping(settings_with())
    index = index_of(catalog_of(8000), 1600)
    unmet = UnmetRequests(index, settings)
    taken = set()
    for number in range(60):
        drawn = unmet.draw(template, taken, str(number))
        if drawn is None:
            assert taken == {possible.labels for possible in unmet.pool(template).possible}
            break
        request = in_fixed_order(drawn)
        assert no_match(request, index, settings) is None
        assert labels_of(request) not in taken
        taken.add(labels_of(request))
