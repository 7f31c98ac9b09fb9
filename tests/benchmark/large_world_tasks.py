"""Draw and prove task families on a world of 100,000 books and more (`make task-scale`).

The snapshot of the world is written without a SPARQL server, since what is measured here comes after the
catalog. Seconds are of CPU time, so that a busy machine does not count.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import yaml
from direct_snapshot import write_direct_snapshot

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.catalog.build import Build, build, read_facts, write_catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.tasks.generate import make_families
from tau_rec_books.tasks.validation import validate
from tau_rec_books.tasks.write import write_tasks

ROOT = Path(__file__).parents[2]


def try_sizes(place: Path, built: Build, sizes: Sequence[int], config: dict[str, Any]) -> bool:
    """Draw and prove the default counts at these sizes, and tell how long it takes; whether all is well."""
    print(f"sizes {', '.join(map(size_name, sizes))}:", flush=True)
    settings, folder = config["tasks"], place / "-".join(map(size_name, sizes))
    books = built.books[: sizes[-1]]
    cut = Build(books, built.vocabulary, built.funnel, built.eligible)
    write_catalog(folder / "catalog", cut, sizes)
    catalog = Catalog(books, built.vocabulary)
    start = time.process_time()
    try:
        generation = make_families(catalog, sizes, settings)
    except Problem as problem:
        print(f"  after {time.process_time() - start:.1f} s: {problem}")
        return False
    drawn = time.process_time()
    summary, _ = write_tasks(folder / "tasks", generation, catalog, sizes)
    written = time.process_time()
    report = validate(folder / "catalog", folder / "tasks", settings, sizes, ROOT / "workflow" / "schemas")
    proven = time.process_time()
    made = summary["made"]
    medians = ", ".join(f"{median:g} at {name}" for name, median in made["median_answers"].items())
    print(
        f"  {made['families']} families after {summary['draws']} draws in {drawn - start:.1f} s, "
        f"proven in {proven - written:.1f} s: {'valid' if report['passed'] else 'NOT VALID'}; "
        f"median answers {medians}; US/UK {made['country_predicates_us_or_uk']}/{made['country_predicates']}"
    )
    for check in report["checks"]:
        for problem_sentence in check["problems"]:
            print(f"  {problem_sentence}", file=sys.stderr)
    return bool(report["passed"])


def main() -> None:
    """Build the large catalog once; try the default sizes and large ones; exit 1 when a set is not valid."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=4.0, help="size of the world; 4 gives 104,000 books")
    parser.add_argument("--sizes", default="25000,50000,100000", help="the large sizes")
    given = parser.parse_args()
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    wanted = config["catalog"]
    large = [int(size) for size in given.sizes.split(",")]
    rules = {name: wanted[name] for name in ("seed", "year_min", "year_max")}
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_direct_snapshot(place / "snapshot", "books-synthetic-v1", given.scale)
        start = time.process_time()
        facts = read_facts(place / "snapshot")
        built = build(facts, sizes=sorted({*wanted["sizes"], *large}), allow_fewer=False, **rules)
        del facts
        print(
            f"{built.eligible} eligible works at scale {given.scale:g}, "
            f"read and built in {time.process_time() - start:.0f} s",
            flush=True,
        )
        valid = [try_sizes(place, built, sizes, config) for sizes in (wanted["sizes"], large)]
    print(f"at most {getrusage(RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB of memory")
    sys.exit(0 if all(valid) else 1)


if __name__ == "__main__":
    main()
