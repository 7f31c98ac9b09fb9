"""Every leaf of a trace edited, one after another: replay sees it and names the place."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.trial.machine import Batch, Call, Say, Trial
from tau_rec_books.trial.replay import Replayer
from tau_rec_books.trial.trace import Identity, trace_line, trace_of

Path = tuple[str | int, ...]
Start = Callable[..., Trial]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all scalars and empty containers."""
    if isinstance(value, dict | list) and value:
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def edited(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    return "x" if value is None else [*value, "x"] if isinstance(value, list) else {"x": 1}


def named(path: Path) -> str:
    """A path as a difference spells it."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def accepted_places(path: Path) -> set[str]:
    """The place itself, what is added to an empty one, and those around it.

    An event also stands behind its link in the chain, and the identity behind its digest, the trial's id.
    """
    places = {named(path[: length + 1]) for length in range(len(path))}
    places |= {f"{named(path)}[0]", f"{named(path)}.x"}
    if path[0] == "events":
        places.add(f"chain[{path[1]}]")
    if path[0] == "caps":
        places.add("chain[0]")
    if path[0] == "identity":
        places.add("trial_id")
    return places


@pytest.fixture(scope="module")
def replayer(catalog: Catalog) -> Replayer:
    return Replayer(catalog, "1500")


def hidden_trial(trial: Trial, catalog: Catalog) -> None:
    """Questions, declines, a rejection, an acceptance, a format check, two recommendations."""
    right = next(b.id for b in catalog.books if wanted(trial.task, b, catalog.vocabulary))
    wrong = next(b.id for b in catalog.books if not wanted(trial.task, b, catalog.vocabulary))
    trial.step(Call("search_books", '{"genre": "War", "year_max": "1700"}'), 3)
    trial.step(Say("Which genre, language, country, year and format? \ud800"), 1200)
    trial.step(Say(f"[[candidate_id:{wrong}]] What year?"))
    trial.step(Say(f"[[candidate_id:{right}]] [[candidate_id:{wrong}]]"))
    trial.step(Say(f"[[candidate_id:{right}]]"))
    trial.step(
        Batch((Call("get_reading_history"), Call("check_formats", json.dumps({"item_id": right}))), "Hm")
    )
    trial.step(
        Batch((Call("recommend", json.dumps({"item_id": right})), Call("recommend", '{"item_id": null}')))
    )


def malformed_trial(trial: Trial, catalog: Catalog) -> None:
    """Faulty calls, silence, and an abstention."""
    for call in (Call("search_books", "{"), Call("nonsense"), Call("get_book", '{"item_id": "wd_Q0"}')):
        trial.step(call, 5)
    trial.wait(10)
    trial.step(Say("Anything else?"))
    trial.step(Call("recommend", '{"item_id": "null"}'))


PLAYED = {
    "hidden": ("hidden", "structured", hidden_trial),
    "volunteer": ("volunteer", "keyword", hidden_trial),
    "malformed": ("mixed", "structured", malformed_trial),
}


@pytest.mark.parametrize("name", sorted(PLAYED))
def test_an_edit_of_any_leaf_is_seen_and_located(
    start: Start, catalog: Catalog, task_named: Callable[..., Task], replayer: Replayer, name: str
) -> None:
    condition, interface, play = PLAYED[name]
    task = task_named(condition, lambda t: not t.nvr and (t.accepted_formats is not None or bool(t.history)))
    trial = start(task, interface)
    play(trial, catalog)
    identity = Identity("track", "block", "someone", interface, "1500", "rule-v1", "", task.id, 1, 1)
    line = trace_line(trace_of(trial, identity, replayer.digests))
    trace = json.loads(line)
    assert replayer.replay(trace, task, line) == []
    paths = list(leaves(trace))
    assert len(paths) > 150
    for path in paths:
        broken = copy.deepcopy(trace)
        inner = broken
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = edited(inner[path[-1]])
        found = {difference.place for difference in replayer.replay(broken, task, trace_line(broken))}
        assert found & accepted_places(path), (named(path), sorted(found)[:5])
