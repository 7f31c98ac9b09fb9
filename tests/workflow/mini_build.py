"""How the workflow tests run a verb and a small build."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from double_build import ROOT, snakemake

MINI = ROOT / "tests" / "workflow" / "mini.yaml"
SCALE = "0.12"


def verb(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run ``tau-rec-books`` as a user would."""
    command = [sys.executable, "-m", "tau_rec_books", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@dataclass(frozen=True)
class MiniBuild:
    """A checkout in which the small release is built."""

    checkout: Path
    config_files: tuple[Path, ...]

    @property
    def results(self) -> Path:
        """The build products."""
        return self.checkout / "results" / "books-mini"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with this build's configuration."""
        return snakemake(self.checkout, *arguments, "--configfile", *map(str, self.config_files))
