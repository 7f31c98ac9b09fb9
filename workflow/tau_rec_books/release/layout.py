"""Which build product goes where in a release."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tau_rec_books.core.identifiers import size_name

RELEASED_SECTIONS = ("schema_version", "track", "catalog", "tasks", "trials", "statistics", "release")
"""Sections of the configuration that a release depends on; where the snapshot lies is nobody's business."""


@dataclass(frozen=True)
class Sources:
    """Folders and files a release is cut from.

    Attributes:
        results: ``results/{track}``.
        snapshot: folder of the frozen snapshot.
        user_profile: folder of the rule user's profile.
        schemas: folder of the JSON Schemas.
    """

    results: Path
    snapshot: Path
    user_profile: Path
    schemas: Path


def placed_files(sources: Sources, sizes: Sequence[int], agents: Sequence[str]) -> dict[str, Path]:
    """Path in the release → build product, for every file that is copied as it is."""
    results = sources.results
    catalog = [f"{size_name(size)}.parquet" for size in sizes]
    catalog += ["vocabulary.json", "funnel.csv", "profile.csv", "audit_sample.csv", "audit_rubric.md"]
    tasks = ["families.jsonl", "tasks.jsonl", "answers.jsonl", "draws.csv"]
    tasks += ["summary.json", "overlap.json", "validation.json"]
    tasks += ["audit_sample.csv", "audit_rubric.md"]
    placed = {f"catalog/{name}": results / "catalog" / name for name in catalog}
    placed |= {f"tasks/{name}": results / "tasks" / name for name in tasks}
    placed |= {f"traces/{agent}.jsonl": results / "trials" / "traces" / f"{agent}.jsonl" for agent in agents}
    placed["traces/trials.csv"] = results / "trials" / "trials.csv"
    placed["statistics/pass_hat_k.csv"] = results / "statistics" / "pass_hat_k.csv"
    placed["snapshot/snapshot.json"] = sources.snapshot / "snapshot.json"
    placed |= {
        f"user/{sources.user_profile.name}/{path.name}": path
        for path in sorted(sources.user_profile.iterdir())
        if path.is_file()
    }
    placed |= {f"schemas/{path.name}": path for path in sorted(sources.schemas.glob("*.schema.json"))}
    return placed
