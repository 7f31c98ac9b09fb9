"""A person at a real terminal: `play` is started in a pseudo-terminal and played to success."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tau_rec_books.catalog.books import BOOK_SCHEMA, Catalog, book_rows
from tau_rec_books.core.canonical import write_json, write_jsonl, write_parquet
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import wanted

PATIENCE = 90


class Terminal:
    """A program in a pseudo-terminal of 80 columns: type, wait for words, read the screen."""

    def __init__(self, *arguments: str | Path, cwd: Path) -> None:
        self.ours, theirs = pty.openpty()

        def controlling() -> None:
            """Make the terminal the one whose Ctrl-C interrupts the program."""
            # A shell in the background leaves Ctrl-C ignored to its children; a person's terminal does not.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24", "INPUTRC": os.devnull}
        self.program = subprocess.Popen(
            [sys.executable, "-m", "tau_rec_books", *map(str, arguments)],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=environment, start_new_session=True,
            preexec_fn=controlling,
        )  # fmt: skip
        os.close(theirs)
        self.screen = ""
        self._read = 0

    def wait_for(self, words: str) -> None:
        """Read until the words stand on the screen, after those waited for before."""
        assert self.come(words, PATIENCE), f"{words!r} never came: {self.screen}"

    def come(self, words: str, seconds: float) -> bool:
        """Whether the words come on the screen within some seconds."""
        end = time.monotonic() + seconds
        while words not in self.screen[self._read :]:
            ready, _, _ = select.select([self.ours], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return False
            try:
                data = os.read(self.ours, 65_536)
            except OSError:
                data = b""
            assert data, f"the program ended before {words!r}: {self.screen}"
            self.screen += data.decode("utf-8", "replace")
        self._read = self.screen.index(words, self._read) + len(words)
        return True

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode("utf-8"))

    def press_until(self, key: str, words: str) -> None:
        """Press a key until the words come, as a person would.

        A signal that arrives just before readline starts to wait is seen with the next key only.
        """
        for _ in range(6):
            self.type(key)
            if self.come(words, 15.0):
                return
        raise AssertionError(f"{words!r} never came: {self.screen}")

    def close(self) -> int:
        """Wait for the end of the program; its exit status."""
        try:
            while os.read(self.ours, 65_536):
                pass
        except OSError:
            pass
        return self.program.wait(PATIENCE)


@pytest.fixture(scope="module")
def results(catalog: Catalog, tasks: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("results")
    write_parquet(place / "catalog" / "1500.parquet", book_rows(catalog.books), BOOK_SCHEMA)
    write_json(place / "catalog" / "vocabulary.json", catalog.vocabulary.document())
    write_jsonl(place / "tasks" / "tasks.jsonl", (task.document() for task in tasks))
    return place


@pytest.fixture
def terminal(results: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*arguments: str) -> Terminal:
        opened.append(Terminal("play", "--results", results, "--size", "1500", *arguments, cwd=results))
        return opened[-1]

    yield start
    for one in opened:
        one.program.kill()
        one.program.wait()
        os.close(one.ours)


def test_a_person_plays_a_task_to_success_and_saves_it(
    terminal: Callable[..., Terminal], results: Path, catalog: Catalog, task_named: Callable[..., Task]
) -> None:
    task = task_named("mixed", lambda t: not t.nvr and t.accepted_formats is None)
    right = next(book for book in catalog.books if wanted(task, book, catalog.vocabulary))
    screen = terminal("--task", task.id)
    screen.wait_for("you> ")
    screen.type("Which genre, language, country, year and format would you like?\n")
    screen.wait_for("reader> ")
    screen.wait_for("you> ")
    screen.type(f'search genre="{task.predicates[0].value}" ye\t')
    screen.wait_for("year_m")
    screen.type("in=1\n")
    screen.wait_for("books, page 1 of")
    screen.wait_for("you> ")
    screen.type(f"propose {right.id} What about this one?\n")
    screen.wait_for("###ACCEPTED###")
    screen.wait_for("you> ")
    screen.type(f"recommend {right.id}\n")
    screen.wait_for("Success")
    screen.wait_for("Save the trace to")
    screen.type("mine.jsonl\n")
    screen.wait_for("Trace saved")
    assert screen.close() == 0
    trace = json.loads((results / "mine.jsonl").read_text(encoding="utf-8"))
    assert trace["evaluation"]["success"]
    replayed = subprocess.run(
        [sys.executable, "-m", "tau_rec_books", "replay", "mine.jsonl", "--results", "."],
        cwd=results,
        capture_output=True,
        text=True,
        check=False,
    )
    assert replayed.stdout == "1 trace replayed, 0 with differences\n"


@pytest.mark.parametrize("key", ["\x04", "\x03"])
@pytest.mark.parametrize("role", [(), ("--as-user",)])
def test_leaving_by_a_key_ends_without_a_traceback(
    terminal: Callable[..., Terminal], key: str, role: tuple[str, ...]
) -> None:
    screen = terminal(*role)
    screen.wait_for("you> ")
    screen.press_until(key, "You left")
    assert screen.close() == 0
    assert "Traceback" not in screen.screen
