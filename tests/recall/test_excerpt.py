from holdfast.recall import excerpt
from holdfast.recall.passages import THOUGHT, Utterance

WEIGHTS = {"retri": 3.0, "cach": 1.0}  # stems of the words of a question


def test_of_a_long_one_the_lines_that_answer_with_their_neighbours() -> None:
    """In their order, with a mark where something is left out; pieces without such a line are left out."""
    filler = [f"nothing of note in line {number}, as in all the others around it" for number in range(60)]
    text = "\n".join([*filler[:30], "before it", "the retry was dropped", "after it", *filler[30:]])
    (shown,) = excerpt.chosen([Utterance("result", text)], WEIGHTS, set())
    assert "before it\nthe retry was dropped\nafter it" in shown.text
    assert excerpt.GAP in shown.text.split("\n")
    assert len(shown.text) < excerpt.ROOM * 1.1


def test_of_a_long_line_the_part_that_answers() -> None:
    """Wherever in it the answer stands, cut at blanks; one without any is cut as well."""
    filler = "nothing of note is said here at all. " * 40
    for line in (f"{filler}The retry was dropped. {filler}", f"{'x' * 900} the retry was dropped {'x' * 900}"):
        (shown,) = excerpt.chosen([Utterance("agent", line)], WEIGHTS, set())
        assert "retry was dropped" in shown.text
        assert len(shown.text) <= excerpt.ROOM * 1.1


def test_a_line_is_shown_once() -> None:
    known: set[str] = set()
    text = "the retry was dropped for good\nsecond line of this passage"
    assert excerpt.chosen([Utterance("agent", text)], WEIGHTS, known) == [Utterance("agent", text)]
    again = excerpt.chosen([Utterance("result", text + "\nand a third one, which is new")], WEIGHTS, known)
    assert again == [Utterance("result", "and a third one, which is new")]


def test_what_was_said_goes_before_what_was_thought_and_a_bare_bracket_is_no_line() -> None:
    """A thought has the room that is left, however many of the question's words it holds."""
    said = "\n".join(f"the retry went away, {number}, and here is a reason in some words" for number in range(17))
    thought = f"{'retry of the cache, a cache for the retry; ' * 9}\n}}"
    answer = Utterance("agent", said)
    assert excerpt.chosen([Utterance(THOUGHT, thought), answer], WEIGHTS, set()) == [answer]
    assert excerpt.chosen([Utterance(THOUGHT, thought)], WEIGHTS, set()) == [Utterance(THOUGHT, thought[:-2])]


def test_what_has_no_word_of_the_question_comes_last() -> None:
    """Also behind thoughts; and no passage is longer than its room, heads and all."""
    listed = Utterance("result", "\n".join(f'"cmd/entire/cli/part_{number}.go",' for number in range(90)))
    thought = Utterance(THOUGHT, "The retry hid it: 582, and not 4617.")
    calls = [Utterance(f"Edit: /home/dev/project/src/module_{number}.py", "retry = 3") for number in range(40)]
    for pieces in ([listed, thought], [listed, *calls, thought]):
        shown = excerpt.chosen(pieces, WEIGHTS, set())
        assert sum(len(f"{piece.who}: {piece.text}\n") for piece in shown) <= excerpt.ROOM
        assert len(pieces) > 2 or thought in shown
