"""The release's own README: what it is, how to check it, what the controls score."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

PROFILE_CELLS = ("measure", "ours", "paper")
TABLE_CELLS = ("agent", "condition", "kind", "tasks", "pass_hat_1")


def card_text(
    config: Mapping[str, Any], profile: Sequence[Mapping[str, str]], table: Sequence[Mapping[str, str]]
) -> str:
    """Markdown text of the release's README, a pure function of the build products."""
    template = Template((files(__package__) / "data" / "card.md").read_text(encoding="utf-8"))
    return template.substitute(
        track=config["track"],
        snapshot=config["snapshot"]["id"],
        date=config["release"]["date"],
        profile=_rows(profile, PROFILE_CELLS),
        table=_rows([row for row in table if row["tier"] == "all"], TABLE_CELLS),
    )


def _rows(rows: Sequence[Mapping[str, str]], cells: Sequence[str]) -> str:
    lines = (" | ".join(row[cell].replace("|", "\\|") for cell in cells) for row in rows)
    return "\n".join(f"| {line} |" for line in lines)
