"""The rule user: fixed replies to what a message asks, verdicts by identifier (paper, section 4.1)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Predicate, Task
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.trial.matching import ASK_FIELDS, Matcher, matcher, profile_file, tagged_ids

PROFILES = ("rule-v1",)
FORMATS_FACT = "formats"
"""Name of the accepted formats in the disclosure ledger, beside the ids of predicates."""

Verdict = Literal["accepted", "rejected"]


@dataclass(frozen=True)
class Templates:
    """The wording of a user profile; each sentence has a line of its own, so that it can be read back."""

    profile: str
    field_names: Mapping[str, str]
    format_names: Mapping[str, str]
    list_word: str
    greeting: str
    facts: Mapping[str, str]
    restate: str
    decline: str
    decline_more: str
    no_preference: str
    accept: str
    reject: str
    malformed: str
    fallback: str

    def fact(self, predicate: Predicate) -> str:
        """The sentence that states one predicate."""
        value = " ".join(str(predicate.value).split())
        return self.facts[f"{predicate.field} {predicate.operator}"].replace("{value}", value)

    def formats(self, names: Sequence[str]) -> str:
        """The sentence that states the accepted formats."""
        shown = [self.format_names.get(name, name) for name in names]
        head = ", ".join(shown[:-1])
        joined = f"{head} {self.list_word} {shown[-1]}" if head else shown[-1]
        return self.facts[FORMATS_FACT].replace("{value}", joined)

    def about(self, template: str, field: str) -> str:
        """A sentence that names a field but none of its values."""
        return template.replace("{field}", self.field_names[field])


@dataclass(frozen=True)
class Profile:
    """A versioned rule user: its wording, its matcher, and a digest of both."""

    name: str
    templates: Templates
    matcher: Matcher
    digest: str


@lru_cache(maxsize=4)
def profile(name: str) -> Profile:
    """Load a user profile by name.

    Raises:
        Problem: when there is no such profile.
    """
    if name not in PROFILES:
        raise Problem(f"There is no user profile {name!r}; choose one of {', '.join(PROFILES)}.")
    text = profile_file(name, "templates.json")
    document = json.loads(text)
    del document["tag"]
    digest = sha256_text(text + "\n" + profile_file(name, "lexicon.json"))
    return Profile(name, Templates(**document), matcher(name), digest)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the user says, and why.

    Attributes:
        text: the message; a verdict comes first.
        acts: what it does, in order: ``{"act": …}`` with ``"field"`` or ``"item_id"`` where there is one.
        matched_fields: the fields that the agent's message was taken to ask about.
        generic: whether it was taken as a request for everything.
        disclosed: the ledger entries of this reply: facts said for the first time.
        verdict: ``accepted``, ``rejected`` or ``None``.
    """

    text: str
    acts: tuple[Mapping[str, str], ...]
    matched_fields: tuple[str, ...]
    generic: bool
    disclosed: tuple[Mapping[str, str], ...]
    verdict: Verdict | None

    def document(self) -> dict[str, Any]:
        """The reply as the body of a trace event."""
        return {
            "text": self.text,
            "acts": [dict(act) for act in self.acts],
            "matched_fields": list(self.matched_fields),
            "generic": self.generic,
            "disclosed": [dict(entry) for entry in self.disclosed],
            "verdict": self.verdict,
        }


def disclosed_after(known: frozenset[str], reply: Reply) -> frozenset[str]:
    """The facts said so far, after one more reply."""
    return known | {entry["fact"] for entry in reply.disclosed} if reply.disclosed else known


class SimulatedUser(Protocol):
    """Whoever answers the agent: the rule user, or a person at a terminal."""

    def opening(self) -> Reply:
        """The first message."""

    def reply(self, text: str, known: frozenset[str]) -> Reply:
        """Answer one message, given the facts said so far."""


class RuleUser:
    """A reader who holds one task's facts and answers by fixed rules.

    A pure function: the same task, profile, catalog, message and facts said so far give the same reply.
    It has no power to end a trial.
    """

    def __init__(self, profile: Profile, task: Task, catalog: Catalog) -> None:
        self.profile = profile
        self.task = task
        self.catalog = catalog
        self._by_field: dict[str, list[Predicate]] = {field: [] for field in ASK_FIELDS}
        for predicate in task.predicates:
            self._by_field[predicate.field].append(predicate)

    def opening(self) -> Reply:
        """The first message: all of a volunteer's facts, or the one stated predicate."""
        words = self.profile.templates
        lines = [words.greeting]
        disclosed = []
        for field in ASK_FIELDS[:-1]:
            for predicate in self._by_field[field]:
                if self.task.reveal[predicate.id] == "stated":
                    lines.append(words.fact(predicate))
                    disclosed.append({"fact": predicate.id, "reason": "opening", "field": field})
        formats = self.task.accepted_formats
        if formats is not None and self.task.condition == "volunteer":
            lines.append(words.formats(formats))
            disclosed.append({"fact": FORMATS_FACT, "reason": "opening", "field": "formats"})
        return Reply("\n".join(lines), ({"act": "opening"},), (), False, tuple(disclosed), None)

    def reply(self, text: str, known: frozenset[str]) -> Reply:
        """Answer one message.

        Args:
            text: the agent's message.
            known: the facts said so far, as :func:`disclosed_after` counts them.
        """
        words = self.profile.templates
        lines: list[str] = []
        acts: list[Mapping[str, str]] = []
        disclosed: list[Mapping[str, str]] = []
        tags = tagged_ids(text)
        proposed = [self.catalog.by_id[tag] for tag in tags if tag in self.catalog.by_id]
        verdict: Verdict | None = None
        if len(tags) == 1 and proposed:
            suits = not self.task.nvr and wanted(self.task, proposed[0], self.catalog.vocabulary)
            verdict = "accepted" if suits else "rejected"
            lines.append(words.accept if suits else words.reject)
            acts.append({"act": "accept" if suits else "reject", "item_id": proposed[0].id})
        elif tags:
            lines.append(words.malformed)
            acts.append({"act": "malformed"})
        matched = self.profile.matcher.match(text, [book.title for book in proposed])
        for field in matched.fields:
            if field == "formats":
                self._answer_formats(known, lines, acts, disclosed)
            else:
                self._answer(field, known, lines, acts, disclosed)
        if not lines:
            lines.append(words.fallback)
            acts.append({"act": "fallback"})
        return Reply(
            "\n".join(lines), tuple(acts), matched.fields, matched.generic, tuple(disclosed), verdict
        )

    def _answer(
        self,
        field: str,
        known: frozenset[str],
        lines: list[str],
        acts: list[Mapping[str, str]],
        disclosed: list[Mapping[str, str]],
    ) -> None:
        words = self.profile.templates
        predicates = self._by_field[field]
        told = [p for p in predicates if p.id in known]
        new = [p for p in predicates if p.id not in known and self.task.reveal[p.id] != "hidden"]
        hidden = [p for p in predicates if self.task.reveal[p.id] == "hidden"]
        if not predicates:
            lines.append(words.about(words.no_preference, field))
            acts.append({"act": "no_preference", "field": field})
        if new:
            lines.extend(words.fact(p) for p in new)
            acts.append({"act": "answer", "field": field})
            disclosed.extend({"fact": p.id, "reason": "asked", "field": field} for p in new)
        elif told and not hidden:
            lines.append(words.about(words.restate, field))
            lines.extend(words.fact(p) for p in told)
            acts.append({"act": "restate", "field": field})
        if hidden:
            partly = bool(told or new)
            lines.append(words.about(words.decline_more if partly else words.decline, field))
            acts.append({"act": "decline_more" if partly else "decline", "field": field})

    def _answer_formats(
        self,
        known: frozenset[str],
        lines: list[str],
        acts: list[Mapping[str, str]],
        disclosed: list[Mapping[str, str]],
    ) -> None:
        words = self.profile.templates
        formats = self.task.accepted_formats
        acts.append({"act": "formats", "field": "formats"})
        if formats is None:
            lines.append(words.about(words.no_preference, "formats"))
            return
        lines.append(words.formats(formats))
        if FORMATS_FACT not in known:
            disclosed.append({"fact": FORMATS_FACT, "reason": "asked", "field": "formats"})
