"""Templates and counts of the configuration, and the plan of slots made from them."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.plan import plan_slots
from tau_rec_books.tasks.settings import TIERS, TaskSettings

SettingsWith = Callable[..., dict[str, Any]]


def test_the_default_has_thirteen_templates_over_three_tiers(settings_with: SettingsWith) -> None:
    settings = TaskSettings.from_mapping(settings_with())
    assert [len(settings.of_tier(tier)) for tier in settings.ordered_tiers] == [4, 6, 3]
    lengths = {template.tier: set() for template in settings.templates}
    for template in settings.templates:
        lengths[template.tier].add(len(template.slots))
    assert lengths == {"simple": {2}, "medium": {3, 4}, "complex": {5}}


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ({"id": "x", "tier": "simple", "slots": ["genre", "country", "language"]}, "a simple request has 2"),
        ({"id": "x", "tier": "hard", "slots": ["genre", "country"]}, "unknown tier 'hard'"),
        ({"id": "x", "tier": "simple", "slots": ["genre", "author"]}, "unknown slot 'author'"),
        ({"id": "x", "tier": "simple", "slots": ["year_min", "year_min"]}, "bounds the year twice"),
        (
            {"id": "x", "tier": "simple", "slots": ["year_min", "year_max"]},
            "needs a genre, language or country",
        ),
    ],
)
def test_a_template_that_makes_no_sense_is_refused(
    settings_with: SettingsWith, template: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(Problem, match=sentence):
        TaskSettings.from_mapping(settings_with(templates=[*settings_with()["templates"], template]))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"single_format_families": 136}, "only 135 satisfiable families"),
        ({"history_families": 136}, "only 135 satisfiable families"),
        ({"history_two_hidden": 49}, "larger than history_families"),
        ({"panel": {"satisfiable": 46, "nvr": 2}}, "must hold"),
        ({"reliability": {"satisfiable": 16, "nvr": 1}}, "must hold"),
        ({"tiers": {"huge": {"satisfiable": 1, "nvr": 0}}}, "unknown tier 'huge'"),
        ({"attempts": "many"}, "wrong type"),
    ],
)
def test_contradicting_counts_are_refused(
    settings_with: SettingsWith, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(Problem, match=sentence):
        TaskSettings.from_mapping(settings_with(**changes))


def test_a_missing_key_is_named(settings_with: SettingsWith) -> None:
    settings = settings_with()
    del settings["giveaway_share"]
    with pytest.raises(Problem, match="giveaway_share"):
        TaskSettings.from_mapping(settings)


def test_two_hidden_predicates_need_requests_of_three(settings_with: SettingsWith) -> None:
    settings = TaskSettings.from_mapping(settings_with(history_families=48, history_two_hidden=40))
    with pytest.raises(Problem, match="history_two_hidden is 40, but only 32 families can carry it"):
        plan_slots(settings, (5000, 20_000))


@given(
    satisfiable=st.integers(1, 60),
    nvr=st.integers(0, 9),
    formats=st.integers(0, 60),
    histories=st.integers(0, 60),
    seed=st.text(max_size=8),
)
def test_any_feasible_counts_are_planned_exactly(
    settings_with: SettingsWith, satisfiable: int, nvr: int, formats: int, histories: int, seed: str
) -> None:
    both = min(histories, 3 * satisfiable)
    settings = TaskSettings.from_mapping(
        settings_with(
            seed=seed,
            tiers={tier: {"satisfiable": satisfiable, "nvr": nvr} for tier in TIERS},
            single_format_families=min(formats, 3 * satisfiable),
            history_families=both,
            history_two_hidden=both // 3,
            panel={"satisfiable": 0, "nvr": 0},
            reliability={"satisfiable": 0, "nvr": 0},
        )
    )
    slots = plan_slots(settings, (5000, 10_000, 20_000))
    assert Counter(slot.kind for slot in slots) == {
        kind: count for kind, count in (("satisfiable", 3 * satisfiable), ("nvr", 3 * nvr)) if count
    }
    assert sum(slot.single_format for slot in slots) == settings.single_format_families
    assert sum(slot.history for slot in slots) == both
    assert sum(slot.history and slot.hidden == 2 for slot in slots) == both // 3
    assert not any(slot.kind == "nvr" and (slot.history or slot.single_format) for slot in slots)
    assert all(slot.hidden < len(slot.template.slots) for slot in slots)
    for tier in settings.ordered_tiers:
        counts = Counter(slot.template.id for slot in slots if slot.tier == tier)
        assert max(counts.values()) - min((counts[t.id] for t in settings.of_tier(tier)), default=0) <= 1


def test_aims_spread_around_the_papers_median(settings_with: SettingsWith) -> None:
    slots = plan_slots(TaskSettings.from_mapping(settings_with()), (5000, 10_000, 20_000))
    aims = sorted(slot.aim for slot in slots if slot.kind == "satisfiable")
    assert aims[len(aims) // 2] == 40 and aims[0] == 8 and aims[-1] == 200
