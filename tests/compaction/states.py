"""A made-up state of the work: what the tests of a compaction share."""

from tests.checkpoint.made import prompt, state

WORK = state(
    messages=9,
    prompts=[prompt("Replace the session cookie by a signed token"), prompt("Now the tests", 5)],
    marks=[
        {"kind": "rule", "text": "Never push to main.", "by": "user", "n": 1},
        {"kind": "lesson", "text": "The cache is cold at 04:30.", "by": "assistant", "n": 2},
    ],
    todos=[
        {"text": "Write the engine", "status": "completed"},
        {"text": "Wire the router", "status": "in_progress"},
        {"text": "Load-test it", "status": "pending"},
        {"text": "Port the widget", "status": "cancelled"},
    ],
    errors=[{"at": "pytest", "what": "AssertionError: 19 != 20", "n": 8, "tried": []}],
    changed=[f"/p/src/part_{n}.py" for n in range(8)],
    tests=[{"command": "pytest -q", "ok": False, "exit": 1, "end": "1 failed", "n": 8, "times": 1, "test": True}],
    commits=["1234abcdef Add the engine"],
)
