"""The SPARQL endpoint: a real server over HTTP, gone without a trace afterwards."""

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from tau_rec_books.core.errors import Problem
from tau_rec_books.world.endpoint import serve, server_program
from tau_rec_books.world.ntriples import literal

pytestmark = pytest.mark.endpoint

TRIPLE = '<http://example.org/{0}> <http://example.org/says> "{0}" .\n'


def ask(url: str, query: str) -> list[dict[str, str]]:
    """Rows of a SELECT query, by POST as clients do it."""
    request = urllib.request.Request(
        url,
        data=urllib.parse.urlencode({"query": query}).encode(),
        headers={"Accept": "application/sparql-results+json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as response:
        bindings = json.load(response)["results"]["bindings"]
    return [{name: cell["value"] for name, cell in row.items()} for row in bindings]


def is_open(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(urllib.parse.urlsplit(url).port or 0))) == 0


def stores(folder: Path) -> list[Path]:
    return sorted(folder.glob("tau-rec-books-endpoint-*"))


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of our own for temporary files, so that leftovers can be seen."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.nt"
    path.write_text(TRIPLE.format("one"), encoding="utf-8")
    return path


def test_it_answers_a_query_and_leaves_nothing_behind(file: Path, temporary: Path) -> None:
    with serve([file]) as url:
        assert ask(url, "SELECT ?o { ?s ?p ?o }") == [{"o": "one"}]
        assert len(stores(temporary)) == 1
    assert not is_open(url)
    assert stores(temporary) == []


def test_several_files_are_one_graph_and_may_be_compressed(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "more.nt.gz"
    other.write_bytes(gzip.compress(TRIPLE.format("two").encode(), mtime=0))
    with serve([file, other]) as url:
        rows = ask(url, "SELECT ?o { ?s ?p ?o } ORDER BY ?o")
    assert [row["o"] for row in rows] == ["one", "two"]


def test_an_exception_in_the_block_ends_the_server(file: Path, temporary: Path) -> None:
    address = ""
    with pytest.raises(KeyboardInterrupt), serve([file]) as url:
        address = url
        raise KeyboardInterrupt
    assert not is_open(address)
    assert stores(temporary) == []


def test_every_character_survives_the_way_through_the_server(tmp_path: Path) -> None:
    texts = [chr(code) for code in range(1, 0x300)] + [
        '"\\\n\r\t',
        "\\u0041",
        "İ",
        "🦊",
        "\u200f",
        "日本語",
        " ",
    ]
    path = tmp_path / "characters.nt"
    path.write_text(
        "".join(f"<http://e.org/{n}> <http://e.org/p> {literal(text)} .\n" for n, text in enumerate(texts)),
        encoding="utf-8",
        newline="\n",
    )
    with serve([path]) as url:
        rows = ask(url, "SELECT ?s ?o { ?s ?p ?o }")
    found = {int(row["s"].rsplit("/", 1)[1]): row["o"] for row in rows}
    assert [found[number] for number in range(len(texts))] == texts


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"nowhere\.nt does not exist"), serve([tmp_path / "nowhere.nt"]):
        pass


def test_a_file_of_another_kind_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n", encoding="utf-8")
    with pytest.raises(Problem, match=r"table\.csv is not called \*\.nt"), serve([path]):
        pass


def test_no_file_at_all_is_one_sentence() -> None:
    with pytest.raises(Problem, match="nothing to serve"), serve([]):
        pass


def test_invalid_triples_are_named_by_line(file: Path, temporary: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.nt"
    path.write_text(TRIPLE.format("one") * 2 + "<http://a> <http://b> oops .\n", encoding="utf-8")
    with (
        pytest.raises(Problem, match=r"bad\.nt, line 3, is not valid N-Triples") as caught,
        serve([file, path]),
    ):
        pass
    assert "\n" not in str(caught.value)
    assert stores(temporary) == []


def test_a_file_that_is_only_called_compressed_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "fake.nt.gz"
    path.write_text(TRIPLE.format("one"), encoding="utf-8")
    with pytest.raises(Problem, match=r"fake\.nt\.gz") as caught, serve([path]):
        pass
    assert "\n" not in str(caught.value)


def test_a_taken_port_is_one_sentence(file: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Problem, match=f"Port {port} .* --port"), serve([file], port):
            pass


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_number_that_is_no_port_is_one_sentence(file: Path, port: int) -> None:
    with pytest.raises(Problem, match="is not a port"), serve([file], port):
        pass


def test_a_chosen_port_is_used_again_at_once(file: Path) -> None:
    with serve([file]) as url:
        port = urllib.parse.urlsplit(url).port
    with serve([file], port) as again:
        assert again == url


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_verb_serves_until_it_is_told_to_stop(
    file: Path, temporary: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "tau_rec_books", "endpoint", str(file)]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/query", url)
        assert ask(url, "SELECT ?o { ?s ?p ?o }") == [{"o": "one"}]
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    deadline = time.monotonic() + 5
    while is_open(url) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_open(url)
    assert stores(temporary) == []


def test_the_verb_tells_a_problem_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tau_rec_books", "endpoint", str(tmp_path / "none.nt")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert re.fullmatch(r"tau-rec-books: .*none\.nt does not exist.*\n", done.stderr)


def test_the_server_comes_with_the_environment() -> None:
    assert server_program().is_file()
