"""What became of every draw: the rows of ``draws.csv`` and the sentence for an infeasible request."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Predicate
from tau_rec_books.tasks.plan import Slot
from tau_rec_books.tasks.rules import RULES, Rejection, Requirement, short_text

DRAW_COLUMNS = (
    "family",
    "tier",
    "template",
    "kind",
    "slot",
    "attempt",
    "predicates",
    "outcome",
    "figure",
    "limit",
    "note",
    "draws",
)
LISTED_PER_SLOT = 100
"""Rejected draws of a slot listed one by one; further ones are counted in one row per template and rule."""

_ADVICE = {
    "answers_min_smallest": "lower tasks.answers_min_smallest",
    "answers_max_largest": "raise tasks.answers_max_largest",
    "material": "lower tasks.material_share or tasks.material_books",
    "hidden_exclusion": "lower tasks.hidden_exclusion",
    "giveaway": "raise tasks.giveaway_share",
    "history": "lower tasks.history_families",
    "single_format": "lower tasks.single_format_families",
    "nvr_no_match": "ask for fewer NVR families",
    "nvr_leave_one_out": "lower tasks.nvr_leave_one_out",
}


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw, or several rejected ones of a slot that are only counted.

    Attributes:
        slot: the slot it was for; template: id of the template used.
        attempt: number of the attempt, or ``None`` for a row that counts several.
        predicates: the request on one line, as far as it was drawn.
        outcome: ``accepted``, or the rule that rejected it (see ``RULES``).
        figure, limit: the number that decided, and what it was compared with.
        note: for an accepted draw, the figures of the rules that it passed.
        draws: how many draws the row stands for.
    """

    slot: Slot
    template: str
    attempt: int | None
    predicates: str
    outcome: str
    figure: float | None
    limit: float | None
    note: str = ""
    draws: int = 1

    def row(self, family: str) -> dict[str, object]:
        """The draw as a row of ``draws.csv``; ``family`` is the id of the family it became, or ``""``."""
        return {
            "family": family,
            "tier": self.slot.tier,
            "template": self.template,
            "kind": self.slot.kind,
            "slot": self.slot.number,
            "attempt": self.attempt,
            "predicates": self.predicates,
            "outcome": self.outcome,
            "figure": None if self.figure is None else round(self.figure, 4),
            "limit": None if self.limit is None else round(self.limit, 4),
            "note": self.note,
            "draws": self.draws,
        }


@dataclass
class SlotLog:
    """The draws of one slot, in order."""

    slot: Slot
    listed: list[Draw] = field(default_factory=list)
    attempts: int = 0
    _figures: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    _uncounted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def reject(
        self, template: str, attempt: int, drawn: Sequence[Requirement | Predicate], rejection: Rejection
    ) -> None:
        """Note a rejected draw, with as many predicates as were drawn."""
        self.attempts += 1
        self._figures.setdefault(rejection.rule, []).append((rejection.figure, rejection.limit))
        if self.attempts > LISTED_PER_SLOT:
            self._uncounted[template, rejection.rule] += 1
            return
        self.listed.append(
            Draw(
                self.slot,
                template,
                attempt,
                short_text(drawn),
                rejection.rule,
                rejection.figure,
                rejection.limit,
            )
        )

    def accept(self, template: str, attempt: int, predicates: Sequence[Predicate], note: str) -> None:
        """Note the accepted draw."""
        self.attempts += 1
        self.listed.append(
            Draw(self.slot, template, attempt, short_text(predicates), "accepted", None, None, note)
        )

    def draws(self) -> list[Draw]:
        """All draws: rejected ones as far as listed, counts of further ones, and the accepted one last."""
        accepted = [draw for draw in self.listed if draw.outcome == "accepted"]
        rejected = [draw for draw in self.listed if draw.outcome != "accepted"]
        counted = [
            Draw(self.slot, template, None, "", rule, None, None, "", count)
            for (template, rule), count in sorted(self._uncounted.items())
        ]
        return [*rejected, *counted, *accepted]

    def infeasible(self, templates: Iterable[str]) -> Problem:
        """The sentence for a slot that could not be filled."""
        rule, figures = self._worst()
        shortfall = ""
        if figures:
            figure = median(figure for figure, _ in figures)
            limit = median(limit for _, limit in figures)
            bound = "below" if rule == "giveaway" else "at most" if figure > limit else "at least"
            shortfall = (
                f" ({len(figures)} of {self.attempts} tries; "
                f"median {_number(figure)}, needed {bound} {_number(limit)})"
            )
        kind = "satisfiable" if self.slot.kind == "satisfiable" else "NVR"
        extras = [
            text
            for wanted, text in (
                (self.slot.single_format, "one accepted format"),
                (self.slot.history, "a reading history"),
                (self.slot.hidden > 1, f"{self.slot.hidden} hidden predicates"),
            )
            if wanted
        ]
        names = list(templates)
        described = f"template {names[0]}" if len(names) == 1 else f"any of the templates {', '.join(names)}"
        return Problem(
            f"No {self.slot.tier} {kind} family number {self.slot.number} of {described}"
            f"{' with ' + ' and '.join(extras) if extras else ''} was found in {self.attempts} tries; "
            f"the rule that failed most is {rule}: {RULES.get(rule, 'nothing was drawn')}{shortfall}; "
            f"{_ADVICE.get(rule, 'ask for fewer families of this tier')}, take a larger catalog, or set "
            "tasks.allow_fewer to true."
        )

    def _worst(self) -> tuple[str, list[tuple[float, float]]]:
        """The rule that rejected most draws; what only steers the draws is named when it stands alone."""
        real = {rule: found for rule, found in self._figures.items() if rule not in ("answers_aim", "labels")}
        figures = real or self._figures
        if not figures:
            return "labels", []
        rule = max(sorted(figures), key=lambda name: len(figures[name]))
        return rule, figures[rule]


def _number(value: float) -> str:
    return f"{value:.4g}"
