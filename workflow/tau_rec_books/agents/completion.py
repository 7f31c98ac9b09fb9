"""What the Tab key offers a person who plays the agent: commands, filters, and the catalog's labels."""

from collections.abc import Iterable

from tau_rec_books.catalog.books import FORMATS, Vocabulary

COMMANDS = (
    "search", "next", "more", "open", "formats", "history", "propose", "recommend", "abstain", "help", "quit",
)  # fmt: skip
FILTERS = ("genre", "language", "country", "year_min", "year_max", "formats", "sort", "page")


def completions(line: str, interface: str, vocabulary: Vocabulary) -> list[str]:
    """Whole lines that begin with ``line``, sorted: a command, a filter's name, or a filter's value."""
    if " " not in line:
        return [f"{command} " for command in sorted(COMMANDS) if command.startswith(line)]
    if interface != "structured" or not line.startswith("search "):
        return []
    key, found, value = line.rpartition("=")
    name = key.rpartition(" ")[2]
    typed = value.removeprefix('"')
    if found and name in FILTERS and (value.startswith('"') or " " not in value) and typed.count('"') == 0:
        return [
            f"{key}={_quoted(label)} "
            for label in _values(name, vocabulary)
            if label.casefold().startswith(typed.casefold())
        ]
    before, _, begun = line.rpartition(" ")
    return [f"{before} {name}=" for name in FILTERS if name.startswith(begun)]


def _values(name: str, vocabulary: Vocabulary) -> Iterable[str]:
    labels = {
        "genre": vocabulary.genres,
        "language": vocabulary.languages,
        "country": vocabulary.countries,
        "formats": FORMATS,
        "sort": ("popularity", "recency"),
    }
    return sorted(labels.get(name, ()))


def _quoted(label: str) -> str:
    return f'"{label}"' if " " in label or "'" in label else label
