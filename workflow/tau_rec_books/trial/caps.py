"""The limits of a trial, which agents are never told."""

from dataclasses import asdict, dataclass

from tau_rec_books.core.errors import Problem


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits of one trial (paper, section 4.1).

    Attributes:
        agent_turns: messages an agent may send to the reader; the last one ends the trial unanswered.
        agent_seconds: seconds the agent itself may use; tools and reader cost no time.
        tool_calls_per_turn: calls that are carried out between two messages.
        tool_calls_beyond: further calls, refused one by one; the last of them ends the trial.

    Raises:
        Problem: when a limit is below one.
    """

    agent_turns: int = 20
    agent_seconds: int = 600
    tool_calls_per_turn: int = 150
    tool_calls_beyond: int = 10

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value < 1:
                raise Problem(f"The cap {name} is {value}; set it to 1 or more.")

    def document(self) -> dict[str, int]:
        """The limits as JSON."""
        return asdict(self)
