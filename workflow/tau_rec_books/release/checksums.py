"""SHA256SUMS: written once, then checked so that the file at fault is named."""

import re
from collections.abc import Mapping
from pathlib import Path

from tau_rec_books.core.canonical import write_text
from tau_rec_books.core.digest import sha256_file

SUMS = "SHA256SUMS"
MANIFEST = "manifest.json"

_LINE = re.compile(r"([0-9a-f]{64})  ([!-~]+)")


def released_files(folder: Path) -> list[str]:
    """Relative paths of all files below a folder, except SHA256SUMS, sorted by code point."""
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return sorted(path for path in found if path != SUMS)


def write_sums(folder: Path) -> dict[str, str]:
    """Write SHA256SUMS over every other file of the folder, in the format of ``sha256sum``."""
    sums = {path: sha256_file(folder / path) for path in released_files(folder)}
    write_text(folder / SUMS, "".join(f"{digest}  {path}\n" for path, digest in sums.items()))
    return sums


def read_sums(folder: Path) -> dict[str, str] | str:
    """Path → digest as SHA256SUMS says, or a sentence about what is wrong with the file itself."""
    try:
        text = (folder / SUMS).read_bytes().decode("ascii")
    except FileNotFoundError:
        return f"{SUMS}: missing"
    except UnicodeDecodeError:
        return f"{SUMS}: changed (it holds characters that no release has)"
    sums: dict[str, str] = {}
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            return f"{SUMS}: changed (line {number} is not a digest and a path)"
        sums[match.group(2)] = match.group(1)
    if not text.endswith("\n") or list(sums) != sorted(sums) or len(sums) != text.count("\n"):
        return f"{SUMS}: changed (its lines are not sorted, single and complete)"
    return sums


def checksum_problems(folder: Path, listed: Mapping[str, str]) -> list[str]:
    """Every difference between a folder, its SHA256SUMS and the digests in its manifest.

    Args:
        folder: the release.
        listed: path → digest as ``manifest.json`` says; the manifest itself is not in it.

    Two lists tell a changed file from a changed list: a file that one of them still vouches for is intact.
    """
    sums = read_sums(folder)
    if isinstance(sums, str):
        return [sums]
    problems = []
    present = released_files(folder)
    for path in sorted({*present, *sums, *listed}):
        if path not in present:
            if path in sums and (path in listed or path == MANIFEST):
                problems.append(f"{path}: missing")
            elif path in sums:
                problems.append(f"{SUMS}: changed (it names {path}, which the release never had)")
            else:
                problems.append(f"{MANIFEST}: changed (it names {path}, which the release never had)")
            continue
        digest = sha256_file(folder / path)
        by_sums, by_manifest = sums.get(path), listed.get(path)
        if path == MANIFEST:
            if by_sums != digest:
                problems.append(f"{MANIFEST}: changed, or its line in {SUMS} was")
        elif by_sums is None and by_manifest is None:
            problems.append(f"{path}: added, no release has it")
        elif digest not in (by_sums, by_manifest):
            problems.append(f"{path}: changed")
        elif by_sums != digest:
            problems.append(f"{SUMS}: changed (its line for {path})")
        elif by_manifest != digest:
            problems.append(f"{MANIFEST}: changed (its entry for {path})")
    return problems
