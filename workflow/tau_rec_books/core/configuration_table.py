"""The README's table of configuration keys, made from the schema and the defaults."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tau_rec_books.core.canonical import read_json, write_text

BEGIN = "<!-- configuration table: begin (made from the schema; `make configuration-table`) -->"
END = "<!-- configuration table: end -->"


def table_text(schema: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Markdown table of key, default and meaning, in the order of the schema."""
    rows = [f"| `{key}` | {default} | {meaning} |" for key, default, meaning in _rows(schema, config, "")]
    return "\n".join([BEGIN, "| key | default | meaning |", "|---|---|---|", *rows, END])


def with_table(readme: str, table: str) -> str:
    """The README's text with the region between the markers replaced.

    Raises:
        ValueError: when a marker is missing.
    """
    before, _, rest = readme.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError("README.md has lost the markers of its configuration table")
    return before + table + after


def _rows(schema: Mapping[str, Any], config: Any, prefix: str) -> Iterator[tuple[str, str, str]]:
    for key, part in schema["properties"].items():
        value = config[key]
        if part.get("type") == "object" and "properties" in part:
            yield from _rows(part, value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", _default(value), part["description"]


def _default(value: Any) -> str:
    if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
        return f"{len(value)} entries"
    if value == "":
        return "empty"
    return f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}`"


def main() -> None:
    """Write the table into the README of the repository this is run in."""
    readme = Path("README.md")
    config = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    table = table_text(read_json(Path("workflow/schemas/config.schema.json")), config)
    write_text(readme, with_table(readme.read_text(encoding="utf-8"), table))


if __name__ == "__main__":
    main()
