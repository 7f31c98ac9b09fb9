"""Replay: rebuild a trial from the agent's actions alone and report every difference from its trace."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.canonical import json_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.endings import Ending
from tau_rec_books.trial.machine import Action, Batch, Call, Say, Trial
from tau_rec_books.trial.tools import INTERFACES, Interface, Tools
from tau_rec_books.trial.trace import CatalogDigests, Identity, trace_line, trace_of
from tau_rec_books.trial.user import profile

_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a trace and its replay disagree.

    Attributes:
        place: path in the trace, such as ``events[3].verdict``; ``chain[3]`` tells that ``events[3]`` (or,
            for ``chain[0]``, the caps) is not what it was when the trial was recorded.
        recorded: what the trace says, as canonical JSON, cut to a readable length.
        replayed: what the replay gives.
    """

    place: str
    recorded: str
    replayed: str

    def __str__(self) -> str:
        return f"{self.place}: recorded {self.recorded}, replayed {self.replayed}"


class Replayer:
    """Replays traces over the catalog of one size name; builds each search index once.

    What an agent wrote cannot be derived, so an edit of it shows in the chain of links.
    """

    def __init__(self, catalog: Catalog, size: str) -> None:
        self.catalog = catalog
        self.size = size
        self.digests = CatalogDigests.of(catalog)
        self._tools: dict[str, Tools] = {}

    def replay(self, trace: Mapping[str, Any], task: Task, line: str | None = None) -> list[Difference]:
        """Every difference between a trace and the trial that its actions give; empty when it holds.

        Args:
            trace, task: the recorded trial and what it was about.
            line: the line that holds the trace; given, its spelling must be the canonical one, too.
        """
        place = "trace"
        try:
            place = "identity"
            identity = Identity(**trace["identity"])
            place, interface = self._expected(identity, task)
            if interface is None:
                return [Difference(place, _cut(identity.document(), place.rpartition(".")[2]), "another one")]
            place = "identity.user"
            words = profile(identity.user)
            place = "caps"
            caps = Caps(**trace["caps"])
            place = "events"
            trial = Trial(task, self.catalog, interface, words, caps, self._tools_of(interface))
            _act(trial, trace["events"])
            rebuilt = trace_of(trial, identity, self.digests)
        except (Problem, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            what = str(error) if isinstance(error, Problem) else f"nothing ({error!r})"
            return [Difference(place, _cut(trace, place.partition(".")[0]), what)]
        # Equal bytes are the quick proof; the slow walk is only for finding out where they differ.
        if (_line_of(trace) if line is None else line) == trace_line(rebuilt):
            return []
        found = _without_later_links(differences(trace, rebuilt, ""))
        if not found and line is not None:
            return [Difference("bytes", "another spelling of the same JSON", "the canonical line")]
        return found

    def _expected(self, identity: Identity, task: Task) -> tuple[str, Interface | None]:
        """The interface of a trace, or the place of its identity that does not fit and ``None``."""
        if identity.task != task.id:
            return "identity.task", None
        if identity.size != self.size:
            return "identity.size", None
        interface = next((name for name in INTERFACES if name == identity.interface), None)
        return "identity.interface", interface

    def _tools_of(self, interface: Interface) -> Tools:
        if interface not in self._tools:
            self._tools[interface] = Tools(self.catalog, interface)
        return self._tools[interface]


def _act(trial: Trial, events: Sequence[Mapping[str, Any]]) -> None:
    """Repeat what the agent did.

    Raises:
        Problem: when it acts after the end.
    """
    for action, milliseconds, detail in actions(events):
        if trial.ended is not None:
            raise Problem(f"the agent acts after the trial has ended ({trial.ended})")
        if isinstance(action, Ending):
            trial.finish(action, detail)
        elif action is None:
            trial.wait(milliseconds)
        else:
            trial.step(action, milliseconds)


def _without_later_links(found: Iterable[Difference]) -> list[Difference]:
    """The differences without the links of the chain after the first wrong one, which follow from it."""
    kept = []
    links = 0
    for difference in found:
        if difference.place.startswith("chain["):
            links += 1
            if links > 1:
                continue
        kept.append(difference)
    return kept


def _line_of(trace: Mapping[str, Any]) -> str | None:
    """The canonical line of a trace; ``None`` for what no canonical line can hold, such as NaN."""
    try:
        return trace_line(trace)
    except (ValueError, TypeError):
        return None


def actions(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Action | Ending | None, int, str]]:
    """The agent's side of a trace: actions with milliseconds, silences as ``None``, reported endings."""
    groups: dict[int, list[Mapping[str, Any]]] = {}
    order: list[int] = []
    for index, event in enumerate(events):
        if event["type"] in ("agent_message", "tool_call", "silence"):
            key = event["message"]
        elif event["type"] == "stop":
            key = -1 - index
        else:
            continue
        if key not in groups:
            groups[key] = []
            order.append(key)
        groups[key].append(event)
    for key in order:
        yield _action(groups[key])


def _action(group: Sequence[Mapping[str, Any]]) -> tuple[Action | Ending | None, int, str]:
    first = group[0]
    milliseconds = first.get("milliseconds", 0)
    if first["type"] == "stop":
        return Ending(first["reason"]), 0, first["detail"]
    if first["type"] == "silence":
        return None, milliseconds, ""
    calls = tuple(
        Call(event["name"], event["arguments"], event["replaced_surrogates"])
        for event in group
        if event["type"] == "tool_call"
    )
    if first["type"] == "agent_message":
        text, replaced = first["text"], first["replaced_surrogates"]
        return (Batch(calls, text, replaced) if calls else Say(text, replaced)), milliseconds, ""
    return (calls[0] if len(calls) == 1 else Batch(calls)), milliseconds, ""


def differences(recorded: Any, replayed: Any, place: str) -> Iterator[Difference]:
    """Walk two JSON values together and yield each place where they differ, in document order."""
    if isinstance(recorded, Mapping) and isinstance(replayed, Mapping):
        for key in sorted({*recorded, *replayed}):
            inner = f"{place}.{key}" if place else str(key)
            if key not in recorded or key not in replayed:
                yield Difference(inner, _cut(recorded, key), _cut(replayed, key))
            else:
                yield from differences(recorded[key], replayed[key], inner)
    elif isinstance(recorded, list | tuple) and isinstance(replayed, list | tuple):
        for index in range(max(len(recorded), len(replayed))):
            inner = f"{place}[{index}]"
            if index >= len(recorded) or index >= len(replayed):
                yield Difference(inner, _cut(recorded, index), _cut(replayed, index))
            else:
                yield from differences(recorded[index], replayed[index], inner)
    elif type(recorded) is not type(replayed) or recorded != replayed:
        yield Difference(place, _cut([recorded], 0), _cut([replayed], 0))


def _cut(container: Any, key: Any) -> str:
    try:
        value = container[key]
    except (KeyError, IndexError):
        return "nothing"
    try:
        text = json_text(value)
    except (ValueError, TypeError):
        text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def replay_lines(
    lines: Iterable[tuple[str, Mapping[str, Any]]],
    tasks: Mapping[str, Task],
    replayer_of: Callable[[str], Replayer],
) -> Iterator[tuple[int, list[Difference]]]:
    """Replay the lines of a trace file: line number → differences, a non-canonical line among them.

    Args:
        lines: text with its line end, and the trace it holds.
        tasks: task id → task.
        replayer_of: size name → replayer over that catalog; a :class:`Problem` becomes a difference.
    """
    for number, (line, trace) in enumerate(lines, start=1):
        yield number, _replay_line(line, trace, tasks, replayer_of)


def _replay_line(
    line: str,
    trace: Mapping[str, Any],
    tasks: Mapping[str, Task],
    replayer_of: Callable[[str], Replayer],
) -> list[Difference]:
    identity = trace.get("identity")
    if not isinstance(identity, Mapping):
        return [Difference("identity", "nothing", "an identity")]
    task = tasks.get(str(identity.get("task")))
    if task is None:
        return [Difference("identity.task", repr(identity.get("task")), "a known task")]
    try:
        replayer = replayer_of(str(identity.get("size")))
    except Problem as problem:
        return [Difference("identity.size", repr(identity.get("size")), str(problem))]
    return replayer.replay(trace, task, line)
