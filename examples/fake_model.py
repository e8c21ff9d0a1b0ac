"""What stands in for the model: it decides its next step from the request alone, as a model does.

It remembers nothing between requests. What it needs (the lane of a folder, the step at hand) it looks for in the
request; where a placeholder stands in its place it recalls the whole text, and where nothing stands it reads the file
again. So a window that has lost what matters makes it fail, and the checks of the project show it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fake_project import AREAS, OLD

Json = dict[str, Any]
DECISION = "DECISION: send() stays in shop/api.py as an alias until the next release, because two services import it."


def answer(body: Mapping[str, Any]) -> list[Json]:
    """The content of the next answer."""
    messages = body["messages"]
    said = _step(messages)
    thought = {"type": "thinking", "thinking": f"What I know leads to this: {json.dumps(said)}", "signature": "c2ln"}
    return [thought, *said] if body.get("thinking") else said


def _step(messages: Sequence[Json]) -> list[Json]:
    if len(messages) == 1:
        return _begin("\n".join(texts(messages)))
    call = next(block for block in reversed(messages[-2]["content"]) if block["type"] == "tool_use")
    result = "\n".join(texts(messages[-1:]))
    return _NEXT[call["name"]](call["input"], result, messages)


def _begin(text: str) -> list[Json]:
    """A new window: the task from its start, or from the step that is open."""
    at_hand = re.search(r"in progress: move shop/(\w+)", text)
    if at_hand:
        return _say(f"I go on with shop/{at_hand[1]}.", "grep", pattern="send(", path=f"shop/{at_hand[1]}")
    return _say("I begin with the rules of the rollout.", "read_file", path="docs/rollout.md")


def _after_read(inputs: Json, result: str, messages: Sequence[Json]) -> list[Json]:
    if inputs["path"] == "docs/rollout.md":
        begun = "move shop/" in "\n".join(texts(messages[:-1]))
        return _resume(messages) if begun else _plan(AREAS[0], DECISION)
    return _edit(inputs["path"], result, messages)


def _edit(path: str, source: str, messages: Sequence[Json]) -> list[Json]:
    area = path.split("/")[1]
    lane = re.search(rf"shop/{area}: lane (\d+)", "\n".join(texts(messages)))
    old = OLD.search(source)
    if not lane:
        return _look_up(messages)
    if not old:
        return _say(f"{path} is done already.", "bash", command=f"python check.py {path}")
    new = f"dispatch({old[1]}, lane={lane[1]})"
    return _say("", "edit_file", path=path, old_str=old[0], new_str=new)


def _look_up(messages: Sequence[Json]) -> list[Json]:
    """The rules are out of sight: by the name in their placeholder, else from the file."""
    gone = re.findall(r"\[Evicted: [^\]]*rollout\.md[^\]]*whole: ([^\]\s]+)\]", "\n".join(texts(messages)))
    if gone:
        return _say("The lanes have left the window; I recall them.", "recall", name=gone[-1])
    return _say("I read the lanes again.", "read_file", path="docs/rollout.md")


def _resume(messages: Sequence[Json]) -> list[Json]:
    """After the rules were looked up: back to the module that waits, by the last path that was read or listed.

    A compaction may have left none; then the step at hand is begun again.
    """
    said = "\n".join(texts(messages[:-2]))
    found = re.findall(r"shop/\w+/\w+\.py", said)
    return _say("", "read_file", path=found[-1]) if found else _begin(said)


def _after_grep(inputs: Json, result: str, messages: Sequence[Json]) -> list[Json]:
    path = result.partition(":")[0]
    if path.startswith("shop/"):
        return _read(path, messages)
    return _say("Nothing is left to change here.", "bash", command=f"python check.py {inputs['path']}")


def _read(path: str, messages: Sequence[Json]) -> list[Json]:
    return _say("", "read_file", path=path)


def _after_edit(inputs: Json, *_: object) -> list[Json]:
    return _say("", "bash", command=f"python check.py {inputs['path']}")


def _after_check(inputs: Json, result: str, messages: Sequence[Json]) -> list[Json]:
    following = re.search(r"next: (\S+)", result)
    if following:
        return _read(following[1], messages)
    path = inputs["command"].split()[-1]
    if path.endswith(".py"):
        folder = path.rpartition("/")[0]
        return _say(f"{folder} is through; I check the whole folder.", "bash", command=f"python check.py {folder}")
    if path == "shop":
        return [{"type": "text", "text": f"Done. {result.splitlines()[-1]}"}]
    done = AREAS.index(path.split("/")[1])
    if done + 1 < len(AREAS):
        return _plan(AREAS[done + 1], f"shop/{AREAS[done]} is done.")
    return _say("All folders are done; I check everything.", "bash", command="python check.py shop")


def _plan(area: str, text: str) -> list[Json]:
    now = AREAS.index(area)
    states = ["completed"] * now + ["in_progress"] + ["pending"] * (len(AREAS) - now - 1)
    todos = [{"content": f"move shop/{name}", "status": state} for name, state in zip(AREAS, states, strict=True)]
    return _say(text, "TodoWrite", todos=todos)


def _after_plan(inputs: Json, *_: object) -> list[Json]:
    at_hand = next(todo["content"] for todo in inputs["todos"] if todo["status"] == "in_progress")
    return _say("", "grep", pattern="send(", path=at_hand.removeprefix("move "))


def _say(text: str, tool: str, **inputs: object) -> list[Json]:
    said = [{"type": "text", "text": text}] if text else []
    return [*said, {"type": "tool_use", "name": tool, "input": inputs}]


_NEXT: Mapping[str, Callable[[Json, str, Sequence[Json]], list[Json]]] = {
    "read_file": _after_read,
    "recall": lambda _, result, messages: _resume(messages),
    "grep": _after_grep,
    "edit_file": _after_edit,
    "bash": _after_check,
    "TodoWrite": _after_plan,
}


def texts(node: object) -> Iterator[str]:
    """Every text in a tree of messages, in order."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for item in node:
            yield from texts(item)
    elif isinstance(node, dict):
        inputs = node.get("input")
        yield from texts([node.get("text"), node.get("content"), json.dumps(inputs) if inputs else None])
