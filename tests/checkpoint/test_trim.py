from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import trim
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.worklog import fold

TEXT = st.text(max_size=400)
STATUS = st.sampled_from(["pending", "in_progress", "completed", "cancelled", "deleted", "odd"])
ITEM = st.fixed_dictionaries({"text": TEXT, "status": STATUS})
WORK = st.fixed_dictionaries(
    {
        "goal": TEXT,
        "said": TEXT,
        "prompts": st.lists(st.fixed_dictionaries({"text": TEXT, "n": st.integers(0, 99), "re": TEXT}), max_size=9),
        "notes": st.lists(
            st.fixed_dictionaries({"kind": st.sampled_from([*trim.FIRST, "odd"]), "text": TEXT, "by": st.just("user")}),
            max_size=30,
        ),
        "todos": st.lists(ITEM, max_size=30),
        "tasks": st.dictionaries(st.integers(1, 99).map(str), ITEM, max_size=30),
        "changed": st.lists(TEXT, max_size=60),
        "read": st.lists(TEXT, max_size=60),
        "errors": st.lists(
            st.fixed_dictionaries({"at": TEXT, "what": TEXT, "tried": st.lists(TEXT, max_size=4)}), max_size=8
        ),
        "cancelled": st.lists(TEXT, max_size=20),
        "planned": st.just({"path": "/plan.md", "text": "x" * 3_000, "state": "approved"}),
    }
).map(lambda part: {**fold.empty(), **part})


def work(**changes: Any) -> dict[str, Any]:
    """A state of the work."""
    return {**fold.empty(), **changes}


@given(WORK)
def test_the_state_takes_it_back(state: dict[str, Any]) -> None:
    """Through JSON too, whatever it held; cutting what is cut already changes nothing that is open."""
    kept = trim.slim(state)
    assert fold.load(loads_object(dumps(kept))) == kept
    assert kept["goal"] == state["goal"]
    assert [item["status"] for item in _open(kept["todos"])] == [item["status"] for item in _open(state["todos"])]
    assert _open(list(kept["tasks"].values())) == _open([*trim.slim(kept)["tasks"].values()])


def _open(items: list[dict[str, str]]) -> list[dict[str, str]]:
    return [item for item in items if item["status"] not in trim.CLOSED]


@given(WORK)
def test_the_tool_in_use_stays_in_use(state: dict[str, Any]) -> None:
    """A to-do list, finished or not, is not emptied: the other tool's items would come up in its place."""
    kept = trim.slim(state)
    assert bool(kept["todos"]) is bool(state["todos"])
    known = {item["status"] for item in fold.plan(state)}
    assert {item["status"] for item in fold.plan(kept)} <= known


def test_a_large_state_becomes_small() -> None:
    """A few KB, with the newest of each list; what only a packet draws on is left empty."""
    state = work(
        goal="g" * 200,
        said="s" * 1_200,
        read=[f"/home/dev/project/some/folder/read_{n}.py" for n in range(200)],
        changed=[f"/home/dev/project/some/folder/changed_{n}.py" for n in range(200)],
        prompts=[{"text": f"{n} " + "p" * 900, "n": n, "re": "", "after": 0} for n in range(120)],
        notes=[{"kind": "learning", "text": f"{n} " + "l" * 300, "by": "assistant", "n": n} for n in range(80)],
        sentences=["x" * 100] * 1_000,
    )
    kept = trim.slim(state)
    assert len(dumps(kept)) < trim.LIMIT + 1_000
    assert kept["sentences"] == []
    assert kept["changed"][-1].endswith("changed_199.py")
    assert kept["prompts"][-1]["text"].startswith("119 ")


def test_what_the_user_said_once_is_dearer_than_what_the_agent_learned() -> None:
    """Notes are chosen by kind before age, and stay in their order."""
    first = {"kind": "constraint", "text": "never push", "by": "user", "n": 1}
    others = [{"kind": "learning", "text": f"{n} " + "l" * 140, "by": "assistant", "n": n} for n in range(2, 40)]
    kept = trim.slim(work(notes=[first, *others]))["notes"]
    assert kept[0] == first
    assert [note["n"] for note in kept] == sorted(note["n"] for note in kept)


def test_a_path_is_whole_or_not_there() -> None:
    """Half a path is a wrong one."""
    long = "/p/" + "x" * 2_000 + ".py"
    assert trim.slim(work(changed=[long]))["changed"] == [long]
