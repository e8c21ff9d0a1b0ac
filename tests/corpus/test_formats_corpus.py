"""What the formats cost on contexts of recorded sessions."""

from statistics import median

from holdfast.checkpoint import model
from holdfast.engine.shared import formats
from holdfast.engine.shared import slice as slices
from holdfast.engine.shared.context import THRESHOLD, Context
from holdfast.handoff import orchestrator
from holdfast.text import tokenizer
from holdfast.worklog import plan, reader

FORMS = ("micro", "xml", "event", "compressed")
UNCUT = 1_000_000


def context_of(path: str, limit: int) -> Context:
    """The shared slice at the end of a session: its goal, plan, open errors and changed files."""
    work = reader.read_whole(path)
    state = orchestrator.with_task(orchestrator.empty(), model.task(work), "")
    changed = work["changed"][-orchestrator.Most.FILES :]
    errors = dict.fromkeys([error["what"][:200] for error in work["errors"]][-orchestrator.Most.ERRORS :], "")
    items = [{"text": item["text"], "status": item["status"]} for item in plan.items(work)]
    return slices.build({**state, "files_changed": changed, "open_errors": errors}, items, limit)


def test_real_contexts_come_back_and_cost_what_the_selector_assumes(one_project: list[str]) -> None:
    """Compressed is cheapest, an event dearest, by a third for small contexts; every slice is within its limit."""
    contexts = [context_of(file, UNCUT) for file in one_project]
    written = [{form: formats.write(context, form) for form in FORMS} for context in contexts if context.goal]
    assert len(written) >= 30
    for context, texts in zip((one for one in contexts if one.goal), written, strict=True):
        assert [formats.read(texts[form]) for form in FORMS] == [context] * 4
        assert slices.size(slices.bounded(context)) <= THRESHOLD
    sizes = [[tokenizer.count(texts[form]).tokens for form in FORMS] for texts in written]
    micro, xml, event, compressed = (median(row[form] / row[0] for row in sizes) for form in range(4))
    assert 0.9 < compressed < micro == 1.0 < xml < event
    assert 1.2 < median(row[2] / row[0] for row in sizes if row[0] < 500) < 1.5
