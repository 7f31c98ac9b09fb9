"""SHA-256 digests, and the hash draws that stand in for random numbers.

Order never comes from an RNG's state: a shuffle sorts by ``sha256(seed || id)`` and a random
choice is a digest of its identity tuple, so both are independent of library versions and of what was drawn
before.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def sha256_bytes(data: bytes) -> str:
    """Lower-case hex SHA-256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def sha256_text(text: str) -> str:
    """Lower-case hex SHA-256 of the UTF-8 bytes of ``text``."""
    return sha256_bytes(text.encode("utf-8"))


def sha256_file(path: Path) -> str:
    """Lower-case hex SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def identity(*parts: str | int) -> bytes:
    """Unambiguous bytes of an identity tuple: each part is length-prefixed, so ("ab","c") ≠ ("a","bc")."""
    return b"".join(b"%d:%s" % (len(raw), raw) for raw in (str(part).encode("utf-8") for part in parts))


def draw_integer(*parts: str | int, below: int) -> int:
    """Deterministic uniform integer in ``[0, below)`` drawn from an identity tuple.

    Takes 16 bytes of the digest, so the modulo bias is below ``below / 2**128``.
    """
    return int.from_bytes(hashlib.sha256(identity(*parts)).digest()[:16], "big") % below


def draw_fraction(*parts: str | int) -> float:
    """Deterministic uniform number in ``[0, 1)`` with 53 random bits, drawn from an identity tuple."""
    return (int.from_bytes(hashlib.sha256(identity(*parts)).digest()[:8], "big") >> 11) / float(1 << 53)


def draw_choice(options: Sequence[T], *parts: str | int) -> T:
    """Deterministic uniform choice among ``options``, which must be in a fixed order."""
    return options[draw_integer(*parts, below=len(options))]


def shuffled(items: Iterable[str], seed: str | int) -> list[str]:
    """The items in the order of ``sha256(seed || item)``: a shuffle that any language can repeat."""
    prefix = str(seed).encode("utf-8")
    return sorted(items, key=lambda item: (hashlib.sha256(prefix + item.encode("utf-8")).digest(), item))
