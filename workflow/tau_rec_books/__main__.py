"""``python -m tau_rec_books`` is the same as ``tau-rec-books``."""

from tau_rec_books.cli import main

main()
