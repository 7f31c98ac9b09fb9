"""Predicates, families and tasks: the records of ``families.jsonl`` and ``tasks.jsonl``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Field = Literal["genre", "language", "country", "year"]
Operator = Literal["is", "min", "max"]
Reveal = Literal["stated", "on_ask", "hidden"]
Condition = Literal["volunteer", "mixed", "hidden"]

CONDITIONS: tuple[Condition, ...] = ("volunteer", "mixed", "hidden")
FIELDS: tuple[Field, ...] = ("genre", "language", "country", "year")


@dataclass(frozen=True, slots=True)
class Predicate:
    """One requirement on a catalog field.

    Attributes:
        id: ``p1``, ``p2``, … in the family's fixed order (genre, language, country, year min, year max).
        field: the catalog field.
        operator: ``is`` for labels; ``min`` (no earlier than) or ``max`` (no later than) for the year.
        value: a published label, or a year. A parent label covers its children.
    """

    id: str
    field: Field
    operator: Operator
    value: str | int

    def document(self) -> dict[str, Any]:
        """The predicate as JSON."""
        return {"id": self.id, "field": self.field, "operator": self.operator, "value": self.value}


@dataclass(frozen=True)
class Task:
    """A family under one condition: everything a simulated reader knows, nothing about answers.

    Attributes:
        id: ``{family}-{condition}``.
        family: id of the family, e.g. ``family-060``.
        tier: ``simple``, ``medium`` or ``complex``.
        template: id of the template.
        condition: the disclosure condition.
        predicates: the requirements, in fixed field order.
        reveal: predicate id → reveal tag.
        accepted_formats: the formats the reader takes, or ``None`` for any.
        history: ids of books already read, in the order the history tool lists them.
        persona: a synthetic persona; only model users voice it.
        nvr: true when no valid recommendation exists.
    """

    id: str
    family: str
    tier: str
    template: str
    condition: Condition
    predicates: tuple[Predicate, ...]
    reveal: Mapping[str, Reveal]
    accepted_formats: tuple[str, ...] | None
    history: tuple[str, ...]
    persona: Mapping[str, str]
    nvr: bool

    def document(self) -> dict[str, Any]:
        """The task as a line of ``tasks.jsonl``."""
        return {
            "id": self.id,
            "family": self.family,
            "tier": self.tier,
            "template": self.template,
            "condition": self.condition,
            "predicates": [{**p.document(), "reveal": self.reveal[p.id]} for p in self.predicates],
            "accepted_formats": None if self.accepted_formats is None else list(self.accepted_formats),
            "history": list(self.history),
            "persona": dict(self.persona),
            "nvr": self.nvr,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Task":
        """A task read from ``tasks.jsonl``."""
        predicates = tuple(
            Predicate(p["id"], p["field"], p["operator"], p["value"]) for p in document["predicates"]
        )
        formats = document["accepted_formats"]
        return cls(
            id=document["id"],
            family=document["family"],
            tier=document["tier"],
            template=document["template"],
            condition=document["condition"],
            predicates=predicates,
            reveal={p["id"]: p["reveal"] for p in document["predicates"]},
            accepted_formats=None if formats is None else tuple(formats),
            history=tuple(document["history"]),
            persona=document["persona"],
            nvr=document["nvr"],
        )


@dataclass(frozen=True)
class Family:
    """A request that stays the same while its disclosure varies (paper, section 3).

    Attributes:
        id: ``family-001`` … in tier order.
        reveal: condition → predicate id → reveal tag.
        panel: whether every agent runs it; reliability: whether it is in the block with more trials.
        other attributes: as in :class:`Task`.
    """

    id: str
    tier: str
    template: str
    nvr: bool
    predicates: tuple[Predicate, ...]
    reveal: Mapping[Condition, Mapping[str, Reveal]]
    accepted_formats: tuple[str, ...] | None
    history: tuple[str, ...]
    persona: Mapping[str, str]
    panel: bool
    reliability: bool

    def task(self, condition: Condition) -> Task:
        """The family's task under one condition."""
        return Task(
            id=f"{self.id}-{condition}",
            family=self.id,
            tier=self.tier,
            template=self.template,
            condition=condition,
            predicates=self.predicates,
            reveal=self.reveal[condition],
            accepted_formats=self.accepted_formats,
            history=self.history,
            persona=self.persona,
            nvr=self.nvr,
        )

    def document(self) -> dict[str, Any]:
        """The family as a line of ``families.jsonl``."""
        return {
            "id": self.id,
            "tier": self.tier,
            "template": self.template,
            "nvr": self.nvr,
            "predicates": [p.document() for p in self.predicates],
            "reveal": {condition: dict(tags) for condition, tags in self.reveal.items()},
            "accepted_formats": None if self.accepted_formats is None else list(self.accepted_formats),
            "history": list(self.history),
            "persona": dict(self.persona),
            "panel": self.panel,
            "reliability": self.reliability,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Family":
        """A family read from ``families.jsonl``."""
        formats = document["accepted_formats"]
        return cls(
            id=document["id"],
            tier=document["tier"],
            template=document["template"],
            nvr=document["nvr"],
            predicates=tuple(
                Predicate(p["id"], p["field"], p["operator"], p["value"]) for p in document["predicates"]
            ),
            reveal=document["reveal"],
            accepted_formats=None if formats is None else tuple(formats),
            history=tuple(document["history"]),
            persona=document["persona"],
            panel=document["panel"],
            reliability=document["reliability"],
        )
