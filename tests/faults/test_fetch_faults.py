"""Every way in which an endpoint is known to fail: survived, split, or refused with one sentence."""

import json
import shutil
import sys
import time
from dataclasses import replace
from typing import Any

import fault_server as faults
import pytest
from fault_bench import TARGET, Bench

from tau_rec_books.wikidata.compare import compare_snapshots
from tau_rec_books.wikidata.fetch import fetch_snapshot
from tau_rec_books.wikidata.settings import row_floors
from tau_rec_books.wikidata.snapshot import read_snapshot_manifest, verify_snapshot

pytestmark = pytest.mark.endpoint

BOUND = 20.0
"""Far more seconds than any of these fetches may take, and fewer than a dripping body would."""


def first(times: int, reply: faults.Reply) -> faults.Plan:
    """The target query meets a fault a number of times, then all is well."""
    return lambda question, before: reply if question.name == TARGET and before < times else None


def whole(reply: faults.Reply) -> faults.Plan:
    """The target query meets a fault as long as it is not split."""
    return lambda question, before: reply if question.name == TARGET and question.modulus == 1 else None


def always(reply: faults.Reply) -> faults.Plan:
    """The target query and all its pages meet a fault each time."""
    return lambda question, before: reply if question.name == TARGET else None


def response(bench: Bench, name: str = "new") -> Any:
    """The manifest's entry of the target query."""
    return next(
        entry
        for entry in read_snapshot_manifest(bench.snapshots / name)["responses"]
        if entry["name"] == TARGET
    )


def verify_survival(bench: Bench) -> None:
    """The new snapshot is there, whole, and holds the same facts as the one taken on a good day."""
    assert verify_snapshot(bench.snapshots / "new")["passed"]
    assert compare_snapshots(bench.snapshots / "old", bench.snapshots / "new") == []
    assert bench.visible() == ["index.csv", "new", "old"]
    assert not (bench.snapshots / ".new.partial").exists()


def verify_refusal(bench: Bench, sentence: str) -> None:
    """Nothing has appeared under the name of a snapshot, and what was finished before is still there."""
    assert bench.visible() == ["index.csv", "old"]
    assert sentence.count("\n") == 0 and sentence.endswith(".")
    assert TARGET in sentence and "run the same command" in sentence
    bench.server.reset()
    assert bench.fetch() == bench.snapshots / "new"
    asked = {question.name for question in bench.server.asked}
    assert asked == {TARGET, "labels", "date"}, "a finished response was asked for again"
    verify_survival(bench)


RETRIED: dict[str, faults.Reply] = {
    "429 with Retry-After 0": faults.too_many("0"),
    "429 with garbage for Retry-After": faults.too_many("soon"),
    "429 with a negative Retry-After": faults.too_many("-5"),
    "429 with a broken number for Retry-After": faults.too_many("1.5"),
    "429 with a date in the past": faults.too_many("Wed, 21 Oct 2015 07:28:00 GMT"),
    "429 with an impossible date": faults.too_many("Wed, 99 Foo 2015 07:28:00 GMT"),
    "429 without Retry-After": faults.too_many(None),
    "500 with a crash": faults.status(500, faults.CRASH),
    "502 from a proxy": faults.status(502, "<html><h1>502 Bad Gateway</h1></html>", "text/html"),
    "503 overload": faults.status(503, "Service is overloaded, please try again later."),
    "503 with Retry-After": faults.status(503, "busy", Retry_After="0"),
    "200 with an empty body": faults.body(lambda good: b""),
    "200 with nothing but blanks": faults.body(lambda good: b" \n\n"),
    "200 with an error as JSON": faults.body(lambda good: b'{"exception": "index is being rebuilt"}'),
    "200 with no rows": faults.document(lambda result: result["results"].update(bindings=[])),
    "body cut before its length": faults.cut_with_length,
    "body cut without a length": faults.cut_without_length,
    "body cut inside a chunk": faults.cut_chunk,
    "body cut between chunks": faults.cut_between_chunks,
    "body cut while compressed": faults.cut_gzip,
    "connection reset in the body": faults.reset_in_body,
    "connection reset": faults.reset,
    "connection closed without an answer": faults.close_at_once,
    "something that is not HTTP": faults.garbage,
}


@pytest.mark.parametrize("fault", RETRIED)
def test_a_passing_fault_is_asked_again_and_leaves_no_trace_in_the_snapshot(bench: Bench, fault: str) -> None:
    bench.fetch(first(1, RETRIED[fault]))
    verify_survival(bench)
    assert bench.server.hits(TARGET) == 2
    assert response(bench) == response(bench, "old")


def test_a_whole_number_of_seconds_in_retry_after_is_waited(bench: Bench) -> None:
    bench.fetch(first(1, faults.too_many("1")))
    verify_survival(bench)
    times = [question.at for question in bench.server.asked if question.name == TARGET]
    assert 1.0 <= times[1] - times[0] < BOUND


def test_a_date_in_retry_after_is_waited_for(bench: Bench) -> None:
    bench.fetch(first(1, faults.too_many_until(2)))
    verify_survival(bench)
    times = [question.at for question in bench.server.asked if question.name == TARGET]
    assert 1.0 <= times[1] - times[0] < BOUND


SPLIT: dict[str, faults.Reply] = {
    "504 from a proxy": faults.status(504, "<h1>504 Gateway Time-out</h1>", "text/html"),
    "500 with a timeout's trace": faults.status(500, faults.TRACE),
    "200 with truncated JSON and a trace": faults.truncated_with_trace,
    "200 with a trace inside a string": faults.body(faults.trace_inside_a_string),
    "200 as text with a trace": faults.status(200, faults.TRACE),
    "429 that means a timeout": faults.too_many(None, '{"exception": "Operation timed out."}'),
    "206 partial result": lambda wire: wire.answer(206, wire.good(), faults.JSON),
    "rows at the server's limit": faults.body(lambda good: good, X_SPARQL_MaxRows="5"),
    "result said to be incomplete": faults.body(lambda good: good, X_SQL_State="S1TAT"),
    "late error after the rows": faults.body(
        lambda good: good[:-40] + b"!!!!>># An error has occurred while exporting the query result"
    ),
    "body that is always cut": faults.cut_chunk,
    "connection that is always reset": faults.reset,
}


@pytest.mark.parametrize("fault", SPLIT)
def test_a_query_that_is_too_large_is_split_and_never_asked_unchanged_again(bench: Bench, fault: str) -> None:
    bench.fetch(whole(SPLIT[fault]))
    verify_survival(bench)
    cut = fault.startswith(("body", "connection"))
    assert bench.server.hits(TARGET) == (2 if cut else 1)
    entry = response(bench)
    assert [(page["remainder"], page["modulus"]) for page in entry["pages"]] == [(0, 2), (1, 2)]
    assert [page["file"] for page in entry["pages"]] == [
        f"responses/{TARGET}.00of02.json.zst",
        f"responses/{TARGET}.01of02.json.zst",
    ]


SLOW: dict[str, faults.Reply] = {
    "body that drips": faults.DRIPPING_BODY,
    "chunks that drip": faults.DRIPPING_CHUNKS,
    "header that drips": faults.DRIPPING_HEAD,
    "silence": faults.silent,
}


@pytest.mark.parametrize("fault", SLOW)
def test_an_answer_that_outlasts_its_deadline_is_split(bench: Bench, fault: str) -> None:
    start = time.monotonic()
    bench.fetch(whole(SLOW[fault]), deadline=0.8)
    assert time.monotonic() - start < BOUND
    verify_survival(bench)
    assert bench.server.hits(TARGET) == 1
    assert len(response(bench)["pages"]) == 2


def test_a_body_that_is_too_long_is_split(bench: Bench) -> None:
    whole_size = response(bench, "old")["bytes"]
    bench.fetch(max_bytes=whole_size - 1)
    verify_survival(bench)
    assert len(response(bench)["pages"]) == 2


def test_only_the_page_that_times_out_is_split_further(bench: Bench) -> None:
    slow = {(0, 1), (1, 2), (3, 4)}
    late = faults.status(504)
    bench.fetch(lambda asked, before: late if asked.name == TARGET and asked.page[1:] in slow else None)
    verify_survival(bench)
    pages = [(page["remainder"], page["modulus"]) for page in response(bench)["pages"]]
    assert pages == [(0, 2), (1, 4), (3, 8), (7, 8)]
    assert set(bench.server.counts().values()) <= {1, 2}


def test_a_page_answered_with_another_page_is_asked_again(bench: Bench) -> None:
    other: list[bytes] = []

    def plan(question: faults.Question, before: int) -> faults.Reply | None:
        if question.name != TARGET:
            return None
        if question.modulus == 1:
            return faults.status(504)
        if question.remainder == 0:
            other.append(bench.server.good(question.query))
            return None
        return faults.body(lambda good: other[0]) if before == 0 else None

    bench.fetch(plan)
    verify_survival(bench)
    assert bench.server.hits(TARGET, 1, 2) == 2
    assert bench.bad_bodies()[-1] == other[0]


def test_a_query_answered_with_another_querys_result_is_asked_again(bench: Bench) -> None:
    crime = next(
        q for q in bench.server._good if "Facts" in q and bench.server.question(q, "", "").name == "05-crime"
    )
    bench.fetch(first(1, faults.body(lambda good: bench.server.good(crime))))
    verify_survival(bench)
    assert bench.server.hits(TARGET) == 2
    assert response(bench) == response(bench, "old")


def test_rows_in_another_order_are_the_same_rows(bench: Bench) -> None:
    bench.fetch(always(faults.document(lambda result: result["results"]["bindings"].reverse())))
    verify_survival(bench)
    new, old = response(bench)["pages"][0], response(bench, "old")["pages"][0]
    assert new["body_sha256"] != old["body_sha256"]
    assert new["rows_sha256"] == old["rows_sha256"]


def test_a_compressed_body_is_stored_as_it_reads(bench: Bench) -> None:
    bench.fetch(always(faults.whole_gzip))
    verify_survival(bench)
    assert response(bench) == response(bench, "old")


REFUSED: dict[str, tuple[faults.Reply, int, str]] = {
    # fault: (reply, how often it is asked, what the sentence says)
    "403 ban": (faults.status(403, faults.BANNED), 1, "You have been banned until 2030"),
    "401": (faults.status(401, "Who are you?"), 1, "it answers 401"),
    "400": (faults.status(400, "MalformedQueryException"), 1, "it answers 400"),
    "404": (faults.status(404, "<h1>Not Found</h1>", "text/html"), 1, "it answers 404 and says “Not Found”"),
    "301": (
        faults.status(301, Location="https://example.org/sparql"),
        1,
        "moved to https://example.org/sparql",
    ),
    "429 with a day in Retry-After": (faults.too_many("86400"), 1, "asks to wait 86,400 s"),
    "429 with an age in Retry-After": (faults.too_many("9" * 400), 1, "asks to wait"),
    "429 until next year": (faults.too_many_until(3e7), 1, "asks to wait"),
    "200 with a sentence of policy": (faults.status(200, faults.POLICY), 1, "respect our robot policy"),
    "200 with a web page": (faults.status(200, "<html>Log in</html>", "text/html"), 1, "text/html instead"),
    "200 with XML": (
        faults.body(lambda good: b"<?xml version='1.0'?><sparql/>", "application/sparql-results+xml"),
        1,
        "sparql-results+xml instead of JSON",
    ),
    "200 with other variables": (
        faults.document(lambda result: result["head"].update(vars=["item", "label"])),
        1,
        "gives the variables item, label instead of subject",
    ),
    "200 with a row that is no statement": (
        faults.document(lambda result: result["results"]["bindings"][1].pop("value")),
        1,
        "row 2 is not a statement",
    ),
    "502 for ever": (faults.status(502, "Bad Gateway"), 3, "it answers 502"),
    "503 for ever": (faults.status(503, "Service is overloaded"), 3, "Service is overloaded"),
    "429 for ever": (faults.too_many("0"), 3, "it answers 429"),
    "no rows for ever": (
        faults.document(lambda result: result["results"].update(bindings=[])),
        3,
        "0 rows, fewer than the floor",
    ),
    "empty bodies for ever": (faults.body(lambda good: b""), 3, "the body is empty"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_fault_that_stays_stops_the_fetch_with_a_sentence(bench: Bench, fault: str) -> None:
    reply, times, told = REFUSED[fault]
    start = time.monotonic()
    sentence = bench.refused(always(reply))
    assert time.monotonic() - start < BOUND
    assert told in sentence
    assert bench.server.hits(TARGET) == times
    assert sum(question.name != TARGET for question in bench.server.asked) == 0
    assert len(bench.bad_bodies()) == (0 if fault in ("301", "empty bodies for ever") else times)
    verify_refusal(bench, sentence)


ALWAYS_TOO_LARGE: dict[str, faults.Reply] = {
    "504 for every page": faults.status(504, "Gateway Time-out"),
    "a trace in every page": faults.truncated_with_trace,
    "every page drips": faults.DRIPPING_BODY,
    "every page is cut": faults.cut_without_length,
}


@pytest.mark.parametrize("fault", ALWAYS_TOO_LARGE)
def test_splitting_ends_at_the_most_pages_and_within_bounded_time(bench: Bench, fault: str) -> None:
    start = time.monotonic()
    sentence = bench.refused(always(ALWAYS_TOO_LARGE[fault]), deadline=0.5, most_pages=4)
    assert time.monotonic() - start < BOUND
    pages = {page[1:] for page in bench.server.counts() if page[0] == TARGET}
    assert pages == {(0, 1), (0, 2), (0, 4)}
    assert f"{TARGET}.00of04" in sentence
    verify_refusal(bench, sentence)
    assert len(response(bench)["pages"]) == 3, "the splits of the first run are remembered"


def test_a_wait_beyond_the_total_time_stops_at_once(bench: Bench) -> None:
    start = time.monotonic()
    sentence = bench.refused(always(faults.too_many("4")), total=2.0)
    assert time.monotonic() - start < 3.5
    assert "are over at" in sentence
    verify_refusal(bench, sentence)


def test_an_endpoint_that_goes_down_is_told_and_waited_for_no_longer_than_the_attempts(bench: Bench) -> None:
    start = time.monotonic()
    with pytest.raises(Exception, match="cannot be reached") as raised:
        fetch_snapshot(
            "new", bench.snapshots, bench.logs, replace(bench.settings, endpoint="http://127.0.0.1:9/sparql")
        )
    assert time.monotonic() - start < BOUND
    verify_refusal(bench, str(raised.value))


def test_replicas_that_differ_are_asked_until_two_answers_agree(bench: Bench) -> None:
    def lose(result: Any) -> None:
        del result["results"]["bindings"][-3:]

    bench.fetch(first(1, faults.document(lose)), ask_twice=True)
    verify_survival(bench)
    assert response(bench) == response(bench, "old")
    assert bench.server.hits(TARGET) == 3
    lines = [json.loads(line) for line in (bench.logs / "requests.jsonl").read_text().splitlines()]
    rows = response(bench)["rows"]
    assert [line["rows"] for line in lines if line["part"] == TARGET and line["verdict"] == "accepted"] == [
        rows - 3, rows, rows,
    ]  # fmt: skip


def test_replicas_that_never_agree_stop_the_fetch_with_their_counts(bench: Bench) -> None:
    def plan(question: faults.Question, before: int) -> faults.Reply | None:
        def lose(result: Any) -> None:
            del result["results"]["bindings"][-1 - before :]

        return faults.document(lose) if question.name == TARGET else None

    rows = response(bench, "old")["rows"]
    sentence = bench.refused(plan, ask_twice=True)
    assert f"{rows - 1:,}, {rows - 2:,}, {rows - 3:,} rows" in sentence
    assert len(bench.bad_bodies()) == 2
    verify_refusal(bench, sentence)


def test_far_fewer_rows_than_in_an_earlier_snapshot_are_refused(bench: Bench) -> None:
    def lose_most(result: Any) -> None:
        del result["results"]["bindings"][5:]

    floors = row_floors(bench.snapshots / "old", 0.5)
    sentence = bench.refused(always(faults.document(lose_most)), row_floors=floors)
    assert "fewer than the floor" in sentence
    verify_refusal(bench, sentence)


def test_pages_that_lose_most_rows_are_asked_again_from_the_start(bench: Bench) -> None:
    def plan(question: faults.Question, before: int) -> faults.Reply | None:
        if question.name != TARGET:
            return None
        if question.modulus == 1:
            return faults.status(504)
        return faults.document(lambda result: result["results"].update(bindings=[]))

    sentence = bench.refused(plan, row_floors=row_floors(bench.snapshots / "old", 0.5))
    assert "0 rows on 2 pages, fewer than the floor" in sentence
    verify_refusal(bench, sentence)
    assert response(bench) == response(bench, "old")


def test_a_server_that_does_not_tell_its_date_is_no_reason_to_give_up(bench: Bench) -> None:
    bench.fetch(lambda question, before: faults.status(500, "no") if question.name == "date" else None)
    verify_survival(bench)
    assert read_snapshot_manifest(bench.snapshots / "new")["server_modified"] == {
        "before": "2023-11-14T22:00:00Z",
        "after": None,
    }


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_a_server_says_is_not_markup_on_a_terminal(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bench.fetch(first(1, faults.status(503, "[/bold] not [red]markup[/] \\")))
    verify_survival(bench)


def test_every_request_names_the_program_and_its_user_and_asks_for_json(bench: Bench) -> None:
    bench.fetch()
    for question in bench.server.asked:
        assert question.agent == "tau-rec-books/1 (tests)"
        assert question.accept.startswith(faults.JSON)


def test_a_refused_body_is_kept_byte_for_byte_with_the_reason_beside_it(bench: Bench) -> None:
    bench.fetch(first(1, faults.status(503, "Service is overloaded, please try again later.")))
    assert bench.bad_bodies() == [b"Service is overloaded, please try again later."]
    lines = [json.loads(line) for line in (bench.logs / "requests.jsonl").read_text().splitlines()]
    kept = [line for line in lines if line.get("kept")]
    assert [(line["part"], line["verdict"], line["kept"]) for line in kept] == [
        (TARGET, "retry", f"{TARGET}.001.body")
    ]
    assert "Service is overloaded" in kept[0]["reason"]


def test_an_endpoint_that_is_down_from_the_start_leaves_nothing_behind(bench: Bench, tmp_path: Any) -> None:
    shutil.rmtree(bench.snapshots / ".new.partial")
    with pytest.raises(Exception, match="cannot be reached"):
        fetch_snapshot(
            "new", bench.snapshots, bench.logs, replace(bench.settings, endpoint="http://127.0.0.1:9/sparql")
        )
    assert sorted(path.name for path in bench.snapshots.iterdir()) == ["index.csv", "old"]
