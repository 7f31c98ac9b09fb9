"""Reference agents and controls: what each is expected to solve."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tau_rec_books.agents import eliminating, hypotheses, reference, shelf
from tau_rec_books.agents.hypotheses import Hypotheses, label_options, year_options
from tau_rec_books.agents.reading import Facts
from tau_rec_books.agents.run import AGENTS, TrialRunner, make_agent
from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.replay import Replayer
from tau_rec_books.trial.trace import Identity, trace_line

Play = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def runner(catalog: Catalog) -> TrialRunner:
    return TrialRunner(catalog, "1500", Caps())


@pytest.fixture(scope="module")
def play(runner: TrialRunner) -> Play:
    def one(agent: str, task: Task, interface: str = "structured", repetition: int = 1) -> dict[str, Any]:
        identity = Identity("t", "b", agent, interface, "1500", "rule-v1", "", task.id, repetition, 1)
        return runner.run(task, identity)

    return one


@pytest.mark.parametrize("agent", ["popularity", "eliminating"])
def test_every_volunteer_and_mixed_task_is_solved(play: Play, tasks: list[Task], agent: str) -> None:
    for task in tasks:
        if task.condition != "hidden":
            assert play(agent, task)["evaluation"]["success"], task.id


def test_the_oracle_solves_every_task(play: Play, tasks: list[Task]) -> None:
    for task in tasks:
        for interface in ("structured", "keyword"):
            assert play("oracle", task, interface)["evaluation"]["success"], task.id


def test_always_abstaining_solves_exactly_the_tasks_without_an_answer(play: Play, tasks: list[Task]) -> None:
    for task in tasks:
        assert play("always-abstain", task)["evaluation"]["success"] == task.nvr


def test_never_asking_solves_volunteers_and_elicits_nothing(play: Play, tasks: list[Task]) -> None:
    for task in tasks:
        found = play("no-ask", task)["evaluation"]
        assert found["diagnostics"]["elicited"] == 0
        if task.condition == "volunteer":
            assert found["success"]


def test_elimination_solves_at_least_as_many_hidden_tasks_as_popularity(
    play: Play, tasks: list[Task]
) -> None:
    hidden = [task for task in tasks if task.condition == "hidden"]
    solved = {
        agent: sum(play(agent, task)["evaluation"]["success"] for task in hidden)
        for agent in ("popularity", "eliminating")
    }
    assert solved["eliminating"] >= solved["popularity"]


@pytest.mark.parametrize("agent", sorted(AGENTS))
@pytest.mark.parametrize("interface", ["structured", "keyword"])
def test_every_trial_ends_scored_and_replays(
    play: Play, tasks: list[Task], catalog: Catalog, agent: str, interface: str
) -> None:
    replayer = Replayer(catalog, "1500")
    for task in tasks[::3][:4] + tasks[2::9]:
        trace = play(agent, task, interface)
        assert trace["evaluation"] is not None, trace["events"][-1]
        assert replayer.replay(trace, task) == []


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_the_same_identity_gives_the_same_bytes(play: Play, tasks: list[Task], agent: str) -> None:
    for task in tasks[2:9:3]:
        assert trace_line(play(agent, task)) == trace_line(play(agent, task))


def test_random_books_differ_by_repetition(play: Play, tasks: list[Task]) -> None:
    drawn = {play("random", tasks[0], repetition=number)["recommended"] for number in range(1, 9)}
    assert len(drawn) > 4


def test_no_proposal_is_a_read_book(play: Play, tasks: list[Task]) -> None:
    for task in tasks:
        for agent in ("popularity", "eliminating", "no-ask"):
            trace = play(agent, task)
            proposed = [a["item_id"] for e in trace["events"] for a in e.get("acts", ()) if "item_id" in a]
            assert not set(task.history) & {*proposed, trace["recommended"]}


def test_an_agent_that_fails_leaves_a_pending_trial(
    monkeypatch: pytest.MonkeyPatch, play: Play, tasks: list[Task]
) -> None:
    class Broken:
        name = "broken"

        def run(self, conversation: object) -> None:
            raise ZeroDivisionError

    class Silent(Broken):
        def run(self, conversation: object) -> None:
            return None

    for made, detail in ((Broken, "ZeroDivisionError"), (Silent, "the agent stopped without an ending")):
        monkeypatch.setitem(AGENTS, "broken", lambda setting, made=made: made())
        trace = play("broken", tasks[0])
        assert trace["ending"] == "harness_error"
        assert trace["evaluation"] is None
        assert trace["events"][-1]["detail"] == detail


def test_a_spent_budget_is_waited_out(catalog: Catalog, tasks: list[Task]) -> None:
    tight = TrialRunner(catalog, "1500", Caps(tool_calls_per_turn=2, tool_calls_beyond=3))
    task = next(task for task in tasks if task.condition == "mixed" and not task.nvr)
    identity = Identity("t", "b", "eliminating", "structured", "1500", "rule-v1", "", task.id, 1, 1)
    assert tight.run(task, identity)["evaluation"]["success"]


def test_unknown_agents_interfaces_and_profiles_are_problems(runner: TrialRunner, tasks: list[Task]) -> None:
    def run(**changed: str) -> None:
        settings = {"agent": "no-ask", "interface": "keyword", "user": "rule-v1"} | changed
        runner.run(
            tasks[0],
            Identity(
                "t", "b", **settings, size="1500", prompt="", task="x", repetition=1, protocol_version=1
            ),
        )

    for name, value in (("agent", "genius"), ("interface", "voice"), ("user", "rule-v9")):
        with pytest.raises(Problem, match=value):
            run(**{name: value})


def test_agents_have_no_way_to_the_task() -> None:
    for module in (reference, eliminating, hypotheses, shelf):
        source = inspect.getsource(module)
        assert "._trial" not in source
        assert "families" not in source
        assert "predicates" not in source.replace("predicates, ", "")


def record(**values: object) -> dict[str, Any]:
    return {"genres": ["War"], "languages": ["French"], "countries": [], "year": 1950, **values}


ENGLISH = {"British English": ("English",)}
AT_HAND = [
    *[record(languages=["British English"])] * 4,
    *[record(countries=["France"])] * 3,
    *[record(languages=["Polish"])] * 2,
    *[record(languages=["French", "British English"], countries=["France"])] * 1,
]


def test_a_rejected_book_rules_out_what_it_meets_and_nothing_else() -> None:
    possible = Hypotheses([label_options("language", [], ENGLISH, AT_HAND)])
    british, french = record(languages=["British English"]), record()
    assert possible.fitting(british) == 5 + 5 + 5
    assert possible.fitting(french) == 4
    possible.reject(record(languages=["English"]))
    assert possible.fitting(british) == 5 + 5
    possible.reject(french)
    assert possible.fitting(french) == 0
    assert possible.fitting(record(languages=["French", "English"])) == 4


def test_a_label_hardly_any_book_carries_is_no_hypothesis() -> None:
    possible = Hypotheses([label_options("language", [], ENGLISH, AT_HAND)])
    assert possible.fitting(record(languages=["Polish"])) == 0


def test_known_labels_are_no_hypotheses() -> None:
    books = [record(genres=["Crime", "Horror", "War"])] * 3
    options = label_options("genre", ["War"], {}, books)
    assert options(record()) == []
    assert [option for option, _ in options(books[0])] == [("Crime",), ("Horror",), ("Crime", "Horror")]


def test_year_bounds_known_leave_the_other_bound() -> None:
    books = [record(year=year) for year in (1900, 1950, 2000)]
    assert len(year_options(books, Facts())(record(year=1950))) == 2 + 2 + 3
    upper = year_options(books, Facts(year_min=1900))
    assert len(upper(record(year=1900))) == 3
    assert len(upper(record(year=2000))) == 1


def test_weights_multiply_over_fields() -> None:
    fields = [label_options(field, [], {}, AT_HAND) for field in ("language", "country")]
    possible = Hypotheses(fields)
    both = record(languages=["French", "British English"], countries=["France"])
    assert possible.fitting(both) == (4 + 5 + 4) * 4
    possible.reject(record(countries=["France"]))
    assert possible.fitting(both) == (5 + 4) * 4
    assert possible.fitting(record()) == 0


def test_make_agent_names_what_there_is() -> None:
    with pytest.raises(Problem, match="popularity"):
        make_agent("x", None)  # type: ignore[arg-type]
