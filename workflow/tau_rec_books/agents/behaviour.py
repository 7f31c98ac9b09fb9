"""Seeded synthetic policies that imitate published failure patterns, for statistics at full scale."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any

from tau_rec_books.agents.conversation import Conversation
from tau_rec_books.agents.eliminating import best_fitting, one_of_each_kind, possible_requirements
from tau_rec_books.agents.reading import Facts, reader
from tau_rec_books.agents.reference import QUESTION, proposal
from tau_rec_books.agents.shelf import Record, has_format, history, matches
from tau_rec_books.core.digest import draw_fraction, draw_integer
from tau_rec_books.core.errors import Problem
from tau_rec_books.trial.matching import ASK_FIELDS

AT_HAND = 60
"""Matches that a synthetic agent looks at: three pages."""


@lru_cache(maxsize=1)
def _settings() -> Mapping[str, Any]:
    text = (files("tau_rec_books.agents") / "data" / "behaviour-v1.json").read_text(encoding="utf-8")
    settings: Mapping[str, Any] = json.loads(text)
    return settings


def policy_names() -> tuple[str, ...]:
    """Names of the synthetic agents; each begins with ``synthetic-``, so that tables show what they are."""
    return tuple(sorted(_settings()["policies"]))


class Behaviour:
    """One synthetic policy; every choice is drawn from the trial's id."""

    def __init__(self, name: str, user: str, prompt: str, seed: str) -> None:
        """Set up a policy under a prompt.

        Raises:
            Problem: when the policies know no such prompt.
        """
        settings = _settings()
        if prompt not in settings["prompts"]:
            known = ", ".join(repr(key) for key in sorted(settings["prompts"]))
            raise Problem(f"Synthetic agents know no prompt {prompt!r}; choose one of {known}.")
        self.name = name
        self._reader = reader(user)
        self._seed = seed
        self._questions: Mapping[str, str] = settings["questions"]
        self._keyword_slip: float = settings["keyword_slip"]
        self._policy: Mapping[str, float] = {**settings["policies"][name], **settings["prompts"][prompt]}

    def run(self, conversation: Conversation) -> None:
        """Play one trial."""
        facts = Facts()
        self._reader.read(conversation.opening, facts)
        self._ask(conversation, facts)
        if self._chance("overflow"):
            conversation.overflow()
        read = history(conversation) if self._chance("read_history") else frozenset()
        books = list(islice(matches(conversation, self._remembered(conversation, facts), read), AT_HAND))
        if not books:
            self._commit_to_none(conversation, facts)
        order = self._order(conversation, facts, books)
        book = next(order, None)
        if book is None:
            conversation.recommend(None)
            return
        if self._chance("propose_first"):
            patience = 1 + draw_integer(self._seed, "patience", below=int(self._policy["patience"]))
            for number in range(patience):
                verdict = self._reader.read(conversation.say(proposal(book)), facts)
                if verdict == "accepted" or not self._chance("heed_rejections", number):
                    self._commit(conversation, book, facts)
                following = next(order, None)
                if following is None:
                    conversation.recommend(None)
                    return
                book = following
            if self._chance("abstain_when_lost"):
                conversation.recommend(None)
        self._commit(conversation, book, facts)

    def _chance(self, what: str, number: int = 0) -> bool:
        return draw_fraction(self._seed, what, number) < self._policy[what]

    def _ask(self, conversation: Conversation, facts: Facts) -> None:
        if self._chance("ask_everything"):
            self._reader.read(conversation.say(QUESTION), facts)
            return
        asked = [self._questions[field] for field in ASK_FIELDS if self._chance(f"ask_{field}")]
        if asked:
            self._reader.read(conversation.say(" ".join(asked)), facts)

    def _remembered(self, conversation: Conversation, facts: Facts) -> Facts:
        """The facts as the agent applies them: now and then it forgets one, more often with keywords."""
        slips = self._policy["slip"] + (self._keyword_slip if conversation.interface == "keyword" else 0)
        if draw_fraction(self._seed, "slip") >= slips:
            return facts
        forgotten = ("year_min", "year_max", "country", "language")
        known = [name for name in forgotten if getattr(facts, name) is not None]
        if not known:
            return facts
        remembered = replace(facts)
        setattr(remembered, known[draw_integer(self._seed, "forget", below=len(known))], None)
        return remembered

    def _order(self, conversation: Conversation, facts: Facts, books: list[Record]) -> Iterator[Record]:
        """Books in the order of proposing: by popularity, or by elimination when declines are heeded."""
        if not facts.declined or not self._chance("heed_declines"):
            yield from books
            return
        hypotheses = possible_requirements(conversation, facts, books)
        left = one_of_each_kind(books)
        while True:
            best, fitting = best_fitting(hypotheses, left)
            if not fitting:
                return
            yield best
            hypotheses.reject(best)

    def _commit(self, conversation: Conversation, book: Record, facts: Facts) -> None:
        if self._chance("check_formats"):
            has_format(conversation, book["id"], facts.formats)
        conversation.recommend(book["id"])

    def _commit_to_none(self, conversation: Conversation, facts: Facts) -> None:
        """Nothing matches: abstain, or relax the request and recommend what is popular."""
        if not self._chance("abstain_when_empty"):
            relaxed = Facts(genres=facts.genres[:1])
            book = next(matches(conversation, relaxed, frozenset()), None)
            if book is not None:
                self._commit(conversation, book, facts)
        conversation.recommend(None)
