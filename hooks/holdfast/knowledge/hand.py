"""Replace a document without losing what people wrote in its generated parts: it moves between the two marks first."""

from collections.abc import Callable

from holdfast.digest import archive
from holdfast.knowledge import document, store


def standing(folder: str, path: str) -> str:
    """The document as it stands, with what people wrote in it where it belongs."""
    return _settled(folder, path, store.read(folder, path))


def replace(folder: str, path: str, make: Callable[[str], str]) -> bool:
    """Write what `make` makes of the settled text; whether that changed anything. Raises OSError."""

    def text(old: str) -> str:
        new = make(_settled(folder, path, old))
        known = store.written(folder, path)
        fresh = dict.fromkeys(map(_mark, document.generated(new)))
        if not fresh.keys() <= set(known):  # before the document: who is killed between must not leave ours unknown
            store.keep_written(folder, path, [*(mark for mark in known if mark not in fresh), *fresh])
        return new

    return store.replace(folder, path, text)


def _settled(folder: str, path: str, text: str) -> str:
    known = frozenset(store.written(folder, path))
    return document.settled(text, lambda line: _mark(line) in known) if known else text


def _mark(line: str) -> str:
    return archive.fingerprint(line.encode("utf-8", "replace"))
