"""Canonical writers: same values, same bytes; a failed write loses nothing."""

import csv
import io
import json
import math
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.core.canonical import (
    content_hash,
    csv_text,
    json_text,
    read_csv,
    read_jsonl,
    write_bytes,
    write_csv,
    write_parquet,
)
from tau_rec_books.core.errors import Problem

NUMBERS = pa.schema([pa.field("n", pa.int32(), nullable=False)])

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=6))
def test_key_order_never_changes_json(value: dict[str, object]) -> None:
    backwards = dict(reversed(list(value.items())))
    assert json_text(value) == json_text(backwards)
    assert json.loads(json_text(value)) == value


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError):
        json_text({"share": math.nan})


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1), max_size=5))
def test_csv_text_survives_and_no_cell_is_a_formula(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    write_csv(path, ["title", "end"], [{"title": cell, "end": "x"} for cell in cells])
    assert [row["title"] for row in read_csv(path)] == cells
    for (shown,) in csv.reader(io.StringIO(csv_text(["title"], [{"title": cell} for cell in cells]))):
        assert not shown.startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("cell", ["=SUM(1)", "'=SUM(1)", "''+1", "'", "''", "-", "'quoted'", "@x"])
def test_apostrophes_of_the_text_itself_survive(tmp_path: Path, cell: str) -> None:
    write_csv(tmp_path / "table.csv", ["title"], [{"title": cell}])
    assert read_csv(tmp_path / "table.csv") == [{"title": cell}]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    write_bytes(path, b"old")
    blocked = tmp_path / "table.json" / "below"
    with pytest.raises(Problem, match="Cannot write"):
        write_bytes(blocked, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.json"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(Problem, match="line 2"):
        list(read_jsonl(path))


def test_parquet_refuses_an_empty_cell_in_a_full_column(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="n has empty cells"):
        write_parquet(tmp_path / "n.parquet", [{"n": None}], NUMBERS)
    assert not (tmp_path / "n.parquet").exists()


def test_parquet_bytes_repeat_and_content_hash_sees_order(tmp_path: Path) -> None:
    rows = [{"n": 1}, {"n": 2}]
    write_parquet(tmp_path / "a.parquet", rows, NUMBERS)
    write_parquet(tmp_path / "b.parquet", rows, NUMBERS)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert content_hash(rows, NUMBERS) != content_hash(rows[::-1], NUMBERS)
