"""The command line: one verb per workflow rule, thin over the library.

Verbs are imported only when they are called, since a workflow starts this program once per job.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from tau_rec_books.core.errors import CheckFailed, Problem

VERBS = {
    "fetch": "snapshot:fetch",
    "verify-snapshot": "snapshot:verify_snapshot",
    "diff": "snapshot:diff",
    "make-world": "world:make_world",
    "endpoint": "world:endpoint",
    "synthetic-snapshot": "synthetic:synthetic_snapshot",
    "build-catalog": "catalog:build_catalog",
    "write-settings": "settings:write_settings",
    "make-tasks": "tasks:make_tasks",
    "validate-tasks": "tasks_validation:validate_tasks",
    "show": "tasks_validation:show",
    "health": "tasks_validation:health",
    "agreement": "audit:agreement",
    "plan-trials": "trials:plan_trials",
    "run-trials": "trials:run_trials",
    "merge-trials": "trials:merge_trials",
    "replay": "trials:replay",
    "trial": "one_trial:trial",
    "play": "one_trial:play",
    "match": "match:match",
    "compute-statistics": "statistics:compute_statistics",
    "cut-release": "release:cut_release",
    "verify": "release:verify",
}
"""Verb → module and function in this package, in the order a reader meets them."""


class LazyGroup(click.Group):
    """A command group that imports a verb's module when the verb is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs, in the order of the data flow."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one verb, or ``None`` when there is no such verb."""
        if cmd_name not in VERBS:
            return None
        module, function = VERBS[cmd_name].split(":")
        command = getattr(import_module(f"tau_rec_books.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Run `tau-rec-books VERB --help` for examples. The whole pipeline: `snakemake --cores 2 all`.",
)
@click.version_option(package_name="tau-rec-books")
def program() -> None:
    """Build, run and check the τ-Rec-Books benchmark, one stage at a time."""


def _tell(sentence: str) -> None:
    """Say why on standard error and, where standard output is a rule's log file, there as well."""
    click.echo(sentence, err=True)
    name = getattr(sys.stdout, "name", None)
    target = Path(f"/dev/fd/{sys.stdout.fileno()}").resolve() if name == "<stdout>" else Path()
    if target.suffix == ".log":
        click.echo(sentence)


def main(arguments: list[str] | None = None) -> Any:
    """Run the program; a :class:`Problem` is told in one sentence instead of a traceback.

    Exit status: 0 done, 1 a check found a difference, 2 bad input, 130 interrupted.
    """
    try:
        program.main(args=arguments, prog_name="tau-rec-books", standalone_mode=False)
    except CheckFailed as failure:
        _tell(f"tau-rec-books: {failure}")
        sys.exit(1)
    except Problem as problem:
        _tell(f"tau-rec-books: {problem}")
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo(
            "tau-rec-books: interrupted; finished work is kept, run the same command to go on.", err=True
        )
        sys.exit(130)
    sys.exit(0)
