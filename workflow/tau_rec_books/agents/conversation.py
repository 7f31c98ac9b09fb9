"""What an agent gets to see of a trial: the reader's words, the tools, and nothing of the task."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

from tau_rec_books.core.canonical import json_text
from tau_rec_books.trial.endings import Ending
from tau_rec_books.trial.machine import OVER_BUDGET, Call, Say, Trial

_MOMENT = "I am still looking through the catalog."


class TrialOver(Exception):
    """The trial ended while the agent was still acting; the agent's run stops here."""


class Conversation:
    """An agent's end of one trial.

    Attributes:
        opening: the reader's first message.
        interface: the search interface, ``keyword`` or ``structured``.
    """

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.opening = trial.opening
        self.interface = trial.interface

    def say(self, text: str) -> str:
        """Send a message and get the reader's reply.

        Raises:
            TrialOver: when the message ended the trial.
        """
        seen = self._trial.step(Say(text))
        if seen.reply is None:
            raise TrialOver
        return seen.reply

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Call a tool and get its result; when the turn's budget is used up, begin another turn for it.

        Raises:
            TrialOver: when the call ended the trial, as ``recommend`` does.
        """
        seen = self._trial.step(Call(name, json_text(dict(arguments or {}))))
        if seen.ended is not None:
            raise TrialOver
        if seen.results[0] == OVER_BUDGET:
            self.say(_MOMENT)
            return self.call(name, arguments)
        return seen.results[0]

    def recommend(self, item_id: str | None) -> None:
        """Give the final answer, a book or none; ends the trial.

        Raises:
            TrialOver: always, unless the call was refused.
        """
        self.call("recommend", {"item_id": item_id})

    def overflow(self) -> None:
        """Report that the agent can hold no more of the conversation; ends the trial.

        Raises:
            TrialOver: always.
        """
        self._trial.finish(Ending.CONTEXT_OVERFLOW)
        raise TrialOver


class Agent(Protocol):
    """Something that plays one trial from its opening to an ending."""

    name: str

    def run(self, conversation: Conversation) -> None:
        """Act until the trial is over; may return or raise :class:`TrialOver`."""


def quoted(text: str) -> str:
    """A title in quotation marks that do not occur in it."""
    return json.dumps(text.replace('"', "'"), ensure_ascii=False)
