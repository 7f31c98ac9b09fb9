"""pass^k and its table."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.core.errors import Problem
from tau_rec_books.statistics.pass_hat_k import mean_pass_hat_k, pass_hat_k
from tau_rec_books.statistics.table import decimal, table_rows

TASKS = {
    "family-001-mixed": {"condition": "mixed", "tier": "simple", "nvr": False},
    "family-002-mixed": {"condition": "mixed", "tier": "complex", "nvr": False},
    "family-003-mixed": {"condition": "mixed", "tier": "complex", "nvr": True},
}


def trial(task: str, success: bool, ending: str = "recommended") -> dict[str, str]:
    return {
        "block": "scripted", "agent": "a", "interface": "structured", "size": "20k", "task": task,
        "ending": ending, "success": "true" if success else "false",
    }  # fmt: skip


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))))
def test_pass_hat_k_counts_the_subsets_that_all_succeed(case: tuple[int, int, int]) -> None:
    c, n, k = case
    outcomes = [True] * c + [False] * (n - c)
    subsets = list(combinations(outcomes, k))
    assert pass_hat_k(c, n, k) == Fraction(sum(all(subset) for subset in subsets), len(subsets))


def test_fewer_trials_than_k_have_no_pass_hat_k() -> None:
    with pytest.raises(ValueError):
        pass_hat_k(1, 3, 4)


def test_tasks_weigh_the_same_whatever_their_trials() -> None:
    assert mean_pass_hat_k([(8, 8), (0, 4)], 1) == Fraction(1, 2)


@given(st.fractions(0, 1))
def test_decimals_are_rounded_half_up(value: Fraction) -> None:
    assert abs(Fraction(decimal(value)) - value) <= Fraction(1, 2 * 10**6)


def test_nvr_families_stay_apart_and_the_tiers_add_up() -> None:
    rows = table_rows([trial(task, task != "family-002-mixed") for task in TASKS], TASKS, [1])
    found = {(row["kind"], row["tier"]): (row["tasks"], row["pass_hat_1"]) for row in rows}
    assert found == {
        ("satisfiable", "simple"): (1, "1.000000"),
        ("satisfiable", "complex"): (1, "0.000000"),
        ("satisfiable", "all"): (2, "0.500000"),
        ("nvr", "complex"): (1, "1.000000"),
        ("nvr", "all"): (1, "1.000000"),
    }


def test_a_pending_trial_is_neither_failed_nor_dropped() -> None:
    trials = [trial("family-001-mixed", True), trial("family-001-mixed", False, "provider_error")]
    row = next(row for row in table_rows(trials, TASKS, [1]) if row["tier"] == "all")
    assert (row["trials"], row["pending"], row["pass_hat_1"]) == (2, 1, "incomplete")
    assert (row["pass_hat_1_low"], row["pass_hat_1_high"]) == ("0.500000", "1.000000")


@given(st.permutations([trial(task, task != "family-002-mixed") for task in TASKS]))
def test_the_order_of_trials_leaves_the_table_unchanged(trials: list[dict[str, str]]) -> None:
    assert table_rows(trials, TASKS, [1]) == table_rows(sorted(trials, key=str), TASKS, [1])


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(Problem, match="family-999"):
        table_rows([trial("family-999-mixed", True)], TASKS, [1])
