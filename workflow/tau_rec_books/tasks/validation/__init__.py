"""The independent proof of a task set: every rule recomputed with SQL from the released files."""

from tau_rec_books.tasks.validation.report import validate

__all__ = ["validate"]
