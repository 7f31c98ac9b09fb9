"""Which of the returned works are books of the catalog, and what their records say."""

import re
from dataclasses import dataclass

from tau_rec_books.catalog.authors import authors_of
from tau_rec_books.catalog.books import FORMATS, Book
from tau_rec_books.catalog.dates import publication_year
from tau_rec_books.catalog.facts import Facts
from tau_rec_books.catalog.faults import lists_everything, title_of_no_book
from tau_rec_books.catalog.funnel import RULES, Funnel
from tau_rec_books.catalog.labels import Labels
from tau_rec_books.catalog.titles import clean_text, plain_label, title_key
from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.identifiers import book_id, qid_number
from tau_rec_books.wikidata import tables

# What is longer, or written in the digits of another script, is no count of wiki pages.
_COUNT = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A work that passed every rule on its own, with its key for finding duplicates."""

    qid: str
    book: Book
    key: tuple[str, tuple[str, ...]]


def english_title(work: str, facts: Facts) -> tuple[str, str] | None:
    """English title and its source: P1476 in English, else the ``en`` label, else the ``mul`` label.

    Of several English titles the one equal to the label wins, else the first by code point. A label is taken
    without the words in parentheses that tell it from others, such as "(novel)".
    """
    found = facts.label(work)
    label = clean_text(found[0]) if found else ""
    titles = sorted(
        {clean_text(text) for text, tag in facts.values(work, "P1476") if tag == "en"} - {"", work}
    )
    plain = plain_label(label)
    if titles:
        return next((text for text in (label, plain) if text in titles), titles[0]), "P1476"
    return (plain, found[1]) if found and label else None


def simulated_formats(qid: str) -> tuple[str, ...]:
    """The formats a book comes in: a fixed non-empty subset drawn from a hash of its item id.

    Wikidata does not know formats (paper, section 3), so these are simulated: four bits of a digest, drawn
    again with a counter until one is set.
    """
    counter = 0
    while True:
        suffix = "" if counter == 0 else f":{counter}"
        bits = int(sha256_text(f"formats-v1:{qid}{suffix}")[0], 16)
        if bits:
            return tuple(name for position, name in enumerate(FORMATS) if bits >> position & 1)
        counter += 1


class Selection:
    """The rules that look at one work at a time.

    A class or form on the drop list wins over one on the keep list: an item that is both a literary work and
    an edition is dropped, since its date, language and country may be those of the edition.
    """

    def __init__(self, facts: Facts, year_min: int, year_max: int) -> None:
        self._facts = facts
        self.labels = Labels(facts)
        self._years = (year_min, year_max)
        self._kept = {item.qid for item in tables.class_items() if item.decision == "keep"}
        self._drop_kind = {item.qid: item.kind for item in tables.class_items() if item.decision == "drop"}
        self._excluded = {item.qid for item in tables.exclusions()}
        self._rule_order = {rule: place for place, rule in enumerate(RULES)}

    def candidates(self, funnel: Funnel) -> list[Candidate]:
        """Works that pass, in item order; every other work goes into the funnel with the rule it broke."""
        passed = []
        for work in sorted(self._facts.works, key=qid_number):
            outcome = self.judge(work)
            if isinstance(outcome, str):
                funnel.drop(work, outcome)
            else:
                passed.append(outcome)
        return passed

    def judge(self, work: str) -> Candidate | str:
        """The candidate record of a work, or the name of the first rule that drops it."""
        facts = self._facts
        if work in self._excluded:
            return "excluded"
        broken = self._class_rule(work)
        if broken:
            return broken
        authors = authors_of(work, facts, self.labels)
        if not authors.names:
            return "no_author"
        dates = facts.values(work, "P577")
        year = publication_year(dates)
        if year is None:
            return "vague_date" if dates else "no_date"
        if not self._years[0] <= year <= self._years[1]:
            return "year_out_of_bounds"
        languages = self.labels.places("language", facts.items(work, "P407"))
        if not languages:
            return "no_language"
        titled = english_title(work, facts)
        if titled is None:
            return "no_title"
        title, source = titled
        genres = self.labels.genres(facts.items(work, "P136"))
        if not genres:
            return "no_genre"
        label = facts.label(work)
        if title_of_no_book((title, clean_text(label[0])) if label else (title,)):
            return "no_book_title"
        if lists_everything(languages, genres):
            return "overfull_lists"
        book = Book(
            id=book_id(work),
            title=title,
            title_source=source,
            authors=authors.names,
            author_ids=authors.ids,
            genres=genres,
            languages=languages,
            countries=self.labels.places("country", facts.items(work, "P495")),
            year=year,
            sitelinks=max(
                (int(value) for value in facts.items(work, "sitelinks") if _COUNT.fullmatch(value)), default=0
            ),
            formats=simulated_formats(work),
        )
        return Candidate(work, book, (title_key(title), authors.key))

    def _class_rule(self, work: str) -> str | None:
        """The class rule that drops a work, looking at P31, P7937 and P629; ``None`` keeps it."""
        classes = self._facts.items(work, "P31")
        typed = classes | self._facts.items(work, "P7937")
        kinds = {self._drop_kind[item] for item in typed if item in self._drop_kind}
        if self._facts.items(work, "P629"):
            kinds.add("edition")
        if kinds:
            rules = {kind if kind in self._rule_order else "other_class" for kind in kinds}
            return min(rules, key=self._rule_order.__getitem__)
        return None if classes & self._kept else "no_kept_class"


def without_duplicates(candidates: list[Candidate], funnel: Funnel) -> list[Candidate]:
    """One candidate per (title key, authors): more sitelinks win, then the lower item number."""
    best: dict[tuple[str, tuple[str, ...]], Candidate] = {}
    for candidate in candidates:
        other = best.get(candidate.key)
        if other is None:
            best[candidate.key] = candidate
            continue
        ranked = sorted((candidate, other), key=lambda c: (-c.book.sitelinks, qid_number(c.qid)))
        best[candidate.key] = ranked[0]
        funnel.drop(ranked[1].qid, "duplicate")
    return sorted(best.values(), key=lambda candidate: qid_number(candidate.qid))
