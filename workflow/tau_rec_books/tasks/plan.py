"""Which families are to be drawn: one slot each, with template and extras, before any book is looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tau_rec_books.core.digest import draw_integer, shuffled
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.settings import KINDS, Kind, TaskSettings, Template

# fmt: off
_AIMS = (
    8, 9, 10, 12, 14, 16, 18, 21, 24, 28, 32, 36, 40, 45, 51, 58, 66, 76, 87, 100, 114, 131, 150, 173, 200,
)
# fmt: on
"""Answers aimed at in the largest catalog: equal ratios around the paper's median of 40 (section 6.3)."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A family to be drawn.

    Attributes:
        tier, kind, number: the slot's place; numbers count from 1 within tier and kind.
        template: the template to use (an NVR slot may fall back on another one of its tier).
        aim: answers aimed at in the largest catalog; 0 for NVR.
        single_format: the reader takes one format only.
        history: the reader has a reading history.
        hidden: how many predicates the hidden condition withholds.
    """

    tier: str
    kind: Kind
    number: int
    template: Template
    aim: int
    single_format: bool
    history: bool
    hidden: int

    def relaxed(self) -> "Slot":
        """The slot without what makes it harder to fill, for catalogs where fewer families are allowed."""
        return replace(self, single_format=False, history=False, hidden=1)


def plan_slots(settings: TaskSettings, sizes: Sequence[int]) -> tuple[Slot, ...]:
    """The slots of a whole set of families, by tier, kind and number.

    Templates of a tier share its families evenly, NVR families carrying on where the satisfiable ones ended.
    Extras are spread evenly over the tiers and by hash within a tier.

    Raises:
        Problem: when more extras are asked for than there are families that can carry them.
    """
    aims = _aims(settings, sizes)
    slots: list[Slot] = []
    for tier in settings.ordered_tiers:
        names = shuffled((template.id for template in settings.of_tier(tier)), f"{settings.seed}:templates")
        templates = sorted(settings.of_tier(tier), key=lambda template: names.index(template.id))
        turn = 0
        for kind in KINDS:
            count = settings.tiers[tier].of(kind)
            ranks = _order(settings, "aims", tier, kind, range(1, count + 1))
            for number in range(1, count + 1):
                aim = aims[ranks.index(number) * len(aims) // count] if kind == "satisfiable" else 0
                template = templates[turn % len(templates)]
                slots.append(Slot(tier, kind, number, template, aim, False, False, 1))
                turn += 1
    return _with_extras(slots, settings)


def _aims(settings: TaskSettings, sizes: Sequence[int]) -> list[int]:
    """Numbers of answers to aim at, scaled so that the smallest catalog keeps its minimum."""
    least = max(settings.answers_min_smallest * sizes[-1] // sizes[0], settings.answers_min_smallest)
    return sorted(min(aim * least // _AIMS[0], settings.answers_max_largest) for aim in _AIMS)


def _order(settings: TaskSettings, purpose: str, tier: str, kind: str, numbers: Sequence[int]) -> list[int]:
    """Slot numbers in hash order."""
    seed = f"{settings.seed}:{purpose}:{tier}:{kind}:"
    return [int(number) for number in shuffled((str(number) for number in numbers), seed)]


def _share_out(total: int, capacity: Mapping[str, int], what: str) -> dict[str, int]:
    """Spread a total over tiers as evenly as their capacities allow; earlier tiers take a remainder."""
    if total > sum(capacity.values()):
        raise Problem(
            f"tasks.{what} is {total}, but only {sum(capacity.values())} families can carry it; lower it."
        )
    shares = dict.fromkeys(capacity, 0)
    while total:
        for tier in capacity:
            if total and shares[tier] < capacity[tier]:
                shares[tier] += 1
                total -= 1
    return shares


def _chosen(
    slots: Sequence[Slot], eligible: Sequence[Slot], total: int, what: str, settings: TaskSettings
) -> set[Slot]:
    """Slots that carry an extra: evenly over tiers, by hash within each."""
    tiers = [tier for tier in settings.ordered_tiers if any(slot.tier == tier for slot in slots)]
    by_tier = {tier: [slot for slot in eligible if slot.tier == tier] for tier in tiers}
    shares = _share_out(total, {tier: len(found) for tier, found in by_tier.items()}, what)
    chosen: set[Slot] = set()
    for tier, found in by_tier.items():
        numbers = _order(settings, what, tier, "satisfiable", [slot.number for slot in found])
        wanted = set(numbers[: shares[tier]])
        chosen |= {slot for slot in found if slot.number in wanted}
    return chosen


def _with_extras(slots: list[Slot], settings: TaskSettings) -> tuple[Slot, ...]:
    satisfiable = [slot for slot in slots if slot.kind == "satisfiable"]
    formats = _chosen(slots, satisfiable, settings.single_format_families, "single_format_families", settings)
    histories = _chosen(slots, satisfiable, settings.history_families, "history_families", settings)
    able = [slot for slot in satisfiable if slot in histories and len(slot.template.slots) > 2]
    doubles = _chosen(slots, able, settings.history_two_hidden, "history_two_hidden", settings)
    finished = []
    for slot in slots:
        hidden = 1
        if slot in histories:
            hidden = 2 if slot in doubles else 1
        elif able and len(slot.template.slots) > 2:
            # The other families hide two predicates as often as those with a history do.
            place = (settings.seed, "hidden", slot.tier, slot.kind, slot.number)
            hidden = 2 if draw_integer(*place, below=len(able)) < len(doubles) else 1
        finished.append(
            replace(slot, single_format=slot in formats, history=slot in histories, hidden=hidden)
        )
    return tuple(finished)
