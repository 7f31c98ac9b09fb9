"""Drawing task families from a catalog: slot by slot, attempt by attempt, until every rule holds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.digest import identity, sha256_bytes, shuffled
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.progress import progress_bar
from tau_rec_books.tasks.blocks import draw_blocks
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.candidates import Candidates
from tau_rec_books.tasks.disclosure import Disclosure, hidden_choices, reveal_tags, stated_predicate
from tau_rec_books.tasks.draw_log import Draw, SlotLog
from tau_rec_books.tasks.families import Condition, Family, Predicate, Reveal
from tau_rec_books.tasks.histories import acceptable_left, draw_format, draw_history
from tau_rec_books.tasks.personas import assign_personas
from tau_rec_books.tasks.plan import Slot, plan_slots
from tau_rec_books.tasks.rules import (
    Labels,
    Rejection,
    Requirement,
    answer_count,
    in_fixed_order,
    labels_of,
    least_left,
    material,
    near_duplicate,
    no_match,
    redundant,
    signature,
)
from tau_rec_books.tasks.settings import TaskSettings, Template
from tau_rec_books.tasks.unmet import UnmetRequests, labels_required


@dataclass(frozen=True)
class Generation:
    """The outcome of one run of the generator.

    Attributes:
        settings: what was asked for.
        families: the families in id order.
        draws: every draw, by slot, with the id of the family it became ("" for rejected ones).
        unfilled: slots without a family; empty unless fewer families are allowed.
        relaxed: slots that were filled only without their extras; empty unless fewer families are allowed.
    """

    settings: TaskSettings
    families: tuple[Family, ...]
    draws: tuple[tuple[str, Draw], ...]
    unfilled: tuple[Slot, ...]
    relaxed: tuple[Slot, ...]

    @property
    def rejections(self) -> dict[str, int]:
        """Rule → how many draws it rejected; ``accepted`` → how many became families."""
        counts: Counter[str] = Counter()
        for _, draw in self.draws:
            counts[draw.outcome] += draw.draws
        return {outcome: counts[outcome] for outcome in sorted(counts)}


@dataclass(frozen=True)
class _Draft:
    """A family before it has an id, a persona and a place in the blocks."""

    slot: Slot
    predicates: tuple[Predicate, ...]
    answers: int
    stated: Predicate
    hidden: tuple[Predicate, ...]
    accepted: str | None
    history: tuple[str, ...]
    note: str


def make_families(
    catalog: Catalog, sizes: Sequence[int], settings: Mapping[str, Any], avoid: Sequence[Family] = ()
) -> Generation:
    """Draw the task families of a catalog (paper, section 3).

    Args:
        catalog: the books in catalog order; the smaller catalogs are prefixes.
        sizes: the nested catalog sizes, increasing.
        settings: the ``tasks`` section of the configuration.
        avoid: families to stay clear of, for a fresh set: none of their requests is drawn again, nor one
            with nearly the same answers, nor, as long as there are others, an NVR request with their labels.

    Raises:
        Problem: when the settings contradict each other, or a family cannot be drawn within the allowed
            attempts and fewer families are not allowed; it names the rule that failed most and by how much.
    """
    checked = TaskSettings.from_mapping(settings)
    return _Generator(BooksIndex(catalog, sizes), checked, avoid).run()


class _Generator:
    """The state of one run: the catalog, and what earlier slots have taken."""

    def __init__(self, index: BooksIndex, settings: TaskSettings, avoid: Sequence[Family]) -> None:
        self._index = index
        self._settings = settings
        self._candidates = Candidates(index, settings)
        self._unmet = UnmetRequests(index, settings)
        self._disclosure = Disclosure(index, settings)
        self._taken = {signature(family.predicates) for family in avoid}
        self._answers = [index.meeting(family.predicates) for family in avoid if not family.nvr]
        self._nvr_labels: dict[str, set[Labels]] = {template.id: set() for template in settings.templates}
        self._nvr_avoided = {labels_of(family.predicates) for family in avoid if family.nvr}
        # What took all its attempts once is not tried again: slots that differ in number and aim only.
        self._used_up: set[tuple[Slot, bool]] = set()

    def run(self) -> Generation:
        slots = plan_slots(self._settings, self._index.sizes)
        drafts: list[_Draft] = []
        logs: list[SlotLog] = []
        unfilled: list[Slot] = []
        relaxed: list[Slot] = []
        with progress_bar("Drawing families", len(slots)) as advance:
            for slot in slots:
                log = SlotLog(slot)
                logs.append(log)
                draft = self._fill(slot, log)
                if draft is None and not self._settings.allow_fewer:
                    raise self._infeasible(slot, log)
                if draft is None and slot != slot.relaxed():
                    draft = self._fill(slot.relaxed(), log)
                    relaxed += [slot] if draft else []
                if draft is None:
                    unfilled.append(slot)
                else:
                    drafts.append(draft)
                advance()
        return self._finish(drafts, logs, unfilled, relaxed)

    def _fill(self, slot: Slot, log: SlotLog) -> _Draft | None:
        """The first accepted draw of a slot, or ``None`` when its templates give none.

        A satisfiable slot keeps to its template; an NVR slot goes on to the others of its tier. Few labels
        leave a gap, so NVR labels of a set to stay clear of may come again, with other years, when no
        template has others left.
        """
        tries = [(template, False) for template in self._templates(slot)]
        if slot.kind == "nvr" and self._nvr_avoided:
            tries += [(t, True) for t, _ in tries if {"year_min", "year_max"} & set(t.slots)]
        for template, again in tries:
            tried = replace(slot, template=template)
            make = (replace(tried, number=0, aim=0), again)
            if make in self._used_up:
                continue
            for attempt in range(self._settings.attempts):
                place = (slot.tier, template.id, slot.kind, slot.number, attempt)
                key = sha256_bytes(identity(self._settings.seed, "draw", *place))
                drawn, draft = self._draw(tried, attempt, key, again)
                if isinstance(draft, _Draft):
                    log.accept(template.id, attempt, draft.predicates, draft.note)
                    self._taken.add(signature(draft.predicates))
                    if slot.kind == "nvr":
                        self._nvr_labels[template.id].add(labels_of(draft.predicates))
                    else:
                        self._answers.append(draft.answers)
                    return draft
                log.reject(template.id, attempt, drawn, draft)
                if not drawn and slot.kind == "nvr":
                    break
            self._used_up.add(make)
        return None

    def _templates(self, slot: Slot) -> list[Template]:
        """Templates to try: the slot's own; for NVR then the others of its tier, least used first."""
        if slot.kind == "satisfiable":
            return [slot.template]
        others = [template for template in self._settings.of_tier(slot.tier) if template != slot.template]
        return [slot.template, *sorted(others, key=lambda template: len(self._nvr_labels[template.id]))]

    def _draw(
        self, slot: Slot, attempt: int, key: str, again: bool
    ) -> tuple[Sequence[Requirement | Predicate], _Draft | Rejection]:
        """One attempt: what was drawn, and what became of it; ``again`` allows labels of earlier sets."""
        rejection: Rejection | None = None
        if slot.kind == "nvr":
            taken = self._nvr_labels[slot.template.id]
            requirements = self._unmet.draw(slot.template, taken if again else taken | self._nvr_avoided, key)
            if requirements is None:
                return (), self._unmet.reason(slot.template)
        else:
            requirements, rejection = self._candidates.draw(slot, attempt, key)
        if rejection:
            return requirements, rejection
        predicates = in_fixed_order(requirements)
        return predicates, self._judge(slot, attempt, key, predicates)

    def _infeasible(self, slot: Slot, log: SlotLog) -> Problem:
        """The sentence for a slot without a family; for NVR it counts all label combinations as tries."""
        templates = self._templates(slot)
        if slot.kind == "nvr":
            for template in templates:
                for labels, failure in self._unmet.pool(template).failures:
                    log.reject(template.id, 0, labels_required(labels), failure)
        return log.infeasible(template.id for template in templates)

    def _judge(
        self, slot: Slot, attempt: int, key: str, predicates: tuple[Predicate, ...]
    ) -> _Draft | Rejection:
        """Apply every rule to a complete request, the cheap ones first."""
        index, settings = self._index, self._settings
        if rejection := redundant(predicates, index):
            return rejection
        if signature(predicates) in self._taken:
            return Rejection("repeated", 1, 0)
        answers = index.meeting(predicates)
        if slot.kind == "nvr":
            if rejection := no_match(predicates, index, settings):
                return rejection
            note = f"no match; at least {least_left(predicates, index)} books without any one predicate"
        else:
            if rejection := answer_count(answers, slot, attempt, index, settings):
                return rejection
            rejection, least = material(predicates, answers, index, settings)
            if rejection:
                return rejection
            if rejection := near_duplicate(answers, self._answers):
                return rejection
            counts = ", ".join(str((answers & mask).bit_count()) for mask in index.masks)
            note = f"answers {counts}; dropping a predicate adds at least {least:.0%}"
        return self._disclose(slot, key, predicates, answers, note)

    def _disclose(
        self,
        slot: Slot,
        key: str,
        predicates: tuple[Predicate, ...],
        answers: int,
        note: str,
    ) -> _Draft | Rejection:
        """Choose format, stated and hidden predicates, and history; the first choice that obeys all rules."""
        accepted: str | None = None
        if slot.single_format:
            drawn = draw_format(answers, key, self._index)
            if isinstance(drawn, Rejection):
                return drawn
            accepted = drawn
        if slot.kind == "satisfiable" and (rejection := acceptable_left(answers, 0, accepted, self._index)):
            return rejection
        stated = stated_predicate(predicates, key)
        order = ("hidden_exclusion", "giveaway", "history")
        furthest = Rejection("hidden_exclusion", 0, self._settings.hidden_exclusion)
        for hidden in hidden_choices(predicates, stated, slot.hidden, key):
            failure, excluded, share = self._disclosure.check(predicates, hidden)
            history: tuple[str, ...] | Rejection = ()
            if failure is None and slot.history:
                history = draw_history(predicates, answers, hidden, accepted, key, self._index)
                failure = history if isinstance(history, Rejection) else None
            if failure is None and not isinstance(history, Rejection):
                told = f"; hidden rules out at least {excluded:.0%}; most told by a revealed one {share:.0%}"
                return _Draft(slot, predicates, answers, stated, hidden, accepted, history, note + told)
            if failure and (order.index(failure.rule), failure.figure) > (
                order.index(furthest.rule),
                furthest.figure,
            ):
                furthest = failure
        return furthest

    def _finish(
        self,
        drafts: Sequence[_Draft],
        logs: Sequence[SlotLog],
        unfilled: Sequence[Slot],
        relaxed: Sequence[Slot],
    ) -> Generation:
        """Number the families, give them personas, and draw the blocks."""
        seed = self._settings.seed
        places = {f"{d.slot.tier} {d.slot.kind} {d.slot.number}": d for d in drafts}
        order = [
            name
            for tier in self._settings.ordered_tiers
            for name in shuffled((n for n, d in places.items() if d.slot.tier == tier), f"{seed}:ids:")
        ]
        ids = {name: f"family-{number:03d}" for number, name in enumerate(order, start=1)}
        voices = assign_personas(list(ids.values()), seed)
        families = [_family(ids[name], places[name], voices[ids[name]]) for name in order]
        panel, reliability = draw_blocks(families, self._settings)
        draws = [
            (
                ids[f"{log.slot.tier} {log.slot.kind} {log.slot.number}"]
                if draw.outcome == "accepted"
                else "",
                draw,
            )
            for log in logs
            for draw in log.draws()
        ]
        return Generation(
            settings=self._settings,
            families=tuple(
                replace(family, panel=family.id in panel, reliability=family.id in reliability)
                for family in families
            ),
            draws=tuple(draws),
            unfilled=tuple(unfilled),
            relaxed=tuple(relaxed),
        )


def _family(identifier: str, draft: _Draft, persona: Mapping[str, str]) -> Family:
    reveal: Mapping[Condition, Mapping[str, Reveal]] = reveal_tags(
        draft.predicates, draft.stated, draft.hidden
    )
    return Family(
        id=identifier,
        tier=draft.slot.tier,
        template=draft.slot.template.id,
        nvr=draft.slot.kind == "nvr",
        predicates=draft.predicates,
        reveal=reveal,
        accepted_formats=None if draft.accepted is None else (draft.accepted,),
        history=draft.history,
        persona=persona,
        panel=False,
        reliability=False,
    )
