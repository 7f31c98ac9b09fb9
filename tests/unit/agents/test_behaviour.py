"""Synthetic behaviour agents: labelled as such, drawn from the trial's identity, moved by their prompt."""

from typing import Any

import pytest

from tau_rec_books.agents.behaviour import Behaviour, policy_names
from tau_rec_books.agents.run import AGENTS, TrialRunner
from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.trace import Identity


@pytest.fixture(scope="module")
def runner(catalog: Catalog) -> TrialRunner:
    return TrialRunner(catalog, "1500", Caps())


def traces(runner: TrialRunner, tasks: list[Task], agent: str, prompt: str) -> list[dict[str, Any]]:
    return [
        runner.run(task, Identity("t", "b", agent, "structured", "1500", "rule-v1", prompt, task.id, n, 1))
        for task in tasks
        for n in range(1, 5)
    ]


def test_every_synthetic_agent_says_what_it_is() -> None:
    assert len(policy_names()) == 4
    assert all(name.startswith("synthetic-") and name in AGENTS for name in policy_names())


def test_repetitions_differ(runner: TrialRunner, tasks: list[Task]) -> None:
    mixed = [task for task in tasks if task.condition == "mixed"]
    spoken = {str(trace["events"]) for trace in traces(runner, mixed[:1] * 3, "synthetic-erratic", "")}
    assert len(spoken) > 1


@pytest.mark.parametrize("agent", policy_names())
def test_the_ask_prompt_draws_out_more_and_the_verify_prompt_proposes_more(
    runner: TrialRunner, tasks: list[Task], agent: str
) -> None:
    def total(prompt: str, count: str) -> int:
        mixed = [task for task in tasks if task.condition == "mixed"]
        return sum(
            trace["evaluation"]["diagnostics"][count] for trace in traces(runner, mixed, agent, prompt)
        )

    assert total("ask", "elicited") > total("", "elicited")
    assert total("ask-and-verify", "proposals") > total("ask", "proposals")


def test_an_unknown_prompt_is_a_problem() -> None:
    with pytest.raises(Problem, match="haiku"):
        Behaviour("synthetic-keen", "rule-v1", "haiku", "seed")
