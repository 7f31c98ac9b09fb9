"""Dirt in titles and labels: missing, in another language, invisible, odd or hostile characters."""

import unicodedata

from tau_rec_books.world.dirty.registry import Cases
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.names import cultures
from tau_rec_books.world.records import Work
from tau_rec_books.world.titles import foreign_title, lexicon, place, title, tongues
from tau_rec_books.world.works import World, main_genre

CASES = Cases([])


def _word(draws: Draws, kind: str = "noun") -> str:
    return draws.choice(lexicon().words[kind])


def _other_script(draws: Draws) -> tuple[str, str]:
    """A language tag and a title in a script other than Latin."""
    tongue = draws.choice([tongue for tongue in tongues().values() if not tongue.latin])
    return tongue.code, foreign_title(tongue, cultures()["latin"], draws)


def _insert(text: str, character: str, draws: Draws) -> str:
    """``text`` with a character somewhere inside its longest word."""
    longest = max(text.split(), key=len)
    at = text.index(longest) + max(1, draws.below(max(2, len(longest))))
    return text[:at] + character + text[at:]


# --- which label there is


@CASES.change(0.018)
def default_label_only(work: Work, draws: Draws, world: World) -> None:
    """No English label, only one for all languages (``mul``)."""
    work.titles = [(tag, text) for tag, text in work.titles if tag != "en"]
    work.label("en", None)
    work.label("mul", work.title)


@CASES.change(0.003)
def label_is_item_id(work: Work, draws: Draws, world: World) -> None:
    """The English label is the item's own id."""
    work.titles = [(tag, text) for tag, text in work.titles if tag != "en"]
    work.label("en", work.qid)


@CASES.change(0.001)
def label_is_item_id_but_default_is_not(work: Work, draws: Draws, world: World) -> None:
    """The English label is the item's own id, the default label is right."""
    work.titles = [(tag, text) for tag, text in work.titles if tag != "en"]
    work.label("en", work.qid)
    work.label("mul", work.title)


@CASES.change(0.018)
def no_english_title(work: Work, draws: Draws, world: World) -> None:
    """Labels and titles in other languages only."""
    code, text = _other_script(draws)
    work.labels, work.titles = [(code, text)], [(code, text)]


@CASES.change(0.003)
def british_label_only(work: Work, draws: Draws, world: World) -> None:
    """The label is in British English (``en-gb``), which no query for ``en`` returns."""
    work.titles = []
    work.label("en", None)
    work.label("en-gb", work.title)


@CASES.change(0.0015)
def no_label(work: Work, draws: Draws, world: World) -> None:
    """Neither label nor title."""
    work.labels, work.titles = [], []


# --- label and title differ


@CASES.change(0.025)
def title_differs_from_label(work: Work, draws: Draws, world: World) -> None:
    """The English title (P1476) is not the English label: another edition's, or with a subtitle."""
    culture = cultures()["american"]
    other = title(main_genre(work), culture, draws) if draws.chance(0.5) else f"{work.title}: A Story"
    work.titles = [("en", other)]
    work.title = other


@CASES.change(0.003)
def two_english_titles(work: Work, draws: Draws, world: World) -> None:
    """Two English titles, one of them the label."""
    work.titles = [("en", f"{work.title}, and Other Stories"), ("en", work.title)]


@CASES.change(0.004)
def disambiguated_label(work: Work, draws: Draws, world: World) -> None:
    """A label with a word in parentheses to tell it from others."""
    work.titles = []
    work.english(f"{work.title} ({draws.choice(('novel', 'book', 'novel series', '1987 novel', 'memoir'))})")


@CASES.change(0.0015)
def cut_off_title(work: Work, draws: Draws, world: World) -> None:
    """A title cut off by a form."""
    work.english(work.title[: max(4, len(work.title) * 2 // 3)].rstrip() + "…")


@CASES.change(0.002)
def shouted_title(work: Work, draws: Draws, world: World) -> None:
    """All capital letters."""
    work.english(work.title.upper())


@CASES.change(0.0008)
def title_is_author(work: Work, draws: Draws, world: World) -> None:
    """The title is the author's name."""
    work.english(world.first_author(work.index).name)


@CASES.change(0.0006)
def test_item(work: Work, draws: Draws, world: World) -> None:
    """Somebody tried out the site."""
    work.english(f"{draws.choice(('Test item', 'test book', 'Sandbox item'))} {draws.between(1, 999)}")


@CASES.change(0.0008)
def wiki_page_title(work: Work, draws: Draws, world: World) -> None:
    """A page of a wiki with the statements of a book."""
    kind = draws.choice(("Category:", "List of ", "Index of ", "Portal:", "Template:"))
    work.english(f"{kind}{_word(draws, 'subject')} books of {place(draws)}")


# --- characters


@CASES.change(0.005)
def decomposed_accents(work: Work, draws: Draws, world: World) -> None:
    """Accents written as separate characters (NFD)."""
    name = draws.choice(("Zoé", "Amélie", "Jürgen", "Étienne", "Łucja", "Søren", "Ángela", "Çınar"))
    work.english(unicodedata.normalize("NFD", f"{name} and the {_word(draws, 'adj')} {_word(draws)}"))


@CASES.change(0.006)
def letters_that_do_not_decompose(work: Work, draws: Draws, world: World) -> None:
    """Letters with a stroke and ligatures, which no normalisation takes apart."""
    name = draws.choice(("Łódź", "Søren", "Đorđe", "Þóra", "Æbelø", "Straße", "Œuvre", "Ħamrun", "Kırık"))
    work.english(
        f"{draws.choice(('The Road to', 'Letters to', 'A Winter in', 'Asking'))} {name} {_word(draws)}"
    )


@CASES.change(0.002)
def direction_marks(work: Work, draws: Draws, world: World) -> None:
    """Right-to-left or left-to-right marks at the ends."""
    mark = draws.choice(("\u200f", "\u200e"))
    work.english(f"{mark}{work.title}{mark if draws.chance(0.5) else ''}")


@CASES.change(0.002)
def zero_width_inside(work: Work, draws: Draws, world: World) -> None:
    """A zero-width space, a word joiner or a byte order mark inside a word."""
    work.english(_insert(work.title, draws.choice(("\u200b", "\u2060", "\ufeff")), draws))


@CASES.change(0.002)
def soft_hyphen_inside(work: Work, draws: Draws, world: World) -> None:
    """A soft hyphen inside a word."""
    work.english(_insert(work.title, "\u00ad", draws))


@CASES.change(0.002)
def no_break_spaces(work: Work, draws: Draws, world: World) -> None:
    """No-break and thin spaces between words."""
    work.english(work.title.replace(" ", draws.choice(("\u00a0", "\u2009", "\u202f"))))


@CASES.change(0.0012)
def padded_title(work: Work, draws: Draws, world: World) -> None:
    """Spaces before, after and doubled inside."""
    work.english(f"  {work.title.replace(' ', '  ', 1)} ")


@CASES.change(0.001)
def line_break_or_tab(work: Work, draws: Draws, world: World) -> None:
    """A line break, a Unicode line separator or a tab inside."""
    gap = draws.choice(("\n", "\t", "\r\n", "\u2028"))
    work.english(f"{work.title}{gap}{_word(draws)}")


@CASES.change(0.003)
def other_script_label(work: Work, draws: Draws, world: World) -> None:
    """An English label in another script: its ASCII fold is empty."""
    work.titles = []
    work.english(_other_script(draws)[1])


@CASES.change(0.0012)
def symbols_only(work: Work, draws: Draws, world: World) -> None:
    """A title of symbols only."""
    work.english(draws.choice(("$", "…", "!!!", "?", "∞", "—", "♥", "+", "***", "№", "¿?", "&")))


@CASES.change(0.001)
def looks_like_missing(work: Work, draws: Draws, world: World) -> None:
    """A title that table readers take for a missing value or a truth value."""
    work.english(draws.choice(("NULL", "None", "nan", "NA", "null", "True", "N/A", "false", "-")))


@CASES.change(0.0012)
def looks_like_number(work: Work, draws: Draws, world: World) -> None:
    """A title that table readers take for a number or a date, leading zeros and all."""
    work.english(draws.choice(("007", "1e5", "0x1F", "3.0", "00", "12-11-2031", "1/2", "88,000", "4711")))


@CASES.change(0.001)
def looks_like_formula(work: Work, draws: Draws, world: World) -> None:
    """A title that a spreadsheet would run."""
    work.english(
        draws.choice(("=SUM(1)", "+1+1", "-2+3", "@home", "=HYPERLINK(“here”)", "=cmd|' /C calc'!A0"))
    )


@CASES.change(0.004)
def quoted_title(work: Work, draws: Draws, world: World) -> None:
    """Quotation marks of every kind, and commas."""
    left, right = draws.choice((('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), ("'", "'"), ("‘", "’")))
    work.english(f"{left}{_word(draws)}, {_word(draws)}{right} and {work.title}")


@CASES.change(0.0008)
def backslashes_and_braces(work: Work, draws: Draws, world: World) -> None:
    """Backslashes, braces, a pipe: characters that templates and escapes use."""
    work.english(f"{_word(draws)}\\{_word(draws)} {{{_word(draws)}}} | %s \\u0041")


@CASES.change(0.0008)
def markup_in_title(work: Work, draws: Draws, world: World) -> None:
    """Markup that a browser would run if it were not escaped."""
    pattern = draws.choice(("<b>{}</b>", "{} &amp; Sons", "<script>alert(1)</script> {}", "''{}''", "[[{}]]"))
    work.english(pattern.format(work.title))


@CASES.change(0.0006)
def looks_like_proposal(work: Work, draws: Draws, world: World) -> None:
    """Text in the shape of the benchmark's own tokens."""
    work.english(f"{_word(draws)} {draws.choice(('[[candidate_id:wd_Q1]]', '###ACCEPTED###'))}")


@CASES.change(0.0015)
def very_long_title(work: Work, draws: Draws, world: World) -> None:
    """A title page of the eighteenth century, in full."""
    parts = [title(main_genre(work), cultures()["english"], draws) for _ in range(12)]
    work.english(f"{work.title}; containing a faithful account of " + ", with ".join(parts))


@CASES.change(0.0008)
def emoji_in_title(work: Work, draws: Draws, world: World) -> None:
    """Characters beyond the basic plane, where UTF-16 and code points sort differently."""
    work.english(f"{work.title} {draws.choice(('🦊', '📚', '𝔄𝔟𝔠', '🧭', '👩‍🚀'))}")


@CASES.change(0.0006)
def dotted_capital_i(work: Work, draws: Draws, world: World) -> None:
    """A Turkish capital I with a dot, which lower-cases to two characters."""
    work.english(f"İ{draws.choice(('stanbul', 'lkbahar', 'nci', 'zmir'))} {_word(draws)}")


@CASES.change(0.0008)
def compatibility_characters(work: Work, draws: Draws, world: World) -> None:
    """Full-width letters, ligatures and Roman numeral characters."""
    pattern = draws.choice(("Ｆｕｌｌ {}", "The ﬁnal {}", "{} Ⅳ", "{} ①", "ĳs {}", "2 × 2 {}"))
    work.english(pattern.format(_word(draws)))


@CASES.change(0.0006)
def look_alike_letters(work: Work, draws: Draws, world: World) -> None:
    """Cyrillic or Greek letters that look Latin."""
    latin, other = draws.choice((("aeo", "аео"), ("ATo", "ΑΤο")))
    work.english(work.title.translate(str.maketrans(latin, other)))
