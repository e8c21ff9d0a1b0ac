"""What is sent of the history."""

from holdfast.engine.plan import Change, Plan
from holdfast.engine.view import View
from tests.engine.conversations import asked, looked

MESSAGES = [asked("Port src/api.py"), *looked(1, "Read", {"file_path": "a.py"}, "one"), *looked(2, "Bash", {}, "two")]


def test_nothing_done_shares_every_message() -> None:
    """The cache keeps its prefix."""
    sent = View().of(MESSAGES, (0, 0))
    assert all(one is other for one, other in zip(sent, MESSAGES, strict=True))


def test_a_replaced_text_stays_replaced() -> None:
    """By later plans as well, and only its own message is copied."""
    view = View().after(Plan("x", (Change("result:c1", "short", 1, "digest", ""),)), {"result:c1": (2, 0)})
    view = view.after(Plan("x", (Change("result:c2", "brief", 1, "digest", ""),)), {"result:c2": (4, 0)})
    sent = view.of(MESSAGES, (0, 0))
    assert [sent[2]["content"][0]["content"], sent[4]["content"][0]["content"]] == ["short", "brief"]
    assert sent[1] is MESSAGES[1]
    assert MESSAGES[2]["content"][0]["content"] == "one"


def test_after_a_cut_goal_and_summary_come_first() -> None:
    """What was replaced before it is forgotten; what is behind it keeps its place."""
    view = View({(2, 0): "short", (4, 0): "brief"}).after(Plan("compaction", cut=3, summary="what was"), {})
    sent = view.of(MESSAGES, (0, 0))
    assert view.texts == {(4, 0): "brief"}
    assert [block["text"] for block in sent[0]["content"]] == ["Port src/api.py", "what was"]
    assert sent[1] is MESSAGES[3]
    assert sent[2]["content"][0]["content"] == "brief"
    assert len(sent) == 3


def test_a_conversation_without_a_goal_begins_with_the_summary() -> None:
    """As one whose first message is an image."""
    sent = View(cut=3, summary="what was").of(MESSAGES, None)
    assert sent[0] == {"role": "user", "content": [{"type": "text", "text": "what was"}]}


def test_what_is_carried_over_a_cut_is_sent_with_the_goal() -> None:
    """Between goal and summary; the next cut decides anew."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    messages = [*MESSAGES[:2], {"role": "user", "content": [*MESSAGES[2]["content"], image]}, *MESSAGES[3:]]
    view = View().after(Plan("compaction", cut=3, summary="what was", carried=((2, 1),)), {})
    assert [block["type"] for block in view.of(messages, (0, 0))[0]["content"]] == ["text", "image", "text"]
    assert (view.holds((2, 1)), view.holds((2, 0))) == (True, False)
    assert view.after(Plan("compaction", cut=5, summary="more"), {}).carried == ()
