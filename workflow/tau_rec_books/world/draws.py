"""A fast stream of hash draws for one entity: one SHA-256 gives eight of them.

Same rule as ``core.digest``: every choice is a function of an identity tuple, never of an RNG's state or of
other entities, so that one work can be drawn without drawing the works before it.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from struct import Struct
from typing import Generic, TypeVar

from tau_rec_books.core.digest import identity

T = TypeVar("T")

_WORDS = Struct(">8I")
_RANGE = 1 << 32
_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Draws:
    """Draws 1, 2, 3, … of an identity tuple.

    Draw ``n`` is word ``n mod 8`` of ``sha256(identity || n div 8)``: 32 bits, so the bias of an integer
    below 65,536 stays under 1 in 65,536.
    """

    __slots__ = ("_block", "_prefix", "_words")

    def __init__(self, *parts: str | int) -> None:
        self._prefix = identity(*parts)
        self._block = 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next 32 bits."""
        if not self._words:
            digest = hashlib.sha256(self._prefix + b"|%d" % self._block).digest()
            self._words = list(_WORDS.unpack(digest))
            self._block += 1
        return self._words.pop()

    def below(self, limit: int) -> int:
        """An integer in ``[0, limit)``."""
        return self.word() * limit >> 32

    def between(self, low: int, high: int) -> int:
        """An integer in ``[low, high]``."""
        return low + self.below(high - low + 1)

    def fraction(self) -> float:
        """A number in ``[0, 1)``."""
        return self.word() / _RANGE

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.word() < probability * _RANGE

    def choice(self, options: Sequence[T]) -> T:
        """One of the options, all alike."""
        return options[self.word() * len(options) >> 32]

    def weighted(self, options: "Weighted[T]") -> T:
        """One of the options by weight."""
        return options.at(self.fraction())

    def bell(self) -> float:
        """A number in ``(-1, 1)``, most often near 0 (triangular)."""
        return self.fraction() + self.fraction() - 1


@dataclass(frozen=True, slots=True)
class Weighted(Generic[T]):
    """Options with weights, ready for drawing.

    Attributes:
        options: the options in a fixed order.
        bounds: upper bounds of their intervals in ``[0, total)``.
        total: sum of the weights.
    """

    options: tuple[T, ...]
    bounds: tuple[float, ...]
    total: float

    @classmethod
    def of(cls, pairs: Sequence[tuple[T, float]]) -> "Weighted[T]":
        """A table of the pairs (option, weight) with a positive weight.

        Raises:
            ValueError: when no weight is positive.
        """
        kept = [(option, weight) for option, weight in pairs if weight > 0]
        if not kept:
            raise ValueError("no option has a positive weight")
        bounds = tuple(accumulate(weight for _, weight in kept))
        return cls(tuple(option for option, _ in kept), bounds, bounds[-1])

    def at(self, fraction: float) -> T:
        """The option whose interval holds ``fraction`` of the total weight."""
        return self.options[min(bisect_right(self.bounds, fraction * self.total), len(self.options) - 1)]


def spread(index: int, offset: int) -> float:
    """The ``index``-th number in ``[0, 1)`` of an evenly spread sequence (steps of the golden ratio).

    Cutting the sequence at any length leaves every interval with very nearly its share of the numbers, so a
    home country with few authors gets those few in a world of any size.
    """
    return ((index * _GOLDEN + offset) & _MASK) / float(1 << 64)
