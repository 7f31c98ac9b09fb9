"""Retry-After is obeyed when it says something usable, and never makes a wait negative."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.settings import user_agent
from tau_rec_books.wikidata.waiting import backoff_seconds, clock_text, moment_text, retry_after_seconds

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 120 ", 120.0),
        ("86400", 86_400.0),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60.0),
        ("Tue, 14 Nov 2023 22:12:20 GMT", 0.0),
        ("14 Nov 2023 22:14:20 -0000", 60.0),
        ("Tuesday, 14-Nov-23 22:14:20 GMT", 60.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("1e3", None),
        ("٧", None),
        ("7 seconds", None),
        ("Tue, 99 Foo 2023 22:14:20 GMT", None),
        ("Tue, 14 Nov 2023", None),
    ],
)
def test_a_header_means_seconds_or_nothing(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds


def test_an_endless_number_is_just_very_long() -> None:
    assert (retry_after_seconds("9" * 5000, NOW) or 0) >= 1e12


def test_a_date_is_measured_by_the_servers_clock() -> None:
    in_a_minute = formatdate(NOW + 3660, usegmt=True)
    assert retry_after_seconds(in_a_minute, NOW, formatdate(NOW + 3600, usegmt=True)) == 60.0
    assert retry_after_seconds(in_a_minute, NOW, "no date") == 3660.0


@given(st.text(max_size=30) | st.from_regex(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4,9} \d\d:\d\d:\d\d GMT"))
def test_any_header_is_a_wait_that_is_not_negative_or_ignored(header: str) -> None:
    seconds = retry_after_seconds(header, NOW, header)
    assert seconds is None or seconds >= 0


def test_pauses_double_up_to_a_bound() -> None:
    pauses = [backoff_seconds(attempt, 2.0, 30.0) for attempt in range(1, 8)]
    assert pauses == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert backoff_seconds(10_000, 2.0, 30.0) == 30.0


def test_the_time_of_a_snapshot_can_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert clock_text() == moment_text(NOW) == "2023-11-14T22:13:20Z"
    for text in ("yesterday", "", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
        with pytest.raises(Problem, match="SOURCE_DATE_EPOCH"):
            clock_text()


def test_the_user_agent_names_whom_to_write_to() -> None:
    assert user_agent("me@example.org") == "tau-rec-books/1 (me@example.org)"
    for contact in ("", "me\r\nX-Injected: 1", "mé@example.org", "a) b"):
        with pytest.raises(Problem, match="--contact"):
            user_agent(contact)
