"""The figures of condensed handoffs on recorded sessions: HOLDFAST_DATA, else ../shared/data beside the checkout."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from holdfast.models import tokenizer
from holdfast.policy.condense import condense
from holdfast.runtime import recorded
from holdfast.runtime.replay import Options, Recall, hand_off

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("HOLDFAST_DATA") or ROOT.parent / "shared" / "data") / "transcripts"
LIMIT = 500

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no recorded sessions at {DATA}; set HOLDFAST_DATA to a folder with transcripts/"
)


@pytest.fixture(scope="module")
def sessions() -> list[recorded.Session]:
    """The sessions in which sub-agents returned something."""
    read = map(recorded.read_session, recorded.transcripts([str(DATA)]))
    return [session for session in read if session.reports]


def total(sessions: Iterable[recorded.Session]) -> Recall:
    """The recall over all reports of these sessions."""
    options = Options(LIMIT, tokenizer.counter())
    each = [hand_off(report, options, "new").recall for session in sessions for _, report in session.reports]
    return Recall(*(sum(column) for column in zip(*each, strict=True)))


def test_what_the_parent_used_is_still_there(sessions: list[recorded.Session]) -> None:
    """Paths and identifiers used afterwards: .95 in handoff or had anyway, .90 of what only the report held."""
    recall = total(sessions)
    assert recall.used > 800
    assert recall.kept / recall.used >= 0.95
    assert recall.kept_only_here / recall.used_only_here >= 0.90


@pytest.mark.parametrize("half", [0, 1])
def test_either_half_of_the_sessions_holds_up(sessions: list[recorded.Session], half: int) -> None:
    """No half carries the figure alone: one report of 100 names may cost a half some points, not more."""
    recall = total(sessions[half::2])
    assert recall.kept / recall.used >= 0.93
    assert recall.kept_only_here / recall.used_only_here >= 0.84


@pytest.mark.parametrize("counted", [True, False], ids=["counted", "estimated"])
def test_every_handoff_is_within_the_limit(sessions: list[recorded.Session], counted: bool) -> None:
    """By our own counter for all; by the reference where it is installed (Python 3.12 and the package ctok)."""
    count = tokenizer.counter()
    reports = [report for session in sessions for _, report in session.reports]
    texts = [condense(r.text, LIMIT, count if counted else None, ".claude/r.md", r.prompt) for r in reports]
    assert len(texts) > 50
    assert max(map(count, texts)) <= LIMIT
    try:
        import ctok  # only where its Python is there
    except ImportError:
        return
    assert max(int(ctok.token_count(text, "5")) - 6 for text in texts) <= LIMIT


def test_condensed_reports_are_no_bare_word_index(sessions: list[recorded.Session]) -> None:
    """Most have sentences for at least a third of their words, and every one says where the whole stands."""
    shares = []
    for session in sessions:
        for _, report in session.reports:
            text = condense(report.text, LIMIT, None, ".claude/r.md", report.prompt)
            assert text.endswith("Full report: .claude/r.md")
            words = text.split()
            plain = [word for word in words if word.strip(".,:;()").isalpha() and word[1:].islower()]
            shares.append(len(plain) / len(words))
    shares.sort()
    assert shares[len(shares) // 4] >= 1 / 3
