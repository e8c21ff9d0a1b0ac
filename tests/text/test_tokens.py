import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import tokenizer, tokens


@pytest.mark.parametrize(
    ("family", "models"),
    [
        ("old", ("claude-opus-4-5-20251101", "claude-sonnet-4-20250514", "claude-3-7-sonnet-20250219")),
        ("old", ("claude-sonnet-4-6", "us.anthropic.claude-opus-4-6-v1:0")),
        ("new", ("claude-opus-4-7", "claude-opus-4-10", "claude-sonnet-5", "claude-opus-5[1m]")),
        ("new", ("opus", "gpt-4o", "", None)),
    ],
)
def test_family_is_read_from_the_model(family: str, models: tuple[str | None, ...]) -> None:
    """Up to 4.6 is old; later, unnamed and unknown models are new, the family that counts more."""
    assert {tokens.family(model) for model in models} == {family}


@given(st.text(max_size=400))
def test_estimate_is_at_least_one_for_any_text(text: str) -> None:
    for family in ("new", "old"):
        assert (tokens.estimate(text, family) >= 1) == bool(text)


@given(st.text(st.sampled_from("aZ09.,_ \t\n\r\x80\u07ff\u0800\ud800\uffff\U00010000") | st.characters(codec=None)))
def test_what_is_counted_by_classes_is_what_the_patterns_find(text: str) -> None:
    """One pass in C in the place of each pattern, with the same number."""
    mark, shape = r"[!-/:-@\[-`{-~]", tokens._shape(text)
    parts = (b"A", b"AA+", b"aA", b"0", b"0+", b".", b"..+", b".A", b".a", b"\n+", b"  +", b"2", b"3", b"4")
    patterns = (
        *("[A-Z]", "[A-Z]{2,}", "[a-z][A-Z]", "[0-9]", "[0-9]+", mark, mark + "{2,}", mark + "[A-Z]", mark + "[a-z]"),
        *(r"\n+", r"[ \t]{2,}", "[\u0080-\u07ff]", "[\u0800-\uffff]", "[\U00010000-\U0010ffff]"),
    )
    assert {*parts} == {part for part, *_ in (*tokens._FEATURES, *tokens._BEYOND_ASCII, *tokenizer._FEATURES)}
    for part, pattern in zip(parts, patterns, strict=True):
        assert tokens._times(shape, part) == len(re.findall(pattern, text)), pattern


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        pytest.param("QmFzZTY0IGlzIGEgZ3JvdXAgb2YgYmluYXJ5LXRvLXRleHQgZW5jb2Rpbmcgc2NoZW1lcw==", 72, id="base64"),
        pytest.param("A" * 200, 200, id="one letter"),
        pytest.param("9b5ad71b2ce5302211f9c61530b329a4922fc6a4", 28, id="hex"),
        pytest.param("配置文件存在于项目目录中。如果没有找到则使用默认值。请先运行测试。", 33, id="chinese"),
        pytest.param("설정 파일은 프로젝트 폴더에 있습니다. 찾을 수 없으면 기본값이 사용됩니다.", 45, id="korean"),
        pytest.param("\U0001f600\U0001f389\U0001f680\U0001f525", 11, id="emoji"),
    ],
)
def test_unusual_text_is_not_underrated(text: str, truth: int) -> None:
    """What a gate must not let through by mistake: at least 70 % of the reference count."""
    assert tokens.estimate(text) >= 0.7 * truth


def test_within_asks_the_counter_only_near_the_limit() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return 100

    short, long, near = "word " * 20, "word " * 900, "word " * 72
    assert tokens.estimate(near) in range(90, 110)
    assert tokens.within(short, 100, count)
    assert not tokens.within(long, 100, count)
    assert asked == []
    assert tokens.within(near, 100, count)
    assert asked == [near]


def test_within_without_a_counter_is_careful() -> None:
    text = "word " * 72
    size = tokens.estimate(text)
    assert not tokens.within(text, size + 1)
    assert tokens.within(text, size * tokens.SAFE // 1_000 + 1)
