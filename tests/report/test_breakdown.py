from typing import Any

from holdfast.report import breakdown
from holdfast.report.breakdown import account as account_of
from holdfast.text.tokens import estimate
from holdfast.transcript.usage import Frame

BASE, STEP = 20_000, "a line of output\n" * 100


def work(transcript: Any, turns: int, start: int = BASE) -> int:
    """Turns of two requests that each bring one result; the size of the last request."""
    asked = estimate("Fix it", "old") + Frame.MESSAGE
    transcript.user("Fix it")
    size = start + asked
    for number in range(turns):
        if number and not number % 2:
            transcript.user("Fix it")
            size += asked
        call = f"c{start}-{number}"
        transcript.assistant(tokens=size, calls=((call, "Bash", {}),))
        transcript.result(call, STEP)
        size += estimate(STEP, "old") + Frame.CALL
    transcript.assistant("done", tokens=size)
    return size


def test_the_parts_are_the_whole(transcript: Any) -> None:
    size = work(transcript, 12)
    parts = {one.name: one for one in account_of(str(transcript.path), 167_000, "default").components}
    assert sum(one.used for one in parts.values()) == size
    assert parts["results"].used == 12 * estimate(STEP, "old")
    assert parts["results"].limit == 20_040
    assert parts["results"].tokens_per_turn == round(9 * estimate(STEP, "old") / 5)  # of five turns that are over
    assert parts["system and tools"].used == BASE
    assert parts["system and tools"].limit is None  # nobody but the client can cut it
    unknown = account_of(str(transcript.path), 0, "default").components
    assert [(one.used, one.limit, one.urgency) for one in unknown] == [(one.used, None, None) for one in parts.values()]
    assert [text for text in map(breakdown.told, unknown) if "of" in text.split()] == []
    used = parts["results"].used
    assert breakdown.told(parts["results"]) == f"results: {used:,} tokens, within their share of 20,040"


def test_a_compaction_begins_anew(transcript: Any) -> None:
    """Only what stands in the window now; system and tools are those of the window that shows them best."""
    work(transcript, 12)
    transcript.boundary()
    size = work(transcript, 2, start=BASE + 3_000)
    facts = account_of(str(transcript.path), 167_000, "default")
    parts = {one.name: one.used for one in facts.components}
    assert parts["results"] == 2 * estimate(STEP, "old")
    assert parts["system and tools"] == BASE
    assert sum(parts.values()) == size
    assert facts.calibration.pairs == 14


def test_what_a_reader_is_told(transcript: Any) -> None:
    """Parts, with results that are over their share; of another part nobody can keep anything small."""
    transcript.row(type="attachment", attachment={"type": "hook", "content": "a reminder " * 40})
    size = work(transcript, 12)
    transcript.user("x" * 60_000)
    transcript.assistant("well", tokens=size + 50_000)
    facts = account_of(str(transcript.path), 40_000, "default")
    told = list(map(breakdown.told, facts.components))
    assert [text.split(":")[0] for text in told if ", over their share of " in text] == ["results"]
    assert any(text.startswith("system and tools: ") and " of " not in text for text in told)
    assert [text.split(":")[0] for text in told if "attached" in text] == ["attached by client and hooks"]
    assert not any("memory" in text for text in told)
    assert (facts.spikes, facts.last_turn_spiked, facts.calibration.pairs) == (1, True, 13)
