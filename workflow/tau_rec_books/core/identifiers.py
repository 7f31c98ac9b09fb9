"""Item numbers, book ids and the short names of catalog sizes."""

import re

ENTITY_PREFIX = "http://www.wikidata.org/entity/"
QID = re.compile(r"Q[1-9][0-9]{0,17}")
"""An item id; Wikibase numbers items with 64 bits, so a longer number is no id."""
BOOK_ID = re.compile(r"wd_Q[1-9][0-9]{0,17}")


def qid_number(qid: str) -> int:
    """The number in an item id; sorting by it puts Q9 before Q100."""
    return int(qid[1:])


def book_id(qid: str) -> str:
    """The catalog id of a work: ``Q1213656`` → ``wd_Q1213656``."""
    return f"wd_{qid}"


def size_name(size: int) -> str:
    """Short name of a catalog size, as used in file names: 5000 → ``5k``, 250 → ``250``."""
    if size >= 1_000_000 and size % 1_000_000 == 0:
        return f"{size // 1_000_000}M"
    return f"{size // 1000}k" if size >= 1000 and size % 1000 == 0 else str(size)
