"""How a dirty case is written down: a function on a work, with its share of the works."""

from collections.abc import Callable
from dataclasses import dataclass

from tau_rec_books.world.draws import Draws
from tau_rec_books.world.records import Work
from tau_rec_books.world.works import World

Change = Callable[[Work, Draws, World], None]
Addition = Callable[[Work, Draws, World], Work]


@dataclass(frozen=True, slots=True)
class DirtyCase:
    """One kind of dirt.

    Attributes:
        name: the function's name.
        share: share of the works that get it.
        meaning: the first line of the function's docstring.
        change: changes the work in place, if that is what the case does.
        addition: makes a further item beside the work (and may change the work), if that is what it does.
    """

    name: str
    share: float
    meaning: str
    change: Change | None = None
    addition: Addition | None = None

    def apply(self, work: Work, draws: Draws, world: World) -> list[Work]:
        """The items to write instead of ``work``."""
        if self.change is not None:
            self.change(work, draws, world)
        if self.addition is not None:
            return [work, self.addition(work, draws, world)]
        return [work]


@dataclass(slots=True)
class Cases:
    """Collects the cases of one module in the order of their definition."""

    found: list[DirtyCase]

    def change(self, share: float) -> Callable[[Change], Change]:
        """Register a function that changes a work."""

        def register(function: Change) -> Change:
            self.found.append(DirtyCase(_name(function), share, _meaning(function), change=function))
            return function

        return register

    def addition(self, share: float) -> Callable[[Addition], Addition]:
        """Register a function that makes a further item beside a work."""

        def register(function: Addition) -> Addition:
            self.found.append(DirtyCase(_name(function), share, _meaning(function), addition=function))
            return function

        return register


def _name(function: Change | Addition) -> str:
    return str(getattr(function, "__name__"))  # noqa: B009


def _meaning(function: Change | Addition) -> str:
    assert function.__doc__, f"{_name(function)} has no docstring"
    return function.__doc__.strip().splitlines()[0]
