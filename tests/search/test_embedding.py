import logging
import math
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from holdfast.config.load import KEYS
from holdfast.errors import BadInput, Fault
from holdfast.search import embedding


class Model:
    """What a loaded model of the package answers."""

    def embed(self, texts: list[str], *, return_np: bool) -> list[list[float]]:
        """A number per text, as lists."""
        assert type(texts) is list
        assert not return_np
        return [[float(len(text))] for text in texts]


def package(monkeypatch: pytest.MonkeyPatch, folder: Path, error: Exception | None = None) -> list[dict[str, Any]]:
    """A package of its name; gives what it is loaded with."""
    asked: list[dict[str, Any]] = []

    class Loader:
        @staticmethod
        def load(**options: Any) -> Model:
            asked.append(options)
            if error:
                raise error
            return Model()

    module = ModuleType("wordllama")
    module.__file__ = str(folder / "__init__.py")
    module.WordLlama = Loader  # type: ignore[attr-defined] # made up
    monkeypatch.setitem(sys.modules, "wordllama", module)
    return asked


def test_texts_become_vectors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One each, of any sequence of texts, by a model that is loaded once, from its own folder, without the network."""
    asked = package(monkeypatch, tmp_path)
    embed = embedding.embedder("wordllama")
    assert embed
    assert embed(("tea", "")) == [[3.0], [0.0]]
    assert embed([]) == []
    assert asked == [{"cache_dir": tmp_path, "disable_download": True}]


def test_off_is_none_and_loads_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """So that a setting can be handed on as it stands; the setting allows what there is."""
    asked = package(monkeypatch, tmp_path)
    assert embedding.embedder("off") is None
    assert asked == []
    assert tuple(KEYS["memory.embedding"]["enum"]) == embedding.MODELS


def test_another_name_is_refused() -> None:
    """With what is allowed."""
    with pytest.raises(BadInput, match="Allowed: off, wordllama"):
        embedding.embedder("best")


def test_where_the_package_is_missing_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line."""
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(Fault) as raised:
        embedding.embedder("wordllama")
    todo = f"{sys.executable} -m pip install wordllama"
    assert str(raised.value) == f"embedding: the package wordllama is missing. {todo}"


@pytest.mark.parametrize("error", [FileNotFoundError("no weights"), ValueError("torn"), TypeError("no such option")])
def test_a_package_that_does_not_load_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception
) -> None:
    """With the reason."""
    package(monkeypatch, tmp_path, error)
    with pytest.raises(Fault, match=str(error)):
        embedding.embedder("wordllama")


def test_the_package_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens no connection, leaves the program's logging alone, and knows that a cat is nearer to a kitten."""
    pytest.importorskip("wordllama", reason="the extra `meaning` is not installed")

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    before = list(logging.getLogger().handlers)
    embed = embedding.embedder("wordllama")
    assert embed
    assert logging.getLogger().handlers == before
    cat, kitten, tax = embed(["a cat", "kittens", "the income tax"])
    assert len(cat) == 256
    assert near(cat, kitten) > near(cat, tax)
    assert embed([""]) == [[0.0] * 256]


def near(one: Sequence[float], two: Sequence[float]) -> float:
    """Cosine."""
    return sum(x * y for x, y in zip(one, two, strict=True)) / math.hypot(*one) / math.hypot(*two)
