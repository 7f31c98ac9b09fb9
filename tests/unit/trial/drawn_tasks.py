"""Tasks drawn for tests, over a drawn catalog: quick, and independent of the task generator."""

from collections.abc import Mapping
from itertools import count

from tau_rec_books.catalog.books import Book, Catalog
from tau_rec_books.core.digest import draw_choice, draw_integer
from tau_rec_books.tasks.families import CONDITIONS, Condition, Predicate, Reveal, Task
from tau_rec_books.tasks.predicates import holds, wanted

SHAPES = (
    ("genre", "language"),
    ("genre", "country"),
    ("genre", "min"),
    ("genre", "max"),
    ("genre", "language", "min"),
    ("genre", "country", "max"),
    ("genre", "country", "min", "max"),
    ("genre", "language", "country", "min", "max"),
)


def _predicates(shape: tuple[str, ...], book: Book, spread: int) -> tuple[Predicate, ...] | None:
    made: list[Predicate] = []
    for number, slot in enumerate(shape, start=1):
        name = f"p{number}"
        if slot == "genre":
            made.append(Predicate(name, "genre", "is", book.genres[0]))
        elif slot == "language":
            made.append(Predicate(name, "language", "is", book.languages[0]))
        elif slot == "country":
            if not book.countries:
                return None
            made.append(Predicate(name, "country", "is", book.countries[0]))
        elif slot == "min":
            made.append(Predicate(name, "year", "min", book.year - spread))
        else:
            made.append(Predicate(name, "year", "max", book.year + spread + 1))
    return tuple(made)


def _reveal(predicates: tuple[Predicate, ...], condition: Condition, hidden: int) -> Mapping[str, Reveal]:
    tags: dict[str, Reveal] = {}
    for index, predicate in enumerate(predicates):
        if condition == "volunteer" or index == 0:
            tags[predicate.id] = "stated"
        elif condition == "hidden" and index >= len(predicates) - hidden:
            tags[predicate.id] = "hidden"
        else:
            tags[predicate.id] = "on_ask"
    return tags


def draw_tasks(catalog: Catalog, families: int = 12, seed: str = "drawn tasks") -> list[Task]:
    """Tasks of all three conditions; every fourth family has no valid recommendation."""
    tasks: list[Task] = []
    found = 0
    for attempt in count():
        if found == families:
            break
        shape = SHAPES[attempt % len(SHAPES)]
        book = catalog.books[draw_integer(seed, attempt, below=len(catalog.books))]
        predicates = _predicates(shape, book, 5 + draw_integer(seed, attempt, "spread", below=30))
        if predicates is None:
            continue
        nvr = found % 4 == 3
        if nvr:
            predicates = (predicates[0], *(_spoiled(p) for p in predicates[1:-1]), _spoiled(predicates[-1]))
        matching = [b for b in catalog.books if all(holds(p, b, catalog.vocabulary) for p in predicates)]
        if nvr != (not matching) or (not nvr and len(matching) < 3):
            continue
        formats = (draw_choice(matching[0].formats, seed, attempt),) if matching and found % 3 == 0 else None
        history = (matching[-1].id, catalog.books[attempt % 50].id) if matching and found % 3 == 1 else ()
        hidden = 2 if len(predicates) > 3 and found % 2 else 1
        family = [
            Task(
                id=f"family-{found + 1:03d}-{condition}",
                family=f"family-{found + 1:03d}",
                tier="simple",
                template="-".join(shape),
                condition=condition,
                predicates=predicates,
                reveal=_reveal(predicates, condition, hidden),
                accepted_formats=formats,
                history=history,
                persona={"name": "A reader"},
                nvr=nvr,
            )
            for condition in CONDITIONS
        ]
        if not nvr and not any(wanted(family[0], b, catalog.vocabulary) for b in matching):
            continue
        tasks.extend(family)
        found += 1
    return tasks


def _spoiled(predicate: Predicate) -> Predicate:
    """A predicate that hardly any book meets, so that the request has no answer."""
    if predicate.field == "year":
        year = 2027 if predicate.operator == "min" else 1400
        return Predicate(predicate.id, "year", predicate.operator, year)
    return (
        predicate if predicate.field == "genre" else Predicate(predicate.id, predicate.field, "is", "Polish")
    )
