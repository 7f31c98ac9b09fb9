"""What editors do to orderly works: every dirty case of real book metadata, each a small named function.

A work gets at most one case, so that each case can be seen, counted and tested by itself.
"""

from tau_rec_books.world.dirty.cases import DIRTY_CASES, plan_cases
from tau_rec_books.world.dirty.registry import DirtyCase

__all__ = ["DIRTY_CASES", "DirtyCase", "plan_cases"]
