"""The state machine of one trial: messages and calls in, replies and results out, one place for endings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.endings import STOPS, Ending
from tau_rec_books.trial.text import without_surrogates
from tau_rec_books.trial.tools import Interface, Recommendation, Tools
from tau_rec_books.trial.user import Profile, Reply, RuleUser, SimulatedUser, disclosed_after

OVER_BUDGET: Mapping[str, Any] = {
    "error": "The tool budget of this turn is used up; it starts anew after your next message."
}
"""Result of a call beyond the budget of a turn."""


@dataclass(frozen=True, slots=True)
class Say:
    """A message to the reader; it ends the agent's turn.

    Attributes:
        text: what is said; may be empty, which still costs a turn.
        replaced: lone surrogates that the caller has already replaced.
    """

    text: str
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: the tool's name and the raw argument string, as the agent wrote them."""

    name: str
    arguments: str = "{}"
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """Several calls sent in one message, with the text beside them, which the reader does not get to see."""

    calls: tuple[Call, ...]
    text: str = ""
    replaced: int = 0


Action = Say | Call | Batch


@dataclass(frozen=True, slots=True)
class Observation:
    """What an action gave.

    Attributes:
        reply: the reader's words, or ``None`` after calls and at the end of the trial.
        results: one result per call that was answered.
        ended: the ending, once the trial is over.
    """

    reply: str | None
    results: tuple[Mapping[str, Any], ...]
    ended: Ending | None


class Trial:
    """One trial; deterministic given the actions and the milliseconds they took.

    The first ``tool_calls_per_turn`` calls of a turn are carried out; each of the next ``tool_calls_beyond``
    gets an error and the last of them ends the trial. The last allowed message of the agent ends it
    unanswered. An action that arrives after the agent's time is used up is recorded but not carried out.

    Attributes:
        opening: the reader's first message.
        events: what happened so far, in the form of the trace.
        ended: the ending, or ``None`` while the trial runs.
        recommendation: the final call, when there was one.
    """

    def __init__(
        self,
        task: Task,
        catalog: Catalog,
        interface: Interface,
        profile: Profile,
        caps: Caps,
        tools: Tools,
        user: SimulatedUser | None = None,
    ) -> None:
        """Start a trial.

        Args:
            task, catalog, interface: what is asked, of which books, through which search.
            profile, caps: the rule user's profile and the limits.
            tools: the tools over the same catalog and interface, shared among trials.
            user: who answers instead of the rule user; such a trial cannot be replayed.

        Raises:
            Problem: when the tools belong to another catalog or interface.
        """
        if tools.catalog is not catalog or tools.interface != interface:
            raise Problem("The tools belong to another catalog or interface; build them for this trial.")
        self.task = task
        self.catalog = catalog
        self.interface: Interface = interface
        self.profile = profile
        self.caps = caps
        self.tools = tools
        self.user: SimulatedUser = user or RuleUser(profile, task, catalog)
        self.ended: Ending | None = None
        self.recommendation: Recommendation | None = None
        self.events: list[dict[str, Any]] = []
        self._known: frozenset[str] = frozenset()
        self._message = 0
        self._turn = 1
        self._calls = 0
        self._milliseconds = 0
        first = self.user.opening()
        self.opening = first.text
        self._hear(first)

    def step(self, action: Action, milliseconds: int = 0) -> Observation:
        """Carry out one action of the agent, which took it ``milliseconds``.

        Raises:
            Problem: when the trial is over, or the time is negative.
        """
        if self.ended is not None:
            raise Problem(f"The trial is over ({self.ended}); it takes no further action.")
        if milliseconds < 0:
            raise Problem(f"An action cannot take {milliseconds} milliseconds; give 0 or more.")
        self._message += 1
        self._milliseconds += milliseconds
        late = self._milliseconds > 1000 * self.caps.agent_seconds
        if isinstance(action, Batch) and not action.calls:
            action = Say(action.text, action.replaced)
        if isinstance(action, Say):
            return self._say(action, milliseconds, late)
        batch = Batch((action,)) if isinstance(action, Call) else action
        return self._call_all(batch, milliseconds, late)

    def wait(self, milliseconds: int) -> Observation:
        """Count time in which the agent gave nothing, such as a request that ran into the time limit.

        Raises:
            Problem: when the trial is over, or the time is negative.
        """
        if self.ended is not None or milliseconds < 0:
            raise Problem("A trial that is over, or a negative time, cannot be waited for.")
        self._message += 1
        self._milliseconds += milliseconds
        self.events.append(
            {
                "type": "silence",
                "turn": self._turn,
                "message": self._message,
                "milliseconds": milliseconds,
            }
        )
        if self._milliseconds > 1000 * self.caps.agent_seconds:
            self.ended = Ending.TIME_CAP
        return Observation(None, (), self.ended)

    def finish(self, ending: Ending, detail: str = "") -> None:
        """End the trial for a reason that only the driver of the agent sees.

        Args:
            ending: one of :data:`tau_rec_books.trial.endings.STOPS`.
            detail: what happened, without hosts, paths or times, such as the type of an exception.

        Raises:
            Problem: when the trial is over, or the ending is one that the trial itself finds.
        """
        if self.ended is not None:
            raise Problem(f"The trial is over ({self.ended}); it cannot end again.")
        if ending not in STOPS:
            raise Problem(f"{ending} is found by the trial itself; it cannot be reported from outside.")
        self.events.append({"type": "stop", "turn": self._turn, "reason": ending.value, "detail": detail})
        self.ended = ending

    def _say(self, action: Say, milliseconds: int, late: bool) -> Observation:
        text, replaced = without_surrogates(action.text)
        last = self._turn >= self.caps.agent_turns
        self.events.append(
            {
                "type": "agent_message",
                "turn": self._turn,
                "message": self._message,
                "text": text,
                "replaced_surrogates": replaced + action.replaced,
                "delivered": not late,
                "milliseconds": milliseconds,
            }
        )
        if late:
            self.ended = Ending.TIME_CAP
        elif last:
            self.ended = Ending.TURN_CAP
        if self.ended is not None:
            return Observation(None, (), self.ended)
        reply = self.user.reply(text, self._known)
        self._turn += 1
        self._calls = 0
        self._hear(reply)
        return Observation(reply.text, (), None)

    def _hear(self, reply: Reply) -> None:
        self._known = disclosed_after(self._known, reply)
        self.events.append({"type": "user_message", "turn": self._turn, **reply.document()})

    def _call_all(self, batch: Batch, milliseconds: int, late: bool) -> Observation:
        if batch.text:
            text, replaced = without_surrogates(batch.text)
            self.events.append(
                {
                    "type": "agent_message",
                    "turn": self._turn,
                    "message": self._message,
                    "text": text,
                    "replaced_surrogates": replaced + batch.replaced,
                    "delivered": False,
                    "milliseconds": milliseconds,
                }
            )
            milliseconds = 0
        if late:
            self.ended = Ending.TIME_CAP
        results = []
        for call in batch.calls:
            results.extend(self._call(call, milliseconds))
            milliseconds = 0
        return Observation(None, tuple(results), self.ended)

    def _call(self, call: Call, milliseconds: int) -> list[Mapping[str, Any]]:
        name, replaced_name = without_surrogates(call.name)
        arguments, replaced = without_surrogates(call.arguments)
        outcome = self.tools.call(name, arguments, self.task.history)
        ignored = self.ended is not None
        result: Mapping[str, Any] | None = outcome.result
        fault = outcome.fault
        recommendation = outcome.recommendation
        if ignored:
            status, result = "ignored", None
        else:
            self._calls += 1
            beyond = self._calls - self.caps.tool_calls_per_turn
            if beyond > 0:
                status, result, fault, recommendation = "over_budget", OVER_BUDGET, None, None
                if beyond >= self.caps.tool_calls_beyond:
                    self.ended = Ending.TOOL_BUDGET
            else:
                status = "error" if fault else "ok"
        self.events.append(
            {
                "type": "tool_call",
                "turn": self._turn,
                "message": self._message,
                "name": name,
                "arguments": arguments,
                "replaced_surrogates": replaced_name + replaced + call.replaced,
                "parsed": outcome.parsed,
                "status": status,
                "fault": fault,
                "result": result,
                "milliseconds": milliseconds,
            }
        )
        if recommendation is not None and not ignored:
            self.recommendation = recommendation
            self.ended = Ending.ABSTAINED if recommendation.item_id is None else Ending.RECOMMENDED
        return [] if result is None else [result]
