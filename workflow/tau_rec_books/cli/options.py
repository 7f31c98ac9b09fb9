"""Options that several verbs share."""

from itertools import pairwise
from pathlib import Path

import click

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)


class Sizes(click.ParamType[tuple[int, ...]]):
    """Catalog sizes such as ``5000,10000,20000``."""

    name = "sizes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Parse increasing positive numbers separated by commas."""
        if isinstance(value, tuple):
            return value
        try:
            sizes = tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers such as 5000,10000,20000.", param, ctx)
        if min(sizes) < 1 or any(later <= earlier for earlier, later in pairwise(sizes)):
            self.fail(f"{value!r} does not increase; each catalog is a prefix of the next.", param, ctx)
        return sizes


SIZES = Sizes()
