"""Build one release under different conditions and compare every byte.

As a script: `python tests/workflow/double_build.py --full` builds the default configuration twice (this is
`make double-build`); the tests call :func:`compare_builds` with a smaller configuration.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
CI = ("--workflow-profile", "workflow/profiles/ci")


@dataclass(frozen=True)
class Conditions:
    """What may differ between two builds without moving a byte."""

    checkout: str
    cores: int
    hash_seed: str
    time_zone: str
    locale: str
    umask: int


def other_locale() -> str:
    """An installed locale that is not C, so that sorting or number formats could differ."""
    names = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    return next((name for name in names if not name.startswith(("C", "POSIX"))), "C.UTF-8")


FIRST = Conditions("one", 1, "0", "UTC", "C", 0o022)
SECOND = Conditions("another place/two", 2, "20261130", "Pacific/Auckland", other_locale(), 0o077)


def copy_checkout(target: Path) -> None:
    """Copy the files that git knows or would add, so that no build product comes along."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)


def snakemake(
    checkout: Path,
    *arguments: str,
    cores: int = 2,
    environment: dict[str, str] | None = None,
    umask: int = -1,
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a checkout, with the library imported from that checkout."""
    variables = os.environ | {
        "PYTHONPATH": str(checkout / "workflow"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *CI, "--cores", str(cores), *arguments],
        cwd=checkout,
        env=variables | (environment or {}),
        capture_output=True,
        text=True,
        umask=umask,
        check=False,
    )


def build(place: Path, conditions: Conditions, config_files: Sequence[Path], track: str) -> str:
    """Build ``all`` in a fresh copy under these conditions; the text of its SHA256SUMS."""
    checkout = place / conditions.checkout
    copy_checkout(checkout)
    overlays = ["--configfile", *map(str, config_files)] if config_files else []
    run = snakemake(
        checkout,
        "all",
        *overlays,
        cores=conditions.cores,
        environment={
            "PYTHONHASHSEED": conditions.hash_seed,
            "TZ": conditions.time_zone,
            "LC_ALL": conditions.locale,
        },
        umask=conditions.umask,
    )
    if run.returncode:
        raise RuntimeError(f"the build under {conditions} failed:\n{run.stdout}\n{run.stderr}")
    return (checkout / "results" / track / "release" / "SHA256SUMS").read_text()


def compare_builds(place: Path, config_files: Sequence[Path], track: str) -> list[str]:
    """Paths whose digest differs between two builds; empty when the releases are identical."""
    first, second = (build(place, conditions, config_files, track) for conditions in (FIRST, SECOND))
    lines = set(first.splitlines()) ^ set(second.splitlines())
    return sorted({line.split("  ", 1)[1] for line in lines})


def main() -> None:
    """Build twice and say whether the bytes are the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", required=True, help="build the default configuration")
    parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        print(f"building twice below {place}:\n  {FIRST}\n  {SECOND}", flush=True)
        different = compare_builds(Path(place), [], "books-synthetic-v1")
    if different:
        sys.exit("different bytes: " + ", ".join(different))
    print("identical SHA256SUMS")


if __name__ == "__main__":
    main()
