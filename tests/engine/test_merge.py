"""Blocks that say the same."""

import math

import pytest

from holdfast.engine import merge
from holdfast.engine.blocks import MEMORY, PLACEHOLDER, Block
from holdfast.engine.merge import groups
from holdfast.engine.plan import Plan
from holdfast.engine.strategy import Embed, Scene
from tests.engine.conversations import Json, asked, looked, scene

LOG = "\n".join(f"worker_{n} took {n % 7} jobs from queue_{n % 5} and finished in order" for n in range(30))
OTHER = "\n".join(f"module_{n} imports helper_{n} for the parser of page {n}" for n in range(30))


def window(*shown: tuple[str, str], policy: str = "hybrid") -> Scene:
    """Results of (command, text), and a few short ones after them."""
    messages = [asked("Watch the workers.")]
    for number, (command, text) in enumerate(shown):
        messages += looked(number, "Bash", {"command": command}, text)
    for number in range(90, 94):
        messages += looked(number, "Bash", {"command": "true"}, "ok")
    return scene(messages, policy=policy)._replace(limit=1)


def references(made: Plan) -> dict[str, str]:
    """Id -> what stands there."""
    assert all(change.state == PLACEHOLDER for change in made.changes)
    return {change.id: str(change.text) for change in made.changes}


def test_equal_results_are_one_whatever_the_policy() -> None:
    """The newest stays; the older ones say where it stands, how often it was seen, and where their whole is."""
    made = references(merge.merge(window(("status", LOG), ("ls", OTHER), ("status", LOG), ("status", LOG))))
    assert set(made) == {"result:c0", "result:c2"}
    assert made["result:c0"].startswith("[Merged: Bash status; said 3 times (turns 2, 4, 5), it stands in turn 5: Bash")
    assert made["result:c0"].endswith("; whole: a2]")


def test_times_and_ids_make_no_difference_within_one_source() -> None:
    """A poll that found the same a minute later."""
    stamped = [f"2026-11-21T10:0{minute}:00Z all workers are idle now\n{LOG}" for minute in (1, 2)]
    assert set(references(merge.merge(window(("poll", stamped[0]), ("poll", stamped[1]))))) == {"result:c0"}


def test_near_ones_are_merged_where_the_policy_asks_for_it() -> None:
    """What only the older says is told."""
    changed = LOG.replace("worker_3 took 3 jobs", "worker_3 took 99 jobs_of_yesterday")
    shown = (("a", changed), ("b", LOG))
    assert references(merge.merge(window(*shown))) == {}
    made = references(merge.merge(window(*shown, policy="semantic_merge")))
    assert set(made) == {"result:c0"}
    assert "only here: jobs_of_yesterday, 99;" in made["result:c0"]


def test_where_the_older_says_much_more_both_stay() -> None:
    """Alike in words, and yet two things."""
    renamed = "\n".join(
        line.replace("worker", f"runner_{n}") if n < 14 else line for n, line in enumerate(LOG.split("\n"))
    )
    assert len(merge.different(renamed, LOG)) > merge.DIFFERENT
    assert references(merge.merge(window(("a", renamed), ("b", LOG), policy="semantic_merge"))) == {}


def test_different_texts_and_short_ones_stay() -> None:
    """A reference must be worth its words."""
    assert (
        merge.merge(window(("a", LOG), ("b", OTHER), ("c", "ok"), ("d", "ok"), policy="semantic_merge")).changes == ()
    )


def test_what_must_stay_is_not_merged_away() -> None:
    """A marked block."""
    found = window(("status", LOG), ("status", LOG))
    kept = [block._replace(keep=block.id == "result:c0") for block in found.blocks]
    assert merge.merge(found._replace(blocks=kept)).changes == ()


def _vector(text: str) -> list[float]:
    """By subject: what speaks of workers is near to what speaks of jobs."""
    return [1.0, 0.1, text.count("x")] if "worker" in text or "staff" in text else [0.0, 1.0, 0.0]


def test_a_function_for_vectors_is_asked_once_for_all() -> None:
    """Then words do not count, only what the vectors say."""
    staff = "\n".join("the staff of hall was counted once more by hand" for _ in range(12))
    asked_for: list[int] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked_for.append(len(texts))
        return [_vector(text) for text in texts]

    made = merge.merge(window(("a", staff), ("b", OTHER), ("c", LOG))._replace(embed=embed))
    assert set(references(made)) == {"result:c0"}
    assert (asked_for, made.note) == ([3], "")


def _fail(texts: list[str]) -> list[list[float]]:
    raise ConnectionError("no route")


@pytest.mark.parametrize(
    ("embed", "why"),
    [
        (_fail, "no route"),
        (lambda texts: [[1.0]], "1 vectors for 2 texts"),
        (lambda texts: [[1.0], [1.0, 2.0]], "different lengths"),
        (lambda texts: [[], []], "empty"),
        (lambda texts: [[1.0], [math.nan]], "no number"),
        (lambda texts: None, "0 vectors"),
        (lambda texts: [["a"], ["b"]], "could not convert"),
    ],
    ids=["an error", "too few", "unequal", "empty", "nan", "nothing", "texts"],
)
def test_vectors_that_cannot_be_used_leave_the_words(embed: Embed, why: str) -> None:
    """The result is that of the policy without them, and the note says why."""
    shown = (("a", LOG.replace("7", "seven")), ("b", LOG))
    made = merge.merge(window(*shown)._replace(embed=embed))
    assert made.changes == merge.merge(window(*shown, policy="semantic_merge")).changes != ()
    assert why in made.note


def block(number: int, text: str) -> Block:
    """A memory."""
    return Block(f"m{number}", MEMORY, text, 500, number, (number, 0))


def test_a_near_text_is_found_among_hundreds() -> None:
    """By its rarest words, and by the cells of its vector."""
    texts = [f"{OTHER}\n" + "\n".join(f"case_{n}_{k} was seen in hall {k}" for k in range(30)) for n in range(200)]
    found, _ = groups([block(n, text) for n, text in enumerate([texts[7] + " again", *texts])], near=True)
    assert [(same.kept.id, [one.id for one in same.older]) for same in found] == [("m8", ["m0"])]

    def embed(given: list[str]) -> list[list[float]]:
        return [[math.sin(sum(map(ord, text[1400:1460])) * (k + 1)) for k in range(40)] for text in given]

    rows = [block(n, text) for n, text in enumerate([texts[7] + " again", *texts[:60]])]
    by_vector, note = groups(rows, near=True, embed=embed)
    assert note == ""
    assert any(same.kept.id == "m8" and same.older[-1].id == "m0" for same in by_vector)


def test_a_chain_ends_at_the_newest() -> None:
    """The middle one is no place to point to."""
    first = LOG.replace("worker_1 took", "worker_1 took about")
    rows = [block(0, first), block(1, LOG), block(2, LOG.replace("worker_2 took", "worker_2 took nearly"))]
    [same] = groups(rows, near=True)[0]
    assert (same.kept.id, {one.id for one in same.older}) == ("m2", {"m0", "m1"})


def test_an_empty_window_has_nothing_to_merge() -> None:
    """Also with a function for vectors."""
    nothing: list[Json] = [asked("Go.")]
    assert merge.merge(scene(nothing)._replace(embed=lambda texts: [])).changes == ()
