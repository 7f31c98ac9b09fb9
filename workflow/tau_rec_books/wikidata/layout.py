"""How a snapshot is laid out: names of its files, entries of its manifest, compressed bodies.

A response whose query had to be split is stored as pages, one per residue class of the item number, called
``NN-name.RRofMM``. Hashes are over raw bodies, so they do not depend on the compressor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

from tau_rec_books.core.canonical import write_bytes
from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.errors import Problem

MANIFEST = "snapshot.json"
SCHEMA_VERSION = 1
COMPRESSION_LEVEL = 15
"""For what is kept for ever; on these bodies 15 is thirty times faster and gives files an eighth larger."""


@dataclass(frozen=True, slots=True)
class Part:
    """A query, or the share of it that asks for one residue class of the item number."""

    name: str
    remainder: int = 0
    modulus: int = 1

    @property
    def stem(self) -> str:
        """``05-crime``, or ``05-crime.03of08`` for a page."""
        if self.modulus == 1:
            return self.name
        return f"{self.name}.{self.remainder:02}of{self.modulus:02}"

    @property
    def residue(self) -> tuple[int, int] | None:
        """Remainder and modulus as the queries take them; ``None`` for the whole."""
        return None if self.modulus == 1 else (self.remainder, self.modulus)

    @property
    def query_file(self) -> str:
        """Path of the query text inside the snapshot."""
        return f"queries/{self.stem}.rq"

    @property
    def response_file(self) -> str:
        """Path of the compressed body inside the snapshot."""
        return f"responses/{self.stem}.json.zst"

    def halves(self) -> tuple["Part", "Part"]:
        """The two residue classes of the doubled modulus that make up this one."""
        doubled = 2 * self.modulus
        return (
            Part(self.name, self.remainder, doubled),
            Part(self.name, self.remainder + self.modulus, doubled),
        )


def page_entry(
    part: Part, query: str, body_sha256: str, rows_sha256: str, rows: int, size: int
) -> dict[str, Any]:
    """The manifest's entry of one page; ``size`` is the length of the raw body in bytes."""
    return {
        "file": part.response_file,
        "query_file": part.query_file,
        "query_sha256": sha256_text(query),
        "remainder": part.remainder,
        "modulus": part.modulus,
        "body_sha256": body_sha256,
        "rows_sha256": rows_sha256,
        "rows": rows,
        "bytes": size,
    }


def response_entry(name: str, query: str, pages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The manifest's entry of one response; ``query`` is the whole query."""
    return {
        "name": name,
        "query_file": Part(name).query_file,
        "query_sha256": sha256_text(query),
        "rows": sum(page["rows"] for page in pages),
        "bytes": sum(page["bytes"] for page in pages),
        "pages": list(pages),
    }


def manifest_of(
    identifier: str,
    *,
    endpoint: str,
    user_agent: str,
    started: str,
    ended: str,
    modified_before: str | None,
    modified_after: str | None,
    responses: Sequence[Mapping[str, Any]],
    level: int = COMPRESSION_LEVEL,
) -> dict[str, Any]:
    """The manifest of a snapshot; times are ``YYYY-MM-DDThh:mm:ssZ``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "id": identifier,
        "endpoint": endpoint,
        "user_agent": user_agent,
        "started": started,
        "ended": ended,
        "server_modified": {"before": modified_before, "after": modified_after},
        "compression": {"format": "zstd", "level": level},
        "responses": list(responses),
        "totals": {
            "responses": len(responses),
            "pages": sum(len(response["pages"]) for response in responses),
            "rows": sum(response["rows"] for response in responses),
            "bytes": sum(response["bytes"] for response in responses),
        },
    }


def write_body(path: Path, body: bytes, level: int = COMPRESSION_LEVEL) -> None:
    """Write a raw body compressed: one frame, one thread, so that its bytes follow from body and level."""
    parameters = zstandard.ZstdCompressionParameters.from_level(
        level, source_size=len(body), write_content_size=True, write_checksum=True, threads=0
    )
    write_bytes(path, zstandard.ZstdCompressor(compression_params=parameters).compress(body))


def read_body(folder: Path, page: Mapping[str, Any]) -> bytes:
    """The raw body of a manifest's page.

    Raises:
        Problem: when the file is missing, damaged, or not as long as the manifest says.
    """
    path = folder / page["file"]
    try:
        packed = path.read_bytes()
        size = zstandard.frame_content_size(packed)
        if size == page["bytes"]:
            return zstandard.ZstdDecompressor().decompress(
                packed, max_output_size=max(size, 1), allow_extra_data=False
            )
    except FileNotFoundError as error:
        raise Problem(f"{path} is missing; restore it or take the snapshot again.") from error
    except OSError as error:
        raise Problem(f"{path} cannot be read ({error.strerror or error}); check the file.") from error
    except (zstandard.ZstdError, MemoryError) as error:
        raise Problem(f"{path} is damaged ({error}); restore it or take the snapshot again.") from error
    told = f"{size:,} bytes" if size >= 0 else "a body of unknown length"
    raise Problem(
        f"{path} holds {told} where snapshot.json says {page['bytes']:,}; "
        "restore it or take the snapshot again."
    )
