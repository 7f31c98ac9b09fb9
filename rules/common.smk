"""What all rules share: the checked configuration, paths, and functions that rules call. No rules here."""

import json
from pathlib import Path

from snakemake.exceptions import WorkflowError

from tau_rec_books.core.digest import sha256_file, sha256_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.core.settings import check_settings, typed
from tau_rec_books.release.layout import RELEASED_SECTIONS

CONFIG_SCHEMA = json.loads(
    Path(workflow.basedir, "workflow/schemas/config.schema.json").read_text()
)
config.update(typed(config, CONFIG_SCHEMA))

try:
    check_settings(config, CONFIG_SCHEMA)
except Problem as problem:
    raise WorkflowError(str(problem))

RESULTS = f"results/{config['track']}"
SNAPSHOT = f"{config['snapshot']['folder']}/{config['snapshot']['id']}"
SIZES = [size_name(size) for size in config["catalog"]["sizes"]]
ENVIRONMENT = "../envs/tau-rec-books.yaml"


wildcard_constraints:
    agent=r"[a-z0-9][a-z0-9.-]*",
    shard=r"\d{4}",
    section=r"[a-z]+",


def library(*rooms):
    """Digest of the modules and data files of these rooms of the library and of core.

    Rules carry it as a parameter, so that an edited module reruns the rules that use it: Snakemake does not
    see edits to imported modules, and two hundred files as inputs would drown what it prints.
    """
    package = Path(workflow.basedir, "workflow/tau_rec_books")
    files = sorted(
        path
        for room in ("core", *rooms)
        for path in (package / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    listed = "".join(
        f"{path.relative_to(package).as_posix()} {sha256_file(path)}\n"
        for path in files
    )
    return sha256_text(listed)[:16]


def snapshot_state():
    """Digest of the snapshot's files and their content.

    Snakemake looks at the times of files alone, and at no file that it is not told of: a response replaced by
    an older file, or a file added beside the manifest, would go unseen.
    """
    folder = Path(SNAPSHOT)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    listed = "".join(
        f"{path.relative_to(folder).as_posix()} {sha256_file(path)}\n" for path in files
    )
    return sha256_text(listed)[:16]


def planned_trials():
    """Trials planned for each scripted agent: every family under every condition."""
    families = sum(sum(counts.values()) for counts in config["tasks"]["tiers"].values())
    return 3 * families


def shards():
    """Names of the shards of one agent, known from the configuration so that the graph is, too."""
    return [
        f"{number:04d}"
        for number in range(-(-planned_trials() // config["trials"]["shard_size"]))
    ]


def released_settings():
    """The sections of the configuration that a release depends on, as canonical JSON."""
    return json.dumps(
        {name: config[name] for name in (*RELEASED_SECTIONS, "snapshot")},
        sort_keys=True,
    )
