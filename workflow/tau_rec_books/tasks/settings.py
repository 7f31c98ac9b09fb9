"""The ``tasks`` section of the configuration as checked records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tau_rec_books.core.errors import Problem

Kind = Literal["satisfiable", "nvr"]
SlotName = Literal["genre", "language", "country", "year_min", "year_max"]

KINDS: tuple[Kind, ...] = ("satisfiable", "nvr")
SLOT_NAMES: tuple[SlotName, ...] = ("genre", "language", "country", "year_min", "year_max")
TIERS = ("simple", "medium", "complex")
TIER_LENGTHS: Mapping[str, tuple[int, ...]] = {"simple": (2,), "medium": (3, 4), "complex": (5,)}
"""Tier → how many predicates a request has (paper, section 3; a year range counts as two)."""


@dataclass(frozen=True, slots=True)
class Template:
    """A fixed combination of fields and year bounds.

    Attributes:
        id: name of the template.
        tier: the tier it belongs to.
        slots: what the request asks for, in fixed field order.
    """

    id: str
    tier: str
    slots: tuple[SlotName, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """Families of one tier: with and without a valid recommendation."""

    satisfiable: int
    nvr: int

    def of(self, kind: Kind) -> int:
        """The count of one kind."""
        return self.satisfiable if kind == "satisfiable" else self.nvr


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """Every number of the family generator; each is a key of ``config.yaml`` and described there."""

    seed: str
    published_seeds: tuple[str, ...]
    tiers: Mapping[str, Counts]
    templates: tuple[Template, ...]
    answers_min_smallest: int
    answers_max_largest: int
    material_books: int
    material_share: float
    nvr_leave_one_out: int
    hidden_exclusion: float
    giveaway_share: float
    single_format_families: int
    history_families: int
    history_two_hidden: int
    panel: Counts
    reliability: Counts
    attempts: int
    allow_fewer: bool

    @property
    def earlier_seeds(self) -> tuple[str, ...]:
        """The published seeds before this one; all of them when it is not published."""
        published = self.published_seeds
        return published[: published.index(self.seed)] if self.seed in published else published

    @property
    def ordered_tiers(self) -> tuple[str, ...]:
        """The tiers in use, from the shortest requests to the longest."""
        return tuple(tier for tier in TIERS if tier in self.tiers)

    def of_tier(self, tier: str) -> tuple[Template, ...]:
        """The templates of one tier, in configured order."""
        return tuple(template for template in self.templates if template.tier == tier)

    @classmethod
    def from_mapping(cls, section: Mapping[str, Any]) -> "TaskSettings":
        """The settings of a ``tasks`` section.

        Raises:
            Problem: when a key is missing, a slot or tier unknown, a template does not fit its tier, or the
                counts contradict each other.
        """
        try:
            settings = cls(
                seed=str(section["seed"]),
                published_seeds=tuple(str(seed) for seed in section["published_seeds"]),
                tiers={tier: _counts(counts) for tier, counts in section["tiers"].items()},
                templates=tuple(
                    Template(entry["id"], entry["tier"], tuple(entry["slots"]))
                    for entry in section["templates"]
                ),
                panel=_counts(section["panel"]),
                reliability=_counts(section["reliability"]),
                allow_fewer=bool(section["allow_fewer"]),
                answers_min_smallest=int(section["answers_min_smallest"]),
                answers_max_largest=int(section["answers_max_largest"]),
                material_books=int(section["material_books"]),
                material_share=float(section["material_share"]),
                nvr_leave_one_out=int(section["nvr_leave_one_out"]),
                hidden_exclusion=float(section["hidden_exclusion"]),
                giveaway_share=float(section["giveaway_share"]),
                single_format_families=int(section["single_format_families"]),
                history_families=int(section["history_families"]),
                history_two_hidden=int(section["history_two_hidden"]),
                attempts=int(section["attempts"]),
            )
        except KeyError as error:
            raise Problem(
                f"tasks: the key {error} is missing; take it from the default config.yaml."
            ) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise Problem(
                f"tasks: a value has the wrong type ({error}); compare with config.yaml."
            ) from error
        for sentence in _contradictions(settings):
            raise Problem(f"tasks: {sentence}")
        return settings


def _counts(entry: Mapping[str, Any]) -> Counts:
    return Counts(satisfiable=int(entry["satisfiable"]), nvr=int(entry["nvr"]))


def _contradictions(settings: TaskSettings) -> list[str]:
    """What cannot be met by any catalog, as sentences."""
    found = []
    for template in settings.templates:
        if template.tier not in TIER_LENGTHS:
            found.append(
                f"template {template.id!r} has the unknown tier {template.tier!r}; use one of {TIERS}."
            )
            continue
        unknown = [slot for slot in template.slots if slot not in SLOT_NAMES]
        if unknown:
            found.append(f"template {template.id!r} has the unknown slot {unknown[0]!r}; use {SLOT_NAMES}.")
        if len(template.slots) not in TIER_LENGTHS[template.tier]:
            wanted = " or ".join(str(length) for length in TIER_LENGTHS[template.tier])
            found.append(
                f"template {template.id!r} has {len(template.slots)} slots, but a {template.tier} request "
                f"has {wanted}; move it to another tier or change its slots."
            )
        for bound in ("year_min", "year_max"):
            if template.slots.count(bound) > 1:
                found.append(f"template {template.id!r} bounds the year twice by {bound}; keep one.")
        if not set(template.slots) - {"year_min", "year_max"}:
            found.append(f"template {template.id!r} needs a genre, language or country; add one.")
    for tier in settings.tiers:
        if tier not in TIER_LENGTHS:
            found.append(f"unknown tier {tier!r}; use one of {TIERS}.")
        elif not settings.of_tier(tier):
            found.append(f"the tier {tier!r} has no template; add one or drop the tier.")
    satisfiable = sum(counts.satisfiable for counts in settings.tiers.values())
    for key in ("single_format_families", "history_families"):
        if getattr(settings, key) > satisfiable:
            found.append(
                f"{key} is {getattr(settings, key)}, but there are only {satisfiable} satisfiable families."
            )
    if settings.history_two_hidden > settings.history_families:
        found.append("history_two_hidden is larger than history_families; lower it.")
    for tier, counts in settings.tiers.items():
        for kind in KINDS:
            if not settings.reliability.of(kind) <= settings.panel.of(kind) <= counts.of(kind):
                found.append(
                    f"reliability.{kind} ≤ panel.{kind} ≤ tiers.{tier}.{kind} must hold, but they are "
                    f"{settings.reliability.of(kind)}, {settings.panel.of(kind)} and {counts.of(kind)}."
                )
    return found
