"""All counts of the paper are exact, and ids, blocks and personas betray nothing."""

import re
from collections import Counter
from collections.abc import Callable
from statistics import median
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.generate import make_families
from tau_rec_books.tasks.personas import assign_personas, personas


def hidden_count(family: Any) -> int:
    return list(family.reveal["hidden"].values()).count("hidden")


def test_all_counts_are_those_of_the_paper(drawn: Any) -> None:
    families = drawn.families
    assert Counter((f.tier, f.nvr) for f in families) == {
        (tier, nvr): 5 if nvr else 45 for tier in ("simple", "medium", "complex") for nvr in (False, True)
    }
    assert Counter(f.tier for f in families if f.accepted_formats) == dict.fromkeys(
        ("simple", "medium", "complex"), 12
    )
    assert Counter(f.tier for f in families if f.history) == dict.fromkeys(
        ("simple", "medium", "complex"), 16
    )
    assert sum(hidden_count(f) == 2 for f in families if f.history) == 17
    assert Counter((f.tier, f.nvr) for f in families if f.panel) == {
        (tier, nvr): 2 if nvr else 15 for tier in ("simple", "medium", "complex") for nvr in (False, True)
    }
    assert Counter((f.tier, f.nvr) for f in families if f.reliability) == {
        (tier, nvr): 1 if nvr else 5 for tier in ("simple", "medium", "complex") for nvr in (False, True)
    }
    assert all(f.panel for f in families if f.reliability)
    assert not any(f.nvr and (f.history or f.accepted_formats) for f in families)


def test_templates_of_a_tier_share_its_satisfiable_families_evenly(drawn: Any) -> None:
    used = Counter(f.template for f in drawn.families if not f.nvr)
    for tier in ("simple", "medium", "complex"):
        counts = [used[t["id"]] for t in drawn.settings["templates"] if t["tier"] == tier]
        assert min(counts) > 0 and max(counts) - min(counts) <= 1


def test_nvr_families_spread_over_templates_as_far_as_the_catalog_allows(drawn: Any) -> None:
    used = {
        tier: {f.template for f in drawn.families if f.nvr and f.tier == tier}
        for tier in drawn.settings["tiers"]
    }
    assert len(used["simple"]) >= 2 and len(used["medium"]) >= 3 and used["complex"]


def test_the_panel_covers_every_template(drawn: Any) -> None:
    assert {f.template for f in drawn.families if f.panel} == {t["id"] for t in drawn.settings["templates"]}


def test_ids_count_through_the_tiers_and_do_not_betray_nvr(drawn: Any) -> None:
    assert [f.id for f in drawn.families] == [f"family-{n:03d}" for n in range(1, 151)]
    assert [f.tier for f in drawn.families] == ["simple"] * 50 + ["medium"] * 50 + ["complex"] * 50
    for start in (0, 50, 100):
        places = [n for n in range(50) if drawn.families[start + n].nvr]
        assert places != list(range(5)) and places != list(range(45, 50))
        assert max(places) - min(places) > 10


def test_every_persona_is_used_about_equally_often(drawn: Any) -> None:
    uses = Counter(f.persona["id"] for f in drawn.families)
    assert len(uses) == len(personas()) and max(uses.values()) - min(uses.values()) <= 1


def test_personas_follow_the_seed_and_the_family_alone() -> None:
    ids = [f"family-{n:03d}" for n in range(1, 151)]
    assert assign_personas(ids, "a") == assign_personas(ids[::-1], "a")
    assert assign_personas(ids, "a") != assign_personas(ids, "b")


def test_personas_say_nothing_about_genres_languages_countries_years_or_formats(
    catalog_of: Callable[[int], Catalog],
) -> None:
    assert len(personas()) >= 60 and len({row["id"] for row in personas()}) == len(personas())
    vocabulary = catalog_of(8000).vocabulary
    fields = (vocabulary.genres, vocabulary.languages, vocabulary.countries, vocabulary.formats)
    labels = [label for field in fields for label in field]
    for row in personas():
        text = " ".join(value for key, value in row.items() if key != "id").casefold()
        assert not any(character.isdigit() for character in text)
        for label in labels:
            assert not re.search(rf"\b{re.escape(label.casefold())}\b", text), (row["id"], label)


def test_at_full_size_the_medians_lie_near_the_papers(
    catalog_of: Callable[[int], Catalog], settings_with: Callable[..., dict[str, Any]]
) -> None:
    catalog, sizes = catalog_of(20_000), (5000, 10_000, 20_000)
    generation = make_families(catalog, sizes, settings_with())
    index = BooksIndex(catalog, sizes)
    medians = [
        median((index.meeting(f.predicates) & mask).bit_count() for f in generation.families if not f.nvr)
        for mask in index.masks
    ]
    assert 8 <= medians[0] <= 13 and 32 <= medians[2] <= 50
    countries = [p.value for f in generation.families for p in f.predicates if p.field == "country"]
    assert sum(c in ("United States", "United Kingdom") for c in countries) > len(countries) / 2
    assert len(set(countries)) >= 5
