"""The log of draws is complete, generation is repeatable, and other seeds give other families."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.canonical import jsonl_bytes
from tau_rec_books.core.digest import sha256_bytes
from tau_rec_books.tasks.draw_log import LISTED_PER_SLOT
from tau_rec_books.tasks.earlier import earlier_sets
from tau_rec_books.tasks.generate import make_families
from tau_rec_books.tasks.overlap import overlap
from tau_rec_books.tasks.rules import NEAR_DUPLICATE_SHARE, RULES, labels_of

_PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
from conftest import draw_catalog
from yaml import safe_load
from tau_rec_books.core.canonical import jsonl_bytes
from tau_rec_books.core.digest import sha256_bytes
from tau_rec_books.tasks.generate import make_families
settings = safe_load(open({config!r}, encoding="utf-8"))["tasks"]
made = make_families(draw_catalog(8000), (2000, 4000, 8000), settings)
rows = [family.document() for family in made.families] + [draw.row(family) for family, draw in made.draws]
print(sha256_bytes(jsonl_bytes(rows)))
"""


def test_families_and_draws_do_not_depend_on_the_process(drawn_with: Callable[[str], Any]) -> None:
    root = Path(__file__).parents[3]
    program = _PROGRAM.format(tests=str(root / "tests"), config=str(root / "config.yaml"))
    elsewhere = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    here = drawn_with("books-tasks-v1").generation
    rows = [family.document() for family in here.families] + [draw.row(family) for family, draw in here.draws]
    assert elsewhere.strip() == sha256_bytes(jsonl_bytes(rows))


def test_every_family_has_one_accepted_draw_and_every_rejection_names_a_rule(drawn: Any) -> None:
    accepted = [family for family, draw in drawn.generation.draws if draw.outcome == "accepted"]
    assert sorted(accepted) == [family.id for family in drawn.families]
    for family, draw in drawn.generation.draws:
        assert draw.outcome in {"accepted", *RULES}
        assert (draw.outcome == "accepted") == bool(family)
        assert draw.draws >= 1 and (draw.attempt is not None or draw.draws > 1 or not draw.predicates)


def test_an_accepted_draw_names_the_requests_of_its_family(drawn: Any) -> None:
    by_id = {family.id: family for family in drawn.families}
    for name, draw in drawn.generation.draws:
        if name:
            assert all(str(p.value) in draw.predicates for p in by_id[name].predicates)
            assert draw.template == by_id[name].template and draw.note


def test_a_slot_lists_a_bounded_number_of_draws_and_counts_the_rest(drawn: Any) -> None:
    listed = Counter(
        (d.slot.tier, d.slot.kind, d.slot.number) for _, d in drawn.generation.draws if d.draws == 1
    )
    assert max(listed.values()) <= LISTED_PER_SLOT + 1 + len(RULES) * len(drawn.settings["templates"])
    assert sum(drawn.generation.rejections.values()) == sum(d.draws for _, d in drawn.generation.draws)


@pytest.mark.parametrize("other", ["second seed", "third seed"])
def test_another_seed_gives_other_families(drawn_with: Callable[[str], Any], other: str) -> None:
    first, second = drawn_with("books-tasks-v1"), drawn_with(other)
    shared = overlap(first.families, second.families, first.catalog, first.sizes)
    assert len(shared["same_predicates"]) <= 15
    assert 0 < shared["sizes"]["8k"]["shared_answers"] < 1


def test_a_fresh_set_can_stay_clear_of_every_earlier_request(drawn_with: Callable[[str], Any]) -> None:
    first = drawn_with("books-tasks-v1")
    fresh = make_families(
        first.catalog, first.sizes, {**first.settings, "seed": "second seed"}, avoid=first.families
    )
    shared = overlap(first.families, fresh.families, first.catalog, first.sizes)
    assert len(fresh.families) == 150 and shared["same_predicates"] == []
    assert shared["sizes"]["8k"]["nearest_maximum"] <= NEAR_DUPLICATE_SHARE
    # Labels of an NVR family come again only where this small catalog has no others with a gap.
    known = {labels_of(f.predicates) for f in first.families if f.nvr}
    again = [f for f in fresh.families if f.nvr and labels_of(f.predicates) in known]
    assert {f.tier for f in again} <= {"complex"}


def test_a_published_set_is_clear_of_those_published_before_it_alone(
    drawn_with: Callable[[str], Any],
) -> None:
    """Each is drawn as it was when it was published, whatever came after it."""
    first = drawn_with("books-tasks-v1")
    second = {**first.settings, "seed": "second seed"}
    assert earlier_sets(first.catalog, first.sizes, first.settings) == ()
    (before,) = earlier_sets(first.catalog, first.sizes, second)
    assert before == ("books-tasks-v1", first.families)
    listed = {**second, "published_seeds": ["books-tasks-v1", "second seed", "third seed"]}
    assert earlier_sets(first.catalog, first.sizes, listed) == (before,)
    assert earlier_sets(first.catalog, first.sizes, {**second, "published_seeds": []}) == ()


def test_a_set_overlaps_wholly_with_itself(drawn_with: Callable[[str], Any]) -> None:
    drawn = drawn_with("books-tasks-v1")
    shared = overlap(drawn.families, drawn.families, drawn.catalog, drawn.sizes)
    assert len(shared["same_predicates"]) == 150
    assert shared["sizes"]["2k"] == {"shared_answers": 1.0, "nearest_median": 1.0, "nearest_maximum": 1.0}


def test_what_a_slot_draws_does_not_depend_on_how_many_families_are_asked_for(
    catalog_of: Callable[[int], Catalog], settings_with: Callable[..., dict[str, Any]]
) -> None:
    """The seed stream belongs to the slot, so changing one tier leaves the draws of the others alone."""
    tiers = settings_with()["tiers"]
    changed = settings_with(
        tiers={**tiers, "complex": {"satisfiable": 30, "nvr": 3}},
        single_format_families=0, history_families=0, history_two_hidden=0,
    )  # fmt: skip
    same = settings_with(single_format_families=0, history_families=0, history_two_hidden=0)
    catalog = catalog_of(8000)
    first = make_families(catalog, (2000, 4000, 8000), same).families
    second = make_families(catalog, (2000, 4000, 8000), changed).families
    assert [f.predicates for f in first if f.tier != "complex"] == [
        f.predicates for f in second if f.tier != "complex"
    ]
