"""Older results: what is said twice, and what a digest keeps."""

import json

import pytest

from holdfast.engine import results
from holdfast.engine.blocks import Block, BlockKind, BlockState
from holdfast.engine.strategy import StrategyInput
from holdfast.text.tokens import estimate
from tests.engine.conversations import Model, asked, given, looked

LINES = "\n".join(f"worker_{number} took {number} jobs from pool_{number}" for number in range(60))


@pytest.mark.parametrize(
    ("texts", "same", "merged", "across"),
    [
        ((LINES, LINES, LINES), True, ["result:c0", "result:c1"], []),
        ((f"at 2026-01-30T10:00:00Z\n{LINES}", f"at 2026-01-30T11:30:00Z\n{LINES}"), True, ["result:c0"], []),
        ((f"run 8f14e45f\n{LINES}", f"run 0d3b9a1c\n{LINES}"), True, ["result:c0"], []),
        ((f"3 jobs\n{LINES}", f"5 jobs\n{LINES}"), True, [], []),
        ((LINES, f"{LINES}\nworker_99 is gone"), True, [], []),
        ((f"at 10:00:00\n{LINES}", f"at 11:00:00\n{LINES}"), False, [], ["result:c0"]),
    ],
    ids=["equal", "other times", "other ids", "other numbers", "more", "other sources"],
)
def test_of_what_is_the_same_the_newest_stays(
    texts: tuple[str, ...], same: bool, merged: list[str], across: list[str]
) -> None:
    """Equal, or of one source equal but for times and ids; the policy `semantic_merge` looks across sources."""
    steps = [looked(n, "Bash", {"command": "poll" if same else f"p{n}"}, text) for n, text in enumerate(texts)]
    steps += [looked(n, "Read", {"file_path": f"{n}.md"}, "short") for n in (90, 91)]
    messages = [asked("Watch the pool."), *(message for step in steps for message in step)]
    made = results.merge(given(messages))
    assert [change.id for change in made.changes] == merged
    for change in made.changes:
        told = f"[Merged: Bash poll; said {len(texts)} times, it stands in turn {len(texts) + 1}; whole: a"
        assert (change.text or "").startswith(told)
        assert change.state == BlockState.PLACEHOLDER
    found = results.merge(given(messages, policy="semantic_merge"))
    assert [change.id for change in found.changes] == merged + across


@pytest.mark.parametrize("policy", ["hybrid", "semantic_merge"])
def test_a_reference_has_at_most_50_tokens(policy: str) -> None:
    command = "python -m pytest -q tests/engine/test_manager.py --maxfail=3 -k 'not slow'"
    steps = [looked(n, "Bash", {"command": f"{command}{n % 2 * ' -x'}"}, LINES) for n in range(20)]
    seen = given([asked("Watch."), *(message for step in steps for message in step)], policy=policy)
    seen = seen._replace(where=lambda block: f"/var/lib/agents/of-the-shop/state/archive/{block.pair}1.txt")
    made = results.merge(seen)
    assert {change.tokens <= 50 for change in made.changes} == {True}


CODE = "  1→class Pool:\n  2→    def retry(self):\n" + "  3→x = 1\n" * 99


@pytest.mark.parametrize(
    ("about", "text", "parts"),
    [
        ("Bash make", f"on\n{LINES}\na.c:7: error: x\n2 warnings", ("63 lines", "62: a.c:7: error: x", "2 warnings")),
        ("Read a.py", CODE, ("defines: Pool, retry",)),
        (
            "Bash curl",
            json.dumps({"rows": [{"id": 7}] * 3, "ok": True}),
            ("JSON: {rows: [3] [{id: 7}, [2 more]], ok: true}",),
        ),
        ("Read guide.md", f"# Guide\ntext\n## Pools\n{LINES}", ("# Guide", "## Pools")),
        ("WebFetch x", "第一行说明一切。\n" + "中间的内容。\n" * 50 + "最后一行。", ("第一行说明一切。", "最后一行。")),
        ("Bash make", LINES, ("Names: only_here, ",)),
    ],
    ids=["run", "code", "json", "document", "another language", "names that stand nowhere else go first"],
)
def test_a_digest_tells_the_form_and_verbatim_lines(about: str, text: str, parts: tuple[str, ...]) -> None:
    """By the kind of result; never a sentence that does not stand in it."""
    block = Block("r", BlockKind.RESULT, text, estimate(text), 2, about=about)
    shown = results.offline(block, 120, ["only_here"], estimate)
    assert all(part in shown for part in parts), shown
    assert estimate(shown) <= 140


def full() -> StrategyInput:
    """A window of long results."""
    steps = [looked(n, "Bash", {"command": f"cat {n}"}, f"file {n}\n{LINES}") for n in range(8)]
    return given([asked("Go."), *(message for step in steps for message in step)])


def test_long_results_give_way_until_enough_is_free() -> None:
    """Oldest first, half saved at least, the whole named; what has just been answered stays."""
    whole = full()
    made = results.summarise(whole._replace(limit=int(whole.used * 1.5)))
    assert 0 < len(made.changes) < len(results.summarise(whole).changes)
    assert made.short == 0
    for change in results.summarise(whole).changes:
        before = next(block for block in whole.blocks if block.id == change.id)
        assert (change.text or "").startswith(f"[Summary of {before.about}, ~{before.tokens} tokens; whole: a")
        assert (change.state, change.why) == (BlockState.DIGEST, "offline")
        assert 2 * change.tokens <= before.tokens
        assert before.turn < whole.context.turn - 1


def test_a_model_writes_the_summary_and_its_failure_costs_only_a_note() -> None:
    """It is given the call and the text; after the first failure the rest is done offline."""
    model = Model("Pool 7 is exhausted.")
    made = results.summarise(full()._replace(ask=model.ask))
    assert "The call: Bash cat 0" in model.asked[0]
    assert made.calls == len(model.asked) == len(made.changes)
    assert {change.why for change in made.changes} == {"model"}
    broken = results.summarise(full()._replace(ask=Model("").ask))
    assert (broken.calls, {change.why for change in broken.changes}) == (1, {"offline"})
    assert "the answer is empty" in broken.note


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def load(x):\n    class Inner:", ["load", "Inner"]),
        ("func (s *Store) Save() error {\nfunc New() {}\ntype State struct {", ["Save", "New", "State"]),
        ("export async function go() {}\nconst limit = 5", ["limit"]),
        ("pub(crate) fn run_all() {}\nimpl X {}", ["run_all"]),
        ("default_value = 5\nreturn function", []),
        ("def load():\ndef load():", ["load"]),
    ],
    ids=["python", "go", "short names are none", "rust", "uses", "once"],
)
def test_definitions(code: str, names: list[str]) -> None:
    """What a piece of code defines, by the words of common languages."""
    assert results.definitions(code) == names
