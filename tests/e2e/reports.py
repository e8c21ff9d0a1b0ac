"""What scripted work gives: a large result, and the reports of sub-agents with what must be left of them."""

from loopback import call

BUILD = call(
    "Bash",
    command='i=0; while [ $i -lt 900 ]; do echo "compiled module number $i of the build"; i=$((i+1)); done',
    description="build",
)

DECISION = "Decision: PROCEED"
PATHS = ("src/auth/session_store.py", "src/auth/token_refresh.py", "tests/auth/test_refresh.py")
OPEN_ERROR = "AssertionError: refresh token reused after rotation"
FILLER = "while reading further the agent also looked at"  # stands in the long report only, and often

SHORT = f"""{DECISION}

Refresh tokens are rotated in `src/auth/token_refresh.py` (rotate_refresh_token), but the old one stays valid.
Revoke it in `src/auth/session_store.py` before the new one is written.

Open error: tests/auth/test_refresh.py::test_reuse fails with {OPEN_ERROR}.
Files that need attention: {", ".join(PATHS)}.
"""


def long_report(mark: str) -> str:
    """About 3,000 tokens: findings that matter, in the middle of much that does not."""
    detail = [
        f"- {mark}: {FILLER} part {number} of the request pipeline, compared the handlers in it, "
        f"and found nothing there that bears on the question; the naming follows the rest of the code base."
        for number in range(46)
    ]
    return "\n".join(
        [
            f"# Report on token refresh {mark}",
            "",
            "## How the search went",
            *detail[:23],
            "",
            "## Findings",
            "- rotate_refresh_token in `src/auth/token_refresh.py` never revokes the old token.",
            "- `src/auth/session_store.py` has revoke_token, which nothing calls.",
            f"- tests/auth/test_refresh.py::test_reuse still fails: {OPEN_ERROR}",
            "",
            "## Further notes",
            *detail[23:],
            "",
            "## Decision",
            DECISION,
        ]
    )
