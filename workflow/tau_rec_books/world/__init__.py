"""A seeded synthetic Wikidata and a real SPARQL server for it."""
