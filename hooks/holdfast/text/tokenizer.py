"""Counting tokens with a vocabulary: tiktoken's cl100k from vendored ranks, corrected to Claude's families.

One number of cl100k tokens misses Claude's by 7.8 % on average after the best single factor; with the few
features below it misses by 3.6 % (1,898 texts, sources held out, fitted as in text/tokens.py). Nothing here
touches the network except `exact`, which asks the API only when it is called.

The ranks are unpacked and checked at each start that counts: 60 ms, as long as tiktoken takes to import and build its
encoder. A copy that loads in 15 would lie where a clone can put another one.
"""

import functools
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from holdfast.errors import Fault, missing
from holdfast.hot.files import read_bytes
from holdfast.text import tokens

PACKED = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_data", "cl100k_base.pairs.xz")
SHA256 = "1500d0b611eb1466a301ee11b57e7c0e2fa2efc26a678bf3c6184118c9cfa997"
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
"""How cl100k cuts text before merging; part of the encoding, as tiktoken 0.14 has it."""
BANDS = {"api": (1.0, 1.0), "cl100k": (0.93, 1.08), "estimate": (0.91, 1.12)}
"""Source of a count -> p05 and p95 of true tokens over counted ones, held out."""

# As in text/tokens.py: thousandths of a token in the new and in the old family.
_WORDS = {"new": (-581, 224, 0), "old": (-104, 24, 0)}
_FEATURES = (
    (b"A", 726, 79),
    (b".", 242, 58),
    (b"\n+", 750, 797),
    (b"aA", 98, 695),
    (b"AA+", -1_417, -47),
    (b"..+", -586, -126),
    (b".A", 762, 583),
    (b".a", 762, 583),
)


class Count(NamedTuple):
    """A number of tokens and where it comes from: "estimate", "cl100k" or "api"."""

    tokens: int
    source: str


def count(text: str, family: str = "new") -> Count:
    """Tokens of `text` by the best means at hand; never fails."""
    encode = _encoder()
    if encode is None:
        return Count(tokens.estimate(text, family), "estimate")
    ranked = len(encode(text)) * (973 if family == "old" else 945)
    return Count(tokens.weighed(text, family, _WORDS, _FEATURES, ranked), "cl100k")


def counter(family: str = "new") -> Callable[[str], int]:
    """`count` as the policies want it: text in, number out; loads nothing before its first call."""
    return lambda text: count(text, family).tokens


@functools.cache
def _encoder() -> "Callable[[str], list[int]] | None":
    """cl100k's encoder, or None when tiktoken or its ranks are not to be had."""
    try:
        import tiktoken  # only whoever counts pays its import
    except Exception:  # noqa: BLE001 - a broken package is as good as a missing one: the estimate serves
        return None
    try:
        encoding = tiktoken.Encoding("cl100k_vendored", pat_str=PATTERN, mergeable_ranks=_ranks(), special_tokens={})
    except (Fault, OSError, ValueError):
        return None
    return encoding.encode_ordinary


def _ranks() -> dict[bytes, int]:
    """The vendored file, checked and read: the 256 bytes by rank, then of every other token the ranks of two that it
    is made of, all their lowest bytes first. Raises Fault when it is damaged or missing.
    """
    import hashlib
    import lzma

    todo = "Install Holdfast again; until then tokens are estimated"
    try:
        raw = lzma.decompress(read_bytes(PACKED, follow=True))
    except lzma.LZMAError as error:
        raise Fault(f"the vendored ranks cannot be read ({error})", PACKED, todo) from None
    if hashlib.sha256(raw).hexdigest() != SHA256:
        raise Fault("the vendored ranks are not the published ones", PACKED, todo)
    many, made = (len(raw) - 256) // 6, [raw[at : at + 1] for at in range(256)]
    for a, b, c, x, y, z in zip(*(raw[256 + at * many : 256 + (at + 1) * many] for at in range(6)), strict=True):
        made.append(made[a | b << 8 | c << 16] + made[x | y << 8 | z << 16])
    return {token: rank for rank, token in enumerate(made)}


def exact(text: str, model: str, client: Any = None) -> Count:
    """Tokens of `text` as the API counts them. Raises Fault with the reason when it cannot.

    The frame of a message differs by model, so it is measured with a text of one token and taken off.
    """
    if not text:
        return Count(0, "api")
    if client is None:
        client = _client()

    def asked(words: str) -> int:
        answer = client.messages.count_tokens(model=model, messages=[{"role": "user", "content": words}])
        return int(answer.input_tokens)

    try:
        return Count(asked(text) - asked("a") + 1, "api")
    except Exception as error:  # noqa: BLE001 - the client raises many kinds; each means: no exact count
        raise Fault(f"the API did not count ({error})", "count_tokens", "Check key, model and network") from None


def _client() -> Any:
    if not os.environ.get("ANTHROPIC_API_KEY"):
        raise Fault("ANTHROPIC_API_KEY is not set", "count_tokens", "Set it, or take the estimate")
    try:
        import anthropic  # a second of start-up: only when an exact count is asked for
    except ImportError:
        raise missing("an exact count", "anthropic") from None
    return anthropic.Anthropic()
