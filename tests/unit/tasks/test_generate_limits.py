"""Requests that cannot be met end with one sentence; small catalogs give as many families as fit."""

from collections.abc import Callable
from typing import Any

import pytest

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.generate import make_families

SettingsWith = Callable[..., dict[str, Any]]
CatalogOf = Callable[[int], Catalog]


def test_too_many_complex_nvr_families_name_the_rule_that_failed_most(
    catalog_of: CatalogOf, settings_with: SettingsWith
) -> None:
    tiers = {**settings_with()["tiers"], "complex": {"satisfiable": 45, "nvr": 500}}
    with pytest.raises(Problem) as caught:
        make_families(catalog_of(20_000), (5000, 10_000, 20_000), settings_with(tiers=tiers))
    sentence = str(caught.value)
    assert sentence.startswith("No complex NVR family number ")
    assert "two-genres-country-range" in sentence and "nvr_leave_one_out" in sentence
    assert "needed at least 3" in sentence and "median" in sentence and "\n" not in sentence


def test_an_exclusion_that_no_request_reaches_is_named(
    catalog_of: CatalogOf, settings_with: SettingsWith
) -> None:
    with pytest.raises(Problem, match=r"hidden_exclusion.*median 0\.\d+, needed at least 0\.9999"):
        make_families(
            catalog_of(8000), (2000, 4000, 8000), settings_with(hidden_exclusion=0.9999, attempts=300)
        )


def test_too_few_attempts_end_with_a_sentence(catalog_of: CatalogOf, settings_with: SettingsWith) -> None:
    with pytest.raises(Problem, match=r"No simple satisfiable family number \d+ .* in 1 tries"):
        make_families(catalog_of(2000), (500, 1000, 2000), settings_with(attempts=1))


@pytest.mark.parametrize("books", [400, 800, 1600])
def test_a_small_catalog_gives_the_families_that_fit(
    catalog_of: CatalogOf, settings_with: SettingsWith, books: int
) -> None:
    sizes = (books // 4, books // 2, books)
    made = make_families(catalog_of(books), sizes, settings_with(allow_fewer=True, attempts=300))
    assert 20 <= len(made.families) < 150
    assert len(made.families) + len(made.unfilled) == 150
    assert [family.id for family in made.families] == [
        f"family-{n:03d}" for n in range(1, len(made.families) + 1)
    ]
    templates = {family.template for family in made.families}
    assert {family.template for family in made.families if family.panel} <= templates
    assert sum(family.panel for family in made.families) <= 51
    slots = {(slot.tier, slot.kind, slot.number) for slot in made.unfilled}
    drawn = {(d.slot.tier, d.slot.kind, d.slot.number) for name, d in made.draws if name}
    assert not slots & drawn


def test_without_allowing_fewer_a_small_catalog_is_refused(
    catalog_of: CatalogOf, settings_with: SettingsWith
) -> None:
    with pytest.raises(Problem, match="allow_fewer"):
        make_families(catalog_of(400), (100, 200, 400), settings_with(attempts=300))


def test_counts_other_than_the_papers_are_exact_too(
    catalog_of: CatalogOf, settings_with: SettingsWith
) -> None:
    settings = settings_with(
        tiers={"simple": {"satisfiable": 7, "nvr": 2}, "complex": {"satisfiable": 6, "nvr": 0}},
        templates=[t for t in settings_with()["templates"] if t["tier"] != "medium"],
        single_format_families=5, history_families=8, history_two_hidden=3,
        panel={"satisfiable": 2, "nvr": 0}, reliability={"satisfiable": 1, "nvr": 0},
    )  # fmt: skip
    families = make_families(catalog_of(8000), (2000, 4000, 8000), settings).families
    assert [(f.tier, f.nvr) for f in families].count(("simple", True)) == 2
    assert len(families) == 15 and sum(f.accepted_formats is not None for f in families) == 5
    histories = [f for f in families if f.history]
    assert len(histories) == 8 and sum(len(f.history) == 3 for f in histories) == 3
    assert sum(f.panel for f in families) == 4 and sum(f.reliability for f in families) == 2


def test_one_size_alone_is_enough(catalog_of: CatalogOf, settings_with: SettingsWith) -> None:
    assert len(make_families(catalog_of(8000), (8000,), settings_with()).families) == 150


@pytest.mark.parametrize("sizes", [(), (0, 10), (20, 10), (10, 10)])
def test_sizes_that_do_not_increase_are_refused(
    catalog_of: CatalogOf, settings_with: SettingsWith, sizes: tuple[int, ...]
) -> None:
    with pytest.raises(Problem, match="sizes must be positive and increase"):
        make_families(catalog_of(2000), sizes, settings_with())


def test_a_catalog_without_books_is_refused(catalog_of: CatalogOf, settings_with: SettingsWith) -> None:
    with pytest.raises(Problem, match="no books"):
        make_families(Catalog((), catalog_of(2000).vocabulary), (10,), settings_with())
