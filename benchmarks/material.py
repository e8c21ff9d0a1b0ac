"""Made-up material for benchmarks: a transcript like the client writes, sub-agents' reports and tools' results of any
size.
"""

import json
from collections.abc import Callable
from typing import Any

from holdfast.text.tokens import estimate

_FILES = (
    "src/auth/session.py",
    "src/auth/tokens.py",
    "src/api/routes.py",
    "tests/test_session.py",
    "docs/auth.md",
)


def report(tokens: int) -> str:
    """Prose of about this many tokens, as a sub-agent would return it; the same text every time."""
    parts = ["Decision: PROCEED, the session check can move to one place.", "", "## Findings"]
    each = estimate(_finding(50))
    while estimate("\n".join(parts)) < tokens - each // 2:
        missing = (tokens - estimate("\n".join(parts))) // each
        parts += [_finding(len(parts) + number) for number in range(max(1, missing))]
    return "\n".join(parts)


def _finding(number: int) -> str:
    name = _FILES[number % len(_FILES)]
    return (
        f"- `{name}:{number}` calls validateToken{number}() before load_session_{number}; the retry after "
        f'{number} ms hides an error: "Session {number} expired". I looked at the callers and they agree.'
    )


RESULTS: dict[str, Callable[[int], str]] = {
    "log": lambda n: (
        f"2026-01-01 12:{n // 60 % 60:02}:{n % 60:02} INFO worker-{n % 7} request {n} "
        f"path=/api/v1/items/{n * 7_919 % 99_991} took {n % 311} ms\n"
    ),
    "line of numbers": lambda n: f"{n * 7_919 % 99_991 / 7} ok ",
    "minified code": lambda n: f"function a{n}(b,c){{var d=b.token||c[{n}];return d?e(d):null}}",
    "list of files": lambda n: f"src/feature_{n // 40}/components/a_long_name_of_a_component_{n}.tsx\n",
    "table with a password column": lambda n: (
        f"{n},user{n},pw{n * 7_919 % 99_991}Xy{n % 97},u{n}@x.example\n" if n else "id,name,password,mail\n"
    ),
    "diff": lambda n: (
        f"diff --git a/src/m{n // 40}.py b/src/m{n // 40}.py\n@@ -1,40 +1,40 @@\n" * (n % 40 == 0)
        + f"{' +-'[n % 3]}    token = get_{n}(request, 'x{n}')  # line {n} of the file, with a remark\n"
    ),
    "search hits": lambda n: f"src/mod{n % 50}/file{n // 400}.py:{n % 400 + 1}:    token = get_{n}(request, 'x{n}')\n",
    "JSON": lambda n: f"{',' if n else '['}" + json.dumps({"id": n, "name": f"n{n}", "token": f"t{n}", "tags": ["a"]}),
}
"""Kind of a large result -> its part of this number."""


def result(kind: str, size: int) -> str:
    """A result of this kind and about this size, JSON also without its end; the same text every time."""
    parts, left, number = list[str](), size, 0
    while left > 0:
        parts.append(RESULTS[kind.removesuffix(", cut")](number))
        left, number = left - len(parts[-1]), number + 1
    return "".join(parts) + "]" * (kind == "JSON")


def transcript(path: str, size: int) -> str:
    """Write a transcript of about `size` bytes; gives back the path."""
    written, number = 0, 0
    with open(path, "w", encoding="utf-8") as file:
        while written < size:
            number += 1
            for row in _turn(number):
                written += file.write(json.dumps(row) + "\n")
    return path


def _turn(number: int) -> list[dict[str, Any]]:
    name = _FILES[number % len(_FILES)]
    rows: list[dict[str, Any]] = []
    if number % 20 == 1:
        rows.append(
            _row(
                "user",
                {
                    "role": "user",
                    "content": f"Now move check {number} into one place and keep the tests green.",
                },
            )
        )
    use = {
        "type": "tool_use",
        "id": f"t{number}",
        "name": "Read" if number % 3 else "Bash",
        "input": {"file_path": name} if number % 3 else {"command": f"pytest tests/{number}"},
    }
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 20_000 + number * 100,
        "cache_creation_input_tokens": 300,
        "output_tokens": 90,
    }
    said = {"type": "text", "text": f"I will look at {name} next, because check {number} is there."}
    rows.append(
        _row(
            "assistant",
            {
                "id": f"m{number}",
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [said, use],
                "usage": usage,
            },
        )
    )
    printed = f"def check_{number}(session):\n    return session.valid and session.age < {number}\n" * 40
    rows.append(
        _row(
            "user",
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": printed}],
            },
        )
    )
    return rows


def _row(kind: str, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": kind,
        "isSidechain": False,
        "sessionId": "bench",
        "cwd": "/p",
        "version": "2.1.329",
        "gitBranch": "main",
        "message": message,
    }
