"""Time and memory from frozen responses to a written catalog (`make bench-catalog`).

First the bundled snapshot, in rounds that take turns, in seconds of one core: the *floor* is to decompress
every body, hash it and parse it with orjson, once as a program would and once with the cycle collector held,
which is faster; beside it the catalog in-process (read, select, order, write three Parquet files) and
``verify-snapshot``. Then synthetic worlds of growing size, written without a server, each built by a process
of its own: seconds and peak memory per row must not grow by more than a fifth, and the largest must fit in
4 GiB.

What profiles showed, and what was done:

- One tree of objects for a whole body takes twenty times its memory. Bodies are parsed in pieces of 64 KiB:
  checking every row and all takes about as long as the floor. It is most of what is left.
- The cycle collector took a third of the time of reading. It is held while facts are gathered.
- A table of sets per work is large and slow to fill. Each fact is stored once now, and a work is a list of
  facts: at 100,000 works the whole build went from 716 to 374 MB.
- ``dataclasses.asdict`` copies deeply: it took half of the writing. Rows take their cells directly.
- Titles are cleaned several times on their way, and keyed letter by letter: cached, and mapped by a table.
"""

import argparse
import gc
import hashlib
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import orjson

from tau_rec_books.catalog.build import build, read_facts, write_catalog
from tau_rec_books.core.canonical import write_json
from tau_rec_books.core.collector import collector_held
from tau_rec_books.wikidata.layout import MANIFEST, read_body
from tau_rec_books.wikidata.snapshot import read_snapshot_manifest, verify_snapshot
from tau_rec_books.world.build import FULL_WORKS

ROOT = Path(__file__).parents[2]
SIZES = (5_000, 10_000, 20_000)
"""Catalog sizes of the bundled snapshot; those of larger worlds grow with them."""

SCALE = 1_000_000
MOST_TIMES_FLOOR = 4.0
MOST_GROWTH = 1.2
MOST_MEMORY = 4 << 30
SMALL = 100_000
"""Worlds up to this number of works are built several times."""

SMALL_RUNS = 3
SEED = "books-order-v1"


def floor(snapshot: Path) -> None:
    """Decompress, hash and parse every body."""
    for response in read_snapshot_manifest(snapshot)["responses"]:
        for page in response["pages"]:
            body = read_body(snapshot, page)
            hashlib.sha256(body).hexdigest()
            orjson.loads(body)


def floor_without_collector(snapshot: Path) -> None:
    """The same with the cycle collector held."""
    with collector_held():
        floor(snapshot)


def make_catalog(snapshot: Path, out: Path, sizes: Sequence[int]) -> dict[str, int]:
    """What ``build-catalog`` does, with the numbers of works."""
    facts = read_facts(snapshot)
    built = build(facts, seed=SEED, sizes=sizes, year_min=1460, year_max=2026, allow_fewer=False)
    write_catalog(out, built, sizes)
    return {"works": built.funnel.returned, "eligible": built.eligible, "books": len(built.books)}


def ratios(snapshot: Path, rounds: int, out: Path) -> dict[str, Any]:
    """Best seconds of each measured thing, and its multiple of both floors."""
    things: dict[str, Callable[[], object]] = {
        "floor": lambda: floor(snapshot),
        "floor, collector held": lambda: floor_without_collector(snapshot),
        "catalog": lambda: make_catalog(snapshot, out, SIZES),
        "verify-snapshot": lambda: verify_snapshot(snapshot),
    }
    seconds: dict[str, list[float]] = {name: [] for name in things}
    for _ in range(rounds):
        for name, run in things.items():
            gc.collect()
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    best = {name: min(measured) for name, measured in seconds.items()}
    return {
        name: {
            "seconds": round(value, 3),
            "times_floor": round(value / best["floor"], 2),
            "times_floor_collector_held": round(value / best["floor, collector held"], 2),
        }
        for name, value in best.items()
    }


def peak_memory() -> int:
    """Most bytes that this process has held at once; the kernel's own count where there is one."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024


def measure(snapshot: Path, sizes: Sequence[int]) -> dict[str, Any]:
    """Build one catalog in this process, and say what it took; meant for a process of its own."""
    with tempfile.TemporaryDirectory() as out:
        wall, start = time.perf_counter(), time.process_time()
        counts = make_catalog(snapshot, Path(out), sizes)
        end = time.process_time()
    found = {
        **counts,
        "seconds": round(end - start, 2),
        "wall_seconds": round(time.perf_counter() - wall, 2),
        "peak_bytes": peak_memory(),
    }
    start = time.process_time()
    floor_without_collector(snapshot)
    return {**found, "floor_seconds": round(time.process_time() - start, 2)}


def _call(script: str, *arguments: object) -> str:
    """Output of one of the scripts beside this one."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def growth(worlds: Sequence[int], folder: Path) -> list[dict[str, Any]]:
    """One row per world, with time and memory per row as multiples of the smallest world's.

    Small worlds are built several times, before and after the largest, and the middle run counts: the fastest
    of several beside a single large one would let any other load on the machine look like growth.
    """
    snapshots = {works: folder / f"w{works}" for works in worlds}
    for works, snapshot in snapshots.items():
        if not (snapshot / MANIFEST).is_file():
            print(f"Writing a world of {works:,} works …", file=sys.stderr)
            _call("direct_snapshot.py", snapshot, "--works", works)
    runs: dict[int, list[dict[str, Any]]] = {works: [] for works in worlds}
    for turn in range(SMALL_RUNS):
        for works, snapshot in snapshots.items():
            if works <= SMALL or turn == SMALL_RUNS // 2:
                sizes = [size * works // FULL_WORKS for size in SIZES]
                output = _call("bench_catalog.py", "--measure", snapshot, "--sizes", *sizes)
                runs[works].append(json.loads(output))
    rows: list[dict[str, Any]] = []
    for works, found in runs.items():
        totals = read_snapshot_manifest(snapshots[works])["totals"]
        row = {"world": works, "rows": totals["rows"], "bytes": totals["bytes"]}
        row |= sorted(found, key=lambda run: run["seconds"])[len(found) // 2]
        first = rows[0] if rows else row
        for key in ("seconds", "peak_bytes"):
            row[f"{key}_growth"] = round(row[key] / row["rows"] / (first[key] / first["rows"]), 2)
        rows.append(row)
    return rows


def main() -> int:
    """Measure, print, write the JSON; exit with 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--snapshot", type=Path, default=ROOT / "snapshots" / "books-synthetic-v1")
    parser.add_argument("--scale", type=int, default=SCALE, help="works of the largest world (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="one round, and worlds up to a tenth of --scale")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "benchmarks" / "catalog.json")
    parser.add_argument(
        "--worlds", type=Path, help="keep the worlds' snapshots in this folder, and use those that are there"
    )
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, arguments.sizes)))
        return 0

    largest = arguments.scale // 10 if arguments.quick else arguments.scale
    worlds = sorted({*(works for works in (20_000, 100_000) if works < largest), largest})
    folder = arguments.out.parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as out:
        measured = ratios(arguments.snapshot, 1 if arguments.quick else arguments.rounds, Path(out))
    print(f"{arguments.snapshot.name}, best of the rounds, one core; floor = decompress, hash, parse")
    print(f"{'':24} {'seconds':>9} {'× floor':>9} {'× floor, collector held':>25}")
    for name, row in measured.items():
        print(
            f"{name:24} {row['seconds']:>9.2f} {row['times_floor']:>9.2f}"
            f" {row['times_floor_collector_held']:>25.2f}"
        )
    with tempfile.TemporaryDirectory(dir=folder) as place:
        grown = growth(worlds, arguments.worlds or Path(place))
    print("\nbuild-catalog by size of the world; growth = per row, the smallest world being 1")
    print(
        f"{'works':>9} {'rows':>12} {'books':>9} {'time':>11} {'× floor':>8} {'growth':>7} {'memory':>13}"
        f" {'growth':>7}"
    )
    for row in grown:
        print(
            f"{row['world']:>9,} {row['rows']:>12,} {row['books']:>9,} {row['seconds']:>9.1f} s"
            f" {row['seconds'] / row['floor_seconds']:>8.2f} {row['seconds_growth']:>7.2f}"
            f" {row['peak_bytes'] / 2**20:>9,.0f} MiB {row['peak_bytes_growth']:>7.2f}"
        )
    checks = {
        f"catalog ≤ {MOST_TIMES_FLOOR:g} × floor": measured["catalog"]["times_floor"] <= MOST_TIMES_FLOOR,
        "time grows at most linearly (+20 %)": all(row["seconds_growth"] <= MOST_GROWTH for row in grown),
        "memory grows at most linearly (+20 %)": all(
            row["peak_bytes_growth"] <= MOST_GROWTH for row in grown
        ),
        "at most 4 GiB": all(row["peak_bytes"] <= MOST_MEMORY for row in grown),
    }
    print()
    for target, reached in checks.items():
        print(f"{'reached' if reached else 'MISSED':8} {target}")
    write_json(
        arguments.out,
        {
            "machine": {"processor": platform.machine(), "python": platform.python_version()},
            "snapshot": arguments.snapshot.name,
            "quick": arguments.quick,
            "ratios": measured,
            "growth": grown,
            "targets": checks,
        },
    )
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
