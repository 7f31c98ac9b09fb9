"""Hash draws: fair, repeatable and independent of one another."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.world.draws import Draws, Weighted, spread


def test_draws_of_one_identity_repeat_and_differ_from_another() -> None:
    first = [Draws("seed", "work", 7).word() for _ in range(3)]
    stream = Draws("seed", "work", 7)
    assert [stream.word() for _ in range(20)] == [
        word for draws in [Draws("seed", "work", 7)] for word in [draws.word() for _ in range(20)]
    ]
    assert len(set(first)) == 1
    assert Draws("seed", "work", 8).word() != first[0]
    assert Draws("seed", "wor", "k7").word() != Draws("seed", "work", "7").word()


@given(st.text(), st.integers(1, 65_536))
def test_an_integer_is_below_its_limit(seed: str, limit: int) -> None:
    draws = Draws(seed)
    assert all(0 <= draws.below(limit) < limit for _ in range(20))


@given(st.text(), st.integers(-500, 2100), st.integers(0, 900))
def test_a_number_between_two_bounds_stays_between_them(seed: str, low: int, width: int) -> None:
    draws = Draws(seed)
    assert all(low <= draws.between(low, low + width) <= low + width for _ in range(20))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20).filter(any), st.floats(0, 1, exclude_max=True))
def test_only_options_with_a_weight_are_drawn(weights: list[float], fraction: float) -> None:
    table = Weighted.of(list(enumerate(weights)))
    assert weights[table.at(fraction)] > 0


def test_a_table_without_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="positive weight"):
        Weighted.of([("a", 0.0)])


def test_options_come_up_by_weight() -> None:
    table = Weighted.of([("rare", 1.0), ("usual", 9.0)])
    draws = Draws("weights")
    tally = Counter(draws.weighted(table) for _ in range(20_000))
    assert tally["rare"] / 20_000 == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("length", [50, 500, 5000])
def test_an_even_spread_gives_every_interval_its_share_at_any_length(length: int) -> None:
    tally = Counter(int(spread(index, 12345) * 10) for index in range(length))
    assert set(tally) == set(range(10))
    assert all(abs(count - length / 10) <= 3 for count in tally.values())
