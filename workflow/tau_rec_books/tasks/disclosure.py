"""Who learns what when: reveal tags of the three conditions, and the rules on what may be hidden."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import combinations

from tau_rec_books.core.digest import draw_choice, shuffled
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.families import Condition, Field, Predicate, Reveal
from tau_rec_books.tasks.rules import Rejection
from tau_rec_books.tasks.settings import TaskSettings


@lru_cache(maxsize=1)
def giveaway_table() -> tuple[tuple[str, str, str], ...]:
    """Rows of ``data/giveaways.csv``: language, country, and which one gives the other away (or ``both``)."""
    text = (files("tau_rec_books.tasks") / "data" / "giveaways.csv").read_text(encoding="utf-8")
    return tuple(
        (row["language"], row["country"], row["gives_away"]) for row in csv.DictReader(text.splitlines())
    )


def stated_predicate(predicates: Sequence[Predicate], key: str) -> Predicate:
    """The predicate that mixed and hidden readers open with: a genre if there is one (paper, figure 1)."""
    genres = [p for p in predicates if p.field == "genre"]
    return draw_choice(genres or predicates, key, "stated")


def reveal_tags(
    predicates: Sequence[Predicate], stated: Predicate, hidden: Sequence[Predicate]
) -> Mapping[Condition, Mapping[str, Reveal]]:
    """Condition → predicate id → reveal tag; the conditions of a family differ in nothing else."""
    withheld = {p.id for p in hidden}

    def tag(predicate: Predicate, condition: Condition) -> Reveal:
        if condition == "volunteer" or predicate.id == stated.id:
            return "stated"
        return "hidden" if condition == "hidden" and predicate.id in withheld else "on_ask"

    conditions: tuple[Condition, ...] = ("volunteer", "mixed", "hidden")
    return {condition: {p.id: tag(p, condition) for p in predicates} for condition in conditions}


def hidden_choices(
    predicates: Sequence[Predicate], stated: Predicate, count: int, key: str
) -> Iterator[tuple[Predicate, ...]]:
    """Every set of ``count`` predicates that could be hidden, in hash order."""
    candidates = [p for p in predicates if p.id != stated.id]
    sets = {" ".join(p.id for p in chosen): chosen for chosen in combinations(candidates, count)}
    for name in shuffled(sets, f"{key}:hidden:"):
        yield sets[name]


class Disclosure:
    """Checks what a hidden condition would reveal, on one catalog."""

    def __init__(self, index: BooksIndex, settings: TaskSettings) -> None:
        self._index = index
        self._settings = settings

    def check(
        self, predicates: Sequence[Predicate], hidden: Sequence[Predicate]
    ) -> tuple[Rejection | None, float, float]:
        """Check a choice of hidden predicates.

        Returns:
            the rejection, if any; the smallest share that the hidden predicates rule out over the sizes; and
            the largest share of a revealed predicate's books that meet a hidden one.
        """
        excluded = self.excluded(predicates, hidden)
        if excluded < self._settings.hidden_exclusion:
            return Rejection("hidden_exclusion", excluded, self._settings.hidden_exclusion), excluded, 0.0
        if self.told(predicates, hidden):
            return Rejection("giveaway", 1.0, self._settings.giveaway_share), excluded, 1.0
        share = self.giveaway(predicates, hidden)
        if share >= self._settings.giveaway_share:
            return Rejection("giveaway", share, self._settings.giveaway_share), excluded, share
        return None, excluded, share

    def told(self, predicates: Sequence[Predicate], hidden: Sequence[Predicate]) -> bool:
        """Whether a revealed label tells a hidden one by its meaning, however few books show it."""
        return any(
            self.tells(shown, secret) for secret in hidden for shown in predicates if shown not in hidden
        )

    def excluded(self, predicates: Sequence[Predicate], hidden: Sequence[Predicate]) -> float:
        """Share of the revealed predicates' matches that the hidden ones rule out: the least over sizes."""
        revealed = self._index.meeting(p for p in predicates if p not in hidden)
        wanted = self._index.meeting(hidden) & revealed
        least = 1.0
        for mask in self._index.masks:
            total = (revealed & mask).bit_count()
            kept = (wanted & mask).bit_count()
            least = min(least, (total - kept) / total if total else 0.0)
        return least

    def giveaway(self, predicates: Sequence[Predicate], hidden: Sequence[Predicate]) -> float:
        """How far the revealed predicates imply a hidden one: the largest share of books that meet it.

        Looks at every revealed predicate alone and at all of them together, at every size.
        """
        revealed = [p for p in predicates if p not in hidden]
        sets = [*(self._index.matches(p) for p in revealed), self._index.meeting(revealed)]
        return max(self._most_met(bits, self._index.matches(secret)) for secret in hidden for bits in sets)

    def _most_met(self, bits: int, secret_bits: int) -> float:
        """Share of some books that meet the hidden predicate: the most over sizes."""
        most = 0.0
        for mask in self._index.masks:
            total = (bits & mask).bit_count()
            if total:
                most = max(most, (bits & secret_bits & mask).bit_count() / total)
        return most

    def tells(self, shown: Predicate, secret: Predicate) -> bool:
        """Whether a revealed label tells a hidden one: parent and child, or language and country."""
        if shown.field == "year" or secret.field == "year":
            return False
        if shown.field == secret.field:
            covered = self._index.covered[shown.field]
            return (
                str(secret.value) in covered[str(shown.value)]
                or str(shown.value) in covered[str(secret.value)]
            )
        if {shown.field, secret.field} != {"language", "country"}:
            return False
        language, country = (shown, secret) if shown.field == "language" else (secret, shown)
        return any(
            way in ("both", shown.field)
            and self._is_or_under("language", str(language.value), table_language)
            and (
                self._is_or_under("country", str(country.value), table_country)
                # What is told about a part of a country is told about the whole.
                or (secret is country and self._is_or_under("country", table_country, str(country.value)))
            )
            for table_language, table_country, way in giveaway_table()
        )

    def _is_or_under(self, field: Field, label: str, parent: str) -> bool:
        return label == parent or label in self._index.covered[field].get(parent, ())
