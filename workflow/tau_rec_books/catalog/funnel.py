"""The funnel: how many works each rule kept and dropped, with examples."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tau_rec_books.core.identifiers import qid_number

RULES: dict[str, str] = {
    "excluded": "listed by hand as a faulty record",
    "no_kept_class": "no class that is a literary or written work",
    "edition": "typed as an edition, or an edition of another work",
    "series": "typed as a series or a group of works",
    "article": "typed as an article, a paper or a news item",
    "chapter": "typed as a chapter",
    "play": "typed as a play or another dramatic work, or in that form",
    "poem": "typed as a poem or a song, or in that form",
    "short story": "typed as a short story, or in that form",
    "comics": "typed as comics, or in that form",
    "other_class": "typed as something else that is not one book",
    "no_author": "no author that is named",
    "no_date": "no publication date",
    "vague_date": "no publication date precise to the year",
    "year_out_of_bounds": "published outside the plausible years",
    "no_language": "no language, or only a placeholder",
    "no_title": "no English title and no English or default label",
    "no_genre": "no genre with a published label",
    "no_book_title": "the title says that it is a wiki page, a trial entry or another kind of work",
    "overfull_lists": "more languages or genres than one book has",
    "duplicate": "same title and authors as a better known work",
    "beyond_largest": "eligible, but after the last place of the largest catalog",
}
"""Rule → what it drops, in the order in which the rules are applied."""

EXAMPLES = 5


@dataclass
class Funnel:
    """Accounts for every work that the queries returned: dropped by exactly one rule, or kept."""

    returned: int
    dropped: dict[str, list[str]] = field(default_factory=lambda: {rule: [] for rule in RULES})

    def drop(self, work: str, rule: str) -> None:
        """Record that ``rule`` dropped ``work``."""
        self.dropped[rule].append(work)

    def drop_all(self, works: Iterable[str], rule: str) -> None:
        """Record that ``rule`` dropped these works."""
        self.dropped[rule].extend(works)

    def rows(self) -> list[dict[str, object]]:
        """Rows of ``funnel.csv``: rule, what it drops, how many entered, dropped and stayed, examples."""
        rows: list[dict[str, object]] = []
        remaining = self.returned
        for rule, meaning in RULES.items():
            works = sorted(self.dropped[rule], key=qid_number)
            rows.append(
                {
                    "rule": rule,
                    "drops": meaning,
                    "entered": remaining,
                    "dropped": len(works),
                    "kept": remaining - len(works),
                    "examples": " ".join(works[:EXAMPLES]),
                }
            )
            remaining -= len(works)
        return rows

    @property
    def kept(self) -> int:
        """How many works no rule dropped."""
        return self.returned - sum(len(works) for works in self.dropped.values())


FUNNEL_COLUMNS = ("rule", "drops", "entered", "dropped", "kept", "examples")
