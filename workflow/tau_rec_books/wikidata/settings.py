"""How a snapshot is fetched: every bound and pause, with its default."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.layout import COMPRESSION_LEVEL
from tau_rec_books.wikidata.snapshot import read_snapshot_manifest

AGENT_NAME = "tau-rec-books/1"
"""First word of the User-Agent. The number is that of the way of asking and not of the program, since the
whole header is part of a snapshot, which has the same bytes when a later program makes it again."""


def user_agent(contact: str) -> str:
    """The User-Agent header: the program, and whom the endpoint's keepers may write to.

    Raises:
        Problem: when the contact cannot be part of a header.
    """
    if not contact or not contact.isascii() or not contact.isprintable() or set(contact) & set("()"):
        raise Problem(
            f"--contact {contact!r} cannot be sent; give an e-mail address or a web page, in ASCII and "
            "without brackets."
        )
    return f"{AGENT_NAME} ({contact})"


def row_floors(reference: Path, share: float) -> dict[str, int]:
    """Least rows of each response: a share of those that an earlier snapshot has.

    Raises:
        Problem: when that snapshot cannot be read.
    """
    responses = read_snapshot_manifest(reference)["responses"]
    return {response["name"]: ceil(share * response["rows"]) for response in responses}


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """How to ask; times are in seconds.

    Attributes:
        endpoint: address of the SPARQL endpoint.
        user_agent: names the program and whom to write to.
        endpoint_name: what the manifest calls the endpoint; its address when empty.
        deadline: wall-clock bound of one answer.
        total: wall-clock bound of the whole run.
        attempts: how often one question is asked before giving up.
        backoff: first pause after a failure, and the least one.
        longest_backoff: bound of the pause, which doubles with each failure.
        longest_wait: a Retry-After above this stops the fetch.
        pause: between two requests.
        most_pages: most residue classes that one response is split into.
        max_bytes: longest body.
        row_floor: fewer rows of a response are not believed.
        row_floors: response → a floor of its own, such as a share of an earlier snapshot's rows.
        ask_twice: take a body only when two answers had the same rows.
        compression_level: of response files.
    """

    endpoint: str
    user_agent: str
    endpoint_name: str = ""
    deadline: float = 300.0
    total: float = 4 * 3600.0
    attempts: int = 6
    backoff: float = 2.0
    longest_backoff: float = 120.0
    longest_wait: float = 600.0
    pause: float = 1.0
    most_pages: int = 64
    max_bytes: int = 1 << 30
    row_floor: int = 1
    row_floors: Mapping[str, int] = field(default_factory=dict)
    ask_twice: bool = False
    compression_level: int = COMPRESSION_LEVEL

    @property
    def recorded_endpoint(self) -> str:
        """The endpoint as the manifest has it."""
        return self.endpoint_name or self.endpoint
