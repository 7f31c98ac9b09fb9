"""A real HTTP server on loopback that answers as public query services do on their bad days.

It stands before a real SPARQL endpoint and passes questions through, except where a test's plan puts one of
the replies below in their place.
"""

import gzip
import json
import re
import socket
import struct
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tau_rec_books.wikidata.queries import QUERY_NAMES, genre_of_query, genre_query
from tau_rec_books.wikidata.tables import genre_qids

JSON = "application/sparql-results+json"
_PAGE = re.compile(r" - (\d+) \* FLOOR\([^\n]*\) = (\d+)\)")
_GENRES = re.compile(r"VALUES \?genre \{([^}]*)\}")

TRACE = (
    "SPARQL-QUERY: queryStr=SELECT DISTINCT ?subject WHERE { ... }\n"
    "java.util.concurrent.TimeoutException\n"
    "\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)\n"
    "\tat com.bigdata.rdf.sail.webapp.BigdataServlet.submitApiTask(BigdataServlet.java:292)\n"
)
CRASH = (
    "java.lang.NullPointerException\n"
    "\tat org.example.query.Evaluate.run(Evaluate.java:71)\n"
    "\tat java.lang.Thread.run(Thread.java:829)\n"
)
POLICY = (
    "Please set a user-agent and respect our robot policy https://example.org/policy. See also T400119.\n"
)
BANNED = (
    "You have been banned until 2030-01-01T00:00:00Z, please respect throttling and retry-after headers.\n"
)


@dataclass(frozen=True)
class Question:
    """What was asked: a query (``labels`` for either label query, ``date`` for dateModified) and its page."""

    name: str
    remainder: int
    modulus: int
    agent: str
    accept: str
    at: float
    query: str = field(repr=False)

    @property
    def page(self) -> tuple[str, int, int]:
        return (self.name, self.remainder, self.modulus)


class Wire:
    """The connection of one question; a reply may write to it whatever it likes."""

    def __init__(self, handler: BaseHTTPRequestHandler, good: Callable[[], bytes]) -> None:
        self._handler = handler
        self.good = good

    def answer(self, status: int, body: bytes, content_type: str, **headers: str) -> None:
        fields = {"Content-Type": content_type, "Content-Length": str(len(body))}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        self.head(status, **fields)
        self.write(body)

    def head(self, status: int, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", f"Date: {formatdate(usegmt=True)}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.write("\r\n".join([*lines, "", ""]).encode())

    def write(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._handler.connection.close()


Reply = Callable[[Wire], None]
Plan = Callable[[Question, int], Reply | None]
"""Chooses a reply for a question that was asked so many times before; ``None`` passes it through."""


def status(code: int, text: str = "", content_type: str = "text/plain", **headers: str) -> Reply:
    return lambda wire: wire.answer(code, text.encode(), content_type, **headers)


def too_many(retry_after: str | None, text: str = "Too Many Requests") -> Reply:
    return status(429, text, **({} if retry_after is None else {"Retry_After": retry_after}))


def too_many_until(seconds: float) -> Reply:
    """429 whose Retry-After is an HTTP date."""
    return lambda wire: too_many(formatdate(time.time() + seconds, usegmt=True))(wire)


def body(change: Callable[[bytes], bytes], content_type: str = JSON, **headers: str) -> Reply:
    """200 with what a change makes of the good body."""
    return lambda wire: wire.answer(200, change(wire.good()), content_type, **headers)


def document(change: Callable[[dict[str, Any]], Any]) -> Reply:
    """200 with the good JSON document, changed in place."""

    def changed(good: bytes) -> bytes:
        result = json.loads(good)
        change(result)
        return json.dumps(result).encode()

    return body(changed)


def truncated_with_trace(wire: Wire) -> None:
    """The deadline strikes while rows are being written."""
    good = wire.good()
    wire.head(200, Content_Type=JSON)
    wire.write(good[: len(good) * 2 // 3] + b"\n" + TRACE.encode())


def trace_inside_a_string(good: bytes) -> bytes:
    """Valid JSON all the same: the trace is the text of a value."""
    result = json.loads(good)
    result["results"]["bindings"][-1]["value"] = {"type": "literal", "value": TRACE}
    return json.dumps(result).encode()


def cut_with_length(wire: Wire) -> None:
    good = wire.good()
    wire.head(200, Content_Type=JSON, Content_Length=str(len(good)))
    wire.write(good[: len(good) // 2])


def cut_without_length(wire: Wire) -> None:
    good = wire.good()
    wire.head(200, Content_Type=JSON)
    wire.write(good[: len(good) // 2])


def cut_chunk(wire: Wire) -> None:
    good = wire.good()
    wire.head(200, Content_Type=JSON, Transfer_Encoding="chunked")
    wire.write(b"%x\r\n" % len(good) + good[: len(good) // 2])


def cut_between_chunks(wire: Wire) -> None:
    good = wire.good()
    half = good[: len(good) // 2]
    wire.head(200, Content_Type=JSON, Transfer_Encoding="chunked")
    wire.write(b"%x\r\n" % len(half) + half + b"\r\n")


def cut_gzip(wire: Wire) -> None:
    wire.head(200, Content_Type=JSON, Content_Encoding="gzip")
    wire.write(gzip.compress(wire.good())[:-100])


def whole_gzip(wire: Wire) -> None:
    packed = gzip.compress(wire.good())
    wire.head(200, Content_Type=JSON, Content_Encoding="gzip", Content_Length=str(len(packed)))
    wire.write(packed)


def reset(wire: Wire) -> None:
    wire.reset()


def reset_in_body(wire: Wire) -> None:
    cut_with_length(wire)
    time.sleep(0.05)
    wire.reset()


def close_at_once(wire: Wire) -> None:
    """No answer at all."""


def garbage(wire: Wire) -> None:
    wire.write(b"220 ready to receive mail\r\n\r\n")


def drip(data: bytes, seconds: float = 20.0) -> Reply:
    """Some bytes, then one more every tenth of a second: never silent, never done."""

    def reply(wire: Wire) -> None:
        wire.write(data)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            wire.write(b" ")
            time.sleep(0.1)

    return reply


DRIPPING_BODY = drip(b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n\r\n{")
DRIPPING_CHUNKS = drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
DRIPPING_HEAD = drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")


def silent(wire: Wire) -> None:
    time.sleep(20)


class FaultServer:
    """The server; ``url`` is its endpoint, ``plan`` what it does, ``asked`` what it was asked."""

    def __init__(self, upstream: str) -> None:
        self.plan: Plan = lambda question, before: None
        self.asked: list[Question] = []
        self.url = ""
        self._upstream = upstream
        self._good: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._names = {
            " ".join(
                genre_query(genre_qids(genre_of_query(name)))
                .split("VALUES ?genre {")[1]
                .split("}")[0]
                .split()
            ): name
            for name in QUERY_NAMES[:-2]
        }

    def reset(self, plan: Plan | None = None) -> None:
        """Forget what was asked and follow another plan."""
        self.asked = []
        self.plan = plan or (lambda question, before: None)

    def hits(self, name: str, remainder: int = 0, modulus: int = 1) -> int:
        """How often a page was asked."""
        return sum(question.page == (name, remainder, modulus) for question in self.asked)

    def counts(self) -> Counter[tuple[str, int, int]]:
        return Counter(question.page for question in self.asked)

    def good(self, query: str) -> bytes:
        """The real endpoint's answer."""
        if query not in self._good:
            request = urllib.request.Request(
                self._upstream,
                data=urllib.parse.urlencode({"query": query}).encode(),
                headers={"Accept": JSON},
            )
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(request, timeout=60) as response:
                self._good[query] = response.read()
        return self._good[query]

    def question(self, query: str, agent: str, accept: str) -> Question:
        page = _PAGE.search(query)
        modulus, remainder = (int(page[1]), int(page[2])) if page else (1, 0)
        genres = _GENRES.search(query)
        if genres:
            name = self._names[" ".join(genres[1].split())]
        else:
            name = "date" if "dateModified" in query else "labels"
        return Question(name, remainder, modulus, agent, accept, time.monotonic(), query)

    @contextmanager
    def running(self) -> Iterator["FaultServer"]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                query = urllib.parse.parse_qs(form)["query"][0]
                agent, accept = self.headers["User-Agent"], self.headers["Accept"]
                question = outer.question(query, agent, accept)
                with outer._lock:
                    before = outer.hits(*question.page)
                    outer.asked.append(question)
                wire = Wire(self, lambda: outer.good(query))
                reply = outer.plan(question, before) or body(lambda good: good)
                self.close_connection = True
                with suppress(OSError):  # a client that has had enough
                    reply(wire)

            def log_message(self, format: str, *arguments: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.handle_error = lambda request, address: None  # type: ignore[method-assign]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}/sparql"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
