"""From statements to books: select, normalise, correct, deduplicate, order, describe."""
