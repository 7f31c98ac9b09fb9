"""Every way a trial can end, and which endings are scored."""

from enum import StrEnum


class Ending(StrEnum):
    """How a trial ended; only :class:`tau_rec_books.trial.machine.Trial` sets it."""

    RECOMMENDED = "recommended"
    ABSTAINED = "abstained"
    TURN_CAP = "turn_cap"
    TIME_CAP = "time_cap"
    TOOL_BUDGET = "tool_budget"
    CONTEXT_OVERFLOW = "context_overflow"
    PROVIDER_ERROR = "provider_error"
    HARNESS_ERROR = "harness_error"

    @property
    def scored(self) -> bool:
        """False for an error outside the agent: such a trial is pending, neither success nor failure."""
        return self not in (Ending.PROVIDER_ERROR, Ending.HARNESS_ERROR)


STOPS = (Ending.CONTEXT_OVERFLOW, Ending.PROVIDER_ERROR, Ending.HARNESS_ERROR)
"""Endings that the driver of an agent reports, since the trial itself cannot see them."""
