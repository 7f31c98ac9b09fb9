"""Draws from digests: fixed, uniform enough, and never dependent on what was drawn before."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.core.digest import draw_fraction, draw_integer, identity, shuffled


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_different_tuples_have_different_identities(left: list[str], right: list[str]) -> None:
    assert (identity(*left) == identity(*right)) == (left == right)


@given(st.text(), st.integers(1, 10**6))
def test_draws_stay_in_bounds(part: str, below: int) -> None:
    assert 0 <= draw_integer(part, below=below) < below
    assert 0 <= draw_fraction(part) < 1


def test_draws_are_spread_evenly() -> None:
    counts = Counter(draw_integer("even", number, below=10) for number in range(20_000))
    assert all(1_800 < counts[face] < 2_200 for face in range(10))


@given(st.lists(st.from_regex(r"Q[1-9][0-9]{0,6}", fullmatch=True), unique=True), st.text())
def test_a_shuffle_ignores_the_order_it_is_given(items: list[str], seed: str) -> None:
    assert shuffled(items, seed) == shuffled(sorted(items), seed)
    assert sorted(shuffled(items, seed)) == sorted(items)
