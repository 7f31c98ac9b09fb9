"""Cut a release: gather the build products, describe them, sum them up, put them in place at once."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tau_rec_books.core.canonical import read_csv, write_bytes, write_json, write_text
from tau_rec_books.core.digest import sha256_file
from tau_rec_books.core.errors import Problem
from tau_rec_books.release.card import card_text
from tau_rec_books.release.checksums import MANIFEST, write_sums
from tau_rec_books.release.layout import RELEASED_SECTIONS, Sources, placed_files
from tau_rec_books.release.manifest import release_manifest
from tau_rec_books.statistics.table import PENDING


def released_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the configuration that is released, with the snapshot's name but not its folder."""
    kept = {name: config[name] for name in RELEASED_SECTIONS}
    return {**kept, "snapshot": {"id": config["snapshot"]["id"]}}


def cut(
    out: Path, sources: Sources, config: Mapping[str, Any], licences: Mapping[str, Path]
) -> dict[str, str]:
    """Write a release folder, replacing an older one only when the new one is whole.

    Args:
        out: the release folder.
        sources: where the build products lie.
        config: the checked configuration.
        licences: file name in the release → licence text.

    Returns:
        path → SHA-256 of every released file.

    Raises:
        Problem: when a build product is missing, a trial is pending or the disk is full.
    """
    placed = placed_files(sources, config["catalog"]["sizes"], config["trials"]["agents"]) | dict(licences)
    missing = sorted(str(path) for path in placed.values() if not path.is_file())
    if missing:
        raise Problem(f"{missing[0]} is missing, so no release can be cut; run the whole pipeline first.")
    pending = [row for row in read_csv(placed["traces/trials.csv"]) if row["ending"] in PENDING]
    if pending:
        raise Problem(
            f"{len(pending)} trials are pending, the first is {pending[0]['agent']} on {pending[0]['task']}; "
            f"remove {sources.results / 'trials' / 'shards'} and run again, finished trials are kept."
        )
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for path, source in sorted(placed.items()):
        write_bytes(partial / path, source.read_bytes())
    write_json(partial / "config.json", released_config(config))
    table = read_csv(sources.results / "statistics" / "pass_hat_k.csv")
    profile = read_csv(sources.results / "catalog" / "profile.csv")
    write_text(partial / "README.md", card_text(config, profile, table))
    snapshot = sha256_file(sources.snapshot / "snapshot.json")
    write_json(partial / MANIFEST, release_manifest(partial, config, snapshot))
    sums = write_sums(partial)
    older = out.with_name(f".{out.name}.older")
    shutil.rmtree(older, ignore_errors=True)
    if out.exists():
        out.rename(older)
    partial.rename(out)
    shutil.rmtree(older, ignore_errors=True)
    return sums
