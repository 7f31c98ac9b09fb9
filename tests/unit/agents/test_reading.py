"""Reading replies back: what the user says is what an agent learns."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.agents.reading import Facts, reader
from tau_rec_books.catalog.books import FORMATS, Catalog
from tau_rec_books.tasks.families import FIELDS, Task
from tau_rec_books.trial.user import RuleUser, disclosed_after, profile

LABELS = st.text(min_size=1, max_size=25).map(lambda text: " ".join(text.split())).filter(bool)
ONE_LABEL = st.one_of(
    LABELS, st.sampled_from(["War.", "X, or an ebook", "It has to be written in Y", "a or b"])
)
EVERYTHING = "Which genre, language, country, year and format?"
TAGS = st.sampled_from(["stated", "on_ask", "hidden"])


@st.composite
def requests(draw: st.DrawFn) -> Task:
    predicates = []
    for field in FIELDS:
        if field == "year":
            for operator in draw(st.lists(st.sampled_from(["min", "max"]), unique=True)):
                predicates.append((field, operator, draw(st.integers(-500, 2026))))
        else:
            most = 2 if field == "genre" else 1
            for label in draw(st.lists(ONE_LABEL, max_size=most, unique=True)):
                predicates.append((field, "is", label))
    formats = draw(st.none() | st.lists(st.sampled_from(FORMATS), min_size=1, unique=True))
    return Task.from_document(
        {
            "id": "t",
            "family": "f",
            "tier": "simple",
            "template": "t",
            "condition": "mixed",
            "predicates": [
                {"id": f"p{n}", "field": f, "operator": o, "value": v, "reveal": draw(TAGS)}
                for n, (f, o, v) in enumerate(predicates)
            ],
            "accepted_formats": formats,
            "history": [],
            "persona": {},
            "nvr": False,
        }
    )


@settings(max_examples=300, deadline=None)
@given(task=requests())
def test_an_agent_learns_exactly_what_is_told_whatever_the_labels(catalog: Catalog, task: Task) -> None:
    user = RuleUser(profile("rule-v1"), task, catalog)
    facts = Facts()
    opening = user.opening()
    reader("rule-v1").read(opening.text, facts)
    reply = user.reply(EVERYTHING, disclosed_after(frozenset(), opening))
    reader("rule-v1").read(reply.text, facts)
    told = [p for p in task.predicates if task.reveal[p.id] != "hidden"]

    def value(field: str, operator: str) -> object:
        return next((p.value for p in told if (p.field, p.operator) == (field, operator)), None)

    assert sorted(facts.genres) == sorted(str(p.value) for p in told if p.field == "genre")
    assert facts.language == value("language", "is")
    assert facts.country == value("country", "is")
    assert (facts.year_min, facts.year_max) == (value("year", "min"), value("year", "max"))
    assert facts.formats == task.accepted_formats
    assert facts.declined == {p.field for p in task.predicates if task.reveal[p.id] == "hidden"}
    unnamed = {field for field in FIELDS if all(p.field != field for p in task.predicates)}
    assert facts.indifferent - {"formats"} == unnamed


def test_verdicts_are_read(catalog: Catalog, tasks: list[Task]) -> None:
    user = RuleUser(profile("rule-v1"), tasks[0], catalog)
    for book in catalog.books[:40]:
        reply = user.reply(f"[[candidate_id:{book.id}]]", frozenset())
        assert reader("rule-v1").read(reply.text, Facts()) == reply.verdict
