"""Running one trial of a named agent and getting its trace."""

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tau_rec_books.agents.behaviour import Behaviour, policy_names
from tau_rec_books.agents.conversation import Agent, Conversation, TrialOver
from tau_rec_books.agents.eliminating import Eliminating
from tau_rec_books.agents.reference import AlwaysAbstain, NoAsk, Oracle, Popularity, RandomBook
from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.endings import Ending
from tau_rec_books.trial.machine import Trial
from tau_rec_books.trial.tools import INTERFACES, Tools
from tau_rec_books.trial.trace import CatalogDigests, Identity, trace_of
from tau_rec_books.trial.user import SimulatedUser, profile


@dataclass(frozen=True, slots=True)
class Setting:
    """What a factory may use: only the oracle calls ``answers``, only drawing agents use ``seed``.

    Attributes:
        user: name of the user profile whose replies the agent reads.
        prompt: name of the prompt; only synthetic agents heed it.
        seed: the trial's id, from which seeded agents draw.
        answers: gives the acceptable answers of the task, in catalog order.
    """

    user: str
    prompt: str
    seed: str
    answers: Callable[[], Iterator[str]]


def _behaviour(name: str) -> Callable[[Setting], Agent]:
    return lambda setting: Behaviour(name, setting.user, setting.prompt, setting.seed)


AGENTS: Mapping[str, Callable[[Setting], Agent]] = {
    Eliminating.name: lambda setting: Eliminating(setting.user),
    Popularity.name: lambda setting: Popularity(setting.user),
    NoAsk.name: lambda setting: NoAsk(setting.user),
    AlwaysAbstain.name: lambda setting: AlwaysAbstain(),
    RandomBook.name: lambda setting: RandomBook(setting.seed),
    Oracle.name: lambda setting: Oracle(setting.answers),
    **{name: _behaviour(name) for name in policy_names()},
}
"""Agent name → factory."""


class TrialRunner:
    """Runs trials over one catalog size; builds each search index once.

    Attributes:
        catalog: the books, of which ``size`` is the size name.
    """

    def __init__(self, catalog: Catalog, size: str, caps: Caps) -> None:
        self.catalog = catalog
        self.size = size
        self.caps = caps
        self.digests = CatalogDigests.of(catalog)
        self._tools: dict[str, Tools] = {}

    def start(self, task: Task, interface: str, user: str, someone: SimulatedUser | None = None) -> Trial:
        """A fresh trial, answered by the rule user or by someone else.

        Raises:
            Problem: when there is no such interface or user profile.
        """
        known = next((name for name in INTERFACES if name == interface), None)
        if known is None:
            raise Problem(f"There is no interface {interface!r}; choose one of {', '.join(INTERFACES)}.")
        if known not in self._tools:
            self._tools[known] = Tools(self.catalog, known)
        return Trial(task, self.catalog, known, profile(user), self.caps, self._tools[known], someone)

    def run(
        self,
        task: Task,
        identity: Identity,
        agent: Agent | None = None,
        someone: SimulatedUser | None = None,
    ) -> dict[str, Any]:
        """Run one trial to its end and return its trace.

        An agent that fails, or stops without an ending, leaves a pending trial (``harness_error``).

        Args:
            task, identity: the trial.
            agent: who plays it instead of the agent that the identity names.
            someone: who answers instead of the rule user.

        Raises:
            Problem: when there is no such agent, interface or user profile.
        """
        trial = self.start(task, identity.interface, identity.user, someone)
        agent = agent or make_agent(identity.agent, self._setting(task, identity))
        try:
            agent.run(Conversation(trial))
        except TrialOver:
            pass
        except Exception as error:
            # The trial stays pending and its shard can be run again; the reason goes to the rule's output.
            traceback.print_exc(file=sys.stderr)
            if trial.ended is not None:
                raise
            trial.finish(Ending.HARNESS_ERROR, type(error).__name__)
        if trial.ended is None:
            trial.finish(Ending.HARNESS_ERROR, "the agent stopped without an ending")
        return trace_of(trial, identity, self.digests)

    def _setting(self, task: Task, identity: Identity) -> Setting:
        def answers() -> Iterator[str]:
            books = () if task.nvr else self.catalog.books
            return (book.id for book in books if wanted(task, book, self.catalog.vocabulary))

        return Setting(identity.user, identity.prompt, identity.trial_id, answers)


def make_agent(name: str, setting: Setting) -> Agent:
    """An agent by name.

    Raises:
        Problem: when there is no such agent.
    """
    if name not in AGENTS:
        raise Problem(f"There is no agent {name!r}; choose one of {', '.join(sorted(AGENTS))}.")
    return AGENTS[name](setting)
