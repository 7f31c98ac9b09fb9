"""Time: how long to wait before asking an endpoint again, and the time that a snapshot says it was taken."""

import os
import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tau_rec_books.core.errors import Problem

_SECONDS = re.compile(r"[0-9]+")
_LONGEST = 10.0**12


def retry_after_seconds(header: str | None, now: float, server_date: str | None = None) -> float | None:
    """Seconds that a Retry-After header asks to wait, never negative; ``None`` when it says nothing usable.

    Args:
        header: whole seconds or an HTTP date (RFC 9110 §10.2.3); anything else is ignored.
        now: seconds since 1970, for a date.
        server_date: the answer's Date header, used instead of ``now`` since the two clocks may differ.
    """
    text = (header or "").strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), _LONGEST) if len(text) < 300 else _LONGEST
    moment = _http_date(text)
    if moment is None:
        return None
    reference = _http_date((server_date or "").strip())
    return max(0.0, moment - (now if reference is None else reference))


def backoff_seconds(attempt: int, first: float, longest: float) -> float:
    """Pause after the ``attempt``-th failure (from 1): it doubles each time, up to ``longest``."""
    return float(min(longest, first * 2.0 ** min(attempt - 1, 60)))


def _http_date(text: str) -> float | None:
    if not any(letter.isalpha() for letter in text):
        return None
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def clock_text() -> str:
    """This moment, or SOURCE_DATE_EPOCH when that is set, so that a re-made snapshot has the same bytes.

    Raises:
        Problem: when SOURCE_DATE_EPOCH is not a number of seconds.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if fixed is None:
        return moment_text(time.time())
    try:
        return moment_text(int(fixed))
    except (ValueError, OverflowError, OSError) as error:
        raise Problem(
            f"SOURCE_DATE_EPOCH is {fixed!r}, not a number of seconds since 1970; mend or unset it."
        ) from error


def moment_text(seconds: float) -> str:
    """A moment as ``YYYY-MM-DDThh:mm:ssZ``."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
