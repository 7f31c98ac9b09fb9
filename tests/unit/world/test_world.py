"""The synthetic Wikidata: same seed, same bytes; the paper's shares; every dirty case in it."""

import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

import pytest

from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import qid_number
from tau_rec_books.wikidata import tables
from tau_rec_books.world.build import make_frame, works_by_case, world_works, write_world
from tau_rec_books.world.dirty import DIRTY_CASES, plan_cases
from tau_rec_books.world.endpoint import serve
from tau_rec_books.world.items import BROAD_CLASSES, item_labels
from tau_rec_books.world.ntriples import ENTITY
from tau_rec_books.world.records import GREGORIAN, JULIAN, NO_VALUE, UNKNOWN, Work
from tau_rec_books.world.works import make_work

SEED = "books-synthetic-v1"
SMALL = 0.03

CLASSES = {item.qid: item.decision for item in tables.class_items()}
GENRES = {item.qid: item.genre for item in tables.genre_items() if item.genre}
PLACEHOLDERS = {(item.field, item.qid) for item in tables.placeholders()}
CORRECTED = {item.qid: item.corrected for item in tables.corrections()}


def eligible(work: Work, named: set[str]) -> bool:
    """Whether the catalog keeps a work, by the rules of its specification written down once more.

    ``named`` holds the people with a label. Duplicates are not looked at.
    """
    typed = {*work.classes, *work.forms}
    if any(CLASSES.get(qid) == "drop" for qid in typed) or work.edition_of:
        return False
    if not any(CLASSES.get(qid) == "keep" for qid in work.classes):
        return False
    people = [claim.value for claim in best(work.authors) if claim.value in named]
    if not people and not best(work.author_names):
        return False
    years = [date.year for date in best(work.dates) if date.precision >= 9 and date.year is not None]
    if not years or not 1460 <= min(years) <= 2026:
        return False
    texts = [text for tag, text in (*work.titles, *work.labels) if tag in ("en", "mul") and text != work.qid]
    return bool(texts and labels_of("language", work.languages) and any(qid in GENRES for qid in work.genres))


def best(claims: list[Any]) -> list[Any]:
    """The claims of best rank."""
    rank = "preferred" if any(claim.rank == "preferred" for claim in claims) else "normal"
    return [claim for claim in claims if claim.rank == rank]


@lru_cache(maxsize=1)
def names_of_items() -> dict[str, str]:
    return {qid: label for qid, (_, label) in item_labels().items()}


def labels_of(field: str, qids: list[str]) -> set[str]:
    return {CORRECTED.get(qid, names_of_items()[qid]) for qid in qids if (field, qid) not in PLACEHOLDERS}


def entity_ids(text: str) -> Iterator[str]:
    return (match[1] for match in re.finditer(rf"<{ENTITY}(Q\d+)>", text))


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("world") / "small.nt"
    write_world(path, SEED, SMALL)
    return path


@pytest.fixture(scope="module")
def small_text(small_file: Path) -> str:
    return small_file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def by_case() -> dict[str, list[list[Work]]]:
    return works_by_case(SEED, SMALL)


@pytest.fixture(scope="module")
def full_works() -> list[Work]:
    """Eligible works of the full world."""
    world = make_frame(SEED, 1.0)
    named = {world.person(index).qid for index in range(world.people)}
    return [work for _, works in world_works(world) for work in works if eligible(work, named)]


# --- bytes


def test_the_same_seed_gives_the_same_bytes_in_any_process(small_file: Path, tmp_path: Path) -> None:
    for hash_seed, zone, language in (("1", "Asia/Tokyo", "C"), ("4711", "America/Lima", "tr_TR.UTF-8")):
        out = tmp_path / f"{hash_seed}.nt"
        subprocess.run(
            [sys.executable, "-m", "tau_rec_books", "make-world", "--scale", str(SMALL), "--out", str(out)],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": language},
            umask=0o077,
        )
        assert out.read_bytes() == small_file.read_bytes()


def test_another_seed_is_another_world(small_file: Path, tmp_path: Path) -> None:
    write_world(tmp_path / "other.nt", "another seed", SMALL)
    works = {line for line in small_file.read_text(encoding="utf-8").split("\n") if "P1476" in line}
    others = {
        line for line in (tmp_path / "other.nt").read_text(encoding="utf-8").split("\n") if "P1476" in line
    }
    assert len(works & others) < len(works) / 100


def test_a_work_is_drawn_without_the_works_before_it() -> None:
    assert make_work(make_frame(SEED, SMALL), 700) == make_work(make_frame(SEED, SMALL), 700)


def test_the_file_is_readable_by_all_and_nothing_else_is_left(small_file: Path) -> None:
    assert small_file.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in small_file.parent.iterdir()] == ["small.nt"]


def test_every_line_is_valid_and_no_triple_is_written_twice(small_file: Path, small_text: str) -> None:
    lines = small_text.split("\n")[:-1]
    assert len(set(lines)) == len(lines)
    with serve([small_file]) as url:
        query = urlencode({"query": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"}).encode()
        with build_opener(ProxyHandler({})).open(url, data=query) as response:
            assert f'"value":"{len(lines)}"' in response.read().decode()


def test_no_control_character_stands_unescaped(small_text: str) -> None:
    odd = {letter for letter in small_text if unicodedata.category(letter) == "Cc"}
    assert odd == {"\n"}
    assert small_text.count("\n") == len(re.findall(r" \.\n", small_text))


# --- item numbers


def test_invented_items_have_numbers_that_wikidata_cannot_have(small_text: str) -> None:
    known = {*item_labels(), GREGORIAN, JULIAN, "Q61002"}
    for qid in set(entity_ids(small_text)):
        assert qid in known or 4_000_000_000 <= qid_number(qid) < 4_300_000_000


def test_real_items_are_those_of_the_tables() -> None:
    real = {qid for qid in item_labels() if qid_number(qid) < 4_000_000_000}
    rows = (*tables.class_items(), *tables.genre_items(), *tables.language_items(), *tables.country_items())
    assert real == {row.qid for row in (*rows, *tables.placeholders())} | set(BROAD_CLASSES)


@pytest.mark.parametrize("scale", [0.005, 0.05, 0.4])
def test_no_two_items_share_a_number(scale: float) -> None:
    world = make_frame(SEED, scale)
    qids = [work.qid for _, works in world_works(world) for work in works]
    qids += [world.person(index).qid for index in range(world.people)]
    assert len(set(qids)) == len(qids)


# --- shares of the full world


def test_the_full_world_has_enough_books(full_works: list[Work]) -> None:
    assert 26_500 <= len(full_works) <= 28_500


def test_shares_are_those_of_the_paper(full_works: list[Work]) -> None:
    def share(items: tuple[tables.PlaceItem, ...], top: str, field: str) -> float:
        family = {item.qid for item in items if top in (item.qid, item.parent)}
        return sum(bool(family & set(getattr(work, field))) for work in full_works) / len(full_works)

    assert share(tables.language_items(), "Q1860", "languages") == pytest.approx(0.832, abs=0.01)
    assert share(tables.country_items(), "Q30", "countries") == pytest.approx(0.415, abs=0.01)
    assert share(tables.country_items(), "Q145", "countries") == pytest.approx(0.134, abs=0.01)


def test_as_many_languages_and_countries_are_published_as_in_the_paper(full_works: list[Work]) -> None:
    languages = {label for work in full_works for label in labels_of("language", work.languages)}
    countries = {label for work in full_works for label in labels_of("country", work.countries)}
    assert (len(languages), len(countries)) == (151, 166)


def test_science_fiction_is_the_largest_genre_and_all_occur(full_works: list[Work]) -> None:
    tally = Counter(label for work in full_works for label in {GENRES[q] for q in work.genres if q in GENRES})
    assert tally.most_common(1)[0][0] == "Science Fiction"
    assert set(tally) == set(tables.published_genres())
    assert min(tally.values()) > 300


def test_many_books_have_two_or_three_genres(full_works: list[Work]) -> None:
    tally = Counter(len({GENRES[q] for q in work.genres if q in GENRES}) for work in full_works)
    assert tally[2] / len(full_works) == pytest.approx(0.35, abs=0.03)
    assert tally[3] / len(full_works) == pytest.approx(0.12, abs=0.02)


def test_popularity_is_heavy_tailed_with_many_ties(full_works: list[Work]) -> None:
    counts = [work.sitelinks or 0 for work in full_works]
    assert 0.15 < counts.count(0) / len(counts) < 0.35
    assert sum(count < 10 for count in counts) / len(counts) > 0.9
    assert max(counts) > 100


def test_other_languages_and_countries_have_real_mass(full_works: list[Work]) -> None:
    languages = Counter(qid for work in full_works for qid in work.languages)
    countries = Counter(qid for work in full_works for qid in work.countries)
    assert languages.most_common(13)[-1][1] > 100
    assert countries.most_common(13)[-1][1] > 200


def test_years_reach_from_the_first_printed_books_to_now(full_works: list[Work]) -> None:
    years = [min(d.year for d in best(work.dates) if d.precision >= 9 and d.year) for work in full_works]
    assert (min(years), max(years)) == (1460, 2026)
    assert sum(year >= 1950 for year in years) > 0.65 * len(years)
    assert sum(year < 1800 for year in years) > 0.02 * len(years)


# --- dirt


@pytest.mark.parametrize("name", [case.name for case in DIRTY_CASES])
def test_every_dirty_case_occurs(name: str, by_case: dict[str, list[list[Work]]]) -> None:
    assert len(by_case[name]) >= 2


def test_dirty_cases_have_distinct_names_and_a_meaning() -> None:
    assert len({case.name for case in DIRTY_CASES}) == len(DIRTY_CASES) < 256
    assert all(case.meaning.endswith(".") for case in DIRTY_CASES)


def test_some_works_are_orderly() -> None:
    plan = plan_cases(make_frame(SEED, 1.0))
    assert sum(case.share for case in DIRTY_CASES) < 0.95
    assert plan.count(0) > len(plan) * 0.05


def test_dirt_keeps_its_share_in_the_full_world() -> None:
    plan = plan_cases(make_frame(SEED, 1.0))
    tally = Counter(plan)
    for number, case in enumerate(DIRTY_CASES, start=1):
        assert tally[number] == max(2, round(case.share * len(plan)))


def first(by_case: dict[str, list[list[Work]]], name: str) -> list[Work]:
    return by_case[name][0]


def test_statements_of_dirty_authors(by_case: dict[str, list[list[Work]]]) -> None:
    assert first(by_case, "unknown_author")[0].authors[0].value == UNKNOWN
    assert first(by_case, "no_value_author")[0].authors[0].value == NO_VALUE
    assert first(by_case, "author_name_only")[0].authors == []
    twin = first(by_case, "author_name_twin")[0]
    assert (twin.authors[0].ordinal, twin.author_names[0].ordinal) == ("1", "1")
    ordinals = {claim.ordinal for works in by_case["odd_ordinals"] for claim in works[0].authors}
    assert {"10", "2", "1"} <= ordinals
    merged, stub = first(by_case, "merged_author")
    assert merged.authors[0].value == stub.qid
    assert stub.redirect_to
    assert stub.labels == []


def test_statements_of_dirty_dates(by_case: dict[str, list[list[Work]]]) -> None:
    years = {
        name: by_case[name][0][0].dates[0].year for name in ("before_christ", "year_zero", "five_digit_year")
    }
    assert years["before_christ"] is not None
    assert years["before_christ"] < 0
    assert years["year_zero"] == 0
    assert years["five_digit_year"] is not None
    assert years["five_digit_year"] >= 10_000
    assert {date.precision for works in by_case["day_year_and_century"] for date in works[0].dates} == {
        11,
        9,
        7,
    }
    assert first(by_case, "unknown_date")[0].dates[0].year is None
    assert {date.rank for date in first(by_case, "preferred_date")[0].dates} == {"normal", "preferred"}


def test_duplicates_have_the_same_authors_and_near_duplicates_other_titles(
    by_case: dict[str, list[list[Work]]],
) -> None:
    for name, pairs in by_case.items():
        if not name.startswith("duplicate"):
            continue
        for one, other in pairs:
            assert [a.value for a in one.authors] == [a.value for a in other.authors]
            assert (one.title == other.title) == (name == "duplicate")
    for one, other in by_case["title_and_longer_title"]:
        assert other.title.startswith(f"{one.title}: ")
    for one, other in by_case["same_title_other_author"]:
        assert one.title == other.title
        assert one.authors[0].value != other.authors[0].value


def test_invisible_and_missing_titles(by_case: dict[str, list[list[Work]]]) -> None:
    def english(name: str) -> str:
        return dict(first(by_case, name)[0].labels)["en"]

    assert not unicodedata.is_normalized("NFC", english("decomposed_accents"))
    assert {unicodedata.category(c) for c in english("zero_width_inside")} & {"Cf"}
    assert "\u00ad" in english("soft_hyphen_inside")
    assert not english("other_script_label").encode("ascii", "ignore").strip(b" ,.:")
    assert set(dict(first(by_case, "default_label_only")[0].labels)) & {"en", "mul"} == {"mul"}
    assert english("label_is_item_id") == first(by_case, "label_is_item_id")[0].qid
    assert not {"en", "mul"} & set(dict(first(by_case, "no_english_title")[0].labels))


def test_classes_of_editions_and_series(by_case: dict[str, list[list[Work]]]) -> None:
    work, edition = first(by_case, "edition_item")
    assert (edition.edition_of, edition.classes) == ([work.qid], ["Q3331189"])
    assert work.edition_of == []
    part, series = first(by_case, "series_beside_part")
    assert part.series == [series.qid]
    assert {CLASSES[qid] for qid in first(by_case, "work_and_edition")[0].classes} == {"keep", "drop"}
    by_form = first(by_case, "poem_by_form")[0]
    assert (CLASSES[by_form.classes[0]], CLASSES[by_form.forms[0]]) == ("keep", "drop")


# --- bad input


@pytest.mark.parametrize("scale", [0.0, -1.0, 31.0, float("nan"), float("inf")])
def test_a_scale_out_of_range_is_one_sentence(scale: float, tmp_path: Path) -> None:
    out = tmp_path / "world.nt"
    out.write_text("earlier", encoding="utf-8")
    with pytest.raises(Problem, match="is not above 0 and at most 30"):
        write_world(out, SEED, scale)
    assert out.read_text(encoding="utf-8") == "earlier"


def test_a_name_that_is_not_nt_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"does not end in \.nt"):
        write_world(tmp_path / "world.ttl", SEED, SMALL)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Problem, match=r"Cannot write .*world\.nt"):
        write_world(tmp_path / "file" / "world.nt", SEED, SMALL)


def test_a_tiny_world_is_a_world(tmp_path: Path) -> None:
    summary = write_world(tmp_path / "tiny.nt", SEED, 1e-6)
    assert summary.works >= 20
    assert summary.people == 10
