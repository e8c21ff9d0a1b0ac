"""A model's judgement of one compaction: it answers probe questions from what is left, and its answers are graded.

Two calls. Nothing is judged unless the user has named a model, and a model that fails leaves no score.
"""

from collections.abc import Callable, Sequence
from typing import Any

from holdfast.compaction import probes, store
from holdfast.compaction.critical_facts import Fact
from holdfast.errors import Fault
from holdfast.hot import paths
from holdfast.hot.files import read_bytes, read_text
from holdfast.hot.jsonc import loads_object
from holdfast.llm.ask import Metered

ANSWER_TOKENS, GRADE_TOKENS = 3_000, 600


def run(summary: str, packet: str, facts: Sequence[Fact], ask: Callable[[str, int], str]) -> dict[str, Any]:
    """{"score": 0..5, "graded", "asked", "kinds": {kind: mean}, "lost": [question]} for the record.

    ask: as models.ask.Model.ask. Raises Fault with the reason when there is nothing to ask, when the model fails, and
    when what it prints cannot be read.
    """
    asked = probes.probes(facts)
    if not asked:
        raise Fault("the record holds no fact to ask for", "judge", "There is nothing to do")
    context = "\n\n".join(text for text in (summary, packet) if text)
    answers = probes.answers_of(ask(probes.answering(asked, context), ANSWER_TOKENS), len(asked))
    if not answers:
        raise Fault("the model's answers are not a JSON object", "judge", "Try again, or name another model")
    grades = probes.grades_of(ask(probes.grading(asked, answers), GRADE_TOKENS), len(asked))
    found = probes.score(asked, grades)
    if found is None:
        raise Fault("the model's grades are not a JSON object", "judge", "Try again, or name another model")
    return {
        "score": found.mean,
        "graded": found.graded,
        "asked": found.asked,
        "kinds": found.kinds,
        "lost": list(found.lost),
    }


def last(state: str, model: Metered) -> dict[str, Any]:
    """Judge the newest compaction that a hook has compared, and write the score beside its record as "judge".

    It is what `run` gives, with the model's name and what was spent. Raises Fault as `run`, when no compaction is
    recorded, when its texts are no longer there, and when the score cannot be written.
    """
    log = f"{state}/{paths.COMPACTIONS}"
    record: dict[str, Any] = next((row for row in reversed(store.load(log)) if "facts" in row), {})
    if not record:
        raise Fault("no compaction has been compared yet", log, "It is judged after the next one")
    folder = paths.session_folder(state, str(record.get("session")))
    kept = loads_object(read_bytes(f"{folder}/{paths.VERIFIED}"))
    summary, packet = read_text(f"{folder}/{paths.SUMMARY}"), read_text(f"{folder}/{paths.PACKET}")
    if kept.get("key") != record.get("key") or not (summary or packet):
        raise Fault("summary and packet of the last compaction are no longer there", folder, "Judge it soon after")
    found = {**run(summary, packet, _facts(kept.get("facts")), model.ask), "model": model.name}
    found.update(calls=model.calls, tokens_estimate=model.tokens)
    try:
        written = store.complete(log, str(record["key"]), {"judge": found})
    except OSError as error:
        raise Fault(f"the score was not written ({error})", log, "Try again") from None
    if not written:
        raise Fault("the log is in use, so the score was not written", log, "Try again")
    return found


def _facts(rows: Any) -> list[Fact]:
    """The facts that a comparison has left: [kind, text, keys, state, where, verdict] each; others are passed over."""
    whole = [row for row in rows if isinstance(row, list) and len(row) >= 5] if isinstance(rows, list) else []
    return [
        Fact(str(row[0]), str(row[1]), tuple(map(str, row[2])), str(row[3]), str(row[4]))
        for row in whole
        if isinstance(row[2], list)
    ]
