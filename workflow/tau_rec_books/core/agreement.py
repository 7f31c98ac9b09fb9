"""How far two reviewers of one audit sample agree: percent agreement and Cohen's kappa."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tau_rec_books.core.canonical import read_csv
from tau_rec_books.core.errors import Problem

NOT_APPLICABLE = "not applicable"
ANSWERS = ("yes", "no", "unsure", NOT_APPLICABLE)
"""The words a judgement is given in; capital letters and surrounding spaces do not count."""

OVERALL = "all judgements"

Pair = tuple[str, str]
"""What the first and the second reviewer say about one judgement of one row."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on one judgement, or on all of them.

    Attributes:
        judgement: name of the column, or ``OVERALL``.
        compared: pairs of answers that count.
        agreed: pairs in which both reviewers give the same answer.
        not_applicable: pairs set aside because both say so.
        kappa: Cohen's kappa, or ``None`` where it is undefined.
        note: why kappa is undefined; empty otherwise.
    """

    judgement: str
    compared: int
    agreed: int
    not_applicable: int
    kappa: float | None
    note: str

    @property
    def percent(self) -> float | None:
        """Percent of the pairs that agree; ``None`` without any pair."""
        return 100 * self.agreed / self.compared if self.compared else None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One pair of answers that differ."""

    row: str
    judgement: str
    first: str
    second: str


@dataclass(frozen=True)
class Comparison:
    """Two filled copies of one sample, compared.

    Attributes:
        rows: how many rows the sample has.
        judgements: the agreement on each judgement, in column order.
        overall: the agreement on all judgements taken together.
        disagreements: in the row order of the first copy.
    """

    rows: int
    judgements: tuple[Agreement, ...]
    overall: Agreement
    disagreements: tuple[Disagreement, ...]


def cohens_kappa(pairs: Sequence[Pair]) -> float | None:
    """Cohen's kappa: agreement beyond what the two reviewers' shares of each answer give by chance.

    With n pairs of which a agree, and n1 and n2 uses of an answer by either reviewer, it is
    (n·a − Σ n1·n2) / (n² − Σ n1·n2), computed in whole numbers up to the division (Cohen 1960).

    Returns:
        A number from −1 to 1, or ``None`` without pairs and when both always give one and the same answer:
        chance alone would agree then, too.
    """
    total = len(pairs)
    agreed = sum(first == second for first, second in pairs)
    uses = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    by_chance = sum(count * uses[1][answer] for answer, count in uses[0].items())
    if by_chance == total * total:
        return None
    return (total * agreed - by_chance) / (total * total - by_chance)


def read_filled_copy(path: Path) -> list[dict[str, str]]:
    """Read a copy of a sample as a spreadsheet saves it, with or without a byte order mark.

    Raises:
        Problem: when the file is missing, not UTF-8, has no rows, or a row does not fit the header.
    """
    try:
        rows = [{name.removeprefix("\ufeff"): cell for name, cell in row.items()} for row in read_csv(path)]
    except (csv.Error, IsADirectoryError, PermissionError) as error:
        raise Problem(f"{path} cannot be read as a table ({error}); save the sample as CSV.") from error
    if not rows:
        raise Problem(f"{path} has no rows; give a filled copy of an audit sample.")
    return rows


def compare_copies(
    first: Sequence[Mapping[str, str]],
    second: Sequence[Mapping[str, str]],
    key: str,
    judgements: Sequence[str],
    names: tuple[str, str] = ("the first copy", "the second copy"),
) -> Comparison:
    """Compare two filled copies of one sample; rows may come in any order.

    Args:
        first, second: rows of the copies, as ``read_filled_copy`` gives them.
        key: column that names a row.
        judgements: columns with answers.
        names: what to call the copies in a complaint.

    Raises:
        Problem: when a copy lacks a column, names a row twice, has other rows than the other copy, or
            has a judgement without an answer or with a word that is none of ``ANSWERS``.
    """
    mine = _answers(first, key, judgements, names[0])
    theirs = _answers(second, key, judgements, names[1])
    for one, other, name, other_name in (
        (mine, theirs, names[0], names[1]),
        (theirs, mine, names[1], names[0]),
    ):
        missing = [row for row in one if row not in other]
        if missing:
            raise Problem(
                f"{other_name} lacks {len(missing)} of the rows of {name}, {missing[0]} among them; "
                "compare two copies of one sample."
            )
    pairs = {j: [(given[j], theirs[row][j]) for row, given in mine.items()] for j in judgements}
    return Comparison(
        rows=len(mine),
        judgements=tuple(_agreement(judgement, pairs[judgement]) for judgement in judgements),
        overall=_agreement(OVERALL, [pair for judgement in judgements for pair in pairs[judgement]]),
        disagreements=tuple(
            Disagreement(row, judgement, given[judgement], theirs[row][judgement])
            for row, given in mine.items()
            for judgement in judgements
            if given[judgement] != theirs[row][judgement]
        ),
    )


def _answers(
    rows: Sequence[Mapping[str, str]], key: str, judgements: Sequence[str], name: str
) -> dict[str, dict[str, str]]:
    """Row → judgement → answer of one copy, every answer checked."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        lacking = [column for column in (key, *judgements) if column not in row]
        if lacking:
            raise Problem(f"{name} has no column {lacking[0]}; take a copy of the sample and fill that.")
        if row[key] in found:
            raise Problem(f"{name} has the row {row[key]} twice; take one of them out.")
        given = {judgement: " ".join(row[judgement].split()).casefold() for judgement in judgements}
        for judgement, answer in given.items():
            if answer not in ANSWERS:
                said = f"says {row[judgement]!r} for" if answer else "has no answer for"
                raise Problem(
                    f"{name}, row {row[key]}, {said} {judgement}; write one of: {', '.join(ANSWERS)}."
                )
        found[row[key]] = given
    return found


def _agreement(judgement: str, pairs: Sequence[Pair]) -> Agreement:
    counted = [pair for pair in pairs if pair != (NOT_APPLICABLE, NOT_APPLICABLE)]
    kappa = cohens_kappa(counted)
    note = ""
    if not counted:
        note = f"both always say {NOT_APPLICABLE}, so there is nothing to compare"
    elif kappa is None:
        note = f"both always say {counted[0][0]}, so chance alone would agree as well"
    return Agreement(
        judgement=judgement,
        compared=len(counted),
        agreed=sum(first == second for first, second in counted),
        not_applicable=len(pairs) - len(counted),
        kappa=kappa,
        note=note,
    )
