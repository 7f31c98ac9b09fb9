"""Whatever an endpoint answers becomes the same catalog in any order, or is refused; never a traceback."""

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tau_rec_books.catalog.books import read_catalog
from tau_rec_books.catalog.build import Build, build, read_facts, write_catalog
from tau_rec_books.catalog.facts import Facts
from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.wikidata.layout import read_body, write_body
from tau_rec_books.wikidata.queries import QUERY_NAMES
from tau_rec_books.wikidata.snapshot import read_snapshot_manifest, verify_snapshot, write_snapshot
from tau_rec_books.wikidata.statements import parse_rows, rows_hash
from tau_rec_books.world.endpoint import serve

ENTITY = "http://www.wikidata.org/entity/"
GENID = "http://www.wikidata.org/.well-known/genid/"
SIZES = (2, 5, 10_000)


# --- the order of rows


def shuffled(body: bytes, seed: str) -> bytes:
    """The same result with its solutions, their variables and the head's variables in another order."""
    document = json.loads(body)
    bindings = [dict(sorted(solution.items(), reverse=True)) for solution in document["results"]["bindings"]]
    bindings.sort(key=lambda solution: sha256_text(seed + json.dumps(solution, sort_keys=True)))
    variables = sorted(document["head"]["vars"], key=lambda name: sha256_text(seed + name))
    return json.dumps({"results": {"bindings": bindings}, "head": {"vars": variables}}, indent=1).encode()


@contextmanager
def shuffling(url: str, seed: str) -> Iterator[str]:
    """An endpoint that asks another one and gives its answers in another order."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = self.rfile.read(int(self.headers["Content-Length"]))
            names = ("Content-Type", "Accept")
            headers = {name: self.headers[name] for name in names if self.headers[name]}
            with urllib.request.urlopen(urllib.request.Request(url, question, headers)) as answer:
                body, kind = shuffled(answer.read(), seed), answer.headers["Content-Type"]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/query"
        finally:
            server.shutdown()


def built_from(snapshot: Path) -> Build:
    """The catalog of a snapshot."""
    return build(read_facts(snapshot), seed="s", sizes=SIZES, year_min=1460, year_max=2026, allow_fewer=True)


def contents(built: Build) -> tuple[object, ...]:
    """All that a catalog says."""
    return (built.books, built.vocabulary, built.funnel.rows(), built.funnel.dropped, built.eligible)


def hashes(snapshot: Path, key: str) -> list[str]:
    """One hash of each response."""
    return [response["pages"][0][key] for response in read_snapshot_manifest(snapshot)["responses"]]


@pytest.fixture(scope="module")
def first(taken: Path) -> tuple[object, ...]:
    """What the catalog of the snapshot says as it was taken."""
    return contents(built_from(taken))


@pytest.mark.endpoint
@pytest.mark.parametrize("seed", ["one order", "another order"])
def test_the_order_of_rows_in_the_responses_changes_nothing(
    seed: str, taken: Path, first: tuple[object, ...], tmp_path: Path
) -> None:
    bodies = [
        (response["name"], (taken / response["query_file"]).read_text(), read_body(taken, page))
        for response in read_snapshot_manifest(taken)["responses"]
        for page in response["pages"]
    ]
    other = tmp_path / "other"
    write_snapshot(
        other, "other", [(name, query, shuffled(body, seed)) for name, query, body in bodies], endpoint="e"
    )
    assert hashes(other, "rows_sha256") == hashes(taken, "rows_sha256")
    assert not set(hashes(other, "body_sha256")) & set(hashes(taken, "body_sha256"))
    assert contents(built_from(other)) == first


@pytest.mark.endpoint
def test_an_endpoint_that_answers_in_another_order_gives_the_same_catalog(
    small_world: Any,
    taken: Path,
    first: tuple[object, ...],
    take: Callable[[str, str, Path], Path],
    tmp_path: Path,
) -> None:
    backwards = tmp_path / "backwards.nt"
    lines = small_world.file.read_text(encoding="utf-8").split("\n")
    backwards.write_text("\n".join(reversed(lines)), encoding="utf-8", newline="\n")
    with serve([backwards]) as url, shuffling(url, "an order") as address:
        other = take(address, "other", tmp_path)
    assert hashes(other, "query_sha256") == hashes(taken, "query_sha256")
    assert hashes(other, "rows_sha256") == hashes(taken, "rows_sha256")
    assert not set(hashes(other, "body_sha256")) & set(hashes(taken, "body_sha256"))
    assert contents(built_from(other)) == first


# --- arbitrary answers

ODD_TEXTS = (
    "", " ", "\x00", "Nul\x00inside", "\u200b", "\u200d", "a\u200d\u200dः", "\u3164", "\u0301",
    "e\u200b\u0301", "\u202eevil\u2066", "\ufeff", "\U0001f9ed", "\U000e0001", "\ue000", "\u0378", "Q500",
    "\u200eQ500", "somevalue", "=1+1", "\t@x", "9" * 5000, "1" * 4301, "-1", "²", "٣", "1e9", "4294967296",
    "99999999999999999999", "+7",
    "İ", "ﬃ", "\u1100\u1161", "…", "x" * 70_000, "Inferno (novel)", "(novel)", "Test item", "null", "NaN",
)  # fmt: skip
ODD_TIMES = (
    "-0043-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "12000-01-01T00:00:00Z", "1984-00-00T00:00:00Z", "1984",
    "٢٠٠٠-٠١-٠١T٠٠:٠٠:٠٠Z", "9" * 5000 + "-01-01T00:00:00Z", "-99999999999-01-01T00:00:00Z", "1984-01-01",
    "+1984-01-01T00:00:00Z", "0001984-01-01T00:00:00Z", "2000-01-01T00:00:00Z",
)  # fmt: skip
ODD_QIDS = ("Q0", "Q", "Q" + "9" * 30, "Q" + "9" * 5000, "q500", "Q1٣", "P31", "Q500-statement", "Q007", "L1")
KNOWN = {
    "P31": ("Q7725634", "Q47461344", "Q3331189", "Q571"),
    "P7937": ("Q8261", "Q5185279"),
    "P136": ("Q24925", "Q12132683", "Q8261"),
    "P50": ("Q900", "Q901", "Q4233718", "Q777"),
    "P407": ("Q1860", "Q7979", "Q20923490", "Q150", "Q902"),
    "P495": ("Q21", "Q145", "Q30", "Q15"),
    "P629": ("Q501",),
    "P179": ("Q12345",),
}
WORKS = ("Q500", "Q501", "Q502")
LINKED = ("Q900", "Q901", "Q902", "Q1860", "Q7979", "Q145", "Q21", "Q30")

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
texts = st.sampled_from(ODD_TEXTS) | any_text
tags = st.sampled_from(("en", "mul", "en-gb", "", "x" * 300)) | any_text


def literal(text: str) -> dict[str, str]:
    """A literal as SPARQL JSON has it."""
    return {"type": "literal", "value": text}


def item(qid: str) -> dict[str, str]:
    """An item as SPARQL JSON has it."""
    return {"type": "uri", "value": ENTITY + qid}


UNKNOWN_VALUES = ({"type": "uri", "value": GENID + "0f"}, {"type": "bnode", "value": "b0"})


def solution(
    subject: str, name: str, value: dict[str, str], qualifier: dict[str, str] | None
) -> dict[str, Any]:
    """One row as SPARQL JSON has it."""
    row = {"subject": item(subject), "property": literal(name), "value": value}
    return row if qualifier is None else {**row, "qualifier": qualifier}


@st.composite
def some_statements(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Statements of a few works: most of them good, the others of every kind that is still a statement."""
    rows = []
    often = st.sampled_from((True, True, True, False))
    for subject in draw(st.lists(st.sampled_from(WORKS), min_size=1, max_size=3, unique=True)):
        odd = draw(st.sets(st.sampled_from([*KNOWN, "P577", "P1476", "label", "sitelinks"]), max_size=3))
        for name in ("P31", "P136", "P50", "P407", "P495", *sorted(odd & {"P7937", "P629", "P179"})):
            values = st.sampled_from(KNOWN[name]).map(item)
            if name in odd:
                values |= st.sampled_from(UNKNOWN_VALUES) | texts.map(literal)
                values |= st.integers(1, 10**17).map(lambda number: item(f"Q{number}"))
                values |= st.sampled_from(ODD_QIDS).map(literal)
            for value in draw(st.lists(values, min_size=int(name not in odd), max_size=3)):
                ordinal = draw(st.none() | texts.map(literal)) if name == "P50" else None
                rows.append(solution(subject, name, value, ordinal))
            if name in odd and draw(often):
                rows.append(solution(subject, name, item(KNOWN[name][0]), None))
        if "P577" in odd:
            values = (st.sampled_from(ODD_TIMES) | texts).map(literal) | st.sampled_from(UNKNOWN_VALUES)
            precisions = st.none() | (st.sampled_from(("11", "9", "7", "²", "-9", "٩")) | texts).map(literal)
            dates = draw(st.lists(st.tuples(values, precisions), max_size=3))
            rows += [solution(subject, "P577", time, precision) for time, precision in dates]
        if "P577" not in odd or draw(often):
            rows.append(solution(subject, "P577", literal("1984-01-01T00:00:00Z"), literal("9")))
        for name in sorted(odd & {"P1476", "label"}):
            titles = draw(st.lists(st.tuples(texts, tags), max_size=3))
            rows += [solution(subject, name, literal(text), literal(tag)) for text, tag in titles]
        if "label" not in odd or draw(often):
            rows.append(solution(subject, "label", literal(f"Glass Rivers {subject}"), literal("en")))
        counts = st.integers(0, 400).map(str)
        if "sitelinks" in odd:
            counts = st.integers(-1, 10**20).map(str) | st.sampled_from(ODD_TEXTS)
        rows += [solution(subject, "sitelinks", literal(draw(counts)), None)]
        if draw(st.booleans()):
            rows.append(
                solution(subject, "P2093", literal(draw(texts)), draw(st.none() | texts.map(literal)))
            )
    for qid in LINKED:
        for text, tag in draw(st.lists(st.tuples(texts, tags), max_size=1)):
            rows.append(solution(qid, "label", literal(text), literal(tag)))
        if draw(often):
            rows.append(solution(qid, "label", literal(f"Name of {qid}"), literal("mul")))
    return rows


def body_of(rows: Sequence[object]) -> bytes:
    """A SPARQL result of these solutions."""
    document = {
        "head": {"vars": ["subject", "property", "value", "qualifier"]},
        "results": {"bindings": list(rows)},
    }
    return json.dumps(document).encode()


def catalog_or_problem(bodies: Sequence[bytes], out: Path) -> Build | None:
    """The catalog of these bodies, written and read back, or ``None`` when they are refused properly."""
    facts = Facts()
    works = set()
    try:
        for number, body in enumerate(bodies):
            rows = parse_rows(body, where=f"body {number}")
            assert len(rows_hash(rows)) == 64
            works |= {row.subject for row in rows if row.property != "label"}
            facts.add(rows)
        built = build(facts, seed="s", sizes=SIZES, year_min=1460, year_max=2026, allow_fewer=True)
    except Problem as problem:
        assert_one_sentence(problem)
        return None
    write_catalog(out, built, SIZES)
    for size in SIZES:
        catalog = read_catalog(out / f"{size_name(size)}.parquet", out / "vocabulary.json")
        assert catalog.books == built.books[:size]
        assert catalog.vocabulary == built.vocabulary
    for book in built.books:
        assert book.title.strip() and all(name.strip() for name in book.authors)
        assert book.authors and book.genres and book.languages and book.formats
        assert 1460 <= book.year <= 2026 and 0 <= book.sitelinks < 2**31
    accounted = [work for dropped in built.funnel.dropped.values() for work in dropped]
    accounted += [book.id.removeprefix("wd_") for book in built.books]
    assert sorted(accounted) == sorted(works)
    return built


def assert_one_sentence(problem: Problem) -> None:
    """A refusal is one sentence that a terminal can show."""
    told = str(problem)
    assert told.endswith(".") and told.isprintable(), repr(told)
    assert 20 < len(told) < 500


def tried(examples: int) -> settings:
    """So many examples, which share the folder that they write to."""
    return settings(max_examples=examples, suppress_health_check=[HealthCheck.function_scoped_fixture])


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
odd_cells: st.SearchStrategy[Any] = (
    st.builds(lambda qid: item(qid), st.sampled_from(ODD_QIDS))
    | st.builds(lambda kind, value: {"type": kind, "value": value}, any_text, json_values)
    | st.sampled_from(({"type": "literal"}, {"value": "x"}, {}, None, [], "Q500", {"type": [], "value": {}}))
    | json_values
)


@tried(100)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(tmp_path: Path, body: bytes) -> None:
    assert catalog_or_problem([body], tmp_path) is None


@tried(100)
@given(json_values, st.sampled_from(("bindings", "results", "document")))
def test_arbitrary_json_is_refused(tmp_path: Path, value: Any, where: str) -> None:
    documents = {
        "document": value,
        "results": {"head": {"vars": ["subject", "property", "value", "qualifier"]}, "results": value},
        "bindings": {
            "head": {"vars": ["subject", "property", "value", "qualifier"]},
            "results": {"bindings": value},
        },
    }
    assert catalog_or_problem([json.dumps(documents[where]).encode()], tmp_path) is None


@tried(150)
@given(some_statements(), st.sampled_from(("subject", "property", "value", "qualifier", "more")), odd_cells)
def test_one_cell_that_is_none_is_refused_or_does_no_harm(
    tmp_path: Path, rows: list[dict[str, Any]], column: str, cell: Any
) -> None:
    rows[len(rows) // 2] = {**rows[len(rows) // 2], column: cell}
    catalog_or_problem([body_of(rows)], tmp_path)


@tried(150)
@given(some_statements(), st.randoms(use_true_random=False))
def test_arbitrary_statements_become_a_catalog_in_any_order_or_are_refused(
    tmp_path: Path, rows: list[dict[str, Any]], random: Any
) -> None:
    built = catalog_or_problem([body_of(rows)], tmp_path)
    mixed = list(rows)
    random.shuffle(mixed)
    half = len(mixed) // 2
    other = catalog_or_problem([body_of(mixed[half:]), body_of(mixed[: half + 3])], tmp_path)
    assert (built is None) == (other is None)
    if built is not None and other is not None:
        assert contents(built) == contents(other)


@pytest.mark.parametrize("text", ODD_TEXTS + ODD_TIMES + ODD_QIDS)
@pytest.mark.parametrize(
    "name", ["P50", "P577", "P407", "P1476", "label", "sitelinks", "P2093", "P136", "P31"]
)
def test_one_odd_text_leaves_the_other_works_alone(name: str, text: str, tmp_path: Path) -> None:
    rows = [
        solution(subject, key, item(KNOWN[key][0]), None)
        for subject in ("Q500", "Q501")
        for key in ("P31", "P136", "P50", "P407")
    ]
    for subject in ("Q500", "Q501"):
        rows.append(solution(subject, "P577", literal("1984-01-01T00:00:00Z"), literal("9")))
        rows.append(solution(subject, "label", literal(f"Glass {subject}"), literal("en")))
    rows.append(solution("Q900", "label", literal("Ann Roe"), literal("en")))
    rows.append(solution("Q500", name, literal(text), literal("en")))
    rows.append(solution("Q500", name, literal("1984-01-01T00:00:00Z"), literal(text)))
    built = catalog_or_problem([body_of(rows)], tmp_path)
    assert built is not None
    assert "wd_Q501" in [book.id for book in built.books]


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00x", "x\\ud83d"])
def test_half_a_surrogate_pair_is_refused(text: str, tmp_path: Path) -> None:
    body = body_of([solution("Q500", "label", literal("TEXT"), literal("en"))]).replace(
        b"TEXT", text.encode()
    )
    assert catalog_or_problem([body], tmp_path) is None


# --- arbitrary files


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot of hardly any rows."""
    folder = tmp_path_factory.mktemp("snapshots") / "tiny"
    body = body_of([solution("Q500", "P31", item("Q571"), None)])
    write_snapshot(folder, "tiny", [(name, "query", body) for name in QUERY_NAMES], endpoint="e")
    verify_snapshot(folder)
    return folder


def assert_refused(folder: Path) -> None:
    """The snapshot neither verifies nor is read."""
    for use in (verify_snapshot, read_facts):
        with pytest.raises(Problem) as refused:
            use(folder)
        assert_one_sentence(refused.value)


@tried(100)
@given(st.binary(max_size=200), st.booleans())
def test_arbitrary_response_files_are_refused(tiny: Path, data: bytes, packed: bool) -> None:
    victim = tiny / "responses" / "03-childrens-literature.json.zst"
    kept = victim.read_bytes()
    try:
        if packed:
            write_body(victim, data)
        else:
            victim.write_bytes(data)
        assert_refused(tiny)
    finally:
        victim.write_bytes(kept)


@tried(100)
@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_arbitrary_manifests_are_refused(tiny: Path, data: bytes) -> None:
    victim = tiny / "snapshot.json"
    kept = victim.read_bytes()
    try:
        victim.write_bytes(data)
        assert_refused(tiny)
    finally:
        victim.write_bytes(kept)


@tried(100)
@given(st.data())
def test_a_manifest_with_one_arbitrary_value_is_refused_or_tells_the_truth(
    tiny: Path, data: st.DataObject
) -> None:
    victim = tiny / "snapshot.json"
    kept = victim.read_bytes()
    document = json.loads(kept)
    place: Any = document
    while True:
        keys = sorted(place) if isinstance(place, dict) else list(range(min(len(place), 3)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(
        json_values | texts | st.sampled_from(("../x", "/etc/passwd", -1, 10**30, "responses"))
    )
    try:
        victim.write_text(json.dumps(document))
        for use in (verify_snapshot, read_facts):
            try:
                use(tiny)
            except Problem as problem:
                assert_one_sentence(problem)
    finally:
        victim.write_bytes(kept)
