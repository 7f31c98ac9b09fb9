"""The panel that every agent runs, and the reliability block inside it."""

from collections.abc import Sequence

from tau_rec_books.core.digest import shuffled
from tau_rec_books.tasks.families import Family
from tau_rec_books.tasks.settings import KINDS, Counts, TaskSettings

_DRAWS = 1000


def draw_blocks(families: Sequence[Family], settings: TaskSettings) -> tuple[frozenset[str], frozenset[str]]:
    """Ids of the panel's families, and of those among them in the reliability block.

    Both are drawn by hash per tier and kind. The panel is drawn again until it covers every template that any
    family uses; where that cannot be reached, the best of many draws is kept.
    """
    templates = {family.template for family in families}
    best: tuple[int, frozenset[str]] = (-1, frozenset())
    for counter in range(_DRAWS):
        drawn = _draw(families, settings.panel, settings, f"panel {counter}")
        covered = len({family.template for family in families if family.id in drawn})
        if covered > best[0]:
            best = (covered, drawn)
        if covered == len(templates):
            break
    panel = best[1]
    inside = [family for family in families if family.id in panel]
    return panel, _draw(inside, settings.reliability, settings, "reliability")


def _draw(families: Sequence[Family], counts: Counts, settings: TaskSettings, purpose: str) -> frozenset[str]:
    chosen: list[str] = []
    for tier in settings.ordered_tiers:
        for kind in KINDS:
            ids = [f.id for f in families if f.tier == tier and f.nvr == (kind == "nvr")]
            chosen += shuffled(ids, f"{settings.seed}:{purpose}:{tier}:{kind}:")[: counts.of(kind)]
    return frozenset(chosen)
