"""One HTTP exchange with an endpoint, from composed request to bytes on disk, within a wall-clock deadline.

SPARQLWrapper composes the protocol request. It cannot send it: its errors lose the response's headers and
its timeout is per socket operation, so a body that drips holds it for ever. ``requests`` sends it, on a
connection of its own each time (a kept one may have been closed meanwhile, which cannot be told from a server
that fails), and a timer shuts the socket down when the deadline strikes, wherever the exchange then is.
"""

import ipaddress
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from SPARQLWrapper import JSON, POST, SPARQLWrapper
from urllib3.connection import HTTPConnection, HTTPSConnection

from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.response import Exchange, Failure

CONNECT_SECONDS = 30.0
_READ_BYTES = 1 << 16
_CONNECTION = re.compile(r"^Watched\(host='[^']*', port=\d+\): ")
_NO_HEADERS: MappingProxyType[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ComposedRequest:
    """A protocol request, ready to send."""

    url: str
    headers: dict[str, str]
    data: bytes


def compose(endpoint: str, query: str, agent: str) -> ComposedRequest:
    """The SPARQL 1.1 Protocol request of a query: POST with a form body, asking for JSON and nothing else."""
    wrapper = SPARQLWrapper(endpoint, agent=agent)
    wrapper.setMethod(POST)
    wrapper.setReturnFormat(JSON)
    wrapper.setOnlyConneg(True)
    wrapper.setQuery(query)
    request = wrapper._createRequest()
    headers = dict(request.header_items())
    # The library's own list offers JavaScript types, which some endpoints answer with.
    headers["Accept"] = "application/sparql-results+json, application/json;q=0.9"
    headers["Accept-Encoding"] = "gzip"
    headers["Connection"] = "close"
    assert isinstance(request.data, bytes)
    return ComposedRequest(request.get_full_url(), headers, request.data)


def check_endpoint(endpoint: str) -> None:
    """Check that an endpoint's address can be asked and may be written down.

    Raises:
        Problem: when it is no http(s) address or holds a password.
    """
    try:
        parts = urlsplit(endpoint)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        port_is_valid = False
    if not port_is_valid or parts.scheme not in ("http", "https") or not parts.hostname:
        raise Problem(
            f"{endpoint!r} is not the address of an endpoint; give one such as https://query.wikidata.org/sparql."
        )
    if parts.username or parts.password:
        raise Problem(
            "The endpoint's address holds a user name or password, which would end up in the snapshot; "
            "put them into a .netrc file instead."
        )


def is_loopback(endpoint: str) -> bool:
    """Whether an endpoint is on this machine."""
    host = urlsplit(endpoint).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def exchange(request: ComposedRequest, into: Path, seconds: float, max_bytes: int) -> Exchange:
    """Send a request and write the answer's body to a file, whatever the answer is.

    Args:
        request: what to send.
        into: file for the body (after content decoding); it exists afterwards, maybe cut, maybe empty.
        seconds: wall-clock deadline for all of it.
        max_bytes: a longer body is left off.

    Raises:
        Problem: when the file cannot be written.
    """
    watch = _Watch()
    try:
        with into.open("wb") as stream, _session(request.url, watch) as session, watch.over_after(seconds):
            return _exchange(session, request, stream, max_bytes, watch, seconds)
    except OSError as error:
        raise Problem(
            f"Cannot write {into}: {error.strerror or error}; free some space, then run the command again."
        ) from error


def _exchange(
    session: requests.Session,
    request: ComposedRequest,
    stream: Any,
    max_bytes: int,
    watch: "_Watch",
    seconds: float,
) -> Exchange:
    status, headers = 0, _NO_HEADERS

    def failed(failure: Failure, detail: str) -> Exchange:
        if watch.over:
            return Exchange(status, headers, Failure.DEADLINE, f"it takes longer than {seconds:,.6g} s")
        return Exchange(status, headers, failure, detail)

    try:
        response = session.post(
            request.url,
            data=request.data,
            headers=request.headers,
            stream=True,
            allow_redirects=False,
            timeout=(min(CONNECT_SECONDS, seconds), seconds),
        )
        with response:
            status = response.status_code
            headers = MappingProxyType({name.lower(): value for name, value in response.headers.items()})
            size = 0
            # read1 hands out what has come; read would wait for a full block while a body drips.
            while block := response.raw.read1(_READ_BYTES, decode_content=True):
                size += len(block)
                if size > max_bytes:
                    return failed(Failure.TOO_LARGE, f"the body is longer than {max_bytes:,} bytes")
                stream.write(block)
    except (requests.exceptions.ConnectTimeout, requests.exceptions.ProxyError) as error:
        return failed(Failure.UNREACHABLE, f"it cannot be reached ({_cause(error)})")
    except requests.exceptions.SSLError as error:
        return failed(Failure.UNUSABLE, f"it cannot be trusted ({_cause(error)})")
    except requests.exceptions.ConnectionError as error:
        if isinstance(_root(error), urllib3.exceptions.NewConnectionError | socket.gaierror):
            return failed(Failure.UNREACHABLE, f"it cannot be reached ({_cause(error)})")
        return failed(Failure.CUT, f"it closes the connection without an answer ({_cause(error)})")
    except requests.exceptions.Timeout:
        return failed(Failure.DEADLINE, f"it is silent for {seconds:,.6g} s")
    except requests.exceptions.RequestException as error:
        return failed(Failure.UNUSABLE, f"it cannot be asked ({_cause(error)})")
    except urllib3.exceptions.HTTPError as error:
        return failed(Failure.CUT, f"the body is cut off ({_cause(error)})")
    except (ConnectionError, TimeoutError) as error:
        return failed(Failure.CUT, f"the body is cut off ({_cause(error)})")
    if watch.over:
        return failed(Failure.DEADLINE, "")
    return Exchange(status, headers)


@contextmanager
def _session(url: str, watch: "_Watch") -> Iterator[requests.Session]:
    with requests.Session() as session:
        # A proxy of the environment must not see requests to this machine.
        session.trust_env = not is_loopback(url)
        for scheme in ("http://", "https://"):
            session.mount(scheme, _WatchedAdapter(watch))
        yield session


class _Watch:
    """Shuts down the sockets of an exchange when its time is over, which ends whatever waits for them."""

    def __init__(self) -> None:
        self.over = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()

    def add(self, connection: socket.socket) -> None:
        with self._lock:
            self._sockets.append(connection)
        if self.over:
            self._end()

    @contextmanager
    def over_after(self, seconds: float) -> Iterator[None]:
        timer = threading.Timer(seconds, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end(self) -> None:
        self.over = True
        with self._lock:
            for connection in self._sockets:
                # The method of an encrypted socket would drop its state under the reader's feet.
                with suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)


class _WatchedAdapter(HTTPAdapter):
    """An adapter whose connections are known to a watch."""

    def __init__(self, watch: _Watch) -> None:
        self._watch = watch
        super().__init__()

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        """The pool for a request, whose connections tell the watch of their sockets."""
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = _watched(pool.ConnectionCls, self._watch)
        return pool


def _watched(connection_type: Any, watch: _Watch) -> type[HTTPConnection | HTTPSConnection]:
    class Watched(connection_type):  # type: ignore[misc]
        def connect(self) -> None:
            super().connect()
            watch.add(self.sock)

    return Watched


def _root(error: BaseException) -> BaseException:
    """The innermost reason of a transport error."""
    reason = getattr(error, "reason", None) or next(
        (argument for argument in error.args if isinstance(argument, BaseException)), None
    )
    return _root(reason) if isinstance(reason, BaseException) else error


def _cause(error: BaseException) -> str:
    """The innermost reason as a short clause, without object addresses."""
    root = _root(error)
    told = getattr(root, "strerror", None) or str(root) or type(root).__name__
    return _CONNECTION.sub("", str(told).split("\n")[0]).rstrip(".")[:160]
