"""What all rules share: the checked configuration, paths, and the functions that rules call. No rules here."""

import json
from pathlib import Path

from snakemake.exceptions import WorkflowError

from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.core.settings import check_settings

try:
    check_settings(
        config,
        json.loads(
            Path(workflow.basedir, "workflow/schemas/config.schema.json").read_text()
        ),
    )
except Problem as problem:
    raise WorkflowError(str(problem))

RESULTS = f"results/{config['track']}"
SNAPSHOT = f"{config['snapshot']['folder']}/{config['snapshot']['id']}"
SIZES = [size_name(size) for size in config["catalog"]["sizes"]]
ENVIRONMENT = "../envs/tau-rec-books.yaml"


wildcard_constraints:
    agent=r"[a-z0-9][a-z0-9.-]*",
    shard=r"\d{4}",


def library(*rooms):
    """Modules and data files of these rooms of the library and of core, sorted.

    Rules declare them as input, since Snakemake does not see edits to imported modules.
    """
    package = Path(workflow.basedir, "workflow/tau_rec_books")
    files = (
        path
        for room in ("core", *rooms)
        for path in (package / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    return sorted(str(path.relative_to(workflow.basedir)) for path in files)


def section(name):
    """One section of the configuration as canonical JSON, for the rules that read all of its keys."""
    return json.dumps(config[name], sort_keys=True, separators=(",", ":"))


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
