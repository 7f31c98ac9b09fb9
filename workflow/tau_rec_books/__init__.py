"""τ-Rec-Books: can an AI agent find out what a reader wants?

One sub-package per stage, in the direction data flows: ``core`` → ``wikidata`` → ``catalog`` → ``tasks`` →
``trial`` → ``agents`` → ``statistics`` → ``release``; ``world`` stands beside ``wikidata``. A room imports
only from rooms to its left and from ``core``.
"""

from importlib.metadata import version

__version__ = version("tau-rec-books")
