"""A SPARQL endpoint on loopback: N-Triples files served over HTTP by the Oxigraph server.

The server is the program that the Python package ``oxigraph`` installs beside the interpreter. The data
live in a temporary store, which goes away with the server.
"""

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tau_rec_books.core.errors import Problem

HOST = "127.0.0.1"
ENDINGS = (".nt", ".nt.gz")
"""File names that can be served: N-Triples, plain or gzip-compressed."""

START_SECONDS = 60.0
STOP_SECONDS = 10.0
_FREE_PORT_ATTEMPTS = 5
_LOAD_ERROR = re.compile(r"^Error while loading file (?P<file>.+?): (?P<reason>.+)$", re.MULTILINE)
_LINE = re.compile(r"at line (\d+)")


def server_program() -> Path:
    """Where the Oxigraph server is: beside the running Python first, then on PATH.

    Raises:
        Problem: when it is not installed.
    """
    beside = Path(sys.executable).parent / "oxigraph"
    if beside.is_file():
        return beside
    found = shutil.which("oxigraph")
    if found is None:
        raise Problem(
            f"The SPARQL server 'oxigraph' is neither beside {sys.executable} nor on PATH; "
            "install the Python package oxigraph into this environment."
        )
    return Path(found)


@contextlib.contextmanager
def serve(files: Sequence[Path], port: int | None = None) -> Iterator[str]:
    """Serve N-Triples files as one SPARQL endpoint while the block runs.

    Args:
        files: files ending in ``.nt`` or ``.nt.gz``; their triples go into one default graph.
        port: a port of the loopback interface, or ``None`` for any free one.

    Yields:
        The URL that takes SPARQL queries, once it answers.

    Raises:
        Problem: when a file is missing or not N-Triples (its line is named), the port is taken or the server
            does not start. No process and no store is left behind, however the block ends.
    """
    program = server_program()
    _check_files(files)
    if port is not None:
        _check_port(port)
    with tempfile.TemporaryDirectory(prefix="tau-rec-books-endpoint-") as folder:
        store = Path(folder) / "store"
        _load(program, store, files)
        log = Path(folder) / "server.log"
        process, chosen = _start(program, store, log, port)
        try:
            yield f"http://{HOST}:{chosen}/query"
        finally:
            _stop(process)


def serve_until_stopped(files: Sequence[Path], port: int | None, announce: Callable[[str], object]) -> None:
    """Serve files until Ctrl-C or SIGTERM; ``announce`` is called with the URL once the endpoint answers.

    Raises:
        Problem: as :func:`serve`.
    """
    stopped = threading.Event()

    def stop(number: int, frame: object) -> None:
        if not stopped.is_set():
            stopped.set()
            raise _Stopped

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with serve(files, port) as url:
            announce(url)
            while not stopped.wait(3600):
                pass
    except _Stopped:
        pass
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


class _Stopped(BaseException):
    """Ctrl-C or SIGTERM has asked the endpoint to end; unwinds to :func:`serve_until_stopped`."""


def _check_files(files: Sequence[Path]) -> None:
    """Every file is there and is called N-Triples."""
    if not files:
        raise Problem("There is nothing to serve; name at least one N-Triples file.")
    for file in files:
        if not file.is_file():
            raise Problem(
                f"{file} does not exist; make it with `tau-rec-books make-world` or check the path."
            )
        if not file.name.endswith(ENDINGS):
            raise Problem(f"{file} is not called *.nt or *.nt.gz; only N-Triples files can be served.")


def _check_port(port: int) -> None:
    """Whether the port can be bound now; the server's own message for it is a stack trace."""
    if not 1 <= port <= 65535:
        raise Problem(f"{port} is not a port; choose one from 1 to 65535, or leave it out for a free one.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise Problem(
                f"Port {port} of {HOST} cannot be used ({error.strerror}); choose another with --port, "
                "or leave it out for a free one."
            ) from error


def _free_port() -> int:
    """A port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        number = probe.getsockname()[1]
    assert isinstance(number, int)
    return number


def _load(program: Path, store: Path, files: Sequence[Path]) -> None:
    """Fill the store; a file that is not N-Triples stops it."""
    command = [str(program), "load", "--location", str(store), "--file", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return
    error = _LOAD_ERROR.search(done.stderr)
    if error is None:
        raise Problem(
            f"The SPARQL server could not load {', '.join(map(str, files))}: {_first_line(done.stderr)}."
        )
    line = _LINE.search(error["reason"])
    where = f"{error['file']}, line {line[1]}," if line else error["file"]
    reason = error["reason"].split(": ")[-1]
    raise Problem(f"{where} is not valid N-Triples ({reason}); mend it or make the file again.")


def _start(program: Path, store: Path, log: Path, port: int | None) -> tuple["subprocess.Popen[bytes]", int]:
    """Start the server and wait until it answers; a free port taken meanwhile by others is tried again."""
    message = ""
    for _ in range(_FREE_PORT_ATTEMPTS if port is None else 1):
        number = _free_port() if port is None else port
        command = [str(program), "serve-read-only", "--location", str(store), "--bind", f"{HOST}:{number}"]
        with log.open("wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            if _answers(process, number):
                return process, number
        except BaseException:
            _stop(process)
            raise
        _stop(process)
        message = _first_line(log.read_text(encoding="utf-8", errors="replace"))
    raise Problem(
        f"The SPARQL server did not start on {HOST}:{number} ({message or 'no message'}); "
        "try again, or choose another port."
    )


def _answers(process: "subprocess.Popen[bytes]", port: int) -> bool:
    """Wait until the server answers a query; false when it has ended or stays silent."""
    # Proxies of the environment must not see loopback requests.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    url = f"http://{HOST}:{port}/query?" + urllib.parse.urlencode({"query": "ASK {}"})
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with opener.open(url, timeout=5) as response:
                if response.status == 200 and process.poll() is None:
                    return True
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.02)
    return False


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the server, by force if it does not obey, and reap it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def _first_line(text: str) -> str:
    """The first line that tells an error, without its final stop."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("Error")] or lines
    return errors[0].rstrip(".") if errors else ""
