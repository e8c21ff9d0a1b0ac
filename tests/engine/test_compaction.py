"""What takes the place of the older messages."""

from typing import Any

from holdfast.engine import blocks, compaction, record
from holdfast.engine.blocks import Plan, State
from holdfast.engine.messages import content
from holdfast.engine.strategy import StrategyInput
from holdfast.engine.window_state import View
from holdfast.text import tokens
from tests.engine.conversations import Json, Model, asked, given, looked, results, said

GOAL = "Move every call of axios in user-service to fetch.\nRULE: Never touch the public API."
OUTPUT = "\n".join(f"src/part_{n}.ts: callNumber{n}(axios.get) takes {n} ms" for n in range(40))


def work(steps: int, *, tail: int = 3) -> list[Json]:
    """A task with a decision, an open error, a change, and calls before and after."""
    found = [asked(GOAL)]
    for n in range(steps):
        found += looked(n, "Bash", {"command": f"rg axios part_{n}"}, OUTPUT)
    found += [
        said(
            "DECISION: wrap fetch in src/http.ts because axios leaks sockets.",
            ("e", "Edit", {"file_path": "src/http.ts"}),
        ),
        results(("e", "edited")),
        said("", ("t", "Bash", {"command": "npm test"})),
        results(("t", "FAIL src/http.test.ts: TypeError: fetch is not a function\n1 failed, 11 passed")),
    ]
    found[-1]["content"][0]["is_error"] = True
    for n in range(100, 100 + tail):
        found += looked(n, "Read", {"file_path": f"src/part_{n}.ts"}, OUTPUT)
    return found


def more(steps: int) -> list[Json]:
    """Calls after the others."""
    return [m for n in range(300, 300 + steps) for m in looked(n, "Bash", {"command": f"cat part_{n}"}, OUTPUT)]


def full(messages: list[Json], share: float = 0.95, **settings: Any) -> StrategyInput:
    """The conversation in a window that it fills to this share."""
    whole = given(messages, **settings)
    return whole._replace(limit=int(whole.used / share))


def after(found: StrategyInput, made: Plan) -> int:
    """Tokens when the plan has been carried out."""
    return blocks.tokens_of(found.blocks) - made.freed


def test_the_cut_is_at_an_answer_and_keeps_as_much_as_the_target_allows() -> None:
    """One message more would miss it."""
    found = full(work(20))
    made = compaction.compact(found)
    assert found.messages[made.cut]["role"] == "assistant"
    assert after(found, made) <= 0.65 * found.limit
    more = sum(block.tokens for block in found.blocks if block.place[0] in (made.cut - 1, made.cut - 2))
    assert after(found, made) + more > 0.6 * found.limit - compaction.budget(found.limit)
    assert made.short == max(0, found.wanted - made.freed)


def test_decisions_rules_errors_and_changes_are_in_the_summary() -> None:
    """Requirement K1, by the record; it says what it is, and where the whole of the messages is."""
    made = compaction.compact(full(work(20)))
    assert made.summary.startswith(f"[Holdfast: {made.cut} messages gave way to this summary")
    assert "; whole: a1." in made.summary
    for part in ("axios leaks sockets", "Never touch the public API.", "fetch is not a function", "src/http.ts"):
        assert part in made.summary


def test_every_block_before_the_cut_is_gone_and_the_goal_carries_the_summary() -> None:
    """So the sizes are true."""
    found = full(work(20))
    made = compaction.compact(found)
    gone = {change.id for change in made.changes if change.state == State.PLACEHOLDER}
    assert gone == {block.id for block in found.blocks if block.place[0] < made.cut and block.id != found.context.goal}
    [goal] = [change for change in made.changes if change.id == found.context.goal]
    assert goal.text == GOAL
    assert goal.tokens >= tokens.estimate(GOAL) + tokens.estimate(made.summary)


def test_all_that_the_goals_message_says_stays() -> None:
    """Every text and image of it; none of that is archived as gone."""
    mockup = {"type": "image", "source": {"type": "url", "url": "https://example.org/mockup.png"}}
    messages = work(20)
    messages[0] = {"role": "user", "content": [mockup, *content(messages[0]), {"type": "text", "text": "See docs."}]}
    found = full(messages)
    made = compaction.compact(found)
    assert made.cut > 1
    assert [change.id for change in made.changes if change.id.startswith("0.")] == ["0.1"]
    assert not {"0.0", "0.2"} & {block.id for block in compaction.cut(found, 0).gone}


def test_all_that_the_user_said_stays_as_it_was_written() -> None:
    """Each message a block of its own before the summary, with its images; the summary says nothing of it again."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    texts = [{"type": "text", "text": part} for part in ("SPEC-LION:  seven\n columns.", "Implement the spec above.")]
    messages = [*work(3), said("Done."), {"role": "user", "content": [*texts, image]}, *more(20)]
    found = full(messages)
    made = compaction.compact(found)
    places = [block.place for block in found.blocks if block.kind == "user_message" and block.place[0]]
    assert made.cut > places[0][0]
    assert list(made.carried) == places
    assert "SPEC-LION" not in made.summary
    sent = View().after(made, {block.id: block.place for block in found.blocks}).of(messages, (0, 0))
    assert sent[0]["content"][1:4] == [*texts, image]
    assert sent[0]["content"][0]["text"] == GOAL


def test_what_the_user_said_beyond_a_quarter_of_the_window_is_shortened() -> None:
    """The newest stay whole, of the older the beginning; all is in the archive."""
    messages = work(3)
    for n in range(30):
        messages += [said(f"{n} done."), asked(f"Paste {n}: " + f"line_{n} of a log " * 60)]
    found = full([*messages, *more(20)])
    made = compaction.compact(found)
    kept = [block for block in found.blocks if block.place in made.carried]
    assert 0 < blocks.tokens_of(kept) <= found.limit // 4
    assert "## Earlier messages of the user, shortened\n- Paste 0: line_0 of a log" in made.summary


def test_what_must_not_be_lost_and_is_missing_is_added_word_by_word() -> None:
    """Nothing of it is lost, whatever a model leaves out."""
    found = full(work(20))
    made = compaction.compact(found._replace(ask=Model("## Progress\n- all is well").ask))
    assert "- all is well" in made.summary
    assert "wrap fetch in src/http.ts because axios leaks sockets." in made.summary
    assert record.lacking(found.work(), f"{GOAL}\n{made.summary}") == []
    assert (made.calls, made.note) == (1, "")


def test_a_model_is_given_the_record_and_the_conversation() -> None:
    """And its failure costs nothing but a note."""
    found, model = full(work(20)), Model("")
    made = compaction.compact(found._replace(ask=model.ask))
    assert "npm test" in model.asked[0]
    assert "axios leaks sockets" in model.asked[0]
    assert GOAL in model.asked[0]
    assert made.summary.split("\n", 1)[1] == compaction.compact(full(work(20))).summary.split("\n", 1)[1]
    assert "the answer is empty" in made.note


def test_marked_blocks_stay_word_by_word() -> None:
    """Also where they stand before the cut."""
    found = full(work(6))
    marked = [block._replace(keep=block.id == "result:c2") for block in found.blocks]
    made = compaction.compact(found._replace(blocks=marked, limit=int(found.limit * 0.6)))
    assert made.cut > 7
    assert f"## Marked to be kept: Bash rg axios part_2\n{OUTPUT}" in made.summary


def test_notes_and_a_goal_of_the_caller_are_carried_on() -> None:
    """They were taken for this moment."""
    found = full(work(20), goal="Port user-service by Friday")
    made = compaction.compact(found._replace(notes="## Bugs\n- [HIGH] open_pool leaks"))
    assert "## The goal\nPort user-service by Friday" in made.summary
    assert "# Notes\n## Bugs\n- [HIGH] open_pool leaks" in made.summary


def test_the_whole_of_a_second_part_names_the_first() -> None:
    """So nothing that left the window is out of reach."""
    found = full(work(20))
    kept: dict[str, str] = {}

    def where(block: blocks.Block) -> str:
        kept.setdefault(block.id, block.text)
        return block.id

    first = compaction.compact(found._replace(where=where))
    left = [block for block in found.blocks if block.place[0] >= first.cut or block.id == found.context.goal]
    again = found._replace(where=where, cut=first.cut, blocks=left, limit=int(found.limit * 0.4))
    second = compaction.compact(again)
    assert second.cut > first.cut
    assert kept[f"history.{second.cut}"].startswith(f"[What came before: history.{first.cut}]")
    assert "callNumber39" in kept[f"history.{first.cut}"]
    assert f"history.{second.cut}" in second.summary


def test_where_nothing_is_gained_nothing_is_done() -> None:
    """A short conversation, one without an answer, and one that was compacted up to its last answer."""
    for found in (full([asked(GOAL), said("Yes."), asked("Go on.")]), full([asked(GOAL)])):
        made = compaction.compact(found)
        assert (made.changes, made.cut, made.summary) == ((), 0, "")
        assert made.note
    found = full(work(3))
    assert compaction.compact(found._replace(cut=found.context.answering)).changes == ()
