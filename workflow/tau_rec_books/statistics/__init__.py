"""From trials to tables: pass^k and what surrounds it."""
