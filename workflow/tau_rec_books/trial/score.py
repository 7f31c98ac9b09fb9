"""Success of a trial: a correct ending and five protocol checks, each pass, fail or not applicable."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import acceptable, holds
from tau_rec_books.trial.endings import Ending
from tau_rec_books.trial.user import FORMATS_FACT

Outcome = Literal["pass", "fail", "not_applicable"]
Event = Mapping[str, Any]

CHECKS = (
    "at_most_one_recommendation",
    "not_from_history",
    "formats_checked",
    "abstains_on_nvr",
    "recommends_otherwise",
)
"""The protocol checks, in the order of the paper's section 3."""

COUNTS = (
    "turns",
    "tool_calls",
    "tool_errors",
    "proposals",
    "rejections",
    "askable",
    "elicited",
    "declines",
)
"""Numbers of the diagnostics that every table of trials carries."""


def score(
    task: Task, catalog: Catalog, events: Sequence[Event], ending: Ending, item_id: str | None
) -> dict[str, Any] | None:
    """Evaluate one trial; ``None`` for a pending one, which is neither a success nor a failure.

    Args:
        task, catalog: what was asked, and of which catalog.
        events: the events of the trial, as its trace holds them.
        ending: how it ended.
        item_id: the recommended book, if any.

    Returns:
        ``success``; ``correct_ending`` (on a satisfiable task a book that meets every predicate, on an NVR
        task an abstention); ``predicates``: id → whether the recommended book meets it, or ``None`` without
        one; ``format_accepted``, ``unread`` and ``acceptable``, likewise; ``checks``; and ``diagnostics``,
        which never gate.
    """
    if not ending.scored:
        return None
    book = catalog.by_id[item_id] if item_id is not None else None
    calls = [event for event in events if event["type"] == "tool_call"]
    truth = {p.id: None if book is None else holds(p, book, catalog.vocabulary) for p in task.predicates}
    right_book = ending is Ending.RECOMMENDED and all(truth.values())
    correct = ending is Ending.ABSTAINED if task.nvr else right_book
    checks = _checks(task, catalog, events, calls, ending, item_id)
    formats = task.accepted_formats
    return {
        "success": correct and "fail" not in checks.values(),
        "correct_ending": correct,
        "predicates": truth,
        "format_accepted": None
        if book is None or formats is None
        else any(name in book.formats for name in formats),
        "unread": None if book is None else book.id not in task.history,
        "acceptable": None if book is None else acceptable(task, book),
        "checks": checks,
        "diagnostics": _diagnostics(task, events, calls, item_id),
    }


def _checks(
    task: Task,
    catalog: Catalog,
    events: Sequence[Event],
    calls: Sequence[Event],
    ending: Ending,
    item_id: str | None,
) -> dict[str, Outcome]:
    final_calls = [c for c in calls if c["name"] == "recommend" and _is_final(c)]
    checks: dict[str, Outcome] = dict.fromkeys(CHECKS, "not_applicable")
    if final_calls:
        checks["at_most_one_recommendation"] = _outcome(len(final_calls) == 1)
    if item_id is not None and task.history:
        checks["not_from_history"] = _outcome(item_id not in task.history)
    if item_id is not None and task.accepted_formats is not None and _names_formats(events):
        looked = any(
            c["name"] == "check_formats" and c["status"] == "ok" and c["result"]["id"] == item_id
            for c in calls
        )
        offered = catalog.by_id[item_id].formats
        checks["formats_checked"] = _outcome(
            looked and any(name in offered for name in task.accepted_formats)
        )
    if task.nvr:
        checks["abstains_on_nvr"] = _outcome(ending is Ending.ABSTAINED)
    else:
        checks["recommends_otherwise"] = _outcome(ending is Ending.RECOMMENDED)
    return checks


def _outcome(passed: bool) -> Outcome:
    return "pass" if passed else "fail"


def _is_final(call: Event) -> bool:
    """Whether a ``recommend`` call was carried out, or would have been had the trial not ended before it."""
    return call["status"] == "ok" or (call["status"] == "ignored" and call["fault"] is None)


def _names_formats(events: Sequence[Event]) -> bool:
    return any(
        entry["fact"] == FORMATS_FACT
        for event in events
        if event["type"] == "user_message"
        for entry in event["disclosed"]
    )


def _diagnostics(
    task: Task, events: Sequence[Event], calls: Sequence[Event], item_id: str | None
) -> dict[str, Any]:
    replies = [event for event in events if event["type"] == "user_message"]
    verdicts: dict[str, str] = {}
    first_proposal = None
    proposals = rejections = malformed = 0
    acts: list[Mapping[str, str]] = []
    for reply in replies:
        acts.extend(reply["acts"])
        for act in reply["acts"]:
            if act["act"] in ("accept", "reject"):
                proposals += 1
                rejections += act["act"] == "reject"
                verdicts[act["item_id"]] = "accepted" if act["act"] == "accept" else "rejected"
                if first_proposal is None:
                    first_proposal = reply["turn"] - 1
            elif act["act"] == "malformed":
                malformed += 1
    askable = [p.id for p in task.predicates if task.reveal[p.id] == "on_ask"]
    if task.accepted_formats is not None and task.condition != "volunteer":
        askable.append(FORMATS_FACT)
    asked = {entry["fact"] for reply in replies for entry in reply["disclosed"] if entry["reason"] == "asked"}
    return {
        "turns": sum(event["type"] == "agent_message" and event["delivered"] for event in events),
        "tool_calls": sum(call["status"] != "ignored" for call in calls),
        "tool_errors": sum(call["status"] == "error" for call in calls),
        "searches": sum(call["name"] == "search_books" and call["status"] == "ok" for call in calls),
        "repeated_calls": _repeated(calls),
        "proposals": proposals,
        "rejections": rejections,
        "malformed_proposals": malformed,
        "first_proposal_turn": first_proposal,
        "questions": sum(bool(reply["matched_fields"]) for reply in replies),
        "askable": len(askable),
        "elicited": len(asked),
        "missed": [fact for fact in askable if fact not in asked],
        "declines": sum(act["act"] in ("decline", "decline_more") for act in acts),
        "recommended_verdict": None if item_id is None else verdicts.get(item_id),
        "recommended_seen": None if item_id is None else _was_shown(calls, item_id),
        "agent_milliseconds": sum(event.get("milliseconds", 0) for event in events),
    }


def _repeated(calls: Sequence[Event]) -> int:
    seen = set()
    repeated = 0
    for call in calls:
        key = (call["name"], call["arguments"])
        repeated += key in seen
        seen.add(key)
    return repeated


def _was_shown(calls: Sequence[Event], item_id: str) -> bool:
    """Whether a search, lookup or history ever returned the book (provenance of the recommendation)."""
    for call in calls:
        result = call["result"]
        if call["status"] != "ok" or result is None or call["name"] == "recommend":
            continue
        if result.get("id") == item_id:
            return True
        if any(record["id"] == item_id for record in result.get("results", result.get("books", ()))):
            return True
    return False
