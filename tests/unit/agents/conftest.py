"""Fixtures of the agents: a drawn catalog, tasks over it, and tools that tests share."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.machine import Trial
from tau_rec_books.trial.tools import Interface, Tools
from tau_rec_books.trial.user import profile

_spec = importlib.util.spec_from_file_location(
    "drawn_tasks", Path(__file__).parents[1] / "trial" / "drawn_tasks.py"
)
assert _spec is not None
assert _spec.loader is not None
drawn_tasks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(drawn_tasks)


@pytest.fixture(scope="session")
def catalog(catalog_of: Callable[[int], Catalog]) -> Catalog:
    """A drawn catalog of 1,500 books."""
    return catalog_of(1500)


@pytest.fixture(scope="session")
def tasks(catalog: Catalog) -> list[Task]:
    """Tasks of twelve families over the drawn catalog, three conditions each."""
    return drawn_tasks.draw_tasks(catalog)


@pytest.fixture(scope="session")
def task_named(tasks: list[Task]) -> Callable[..., Task]:
    """Function that finds a task by condition and by a property of it."""

    def find(condition: str, suits: Callable[[Task], bool] = lambda task: not task.nvr) -> Task:
        return next(task for task in tasks if task.condition == condition and suits(task))

    return find


@pytest.fixture(scope="session")
def tools_of(catalog: Catalog) -> Callable[[Interface], Tools]:
    """Function that gives the tools of an interface, built once."""
    built: dict[str, Tools] = {}

    def of(interface: Interface) -> Tools:
        if interface not in built:
            built[interface] = Tools(catalog, interface)
        return built[interface]

    return of


@pytest.fixture(scope="session")
def start(catalog: Catalog, tools_of: Callable[[Interface], Tools]) -> Callable[..., Trial]:
    """Function that starts a trial of a task."""

    def begin(task: Task, interface: Interface = "structured", **caps: int) -> Trial:
        return Trial(task, catalog, interface, profile("rule-v1"), Caps(**caps), tools_of(interface))

    return begin
