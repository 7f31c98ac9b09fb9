"""All dirty cases, and which work gets which."""

from array import array

from tau_rec_books.core.digest import identity, sha256_bytes
from tau_rec_books.world.dirty import authors, copies, dates, fields, kinds, texts
from tau_rec_books.world.dirty.registry import DirtyCase
from tau_rec_books.world.works import World

DIRTY_CASES: tuple[DirtyCase, ...] = tuple(
    kinds.CASES.found
    + authors.CASES.found
    + dates.CASES.found
    + fields.CASES.found
    + texts.CASES.found
    + copies.CASES.found
)
"""Every case, in a fixed order."""


def plan_cases(world: World) -> "array[int]":
    """The case of each work: 0 for none, n for the n-th of ``DIRTY_CASES``.

    Works are taken in the order of a digest, so cases are spread over the world. Each case gets its share of
    the works, but at least two of them (one in a world of fewer than a thousand works), so that even a small
    world has everything; a world of fewer works than cases has only the first ones.
    """
    order = sorted(range(world.works), key=lambda index: sha256_bytes(identity(world.seed, "case", index)))
    least = 2 if world.works >= 1000 else 1
    plan = array("B", bytes(world.works))
    start = 0
    for number, case in enumerate(DIRTY_CASES, start=1):
        wanted = max(least, round(case.share * world.works))
        for index in order[start : start + wanted]:
            plan[index] = number
        start += wanted
    return plan
