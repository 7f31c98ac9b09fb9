"""A fetch that is killed at any point goes on where it was, and ends as if nothing had happened."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import fault_server as faults
import pytest
from fault_bench import EPOCH, tree_hashes

from tau_rec_books.wikidata.queries import QUERY_NAMES

pytestmark = pytest.mark.endpoint


def command(url: str, root: Path, *more: str) -> list[str]:
    program = [sys.executable, "-m", "tau_rec_books", "fetch"]
    options = ["--endpoint", url, "--endpoint-name", "tiny world", "--backoff", "0.05", "--id", "new"]
    return [*program, *options, "--folder", str(root / "snapshots"), "--logs", str(root / "logs"), *more]


def environment() -> dict[str, str]:
    return {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}


def run(url: str, root: Path, *more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(url, root, *more), env=environment(), capture_output=True, text=True, timeout=120
    )


def late_for_crime(question: faults.Question, before: int) -> faults.Reply | None:
    """One query is always split, so that pages are among what is interrupted."""
    return faults.status(504) if question.page == ("05-crime", 0, 1) else None


@pytest.fixture(scope="module")
def uninterrupted(fault_endpoint: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a snapshot taken in one go."""
    root = tmp_path_factory.mktemp("uninterrupted")
    fault_endpoint.reset(late_for_crime)
    done = run(fault_endpoint.url, root)
    assert done.returncode == 0, done.stderr
    return root / "snapshots"


def finished(root: Path) -> set[str]:
    return {path.stem for path in (root / "snapshots" / ".new.partial" / "state").glob("*.json")}


def stem(question: faults.Question) -> str:
    page = f".{question.remainder:02}of{question.modulus:02}" if question.modulus > 1 else ""
    return question.name + page


def test_killed_again_and_again_it_ends_with_the_same_bytes(
    fault_endpoint: Any, tmp_path: Path, uninterrupted: Path
) -> None:
    """Killed after every fourth question, each time a little later in the handling of its answer."""
    fault_endpoint.reset(late_for_crime)
    kills = 0
    for number in range(40):
        known = finished(tmp_path)
        seen = len(fault_endpoint.asked)
        process = subprocess.Popen(
            command(fault_endpoint.url, tmp_path),
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while process.poll() is None and len(fault_endpoint.asked) < seen + 4:
                time.sleep(0.001)
            time.sleep(0.005 * number)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        asked = {stem(question) for question in fault_endpoint.asked[seen:]}
        assert not asked & known, "a finished response was asked for again"
        if process.returncode == 0:
            break
        kills += 1
        names = {path.name for path in (tmp_path / "snapshots").iterdir()}
        assert names <= {".new.partial", "new", "index.csv"}
        if "new" in names:
            break
    done = run(fault_endpoint.url, tmp_path)
    assert done.returncode == 0 or "exists already" in done.stderr
    assert kills >= 3
    assert tree_hashes(tmp_path / "snapshots") == tree_hashes(uninterrupted)
    assert fault_endpoint.hits("05-crime") == 1, "what was split is not asked whole again"
    repeated = Counter(question.page for question in fault_endpoint.asked if question.name in QUERY_NAMES)
    assert sum(count - 1 for count in repeated.values()) <= kills


def test_a_body_that_came_in_full_is_judged_without_asking_again(
    fault_endpoint: Any, tmp_path: Path, uninterrupted: Path
) -> None:
    from tau_rec_books.core.digest import sha256_text
    from tau_rec_books.wikidata.layout import Part
    from tau_rec_books.wikidata.partial import PartialSnapshot
    from tau_rec_books.wikidata.response import Exchange

    ban = faults.status(403, faults.BANNED)
    fault_endpoint.reset(lambda question, before: ban if question.name == "03-childrens-literature" else None)
    assert run(fault_endpoint.url, tmp_path).returncode == 2
    query = next(q.query for q in fault_endpoint.asked if q.name == "03-childrens-literature")
    partial = PartialSnapshot(tmp_path / "snapshots", "new")
    held = Part("03-childrens-literature").stem
    partial.body_file(held).write_bytes(fault_endpoint.good(query))
    partial.hold(held, sha256_text(query), Exchange(200, {"content-type": faults.JSON}))
    fault_endpoint.reset(late_for_crime)
    done = run(fault_endpoint.url, tmp_path)
    assert done.returncode == 0, done.stderr
    assert fault_endpoint.hits("03-childrens-literature") == 0
    assert tree_hashes(tmp_path / "snapshots") == tree_hashes(uninterrupted)


def test_killed_between_naming_and_tidying_up_it_is_complete_and_gets_listed(
    fault_endpoint: Any, tmp_path: Path, uninterrupted: Path
) -> None:
    shutil.copytree(uninterrupted, tmp_path / "snapshots")
    (tmp_path / "snapshots" / "index.csv").unlink()
    (tmp_path / "snapshots" / ".new.partial" / "state").mkdir(parents=True)
    fault_endpoint.reset()
    done = run(fault_endpoint.url, tmp_path)
    assert done.returncode == 0, done.stderr
    assert fault_endpoint.asked == []
    assert tree_hashes(tmp_path / "snapshots") == tree_hashes(uninterrupted)


def test_an_existing_snapshot_is_refused_without_asking(
    fault_endpoint: Any, tmp_path: Path, uninterrupted: Path
) -> None:
    shutil.copytree(uninterrupted, tmp_path / "snapshots")
    fault_endpoint.reset()
    done = run(fault_endpoint.url, tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "exists already" in done.stderr
    assert fault_endpoint.asked == []
    assert tree_hashes(tmp_path / "snapshots") == tree_hashes(uninterrupted)


def test_another_endpoint_agent_or_id_does_not_go_on_with_a_begun_fetch(
    fault_endpoint: Any, tmp_path: Path
) -> None:
    ban = faults.status(403, faults.BANNED)
    fault_endpoint.reset(lambda question, before: ban if question.name == "03-childrens-literature" else None)
    assert run(fault_endpoint.url, tmp_path).returncode == 2
    before = tree_hashes(tmp_path / "snapshots")
    fault_endpoint.reset(lambda question, before: ban if question.name == "02-biography-and-memoir" else None)
    agent = run(fault_endpoint.url, tmp_path, "--contact", "someone@example.org")
    assert agent.returncode == 2 and "begun with another user agent" in agent.stderr
    endpoint = run(fault_endpoint.url, tmp_path, "--endpoint-name", "elsewhere")
    assert endpoint.returncode == 2 and "begun with another endpoint" in endpoint.stderr
    assert fault_endpoint.asked == []
    assert tree_hashes(tmp_path / "snapshots") == before
    over = run(fault_endpoint.url, tmp_path, "--endpoint-name", "elsewhere", "--start-over")
    assert over.returncode == 2 and "banned until" in over.stderr
    assert fault_endpoint.hits("01-adventure") == 1
    assert finished(tmp_path) == {"01-adventure"}


def test_the_plan_shows_what_is_done_and_asks_nothing(fault_endpoint: Any, tmp_path: Path) -> None:
    ban = faults.status(403, faults.BANNED)
    late = faults.status(504)
    replies = {("02-biography-and-memoir", 0, 1): late, ("02-biography-and-memoir", 1, 2): ban}
    fault_endpoint.reset(lambda question, before: replies.get(question.page))
    assert run(fault_endpoint.url, tmp_path).returncode == 2
    before = tree_hashes(tmp_path)
    fault_endpoint.reset()
    done = run(fault_endpoint.url, tmp_path, "--dry-run")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 21
    assert lines[0].split()[:2] == ["01-adventure", "done"]
    assert lines[1].split()[:2] == ["02-biography-and-memoir", "begun"] and "2 pages" in lines[1]
    assert [line.split(maxsplit=1)[1] for line in lines[2:]] == ["to ask"] * 19
    assert fault_endpoint.asked == []
    assert tree_hashes(tmp_path) == before


def test_two_fetches_of_one_id_do_not_run_at_once(fault_endpoint: Any, tmp_path: Path) -> None:
    fault_endpoint.reset(lambda question, before: faults.silent if question.name == "01-adventure" else None)
    running = subprocess.Popen(
        command(fault_endpoint.url, tmp_path), env=environment(), stderr=subprocess.DEVNULL
    )
    try:
        while not fault_endpoint.hits("01-adventure"):
            assert running.poll() is None
            time.sleep(0.01)
        second = run(fault_endpoint.url, tmp_path)
    finally:
        running.kill()
        running.wait()
    assert second.returncode == 2
    assert "Another fetch of new is running" in second.stderr


def test_interrupted_from_the_keyboard_it_says_how_to_go_on(fault_endpoint: Any, tmp_path: Path) -> None:
    fault_endpoint.reset(
        lambda question, before: faults.silent if question.name == "02-biography-and-memoir" else None
    )
    running = subprocess.Popen(
        command(fault_endpoint.url, tmp_path), env=environment(), stderr=subprocess.PIPE, text=True
    )
    while not fault_endpoint.hits("02-biography-and-memoir"):
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "run the same command to go on" in told and "Traceback" not in told
    assert finished(tmp_path) == {"01-adventure"}


def test_what_a_killed_run_was_writing_does_not_get_into_the_snapshot(
    fault_endpoint: Any, tmp_path: Path, uninterrupted: Path
) -> None:
    ban = faults.status(403, faults.BANNED)
    fault_endpoint.reset(lambda question, before: ban if question.name == "03-childrens-literature" else None)
    assert run(fault_endpoint.url, tmp_path).returncode == 2
    partial = tmp_path / "snapshots" / ".new.partial"
    for folder in ("snapshot/responses", "snapshot/queries", "state", "received"):
        (partial / folder / ".09-horror.abc123.part").write_bytes(b"half")
    fault_endpoint.reset(late_for_crime)
    done = run(fault_endpoint.url, tmp_path)
    assert done.returncode == 0, done.stderr
    assert tree_hashes(tmp_path / "snapshots") == tree_hashes(uninterrupted)
