"""The synthetic Wikidata of books as one N-Triples file."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tau_rec_books.core.errors import Problem
from tau_rec_books.core.progress import progress_bar
from tau_rec_books.world.dirty import DIRTY_CASES, plan_cases
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.items import item_lines
from tau_rec_books.world.ntriples import class_line, label_lines, modified_line, work_lines
from tau_rec_books.world.records import Work
from tau_rec_books.world.works import World, make_work

FULL_WORKS = 38_000
FULL_PEOPLE = 18_000
MODIFIED = "2026-11-01T00:00:00Z"
"""What the world says about its own last change; a fixed date, so that the same seed gives the same bytes."""

PEN_NAME = "Q61002"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a written world holds."""

    works: int
    people: int
    triples: int

    def __str__(self) -> str:
        return (
            f"{self.works:,} works and {self.people:,} people, {self.triples:,} triples, "
            f"{len(DIRTY_CASES)} dirty cases"
        )


def make_frame(seed: str, scale: float) -> World:
    """The frame of a world of this size (1 is the full world).

    Raises:
        Problem: when the scale is not positive or so large that item numbers would collide.
    """
    if not 0 < scale <= 30:
        raise Problem(f"The scale {scale} is not above 0 and at most 30; choose another.")
    return World(seed, max(20, round(FULL_WORKS * scale)), max(10, round(FULL_PEOPLE * scale)))


def world_works(world: World) -> Iterator[tuple[str, list[Work]]]:
    """The items of each work, as (name of its dirty case or "", items), in the order of works.

    The first item is the work itself unless the case is about another.
    """
    plan = plan_cases(world)
    for index in range(world.works):
        work = make_work(world, index)
        if plan[index] == 0:
            yield "", [work]
        else:
            case = DIRTY_CASES[plan[index] - 1]
            yield case.name, case.apply(work, Draws(world.seed, "dirt", index), world)


def works_by_case(seed: str, scale: float) -> dict[str, list[list[Work]]]:
    """Case name → the works that have it (each with the items made beside it); for tests of the catalog."""
    found: dict[str, list[list[Work]]] = {case.name: [] for case in DIRTY_CASES}
    for name, works in world_works(make_frame(seed, scale)):
        if name:
            found[name].append(works)
    return found


def _write(write: Callable[[str], object], world: World) -> Summary:
    """Write all triples in a fixed order: the service, linked items, people, works."""
    triples = 0

    def put(lines: Iterable[str]) -> None:
        nonlocal triples
        # Two dates in one year make one truthy triple.
        block = list(dict.fromkeys(lines))
        triples += len(block)
        write("".join(block))

    put([modified_line(MODIFIED)])
    put(item_lines())
    for index in range(world.people):
        person = world.person(index)
        put(label_lines(person.qid, person.labels))
        if person.pen_name:
            put([class_line(person.qid, PEN_NAME)])
    seen_values: set[str] = set()
    count = 0
    with progress_bar("drawing works", total=world.works) as advance:
        for _, works in world_works(world):
            for work in works:
                put(work_lines(work, seen_values))
                count += bool(work.labels or work.classes)
            advance()
    return Summary(count, world.people, triples)


def write_world(out: Path, seed: str, scale: float = 1.0) -> Summary:
    """Write the world of ``seed`` as N-Triples; the same seed and scale give the same bytes.

    The file appears when it is complete; an earlier one stays until then.

    Raises:
        Problem: when the scale is out of range, the name does not end in ``.nt``, or the file cannot be
            written.
    """
    world = make_frame(seed, scale)
    if out.suffix != ".nt":
        raise Problem(f"{out} does not end in .nt, by which N-Triples files are known; choose such a name.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n", buffering=1 << 20) as stream:
                summary = _write(stream.write, world)
                stream.flush()
                os.fsync(stream.fileno())
            part.chmod(0o644)
            part.replace(out)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Problem(
            f"Cannot write {out}: {error.strerror or error}; free some space or choose another folder."
        ) from error
    return summary
