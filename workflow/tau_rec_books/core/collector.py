"""Hold Python's cycle collector while many small objects are made that all stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_held() -> Iterator[None]:
    """No search for garbage cycles inside the block; reference counts free everything else as always.

    The collector walks through all fresh containers again and again, which can take as long as making them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
