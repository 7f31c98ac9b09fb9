"""The snapshot: queries, tables of items, fetching, checking, reading statements."""
