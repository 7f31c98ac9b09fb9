"""Reading the rule user's replies back into facts, by the templates that wrote them."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tau_rec_books.trial.user import Templates, Verdict, profile


@dataclass
class Facts:
    """What an agent has learned from the reader's words.

    Attributes:
        genres: genres that must all apply, in the order told.
        language, country, year_min, year_max: as told, or ``None``.
        formats: accepted formats, or ``None`` when none were named.
        declined: fields the reader has a requirement on but tells nothing (more) about.
        indifferent: fields the reader has no preference about.
    """

    genres: list[str] = field(default_factory=list)
    language: str | None = None
    country: str | None = None
    year_min: int | None = None
    year_max: int | None = None
    formats: tuple[str, ...] | None = None
    declined: set[str] = field(default_factory=set)
    indifferent: set[str] = field(default_factory=set)

    def filters(self) -> dict[str, Any]:
        """The facts as arguments of a structured search."""
        arguments: dict[str, Any] = {}
        if self.genres:
            arguments["genre"] = list(self.genres)
        for name in ("language", "country", "year_min", "year_max"):
            if getattr(self, name) is not None:
                arguments[name] = getattr(self, name)
        if self.formats is not None:
            arguments["formats"] = list(self.formats)
        return arguments


class Reader:
    """Turns a reply into facts; exact for every label, since each sentence stands on a line of its own."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._facts = {key: _inverse(text, "{value}") for key, text in templates.facts.items()}
        by_length = sorted(templates.format_names.items())
        self._formats = {shown: name for name, shown in by_length}
        self._lines: dict[str, tuple[str, str]] = {}
        for name in templates.field_names:
            for kind in ("decline", "decline_more", "no_preference"):
                self._lines[templates.about(getattr(templates, kind), name)] = (kind, name)

    def read(self, reply: str, facts: Facts) -> Verdict | None:
        """Add what a reply says to ``facts``; returns the verdict in it, if any."""
        verdict: Verdict | None = None
        for line in reply.split("\n"):
            if line == self._templates.accept:
                verdict = "accepted"
            elif line == self._templates.reject:
                verdict = "rejected"
            elif line in self._lines:
                kind, name = self._lines[line]
                (facts.indifferent if kind == "no_preference" else facts.declined).add(name)
            else:
                self._read_fact(line, facts)
        return verdict

    def _read_fact(self, line: str, facts: Facts) -> None:
        for key, pattern in self._facts.items():
            match = pattern.fullmatch(line)
            if match is None:
                continue
            value = match.group(1)
            if key == "formats":
                facts.formats = self._read_formats(value)
            elif key == "genre is":
                if value not in facts.genres:
                    facts.genres.append(value)
            elif key == "language is":
                facts.language = value
            elif key == "country is":
                facts.country = value
            elif key == "year min":
                facts.year_min = int(value)
            else:
                facts.year_max = int(value)
            return

    def _read_formats(self, listed: str) -> tuple[str, ...]:
        parts = re.split(rf", | {re.escape(self._templates.list_word)} ", listed)
        return tuple(self._formats.get(part, part) for part in parts)


def _inverse(template: str, slot: str) -> re.Pattern[str]:
    head, tail = template.split(slot)
    return re.compile(re.escape(head) + "(.+)" + re.escape(tail), re.DOTALL)


@lru_cache(maxsize=4)
def reader(user: str) -> Reader:
    """The reader of one user profile's replies."""
    return Reader(profile(user).templates)
