"""The rules a task set must keep: what each says, the SQL that finds what breaks it, and how that is told."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the task set.

    Attributes:
        name: short name; ``rules/{name}.sql`` returns one row ``(family, detail)`` for each break of the
            rule, in a total order. ``family`` may also name a file, catalog, template or tier at fault.
        description: what holds when the rule is kept.
        examined: SQL that counts what the rule looked at.
        sentence: template of the sentence for one offending row.
    """

    name: str
    description: str
    examined: str
    sentence: str = "{family} breaks {rule}: it {detail}."

    @property
    def sql(self) -> str:
        """The query that returns the offending rows."""
        return query("rules", self.name)

    def tell(self, family: object, detail: object) -> str:
        """The sentence for one offending row."""
        return self.sentence.format(family=family, rule=self.name, detail=detail)


@cache
def query(folder: str, name: str) -> str:
    """The text of one SQL file beside this module."""
    return files(__package__).joinpath(folder, f"{name}.sql").read_text(encoding="utf-8")


_TELL = "{family} breaks {rule}: {detail}."

_CATALOGS = "select count(*) from size"
_BOOKS = "select count(*) from book"
_LABELS = "select count(*) from vocabulary_label"
_LINES = (
    "select count(*) from (select line from raw_family union all select line from raw_task "
    "union all select line from raw_answer)"
)
_FAMILIES = "select count(*) from family"
_TASKS = "select count(*) from raw_task"
_TIERS = "select count(*) from tier_setting"
_PREDICATES = "select count(*) from predicate"
_ANSWER_SETS = "select count(*) from true_answers"
_SATISFIABLE = "select count(*) from family where not nvr"
_NVR = "select count(*) from family where nvr"
_FORMATS = "select count(*) from family where formats is not null"
_HISTORIES = "select count(*) from family where len(history) > 0"
_HIDDEN = "select count(*) from family_tag where condition = 'hidden' and reveal = 'hidden'"
_PAIRS = "select count(*) from pair"

RULES: tuple[Rule, ...] = (
    # Catalog and vocabulary, as far as the tasks stand on them.
    Rule("catalog-sizes", "Each catalog holds as many books as its name says, or all there are.", _CATALOGS),
    Rule("catalog-ids", "A book id stands once in a catalog and is a wd_Q id.", _BOOKS, _TELL),
    Rule(
        "catalog-nesting",
        "Each catalog is a prefix of the next larger one, record by record.",
        "select count(*) from book where size <> (select size from largest)",
        _TELL,
    ),
    Rule(
        "catalog-records",
        "Every book has title, year, genres, languages and formats; lists are sorted and without repeats.",
        "select count(*) from book where size = (select size from largest)",
        _TELL,
    ),
    Rule(
        "vocabulary-counts",
        "The vocabulary lists the labels that books carry, and counts them rightly at each size.",
        _LABELS,
        _TELL,
    ),
    Rule(
        "vocabulary-parents",
        "Parent labels cover labels that occur, their children's children too, and never themselves.",
        "select count(*) from child_label",
        _TELL,
    ),
    # Form of the three files.
    Rule("document-shape", "Every line has the documented keys and types, and no others.", _LINES, _TELL),
    Rule("canonical-lines", "Every line is canonical JSON.", _LINES, _TELL),
    Rule("family-order", "Families are numbered from 1 without a gap, in the order of the tiers.", _FAMILIES),
    Rule("task-count", "There are three tasks for each family.", _TASKS, _TELL),
    Rule("task-order", "Tasks follow the families, each as volunteer, mixed and hidden.", _TASKS, _TELL),
    Rule(
        "answer-rows",
        "Each family has one row of answers, in the order of the families, with exactly the catalog sizes.",
        "select count(*) from raw_answer",
        _TELL,
    ),
    # Counts.
    Rule("tier-counts", "Each tier has its satisfiable and NVR families.", _TIERS, _TELL),
    Rule("format-count", "The configured number of families takes one format only.", _FAMILIES, _TELL),
    Rule("history-count", "The configured number of families has a reading history.", _FAMILIES, _TELL),
    Rule(
        "history-two-hidden-count",
        "The configured number of reading histories belongs to families that hide two predicates.",
        _HISTORIES,
        _TELL,
    ),
    Rule("panel-counts", "Each tier has its satisfiable and NVR families in the panel.", _TIERS, _TELL),
    Rule(
        "reliability-counts",
        "Each tier has its satisfiable and NVR families in the reliability block.",
        _TIERS,
        _TELL,
    ),
    Rule(
        "reliability-in-panel",
        "The reliability block is a part of the panel.",
        "select count(*) from family where reliability",
    ),
    Rule("templates-used", "Every template is used.", "select count(*) from template", _TELL),
    # Predicates.
    Rule("template-tier", "A family's template is configured and of the family's tier.", _FAMILIES, _TELL),
    Rule("template-slots", "A family's predicates are its template's slots, in the fixed order.", _FAMILIES),
    Rule("predicate-ids", "Predicates are called p1, p2, … in their order.", _PREDICATES),
    Rule("tier-sizes", "Simple families have 2 predicates, medium 3 or 4, complex 5.", _FAMILIES),
    Rule(
        "labels-known",
        "Every label that a predicate asks for is in the vocabulary.",
        "select count(*) from predicate where field is distinct from 'year'",
        _TELL,
    ),
    Rule(
        "year-bounds",
        "Year bounds are whole numbers within the catalog's years, and a range is not empty.",
        "select count(*) from predicate where field = 'year'",
        _TELL,
    ),
    Rule("predicates-differ", "No family asks twice for the same.", _PREDICATES),
    Rule("requests-differ", "No two families ask for the same.", _FAMILIES),
    # Answers.
    Rule(
        "answers-exact",
        "The answers at each size are the books that meet every predicate, in catalog order.",
        _ANSWER_SETS,
    ),
    Rule(
        "acceptable-exact",
        "The acceptable answers at each size are the unread answers in an accepted format, in catalog order.",
        _ANSWER_SETS,
    ),
    Rule(
        "answers-nested",
        "The listed answers at a size are those at the next larger size that the smaller catalog holds.",
        "select count(*) from true_answers where size <> (select size from largest)",
        _TELL,
    ),
    Rule(
        "satisfiable-answers",
        "A satisfiable family has enough answers in the smallest catalog.",
        _SATISFIABLE,
    ),
    Rule(
        "answers-bounded",
        "A satisfiable family has not too many answers in the largest catalog.",
        _SATISFIABLE,
    ),
    Rule(
        "acceptable-at-smallest",
        "A satisfiable family has an unread answer in an accepted format in the smallest catalog.",
        _SATISFIABLE,
    ),
    Rule(
        "predicates-material",
        "Dropping any predicate of a satisfiable family adds enough books, number and share, at each size.",
        "select count(*) from dropped where not nvr",
        _TELL,
    ),
    Rule(
        "nvr-empty",
        "No book meets an NVR family's predicates, at any size.",
        "select count(*) from answer_count where nvr",
    ),
    Rule(
        "nvr-close",
        "Dropping any one predicate of an NVR family leaves enough matches in the smallest catalog.",
        "select count(*) from dropped where nvr and size = (select size from smallest)",
        _TELL,
    ),
    # Formats and reading histories.
    Rule("format-names", "Accepted formats are a sorted list of formats, or null for any.", _FORMATS),
    Rule(
        "format-bites",
        "Where formats are limited, the smallest catalog has a valid unread book in none of them.",
        _FORMATS,
    ),
    Rule(
        "history-books",
        "A reading history lists books of the smallest catalog, each once.",
        "select count(*) from history_book",
    ),
    Rule(
        "history-answer",
        "A reading history holds exactly one valid answer.",
        _HISTORIES,
        "{family} breaks {rule}: its reading history {detail}.",
    ),
    Rule(
        "history-near-misses",
        "A reading history holds, for each hidden predicate, exactly one book failing only that predicate.",
        _HISTORIES,
        "{family} breaks {rule}: its reading history {detail}.",
    ),
    Rule(
        "history-no-other",
        "A reading history holds no other books.",
        "select count(*) from history_book",
        "{family} breaks {rule}: its reading history {detail}.",
    ),
    # Disclosure.
    Rule(
        "reveal-complete",
        "Each predicate has one reveal tag under each of the three conditions.",
        "select count(*) from family_tag",
    ),
    Rule("volunteer-states-all", "A volunteer reader states every predicate.", _FAMILIES, _TELL),
    Rule(
        "mixed-states-one",
        "A mixed reader states one predicate and gives the rest when asked.",
        _FAMILIES,
        _TELL,
    ),
    Rule(
        "hidden-hides-some",
        "A hidden reader states one predicate, hides one or two, and gives the rest when asked.",
        _FAMILIES,
        _TELL,
    ),
    Rule("same-opening", "The mixed and the hidden reader state the same predicate.", _FAMILIES, _TELL),
    Rule(
        "hidden-excludes",
        "The hidden predicates rule out enough of the books that match the revealed ones, at each size.",
        "select count(*) from size cross join disclosure where condition = 'hidden' and hidden > 0",
        _TELL,
    ),
    Rule(
        "giveaway-share",
        "No revealed predicate's books nearly all meet a hidden predicate.",
        _PAIRS,
        _TELL,
    ),
    Rule("giveaway-parent", "No revealed label is the parent or the child of a hidden one.", _PAIRS, _TELL),
    Rule(
        "giveaway-variety",
        "No revealed language variety names a hidden country, and no revealed country a hidden variety.",
        _PAIRS,
        _TELL,
    ),
    Rule("variants-alike", "A family's tasks differ in nothing but reveal tags.", _TASKS, _TELL),
    Rule(
        "task-tags",
        "Each task's reveal tags are those of its family.",
        "select count(*) from task_predicate",
        _TELL,
    ),
    # Personas.
    Rule("persona-complete", "Every family has a persona made of texts.", _FAMILIES),
    Rule("persona-silent", "No persona contains a value of its family's predicates.", _PREDICATES, _TELL),
)
"""Every rule that is a query, in the order of the report."""
