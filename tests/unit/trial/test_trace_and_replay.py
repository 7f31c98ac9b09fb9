"""Traces: their schema, their bytes, and a replay that locates any edit."""

import ast
import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tau_rec_books.trial as room
from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.digest import draw_integer
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.endings import Ending
from tau_rec_books.trial.machine import Batch, Call, Say, Trial
from tau_rec_books.trial.replay import Difference, Replayer, replay_lines
from tau_rec_books.trial.trace import CatalogDigests, Identity, trace_line, trace_of

SCHEMA = Path(__file__).parents[3] / "workflow" / "schemas" / "trace.schema.json"
Start = Callable[..., Trial]


def identity_of(task: Task, interface: str = "structured") -> Identity:
    return Identity("track", "block", "someone", interface, "1500", "rule-v1", "", task.id, 1, 1)


def play(trial: Trial, catalog: Catalog) -> Trial:
    """A trial with something of everything in it."""
    book = catalog.books[5].id
    trial.step(
        Call("search_books", '{"genre": "War", "page": 2}' if trial.interface == "structured" else "{")
    )
    trial.step(Say("Which genre, language, country, year and format? \ud800"), 1200)
    trial.step(Batch((Call("get_reading_history"), Call("nonsense", "[")), "Let me see."), 7)
    trial.step(Say(f"[[candidate_id:{book}]] Anything else?"))
    trial.wait(10)
    trial.step(Call("check_formats", json.dumps({"item_id": book})))
    trial.step(
        Batch((Call("recommend", json.dumps({"item_id": book})), Call("recommend", '{"item_id": null}')))
    )
    return trial


@pytest.fixture(scope="module")
def replayer(catalog: Catalog) -> Replayer:
    return Replayer(catalog, "1500")


@pytest.fixture(scope="module")
def recorded(start: Start, catalog: Catalog, tasks: list[Task]) -> list[tuple[dict[str, Any], Task]]:
    digests = CatalogDigests.of(catalog)
    made = []
    for number, task in enumerate(tasks):
        interface = "structured" if number % 2 else "keyword"
        trial = play(start(task, interface), catalog)
        made.append((json.loads(trace_line(trace_of(trial, identity_of(task, interface), digests))), task))
    return made


def test_traces_fit_their_schema(recorded: list[tuple[dict[str, Any], Task]]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    for trace, _ in recorded:
        validator.validate(trace)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


def test_the_schema_is_closed_everywhere() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert all(part["additionalProperties"] is False for part in objects(schema))


def test_a_trace_replays_to_the_same_bytes(
    recorded: list[tuple[dict[str, Any], Task]], replayer: Replayer
) -> None:
    for trace, task in recorded:
        assert replayer.replay(trace, task) == []


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path


def edited(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    return "x" if value is None else [*value, "x"] if isinstance(value, list) else {"x": 1}


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def test_any_single_edit_is_caught(recorded: list[tuple[dict[str, Any], Task]], replayer: Replayer) -> None:
    """Every kind of leaf of every kind of event, and a drawn share of all the others."""
    seen: set[tuple[Any, ...]] = set()
    for number, (trace, task) in enumerate(recorded[:8]):
        for path in leaves(trace):
            kind = tuple("#" if isinstance(key, int) else key for key in path)
            if path[0] == "events":
                kind = (trace["events"][path[1]]["type"], trace["events"][path[1]].get("name"), *kind)
            if kind in seen and draw_integer(number, *map(str, path), below=60):
                continue
            seen.add(kind)
            broken = copy.deepcopy(trace)
            parent = at(broken, path[:-1])
            parent[path[-1]] = edited(parent[path[-1]])
            found = replayer.replay(broken, task)
            assert found, path
    assert len(seen) > 60


def test_an_edit_is_located(recorded: list[tuple[dict[str, Any], Task]], replayer: Replayer) -> None:
    trace, task = recorded[1]
    broken = copy.deepcopy(trace)
    index = next(i for i, e in enumerate(trace["events"]) if e["type"] == "user_message" and e["verdict"])
    broken["events"][index]["verdict"] = (
        "accepted" if trace["events"][index]["verdict"] == "rejected" else "rejected"
    )
    assert [d.place for d in replayer.replay(broken, task)] == [f"events[{index}].verdict"]
    broken = copy.deepcopy(trace)
    broken["evaluation"]["success"] = not trace["evaluation"]["success"]
    assert [d.place for d in replayer.replay(broken, task)] == ["evaluation.success"]
    broken = copy.deepcopy(trace)
    talk = next(i for i, e in enumerate(trace["events"]) if e["type"] == "agent_message")
    broken["events"][talk]["text"] += " Thanks."
    assert replayer.replay(broken, task)[0].place == f"chain[{talk}]"


def test_added_missing_and_swapped_events_are_caught(
    recorded: list[tuple[dict[str, Any], Task]], replayer: Replayer
) -> None:
    trace, task = recorded[1]
    for index in range(len(trace["events"])):
        fewer = copy.deepcopy(trace)
        del fewer["events"][index]
        assert replayer.replay(fewer, task), index
        more = copy.deepcopy(trace)
        more["events"].insert(index, copy.deepcopy(trace["events"][index]))
        assert replayer.replay(more, task), index
        if index and trace["events"][index] != trace["events"][index - 1]:
            swapped = copy.deepcopy(trace)
            swapped["events"][index - 1 : index + 1] = swapped["events"][index - 1 : index + 1][::-1]
            assert replayer.replay(swapped, task), index


def test_another_spelling_or_task_or_size_is_caught(
    recorded: list[tuple[dict[str, Any], Task]], replayer: Replayer, tasks: list[Task]
) -> None:
    trace, task = recorded[0]

    def places(line: str, known: dict[str, Task], of: Callable[[str], Replayer]) -> list[str]:
        return [d.place for _, found in replay_lines([(line, json.loads(line))], known, of) for d in found]

    def absent(size: str) -> Replayer:
        raise Problem("no such catalog")

    known = {task.id: task}
    line = trace_line(trace)
    assert places(line, known, lambda size: replayer) == []
    assert places(line.replace('":', '": ', 1), known, lambda size: replayer) == ["bytes"]
    assert places(line, {}, lambda size: replayer) == ["identity.task"]
    assert places(line, known, absent) == ["identity.size"]
    assert places("{}", known, lambda size: replayer) == ["identity"]
    assert replayer.replay(trace, tasks[3]) != []


JUNK = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(junk=JUNK, part=st.sampled_from(["events", "caps", "identity", "digests", "chain", "ending"]))
def test_a_malformed_trace_is_a_difference_not_a_crash(
    recorded: list[tuple[dict[str, Any], Task]], replayer: Replayer, junk: Any, part: str
) -> None:
    trace, task = recorded[0]
    if junk != trace[part]:
        assert replayer.replay({**trace, part: junk}, task) != []


@pytest.mark.parametrize("ending", [Ending.CONTEXT_OVERFLOW, Ending.PROVIDER_ERROR, Ending.HARNESS_ERROR])
def test_reported_endings_replay(
    start: Start, catalog: Catalog, tasks: list[Task], replayer: Replayer, ending: Ending
) -> None:
    trial = start(tasks[0])
    trial.step(Say("What genre?"))
    trial.finish(ending, "why")
    trace = json.loads(trace_line(trace_of(trial, identity_of(tasks[0]), replayer.digests)))
    assert (trace["evaluation"] is None) == (not ending.scored)
    assert replayer.replay(trace, tasks[0]) == []
    trace["events"][-1]["reason"] = (
        "harness_error" if ending is not Ending.HARNESS_ERROR else "provider_error"
    )
    assert replayer.replay(trace, tasks[0]) != []


def test_a_running_trial_has_no_trace(start: Start, catalog: Catalog, tasks: list[Task]) -> None:
    with pytest.raises(Problem, match="not over"):
        trace_of(start(tasks[0]), identity_of(tasks[0]), CatalogDigests.of(catalog))


def test_the_trial_room_imports_nothing_of_agents() -> None:
    folder = Path(str(room.__file__)).parent
    allowed = {"core", "catalog", "tasks", "trial"}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                parts = name.split(".")
                assert parts[0] != "tau_rec_books" or parts[1] in allowed, (path.name, name)
                assert parts[0] not in ("random", "openai", "requests", "datetime"), (path.name, name)


def test_a_difference_reads_as_a_sentence() -> None:
    assert str(Difference("ending", '"a"', '"b"')) == 'ending: recorded "a", replayed "b"'
