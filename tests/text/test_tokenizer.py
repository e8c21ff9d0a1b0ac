import base64
import hashlib
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast.errors import Fault
from holdfast.text import tokenizer, tokens

TEXT = "The condensed report says what is open; see `src/store.py` and readSession().\n" * 6


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    tokenizer._encoder.cache_clear()
    yield
    tokenizer._encoder.cache_clear()  # nobody else counts with what a test has damaged


def test_the_vendored_ranks_are_the_published_ones() -> None:
    """Written as they were published, they have the hash that tiktoken pins."""
    ranks = tokenizer._ranks()
    lines = b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
    assert hashlib.sha256(lines).hexdigest() == "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    assert len(ranks) == 100_256


def test_counting_agrees_with_the_estimate_and_names_its_source() -> None:
    counted = tokenizer.count(TEXT)
    assert counted.source == "cl100k"
    assert 0.8 < counted.tokens / tokens.estimate(TEXT) < 1.25
    assert tokenizer.count("").tokens == 0
    assert tokenizer.counter()(TEXT) == counted.tokens


def test_text_that_looks_like_a_special_token_is_text() -> None:
    assert tokenizer.count("<|endoftext|>").tokens > 1


def test_without_tiktoken_the_estimate_serves_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert tokenizer.count(TEXT) == tokenizer.Count(tokens.estimate(TEXT), "estimate")


def test_damaged_ranks_mean_an_estimate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.xz"
    other.write_bytes(lzma.compress(b"aGk= 0\n"))
    monkeypatch.setattr(tokenizer, "PACKED", str(other))
    assert tokenizer.count(TEXT).source == "estimate"
    with pytest.raises(Fault, match="not the published ones"):
        tokenizer._ranks()


def client(frame: int) -> Any:
    """An API that counts characters and adds a frame."""

    def count_tokens(model: str, messages: list[dict[str, str]]) -> SimpleNamespace:
        assert model == "claude-x"
        return SimpleNamespace(input_tokens=len(messages[0]["content"]) + frame)

    return SimpleNamespace(messages=SimpleNamespace(count_tokens=count_tokens))


@pytest.mark.parametrize("frame", [0, 7, 11])
def test_exact_takes_the_frame_off(frame: int) -> None:
    """The number is of the text alone, whatever the model adds to a message."""
    assert tokenizer.exact("abcde", "claude-x", client(frame)) == tokenizer.Count(5, "api")
    assert tokenizer.exact("", "claude-x", client(frame)) == tokenizer.Count(0, "api")


def test_exact_says_why_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(Fault, match="ANTHROPIC_API_KEY is not set"):
        tokenizer.exact("x", "claude-x")
    with pytest.raises(Fault, match="did not count"):
        tokenizer.exact("x", "claude-x", SimpleNamespace())
