"""Made-up material for benchmarks: a transcript like the client writes, and sub-agents' reports of any size."""

import json
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
