"""Every rule of the paper holds for every generated family, recomputed book by book."""

from itertools import combinations
from typing import Any

from tau_rec_books.catalog.books import FORMATS


def hidden_of(family: Any) -> list[Any]:
    return [p for p in family.predicates if family.reveal["hidden"][p.id] == "hidden"]


def without(family: Any, dropped: Any) -> list[Any]:
    return [p for p in family.predicates if p is not dropped]


def test_every_satisfiable_family_has_as_many_answers_as_allowed(drawn: Any) -> None:
    for family in drawn.families:
        if not family.nvr:
            assert (
                len(drawn.meeting(family.predicates, drawn.sizes[0]))
                >= drawn.settings["answers_min_smallest"]
            )
            assert (
                len(drawn.meeting(family.predicates, drawn.sizes[-1]))
                <= drawn.settings["answers_max_largest"]
            )


def test_dropping_any_predicate_adds_a_book_and_five_percent_at_every_size(drawn: Any) -> None:
    for family in drawn.families:
        if family.nvr:
            continue
        for size in drawn.sizes:
            answers = len(drawn.meeting(family.predicates, size))
            for predicate in family.predicates:
                added = len(drawn.meeting(without(family, predicate), size)) - answers
                assert added >= 1 and added >= 0.05 * answers, (family.id, predicate, size)


def test_an_nvr_family_matches_nothing_at_any_size_but_nearly_does(drawn: Any) -> None:
    nvr = [family for family in drawn.families if family.nvr]
    assert len(nvr) == 15
    for family in nvr:
        assert not drawn.meeting(family.predicates, drawn.sizes[-1])
        for predicate in family.predicates:
            left = drawn.meeting(without(family, predicate), drawn.sizes[0])
            assert len(left) >= drawn.settings["nvr_leave_one_out"], (family.id, predicate)


def test_every_satisfiable_family_keeps_an_acceptable_answer_in_the_smallest_catalog(drawn: Any) -> None:
    for family in drawn.families:
        if not family.nvr:
            answers = [drawn.catalog.books[n] for n in drawn.meeting(family.predicates, drawn.sizes[0])]
            unread = [book for book in answers if book.id not in family.history]
            assert any(
                family.accepted_formats is None or set(family.accepted_formats) & set(book.formats)
                for book in unread
            ), family.id


def test_one_accepted_format_rules_out_an_otherwise_valid_unread_book_of_the_smallest_catalog(
    drawn: Any,
) -> None:
    single = [family for family in drawn.families if family.accepted_formats is not None]
    assert len(single) == 36
    for family in single:
        assert not family.nvr
        (accepted,) = family.accepted_formats
        assert accepted in FORMATS
        answers = [drawn.catalog.books[n] for n in drawn.meeting(family.predicates, drawn.sizes[0])]
        assert any(accepted not in book.formats for book in answers if book.id not in family.history), (
            family.id
        )


def test_a_history_is_one_valid_answer_and_one_near_miss_per_hidden_predicate(drawn: Any) -> None:
    places = {book.id: place for place, book in enumerate(drawn.catalog.books)}
    for family in drawn.families:
        if not family.history:
            continue
        assert not family.nvr
        missed = []
        for book in family.history:
            assert places[book] < drawn.sizes[0]
            missed.append([p.id for p in family.predicates if places[book] not in drawn.matches(p)])
        expected = [[], *[[p.id] for p in hidden_of(family)]]
        assert sorted(missed) == sorted(expected), family.id


def test_no_single_book_of_a_history_gives_a_hidden_value_away(drawn: Any) -> None:
    columns = {"genre": "genres", "language": "languages", "country": "countries"}
    for family in drawn.families:
        books = [drawn.catalog.by_id[book] for book in family.history]
        for secret in hidden_of(family) if family.history else ():
            places = {book.id: place for place, book in enumerate(drawn.catalog.books[: drawn.sizes[0]])}
            meets = [book for book in books if places[book.id] in drawn.matches(secret)]
            misses = [book for book in books if book not in meets]
            assert meets and len(misses) == 1
            if secret.field in columns:
                known = {p.value for p in family.predicates if p.field == secret.field}
                assert set(getattr(misses[0], columns[secret.field])) - known, (
                    family.id,
                    "shows no other value",
                )


def test_hidden_predicates_rule_out_half_of_what_the_revealed_ones_match_at_every_size(drawn: Any) -> None:
    for family in drawn.families:
        hidden = hidden_of(family)
        revealed = [p for p in family.predicates if p not in hidden]
        for size in drawn.sizes:
            matching = drawn.meeting(revealed, size)
            assert matching
            kept = len(drawn.meeting(family.predicates, size))
            assert len(matching) - kept >= drawn.settings["hidden_exclusion"] * len(matching), family.id


def test_no_revealed_predicate_nearly_implies_a_hidden_one(drawn: Any) -> None:
    largest = drawn.sizes[-1]
    for family in drawn.families:
        hidden = hidden_of(family)
        revealed = [p for p in family.predicates if p not in hidden]
        for secret in hidden:
            for told in [[p] for p in revealed] + [revealed]:
                books = drawn.meeting(told, largest)
                met = books & drawn.matches(secret)
                assert len(met) < drawn.settings["giveaway_share"] * len(books), (family.id, told, secret)


def test_no_variety_of_a_language_is_revealed_while_its_country_is_hidden_or_the_reverse(drawn: Any) -> None:
    pairs = {("British English", "United Kingdom"), ("British English", "England"), ("French", "nowhere"),
             ("American English", "United States"), ("Japanese", "Japan"), ("Polish", "Poland")}  # fmt: skip
    for family in drawn.families:
        hidden = hidden_of(family)
        for shown, secret in ((a, b) for a in family.predicates if a not in hidden for b in hidden):
            assert (shown.value, secret.value) not in pairs, family.id
            assert (secret.value, shown.value) not in pairs, family.id


def test_conditions_differ_only_in_when_predicates_are_revealed(drawn: Any) -> None:
    for family in drawn.families:
        ids = [p.id for p in family.predicates]
        volunteer, mixed, hidden = (family.reveal[c] for c in ("volunteer", "mixed", "hidden"))
        assert list(volunteer) == list(mixed) == list(hidden) == ids
        assert set(volunteer.values()) == {"stated"}
        stated = [name for name in ids if mixed[name] == "stated"]
        assert len(stated) == 1 and set(mixed.values()) == {"stated", "on_ask"}
        assert [name for name in ids if hidden[name] == "stated"] == stated
        withheld = [name for name in ids if hidden[name] == "hidden"]
        assert 1 <= len(withheld) <= (1 if family.tier == "simple" else 2)
        opening = next(p for p in family.predicates if p.id == stated[0])
        assert opening.field == "genre"


def test_no_family_holds_a_redundant_predicate(drawn: Any) -> None:
    vocabulary = drawn.catalog.vocabulary
    for family in drawn.families:
        for one, other in combinations(family.predicates, 2):
            if one.field == other.field != "year":
                assert other.value not in vocabulary.covered(one.field, str(one.value))
                assert one.value not in vocabulary.covered(one.field, str(other.value))
        years = {p.operator: p.value for p in family.predicates if p.field == "year"}
        assert years.get("min", 0) < years.get("max", 9999)


def test_families_differ_in_their_requests_and_answers(drawn: Any) -> None:
    requests = [tuple((p.field, p.operator, p.value) for p in family.predicates) for family in drawn.families]
    assert len(set(requests)) == len(requests)
    answers = [drawn.meeting(f.predicates, drawn.sizes[-1]) for f in drawn.families if not f.nvr]
    for one, other in combinations(answers, 2):
        assert len(one & other) <= 0.5 * len(one | other)


def test_predicates_follow_the_slots_of_the_template_in_fixed_order(drawn: Any) -> None:
    slots = {template["id"]: template["slots"] for template in drawn.settings["templates"]}
    tiers = {template["id"]: template["tier"] for template in drawn.settings["templates"]}
    for family in drawn.families:
        names = [p.field if p.field != "year" else f"year_{p.operator}" for p in family.predicates]
        assert names == slots[family.template]
        assert tiers[family.template] == family.tier
        assert [p.id for p in family.predicates] == [f"p{n}" for n in range(1, len(names) + 1)]
