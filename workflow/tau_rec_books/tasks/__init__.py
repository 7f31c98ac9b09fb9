"""Task families: predicates, templates, drawing, disclosure, histories, validation."""
