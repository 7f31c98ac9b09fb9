"""The one exception a user is meant to read."""


class Problem(Exception):
    """Bad input or a failed check, told in one sentence: what, where, and what to do.

    The command line prints the sentence and exits with status 1 or 2; it never prints a traceback for it.
    """


class CheckFailed(Problem):
    """A verification found a difference: exit status 1 instead of the 2 of bad input."""
