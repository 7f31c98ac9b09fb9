"""The two exclusion rules: records whose statements look like a book's but that no expert would accept.

Both were found by reading records: some 250 of the bundled world and all 490 eligible ones among 1,592
well-known works, with counts over the whole world (27,710 works that pass every other rule), over the
statements of all 1,592 works, and over the English labels of 99,040 literary works.

Looked at and not made into rules, since the catalog mends them, or a book may well be like that: titles with
"(novel)" (159 of the 99,040 labels), in another script (339), of symbols only (3), in capitals, cut off, or
equal to the author's name (none of the well-known works); many authors; years that are too late, which the
record itself does not show. Reviewers of the audit sample judge these.
"""

import re
from collections.abc import Iterable, Sequence

MOST_LANGUAGES = 4
"""Languages that one book may have; the most among 1,592 well-known works."""

MOST_GENRES = 7
"""Published genres that one book may have; the most among 490 well-known works is 5."""

# A name space of a wiki stands right before its colon and has no space after it: "Project: Earth" is a book.
_NAMESPACE = re.compile(r"(?:category|file|help|portal|template|user|wikidata|wikipedia|wikisource):\S", re.I)
# A list in a wiki says what it lists: "List of the Lost" and "List of the Specimens of …" are books.
_LISTING = re.compile(
    r"(?:bibliography|index|list|lists|outline) of .*"
    r"\b(?:articles|authors|books|characters|novels|plays|poems|publications|stories|works|writers)\b",
    re.I,
)
_TRIAL_ENTRY = re.compile(r"(?:sandbox|test) (?:book|entry|item|page|work)\b", re.I)
_OTHER_KIND = re.compile(
    r".+\((?:[\w’'-]+ ){0,2}"
    r"(?:album|article|chapter|comics?|comic book|drama|edition|film|journal|magazine|manga|newspaper|opera"
    r"|play|poem|short story|song|tragedy|(?:book|novel) series|trilogy)\)",
    re.I,
)


def title_of_no_book(texts: Iterable[str]) -> bool:
    """Rule ``no_book_title``: whether a title or label says itself that it does not name one book.

    A page of a wiki ("Category:…", "List of … books"), somebody's trial entry ("Test item 3"), or a work of a
    kind that the catalog leaves out, named in parentheses at the end ("… (play)"), while the item's class
    still says literary work. In the world: 30 pages and 23 trial entries. Among 99,040 labels of literary
    works: 8 pages by name space, 14 lists and indexes, and 118 other kinds, 68 of them plays. A first word
    alone will not do: "Help Yourself", "Portal of Evil", "List of the Lost", "Test of the Twins" are books.
    """
    return any(
        _NAMESPACE.match(text)
        or _LISTING.match(text)
        or _TRIAL_ENTRY.match(text)
        or _OTHER_KIND.fullmatch(text)
        for text in texts
    )


def lists_everything(languages: Sequence[str], genres: Sequence[str]) -> bool:
    """Rule ``overfull_lists``: whether a record lists more languages or genres than one book has.

    Languages of all translations, or a dozen genres that somebody added, make a record answer nearly every
    request, which spoils the answers of tasks. In the world: 30 records with five to nine languages (none has
    three or four) and 23 with twelve genres (none has four to eleven). Among well-known works: none.
    """
    return len(languages) > MOST_LANGUAGES or len(genres) > MOST_GENRES
