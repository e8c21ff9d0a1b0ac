"""What is planted in a session is in the first request after a compaction whose summary says nothing, and after two.

Where the summary says it all, the packet says less: the bounds are what was measured, with a margin.
"""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import pytest

import refunds
from client import Run, SandboxMaker
from stories import Planted, Story, after_compaction, lines_with, missing, packet, section, shared_runs

ENOUGH = 0.98
FAILING = "Failed, not seen to work since"


class Played(NamedTuple):
    """The session: the runs in which its window was compacted the first and the second time."""

    once: Run
    twice: Run


Full = Callable[[], Story]


@pytest.fixture(scope="module")
def full(make_sandbox: SandboxMaker) -> Full:
    """`full()`: the session before the prompt in which its first window is compacted, as it lay on the disk then."""
    sandbox = make_sandbox("dropin")
    refunds.prepare(sandbox)
    story = Story(sandbox)
    story.play(refunds.first_window(sandbox)[:-1])
    kept = sandbox.root.with_name(f"{sandbox.root.name}-kept")
    shutil.copytree(sandbox.root, kept, symlinks=True)

    def again() -> Story:
        shutil.rmtree(sandbox.root)
        shutil.copytree(kept, sandbox.root, symlinks=True)
        begun = Story(sandbox)
        begun.runs = story.runs[:1]
        return begun

    return again


@pytest.fixture(scope="module")
def played(full: Full) -> Played:
    """Play both windows to their ends; the summariser answers "OK done." and nothing else."""
    story = full()
    once = story.play(refunds.first_window(story.sandbox)[-1:])
    return Played(once, story.play(refunds.second_window(story.sandbox)))


def _all(*tables: Mapping[str, Sequence[Planted]]) -> list[Planted]:
    return list(chain.from_iterable(chain.from_iterable(table.values() for table in tables)))


def _check(planted: Sequence[Planted], run: Run) -> None:
    request = after_compaction(run)
    lost = missing(planted, request.text)
    share = 1 - len(lost) / len(planted)
    assert share >= ENOUGH, f"{share:.1%} of {len(planted)} survived; lost: {lost}\n{packet(run)}"


def test_after_one_compaction(played: Played) -> None:
    """98 % of what was planted in the first window."""
    _check(_all(refunds.FIRST, refunds.FIRST_STATE), played.once)


def test_after_two_compactions(played: Played) -> None:
    """98 % of what the first window laid down and of what the second added and changed."""
    _check(_all(refunds.FIRST, refunds.SECOND), played.twice)


def test_the_packet_is_what_brings_it(played: Played) -> None:
    """Without it the request holds hardly anything of what was planted, so that the share above is the packet's."""
    planted = _all(refunds.FIRST, refunds.FIRST_STATE)
    rest = after_compaction(played.once).text.replace(packet(played.once), "")
    assert len(missing(planted, rest)) >= 0.75 * len(planted)


@pytest.mark.parametrize("twice", [False, True], ids=["once", "twice"])
def test_each_stands_where_it_belongs(played: Played, twice: bool) -> None:
    """Rules and corrections in the user's own words, what failed as it was marked, after one and two compactions."""
    text = packet(played.twice if twice else played.once)
    tables = (refunds.FIRST, refunds.SECOND) if twice else (refunds.FIRST,)
    users = section(text, "The user's earlier requests") + section(text, "The user's newest requests")
    marked = [line for line in section(text, "Lines marked").splitlines() if line.startswith("- failed (assistant): ")]
    assert missing(_all(*({"rules": table["rules"]} for table in tables)), users) == []
    assert missing(_all(*({"failed": table["failed approaches"]} for table in tables)), "\n".join(marked)) == []


def test_what_fails_stands_with_its_command_and_words(played: Played) -> None:
    """Until it was run with success; then its success does."""
    assert missing(refunds.FIRST_STATE["errors"], section(packet(played.once), FAILING)) == []
    assert "expected 1250" not in section(packet(played.twice), FAILING)
    runs = section(packet(played.twice), "Last test runs")
    assert "42 passed" in runs
    assert lines_with(runs, "expected 1250") == []


def test_nothing_closed_is_called_open_and_nothing_open_closed(played: Played) -> None:
    """What is done or dropped is not listed as to do, what was planned or begun is not called done."""
    states = (
        (played.once, ("refund engine", "migration 0042", "refund widget"), ("into the router", "Load-test")),
        (played.twice, ("refund engine", "into the router", "refund widget", "refund mails"), ("Load-test", "Add cur")),
    )
    for run, closed, still in states:
        lines = packet(run).splitlines()
        listed = [line for line in lines if line.startswith(("- planned:", "- in progress:"))]
        assert [line for line in listed if any(text in line for text in closed)] == []
        done = [line for line in lines if re.search(r"\b(done|completed|finished|fixed|\[x\])", line)]
        assert [line for line in done if any(text in line for text in still)] == []


def test_without_a_precompact(full: Full) -> None:
    """Switched off, or never fired: the state comes from the transcript, and as much survives."""
    story = full()
    story.sandbox.configure({"hooks": {"off": ["PreCompact"]}})
    _check(_all(refunds.FIRST, refunds.FIRST_STATE), story.play(refunds.first_window(story.sandbox)[-1:]))


REPEATED = 0.15
"""Share of the packet's runs of five words that may stand in a faithful summary too: the plan's states and what failed
are told again. Measured 0.09 (else 0.41)."""
SHORTER = 0.40
"""Of the length that the packet has beside a summary that says nothing; measured 0.32."""


def test_a_faithful_summary_is_not_repeated(played: Played, full: Full) -> None:
    """The packet beside it is shorter, says little twice, and together they hold everything."""
    story = full()
    turns = refunds.first_window(story.sandbox)
    story.summary = refunds.faithful(turns)
    run = story.play(turns[-1:])
    planted = _all(refunds.FIRST, refunds.FIRST_STATE)
    assert missing(planted, story.summary) == []
    assert missing(planted, after_compaction(run).text) == []
    said, alone = packet(run), packet(played.once)
    share, length = shared_runs(said, story.summary), len(said) / len(alone)
    assert share <= REPEATED, (
        f"{share:.2f} (beside a summary that says nothing: {shared_runs(alone, story.summary):.2f})"
    )
    assert length <= SHORTER, f"{length:.2f}: {len(said)} of {len(alone)} characters"
