"""Real book facts, fetched with the 21 queries from a real SPARQL server and built into a release."""

import gzip
import os
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from double_build import ROOT, copy_checkout, snakemake

from tau_rec_books.catalog.books import read_books
from tau_rec_books.core.canonical import read_csv, read_json
from tau_rec_books.wikidata import tables
from tau_rec_books.wikidata.statements import read_statements
from tau_rec_books.world.endpoint import serve

FACTS = Path(os.environ.get("REAL_WIKIDATA", ROOT.parent / "shared" / "real-wikidata"))
DIRECT = "<http://www.wikidata.org/prop/direct/"

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(not FACTS.is_dir(), reason=f"no real facts at {FACTS}; set REAL_WIKIDATA"),
]


def test_real_facts_become_a_catalog_and_tasks(
    run_verb: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    files = []
    for packed in sorted(FACTS.glob("*.nt.gz")):
        files.append(tmp_path / packed.stem)
        files[-1].write_bytes(gzip.decompress(packed.read_bytes()))
    assert len(files) == 2
    with serve(files) as url:
        taken = run_verb("fetch", "--endpoint", url, "--id", "real", "--folder", tmp_path / "snapshots")
    assert taken.returncode == 0, taken.stderr
    overlay = tmp_path / "real.yaml"
    overlay.write_text(
        yaml.safe_dump(
            {
                "track": "books-real",
                "snapshot": {"folder": str(tmp_path / "snapshots"), "id": "real"},
                "catalog": {"sizes": [200, 400, 800], "allow_fewer": True},
                "tasks": {"allow_fewer": True},
                "trials": {"size": 800},
            }
        )
    )
    checkout = tmp_path / "checkout"
    copy_checkout(checkout)
    run = snakemake(checkout, "all", "--configfile", str(overlay))
    assert run.returncode == 0, run.stdout + run.stderr
    results = checkout / "results" / "books-real"

    returned = set()
    for _, statements in read_statements(tmp_path / "snapshots" / "real"):
        returned |= {row.subject for row in statements if row.property not in ("label",)}
    funnel = read_csv(results / "catalog" / "funnel.csv")
    books = read_books(results / "catalog" / "800.parquet")
    assert int(funnel[0]["entered"]) == len(returned)
    assert sum(int(row["dropped"]) for row in funnel) + len(books) == len(returned)
    print(f"{len(returned)} works returned, {len(books)} in the catalog")

    # Types read from the facts themselves, not from anything the pipeline made of them.
    types = defaultdict(set)
    for line in files[0].read_text(encoding="utf-8").splitlines():
        subject, name, value = line.split(" ", 2)
        if name in (f"{DIRECT}P31>", f"{DIRECT}P7937>"):
            types[subject.rsplit("/", 1)[1][:-1]].add(value.rsplit("/", 1)[1].split(">")[0])
    banned = {c.qid for c in tables.class_items() if c.kind in ("edition", "series", "play", "poem")}
    assert len(books) > 400
    for book in books:
        assert not types[book.id.removeprefix("wd_")] & banned, book

    assert read_json(results / "tasks" / "validation.json")["passed"] is True
    assert read_json(results / "verification.json")["passed"] is True
    families = (results / "tasks" / "families.jsonl").read_text().count("\n")
    print(f"{families} families fit")
    assert families >= 10
