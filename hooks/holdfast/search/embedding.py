"""Texts to vectors, by a model that an extra package brings: `pip install 'holdfast[meaning]'`.

wordllama has its weights in its wheel: 16 MB, English, one vector per token, a text is their mean. It is told where
they are and never to download any, so that nothing leaves the machine. It takes half a second to load and 120 MB of
memory: for commands, not for hooks.
"""

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from holdfast.errors import BadInput, Fault

OFF = "off"
MODELS = (OFF, "wordllama")

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Texts -> one vector of 256 numbers each, not of length 1."""


def embedder(name: str) -> Embed | None:
    """The model of a name of `MODELS`; None for "off". Raises BadInput for another name, Fault where it is missing."""
    if name not in MODELS:
        raise BadInput(f"unknown embedding model {name!r}", "embedding", f"Allowed: {', '.join(MODELS)}")
    if name == OFF:
        return None
    model = _wordllama()

    def embed(texts: Sequence[str]) -> list[list[float]]:
        found: list[list[float]] = model.embed(list(texts), return_np=False)
        return found

    return embed


def _wordllama() -> Any:
    try:
        with _logging_as_it_is():
            import wordllama  # half a second: only for who asks for it
    except ImportError:
        raise Fault(
            "the package wordllama is missing", "embedding", f"{sys.executable} -m pip install wordllama"
        ) from None
    try:
        # Named as its cache, because it looks for the tokenizer there only; without it, it would download one.
        home = Path(os.path.dirname(wordllama.__file__))
        return wordllama.WordLlama.load(cache_dir=home, disable_download=True)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        todo = f"{sys.executable} -m pip install --force-reinstall wordllama"
        raise Fault(f"wordllama cannot be loaded ({error})", "embedding", todo) from error


@contextlib.contextmanager
def _logging_as_it_is() -> Iterator[None]:
    """The package sets up the whole program's logging when it is imported, unless somebody has."""
    quiet = logging.NullHandler()
    logging.getLogger().addHandler(quiet)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(quiet)
