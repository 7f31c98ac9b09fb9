"""Asking one question until it is answered, proves too large, or asking on would be useless or rude."""

import time
from collections.abc import Callable
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.journal import Journal
from tau_rec_books.wikidata.partial import PartialSnapshot
from tau_rec_books.wikidata.response import Accepted, Exchange, Refused, Verdict
from tau_rec_books.wikidata.settings import FetchSettings
from tau_rec_books.wikidata.transport import compose, exchange
from tau_rec_books.wikidata.waiting import backoff_seconds, clock_text, retry_after_seconds

T = TypeVar("T")

_CUTS_BEFORE_SPLIT = 2


class Asker:
    """Asks one endpoint, one request at a time, within the total time of a run."""

    def __init__(
        self,
        settings: FetchSettings,
        partial: PartialSnapshot,
        journal: Journal,
        say: Callable[[str], object],
    ) -> None:
        self._settings = settings
        self._partial = partial
        self._journal = journal
        self._say = say
        self._end = time.monotonic() + settings.total
        self._last = -float("inf")

    def ask(
        self, stem: str, query: str, judge: Callable[[Exchange, bytes], T], attempts: int | None = None
    ) -> T:
        """The judged answer to a query; its body stays in the work folder until it is finished or forgotten.

        An answer that came in full before the fetch was cut short is judged without asking again.

        Args:
            stem: what the question is called in messages and file names.
            query: SPARQL text.
            judge: accepts an exchange and its body or raises :class:`Refused`.
            attempts: how often to ask; as the settings say when ``None``.

        Raises:
            Refused: with verdict SPLIT or CUT when the question is too large, else when asking ends without
                an answer. The bodies are in the log folder by then.
            Problem: when the total time is over or a file cannot be written.
        """
        cuts = 0

        def again(error: BaseException) -> bool:
            nonlocal cuts
            if not isinstance(error, Refused):
                return False
            cuts += error.verdict is Verdict.CUT
            return error.verdict is Verdict.RETRY or (
                error.verdict is Verdict.CUT and cuts < _CUTS_BEFORE_SPLIT
            )

        def tell(state: RetryCallState) -> None:
            reason = getattr(state.outcome and state.outcome.exception(), "reason", "")
            self._say(f"{stem}: {reason}; asking again in {state.upcoming_sleep:,.3g} s")

        retrying = Retrying(
            retry=retry_if_exception(again),
            stop=stop_after_attempt(attempts or self._settings.attempts),
            wait=self._pause_after,
            before_sleep=tell,
            sleep=lambda seconds: self._sleep(seconds, stem),
            reraise=True,
        )
        answer: T = retrying(self._once, stem, query, judge)
        return answer

    def keep_body(self, stem: str, query: str, verdict: str, reason: str, rows: int | None) -> None:
        """Move an answer that was received and is not used to the log folder, with a line about it."""
        path = self._partial.body_file(stem)
        kept = self._journal.keep(stem, path) if path.is_file() and path.stat().st_size else None
        self._partial.forget(stem)
        self._log(stem, query, verdict, reason=reason, rows=rows, kept=kept)

    def _once(self, stem: str, query: str, judge: Callable[[Exchange, bytes], T]) -> T:
        answer = self._partial.held(stem, sha256_text(query)) or self._exchange(stem, query)
        try:
            result = judge(answer, self._partial.body_file(stem).read_bytes())
        except Refused as refused:
            refused.status = answer.status
            refused.server_date = answer.headers.get("date")
            self.keep_body(stem, query, refused.verdict, refused.reason, refused.rows)
            asked = self._asked_to_wait(refused)
            if asked is not None and asked > self._settings.longest_wait and refused.verdict is Verdict.RETRY:
                refused.verdict = Verdict.STOP
                allowed = f"{self._settings.longest_wait:,.6g} s"
                refused.reason += f", and asks to wait {asked:,.0f} s, longer than the {allowed} allowed"
            raise
        self._log(stem, query, "accepted", rows=result.rows if isinstance(result, Accepted) else None)
        return result

    def _exchange(self, stem: str, query: str) -> Exchange:
        settings = self._settings
        pause = settings.pause - (time.monotonic() - self._last)
        if pause > 0:
            self._sleep(pause, stem)
        seconds = min(settings.deadline, self._remaining(stem))
        request = compose(settings.endpoint, query, settings.user_agent)
        answer = exchange(request, self._partial.body_file(stem), seconds, settings.max_bytes)
        self._last = time.monotonic()
        if answer.status == 200 and answer.failure is None:
            self._partial.hold(stem, sha256_text(query), answer)
        return answer

    def _pause_after(self, state: RetryCallState) -> float:
        own = backoff_seconds(state.attempt_number, self._settings.backoff, self._settings.longest_backoff)
        error = state.outcome.exception() if state.outcome else None
        asked = self._asked_to_wait(error) if isinstance(error, Refused) else None
        return own if asked is None else max(asked, self._settings.backoff)

    def _asked_to_wait(self, refused: Refused) -> float | None:
        return retry_after_seconds(refused.retry_after, time.time(), refused.server_date)

    def _remaining(self, stem: str, needed: float = 0.0) -> float:
        remaining = self._end - time.monotonic()
        if remaining <= needed:
            raise Problem(
                f"The {self._settings.total:,.6g} s of this fetch are over at {stem}; finished responses are "
                "kept, so run the same command to go on."
            )
        return remaining

    def _sleep(self, seconds: float, stem: str) -> None:
        self._remaining(stem, needed=seconds)
        time.sleep(seconds)

    def _log(self, stem: str, query: str, verdict: str, **facts: str | int | None) -> None:
        self._journal.line(
            time=clock_text(), part=stem, query_sha256=sha256_text(query), verdict=verdict, **facts
        )
