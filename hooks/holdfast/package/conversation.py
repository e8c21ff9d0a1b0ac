"""The conversation of a session, piece by piece: what was said, what was called, and what the calls gave back."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.recall.passages import plain
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted, redacted_in
from holdfast.transcript import rows
from holdfast.transcript.rows import Json

ABOUT = 300


class ConversationPiece(NamedTuple):
    """who: user, agent, summary (of a compaction) or call. text: the words, of a call what it gave back."""

    who: str
    text: str
    call: str = ""
    """Tool and what the call is about, on one line."""
    failed: bool = False


def pieces(read: Iterable[Json]) -> list[ConversationPiece]:
    """In their order, without secrets, of the main conversation; a call has its result, "" where none came."""
    found: list[ConversationPiece] = []
    places: dict[str, int] = {}
    for row in filter(rows.is_main, read):
        for name, text, failed in rows.tool_results(row):
            if name in places and not rows.part(row, "toolUseResult").get("isAsync"):  # nothing came back yet
                at = places.pop(name)
                found[at] = found[at]._replace(text=redacted(plain(text)), failed=failed)
        for piece, name in _told(row):
            places |= {name: len(found)} if name else {}
            found.append(piece)
    return found


_BEHIND = (
    "If you need specific details from before compaction",
    "Please continue the conversation from",
    "Continue the conversation from",
)
"""How the client's words behind a summary begin (2.1.1 to 2.1.329)."""


def _summary(said: str) -> str:
    """Without the model's analysis and the client's words around it."""
    head, _, rest = said.partition("\n")
    if not head.startswith("This session is being continued from"):
        return said
    _, found, body = f"\n{rest}".partition("\nSummary:\n")
    body = body if found else rest
    for begun in _BEHIND:
        body = f"\n{body}".partition(f"\n{begun}")[0]
    return body.strip()


def _told(row: Json) -> Iterator[tuple[ConversationPiece, str]]:
    """What a row says and calls, with the ids of calls."""
    if row.get("isCompactSummary"):
        yield ConversationPiece("summary", redacted(_summary("\n".join(rows.texts(row))))), ""
    elif said := rows.human_prompt(row) or rows.slash_command(row):
        yield ConversationPiece("user", redacted(said)), ""
    elif said := rows.assistant_text(row):
        yield ConversationPiece("agent", redacted(said)), ""
    for name, tool, inputs in rows.tool_uses(row):
        given = redacted_in(inputs)  # whole: a name tells that its value is secret
        short = (str(one) for one in given.values() if isinstance(one, str) and len(one) <= ABOUT) if given else ()
        yield ConversationPiece("call", "", one_line(f"{tool} {' '.join(short)}", ABOUT)), name
