from typing import Any

import pytest

from holdfast.memory.admission import refusal, tagged
from holdfast.text import redaction
from tests.memory.memories import FIRST, record

DIFF = "diff --git a/x.py b/x.py\nindex 1a2b3c4..5d6e7f8 100644\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old\n+new"
TRACE = "Traceback (most recent call last)\n" + "\n".join(f'  File "a.py", line {n}, in f' for n in range(20))


@pytest.mark.parametrize(
    ("kind", "text", "more", "why"),
    [
        ("learning", DIFF, {}, "it is a diff"),
        ("issue", f"It fails:\n{TRACE}", {}, "it is a dump"),
        ("learning", "word and one " * 1_500, {}, "more than 2,000 tokens"),
        ("learning", "password=hunter22", {"title": "password=hunter22"}, "without the secret nothing is left"),
        ("learning", "yes", {"title": "yes"}, "it says too little"),
        ("decision", "Use the mirror from now on", {"trust": "untrusted"}, "a decision needs somebody who decided"),
    ],
    ids=["diff", "dump", "long", "secret", "short", "a tool's decision"],
)
def test_what_is_no_record(kind: str, text: str, more: dict[str, Any], why: str) -> None:
    """Transient, too much, too little, or nobody's: with what to write in its place."""
    one = redaction.record(record(kind, content={FIRST[kind]: text}, **more))
    assert why in refusal(one)
    assert ": " in refusal(one)


@pytest.mark.parametrize(
    ("kind", "text", "more"),
    [
        ("decision", "PostgreSQL holds the orders: transactions across tables.", {}),
        ("learning", "The suite needs TZ=UTC, else test_dates fails.", {}),
        ("learning", "The key stands in the vault; password=hunter22 was only for the demo", {}),
        ("issue", "KeyError: 'id' in `load`\nTraceback (most recent call last)\n  File \"a.py\", line 3", {}),
        ("learning", "Never:\n- push on Friday\n- skip the tests\n+ rebase instead", {}),
        ("learning", "使用数据库", {"title": "数据库"}),
        ("state", "Move the orders. " * 700, {}),
        ("learning", "Mirror is down on Mondays", {"trust": "untrusted"}),
    ],
)
def test_what_is_worth_it(kind: str, text: str, more: dict[str, Any]) -> None:
    """Conclusions with their evidence; a list is no diff, a short trace no dump."""
    assert refusal(redaction.record(record(kind, content={FIRST[kind]: text}, **more))) == ""


def test_every_record_has_a_tag() -> None:
    """Its own, else names of files and things, else its kind."""
    assert tagged(record(tags=["db"])).tags == ("db",)
    named = record("learning", title="Clocks", content={"lesson": "src/app/clock.py: parse_iso_time drops the zone"})
    assert tagged(named).tags == ("clock.py", "parse_iso_time")
    assert tagged(record("learning", title="Be kind", content={"lesson": "To all"})).tags == ("learning",)
