"""Which file is at fault: a file, SHA256SUMS or the manifest."""

from pathlib import Path

import pytest

from tau_rec_books.core.canonical import write_json, write_text
from tau_rec_books.release.checksums import MANIFEST, SUMS, checksum_problems, write_sums


@pytest.fixture
def release(tmp_path: Path) -> Path:
    write_text(tmp_path / "tasks" / "a.txt", "one\n")
    write_text(tmp_path / "b.txt", "two\n")
    write_json(tmp_path / MANIFEST, {})
    write_sums(tmp_path)
    return tmp_path


def listed(release: Path) -> dict[str, str]:
    sums = dict(reversed(line.split("  ")) for line in (release / SUMS).read_text().splitlines())
    return {path: digest for path, digest in sums.items() if path != MANIFEST}


def test_an_untouched_release_has_no_problems(release: Path) -> None:
    assert checksum_problems(release, listed(release)) == []


def test_a_changed_file_is_named(release: Path) -> None:
    before = listed(release)
    (release / "b.txt").write_text("too\n")
    assert checksum_problems(release, before) == ["b.txt: changed"]


def test_a_changed_list_is_told_from_a_changed_file(release: Path) -> None:
    before = listed(release)
    sums = (release / SUMS).read_text()
    (release / SUMS).write_text(sums.replace(before["b.txt"], before["b.txt"][::-1]))
    assert checksum_problems(release, before) == [f"{SUMS}: changed (its line for b.txt)"]
    (release / SUMS).write_text(sums)
    wrong = before | {"b.txt": before["tasks/a.txt"]}
    assert checksum_problems(release, wrong) == [f"{MANIFEST}: changed (its entry for b.txt)"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.upper(),
        lambda text: text.replace("  ", " ", 1),
        lambda text: text[:-1],
        lambda text: "\n".join(reversed(text.splitlines())) + "\n",
        lambda text: text + text.splitlines()[0] + "\n",
        lambda text: text.replace("a.txt", "ä.txt"),
    ],
)
def test_every_spoilt_list_is_the_list_at_fault(release: Path, spoil: object) -> None:
    before = listed(release)
    assert callable(spoil)
    (release / SUMS).write_text(spoil((release / SUMS).read_text()), encoding="utf-8")
    problems = checksum_problems(release, before)
    assert problems
    assert all(problem.startswith(SUMS) for problem in problems)


def test_added_and_missing_files_are_named(release: Path) -> None:
    before = listed(release)
    (release / "new.txt").write_text("new")
    (release / "b.txt").unlink()
    assert checksum_problems(release, before) == ["b.txt: missing", "new.txt: added, no release has it"]


def test_a_missing_list_is_named(release: Path) -> None:
    before = listed(release)
    (release / SUMS).unlink()
    assert checksum_problems(release, before) == [f"{SUMS}: missing"]
