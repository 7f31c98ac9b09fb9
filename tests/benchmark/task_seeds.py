"""Draw and prove the task families of other seeds at the default counts (`make task-seeds`).

Each seed gets a full set on the default catalog, clear of the published sets, and the independent validator
looks at it. The table tells seconds of CPU time, medians of answers, and what a set shares with the first
published one.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from tau_rec_books.catalog.books import Catalog, read_catalog
from tau_rec_books.catalog.build import build, read_facts, write_catalog
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.tasks.earlier import earlier_sets
from tau_rec_books.tasks.generate import make_families
from tau_rec_books.tasks.validation import validate
from tau_rec_books.tasks.write import write_tasks

ROOT = Path(__file__).parents[2]


def default_catalog(config: dict[str, Any], folder: Path) -> Catalog:
    """The catalog of the default configuration, built from the bundled snapshot into a folder."""
    wanted, snapshot = config["catalog"], config["snapshot"]
    names = ("seed", "sizes", "year_min", "year_max", "allow_fewer")
    facts = read_facts(ROOT / snapshot["folder"] / snapshot["id"])
    write_catalog(folder, build(facts, **{name: wanted[name] for name in names}), wanted["sizes"])
    return read_catalog(folder / f"{size_name(wanted['sizes'][-1])}.parquet", folder / "vocabulary.json")


def seed_row(seed: str, catalog: Catalog, place: Path, config: dict[str, Any]) -> dict[str, Any]:
    """Draw, write and prove one set; a row of the table."""
    sizes, settings = config["catalog"]["sizes"], {**config["tasks"], "seed": seed}
    start = time.process_time()
    earlier = earlier_sets(catalog, sizes, settings)
    generation = make_families(catalog, sizes, settings, [f for _, families in earlier for f in families])
    drawn = time.process_time()
    summary, overlaps = write_tasks(place / "tasks", generation, catalog, sizes, earlier)
    written = time.process_time()
    report = validate(place / "catalog", place / "tasks", settings, sizes, ROOT / "workflow" / "schemas")
    proven = time.process_time()
    made = summary["made"]
    row = {"seed": seed, "families": made["families"], "draws": summary["draws"]}
    row |= {"draw s": f"{drawn - start:.1f}", "prove s": f"{proven - written:.1f}"}
    row |= {f"median {name}": f"{median:g}" for name, median in made["median_answers"].items()}
    named, countries = made["country_predicates_us_or_uk"], made["country_predicates"]
    row["US/UK"] = f"{named}/{countries} = {named / countries:.0%}" if countries else "none"
    shared = next(iter(overlaps), None)
    if shared is None:
        row |= {"same requests": "-", "shared answers": "-", "nearest": "-"}
    else:
        largest = shared["sizes"][size_name(sizes[-1])]
        row["same requests"] = len(shared["same_predicates"])
        row["shared answers"] = f"{largest['shared_answers']:.0%}"
        row["nearest"] = f"{largest['nearest_maximum']:.2f}"
    row["valid"] = "yes" if report["passed"] else "NO"
    for check in report["checks"]:
        for problem in check["problems"]:
            print(f"{seed}: {problem}", file=sys.stderr)
    return row


def main() -> None:
    """Print a row per seed as it is done; exit 1 when a set is not valid."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=10, help="how many seeds beside the default one")
    count = parser.parse_args().count
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    valid = True
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        catalog = default_catalog(config, place / "catalog")
        seeds = [config["tasks"]["seed"], *(f"seed {number}" for number in range(1, count + 1))]
        for place_in_table, seed in enumerate(seeds):
            row = seed_row(seed, catalog, place, config)
            if place_in_table == 0:
                widths = {key: max(len(key), len(str(value)), 7) for key, value in row.items()}
                print("  ".join(key.ljust(widths[key]) for key in row))
            print("  ".join(str(value).ljust(widths[key]) for key, value in row.items()), flush=True)
            valid &= row["valid"] == "yes"
    sys.exit(0 if valid else 1)


if __name__ == "__main__":
    main()
