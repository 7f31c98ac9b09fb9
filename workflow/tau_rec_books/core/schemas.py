"""A folder of JSON Schemas that may refer to each other, and what breaks them."""

from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from tau_rec_books.core.canonical import read_json

_SHOWN = 200


class Schemas:
    """The ``*.schema.json`` files of a folder; each validator is built once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        documents = [read_json(path) for path in sorted(folder.glob("*.schema.json"))]
        self._registry: Registry[Any] = Registry().with_resources(
            (document["$id"], Resource.from_contents(document)) for document in documents if "$id" in document
        )
        self._validator = cache(self._build)

    def _build(self, name: str) -> Draft202012Validator:
        return Draft202012Validator(read_json(self._folder / name), registry=self._registry)

    def problems(self, document: Any, name: str, place: str, limit: int = 5) -> list[str]:
        """Sentences about where ``document`` breaks the schema ``name``; at most ``limit``, by position.

        Raises:
            Problem: when the folder has no such schema.
        """
        errors = sorted(self._validator(name).iter_errors(document), key=_position)
        return [f"{place}: {_path(error)}: {error.message[:_SHOWN]}" for error in errors[:limit]]


def _position(error: ValidationError) -> str:
    return str(list(error.absolute_path))


def _path(error: ValidationError) -> str:
    return ".".join(str(step) for step in error.absolute_path) or "document"
