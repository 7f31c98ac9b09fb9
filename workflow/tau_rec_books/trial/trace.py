"""The trace: one canonical JSON object that holds everything needed to re-derive a trial."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tau_rec_books.catalog.books import BOOK_SCHEMA, Catalog, book_rows
from tau_rec_books.core.canonical import content_hash, json_text
from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.machine import Trial
from tau_rec_books.trial.score import score
from tau_rec_books.trial.user import Profile

SCHEMA_VERSION = 1
_LINK_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a trial that trial; its digest is the trial's id.

    Attributes:
        track: the released track.
        block: the experiment that plans it.
        agent, interface, size, user, prompt: its settings; ``size`` is a size name such as ``20k``, and
            ``prompt`` is empty for scripted agents.
        task: id of the task.
        repetition: number of the repetition, from 1.
        protocol_version: version of tools, user, prompts and scoring.
    """

    track: str
    block: str
    agent: str
    interface: str
    size: str
    user: str
    prompt: str
    task: str
    repetition: int
    protocol_version: int

    def document(self) -> dict[str, Any]:
        """The identity as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def trial_id(self) -> str:
        """SHA-256 of the canonical identity."""
        return sha256_text(json_text(self.document()))


@dataclass(frozen=True, slots=True)
class CatalogDigests:
    """Digests of a catalog's content, computed once per process."""

    catalog: str
    vocabulary: str

    @classmethod
    def of(cls, catalog: Catalog) -> "CatalogDigests":
        """Digest the books (independent of the Parquet writer) and the vocabulary."""
        return cls(
            content_hash(book_rows(catalog.books), BOOK_SCHEMA),
            sha256_text(json_text(catalog.vocabulary.document())),
        )


def digests(task: Task, profile: Profile, catalog: CatalogDigests) -> dict[str, str]:
    """Digests of everything a trial depends on besides its identity."""
    return {
        "catalog": catalog.catalog,
        "vocabulary": catalog.vocabulary,
        "task": sha256_text(json_text(task.document())),
        "user_profile": profile.digest,
    }


def header(trial: Trial, identity: Identity, catalog: CatalogDigests) -> dict[str, Any]:
    """The part of a trace that is fixed before the first event."""
    return {
        "schema_version": SCHEMA_VERSION,
        "trial_id": identity.trial_id,
        "identity": identity.document(),
        "digests": digests(trial.task, trial.profile, catalog),
        "caps": trial.caps.document(),
    }


def trace_of(trial: Trial, identity: Identity, catalog: CatalogDigests) -> dict[str, Any]:
    """The trace of a finished trial.

    ``chain`` holds one link per event, each a digest of the link before and the event, starting from the
    header: an edited event is located even where no rule re-derives it, such as a word of a message.

    Raises:
        Problem: when the trial is not over.
    """
    if trial.ended is None:
        raise Problem(f"The trial of {identity.task} is not over; end it before asking for its trace.")
    top = header(trial, identity, catalog)
    final = trial.recommendation
    item_id = final.item_id if final is not None else None
    return {
        **top,
        "events": trial.events,
        "chain": links(top, trial.events),
        "ending": trial.ended.value,
        "recommended": item_id,
        "abstained_as": final.abstained_as if final is not None else None,
        "evaluation": score(trial.task, trial.catalog, trial.events, trial.ended, item_id),
    }


def links(top: Mapping[str, Any], events: list[dict[str, Any]]) -> list[str]:
    """One link per event: the first 16 hex digits of SHA-256 over the link before and the canonical event."""
    link = hashlib.sha256(json_text(top).encode("utf-8")).hexdigest()[:_LINK_LENGTH]
    chain = []
    for event in events:
        link = hashlib.sha256((link + json_text(event)).encode("utf-8")).hexdigest()[:_LINK_LENGTH]
        chain.append(link)
    return chain


def trace_line(trace: Mapping[str, Any]) -> str:
    """The canonical line of a trace in a JSON Lines file, with its line end."""
    return json_text(trace) + "\n"
