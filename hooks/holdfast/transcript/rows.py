"""Rows of a Claude Code transcript (JSONL), read tolerantly.

Seen from 1.0.17 to 2.1.329; the format is not documented, so unknown rows pass through and a field of
another type reads as empty. Nothing here decides what matters; see worklog/fold.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.hot import jsonc
from holdfast.text import late as re
from holdfast.text.markdown import ELSEWHERE
from holdfast.text.redaction import redacted

LARGEST = 64_000_000
"""Bytes of a transcript that are read at once; of a larger one its end."""

Json = dict[str, Any]
"""A JSON object as it was read: a row, or a part of one."""


class Chunk(NamedTuple):
    """Whole rows of a piece of transcript."""

    rows: list[Json]
    consumed: int
    """Bytes up to the last newline; a half-written last row is left for the next reading."""
    skipped: int
    """Lines, or ends of lines, that are no JSON object."""


def parse_chunk(data: bytes) -> Chunk:
    """Cut bytes into rows."""
    end = data.rfind(b"\n") + 1
    rows: list[Json] = []
    lines = list(filter(bytes.strip, data[:end].split(b"\n")))
    whole = [line for line in lines if len(line) > 5 and b"}" in line]  # no less holds a field
    skipped = len(lines) - len(whole) + sum(_read_line(line.decode("utf-8", "replace"), rows) for line in whole)
    return Chunk(rows, end, skipped)


def _read_line(line: str, rows: list[Json]) -> int:
    """Add the line's objects to `rows`: one as a rule, more where two writers glued theirs. How much was no object."""
    skipped, at, end = 0, 0, len(line)
    while at < end:
        if line[at] in " \t\r\n\ufeff":
            at += 1
            continue
        try:
            value, at = jsonc.scan(line, at)
        except (StopIteration, ValueError, RecursionError):
            return skipped + 1
        if isinstance(value, dict) and value:
            rows.append(value)
        else:
            skipped += 1
    return skipped


def is_main(row: Json) -> bool:
    """Whether the row belongs to the main conversation and not to a sub-agent's."""
    return not row.get("isSidechain") and not row.get("agentId")


def is_before(version: str, other: tuple[int, ...]) -> bool:
    """Whether a client's version is known, and older."""
    parts = version.split(".")
    return all(map(str.isdecimal, parts)) and tuple(map(int, parts)) < other


def is_boundary(row: Json) -> bool:
    """Whether a compaction happened here."""
    return row.get("subtype") == "compact_boundary"


def begins(row: Json) -> bool:
    """Whether a client begins here, by a hook's row; one with its words names no start (2.1.329)."""
    hook = part(row, "attachment") or part(row, "data")
    event, _, source = str(hook.get("hookName")).partition(":")
    return event == "SessionStart" and source not in ("", "compact")


def message(row: Json) -> Json:
    """The row's API message, or {}."""
    return part(row, "message")


def part(whole: Mapping[str, Any], key: str) -> Json:
    """The object under this key, {} where there is none."""
    value = whole.get(key)
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[Json]:
    """The objects in a list, [] where it is none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def blocks(row: Json) -> list[Json]:
    """Content blocks; a plain string is one text block."""
    content = message(row).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects(content)


def texts(row: Json) -> list[str]:
    """The row's text blocks, whoever wrote them: no thinking, no calls, no results."""
    return [block_text(block) for block in blocks(row) if block.get("type") == "text"]


def block_text(block: Json) -> str:
    """The text of a text or tool_result block, "" for anything else."""
    content = block.get("content") if block.get("type") == "tool_result" else block.get("text")
    if isinstance(content, str):
        return content
    return "\n".join(one["text"] for one in objects(content) if isinstance(one.get("text"), str))


BESIDE = ("<ide_", "<system-reminder", "<terminal")
"""What the client puts beside the user's own text, in a block of its own: a file that is open, lines selected in it."""
_FRAMES = (
    *("<command-", "<local-command-", "<bash-", "<task-notification", "<user-memory-input", *BESIDE),
    *("<teammate-message", "<cross-session-message", "<channel"),
)
_PHRASES = (
    *("[Request interrupted by user]", "[Request interrupted by user for tool use]", "[Request interrupted: the "),
    *("[SYSTEM NOTIFICATION - NOT USER INPUT]", "Stop hook feedback:\n", "Operation stopped by hook:"),
    *("This session is being continued from a previous conversation", "Base directory for this skill: "),
    *("This session is being continued from another machine.", "Caveat: The messages below were generated by"),
    *("Another Claude session sent a message:", "Another Claude session sent a message while you were working:"),
)


def is_machine(text: str) -> bool:
    """Whether a text in the user's place, of which nothing else tells, is the client's own, as it writes it: with the
    end of what its first mark begins, or with its whole phrase. It may add more below that.
    """
    start = text.lstrip()
    return start.startswith(_PHRASES) or any(start.startswith(one) and f"</{one[1:]}" in start for one in _FRAMES)


def is_frame(text: str, marks: tuple[str, ...] = _FRAMES) -> bool:
    """Whether a text stands within such marks from end to end; what ends them early within it frees nothing."""
    last = text.rstrip().rpartition("</")[2]
    return text.lstrip().startswith(marks) and f"<{last}".startswith(marks) and last.find(">") == len(last) - 1


def human_prompt(row: Json) -> str:
    """What the user typed, or "" when the row holds only tool results, a summary or the client's own text.

    What is typed while a tool runs stands beside its result, in one row, or in an attachment of its own. A prompt that
    the client itself marks as one may begin with any words, also with its own (2.1.329).
    """
    queued = attached(row, "queued_command")
    if queued.get("commandMode") == "prompt":
        row = {**row, **queued, "type": "user", "message": {"content": queued.get("prompt")}}
    if row.get("type") != "user" or row.get("isMeta") or row.get("isCompactSummary") or row.get("planContent"):
        return ""
    if part(row, "origin").get("kind") not in (None, "human"):
        return ""
    if is_typed(row) and row.get("origin" if queued else "promptSource"):  # a slash command's row has an origin, too
        return "\n".join(one for one in texts(row) if not is_frame(one)).strip()
    said = [one for one in texts(row) if not is_frame(one, BESIDE)]
    if said and is_machine(said[0]):
        return ""
    return "\n".join(one for one in said if not is_machine(one)).strip()


def is_typed(row: Json) -> bool:
    """Whether the user wrote what stands there: what the client proposed and they took, what it says in their place by
    itself, and what reached it from elsewhere, it marks so, also where the row's origin is "human" (2.1.329).
    """
    told = {**row, **attached(row, "queued_command")}
    proposed = {"suggestion_accepted", "system"} & {str(told.get("promptSource")), str(told.get("inputSource"))}
    begun = (None, "human", "sdk", "unknown")  # the others: a schedule, a host's monitor, another session …
    return told.get("turnOrigin") in begun and not proposed and not any(map(told.get, _NOT_TYPED))


def without_pastes(text: str) -> str:
    """A prompt with ELSEWHERE for each text that the client marks as pasted, before anything else is read of it: what
    stands above may not open what ends in it. It escapes its own mark within one (2.1.329).
    """
    sign, own, end = '<pasted_content id="', list[str](), 0
    while (begin := text.find(sign, end)) >= 0:
        own.append(text[end:begin])
        name = text[begin + len(sign) : begin + len(sign) + 60].partition('"')[0]
        last = f'</pasted_content id="{name}">'
        at = text.find(last, begin)
        end = at + len(last) if at >= 0 else len(text)
    return ELSEWHERE.join([*own, text[end:]])


def unwrapped(text: str) -> str:
    """A prompt without the marks around what was pasted."""
    return _PASTE.sub("", text)


_PASTE = re.compile(r'</?pasted_content id="[^"<>]{0,40}">\n?')


AT_A_SCREEN = (None, "cli", "claude-vscode", "claude-desktop", "claude-desktop-3p")
"""How a client was started in which a person types; in all others a program may hand in what it has (2.1.329)."""


def written(row: Json, text: str, arguments: Sequence[str]) -> str:
    """What of a prompt the user has written: all of it at the client's screen; of one that a program handed in, as
    `claude -p` does with what is piped into it, only what stands in the client's own command line. [] is asked of none.
    """
    if not is_typed(row):
        return ""
    if row.get("entrypoint") in AT_A_SCREEN or not arguments:
        return text
    given = (redacted(one).strip() for one in arguments)  # as the text is
    return max((one for one in given if text.startswith(one) or text.endswith(one)), key=len, default="")


_NOT_TYPED = (
    *("textNotTyped", "handedOff", "wakeupSource", "queueSkipAttachments", "queueTranscriptOnly"),
    *("fromConnector", "fromAnotherSession", "promptRewritten", "emailSenderTurn", "verifiedSlackHumanTurn"),
    *("projectsUserTurn", "scheduledTaskId", "turnCompanion", "isVirtual", "isVisibleInTranscriptOnly"),
    *("sourceToolUseID", "repeatsCompactSummary"),
)


def attached(row: Json, kind: str) -> Json:
    """What the client put beside the conversation, of this kind; {} for any other row."""
    data = part(row, "attachment") if row.get("type") == "attachment" else {}
    return data if data.get("type") == kind else {}


def teammates(row: Json) -> list[tuple[str, str]]:
    """(name, words) of each message of another agent of the team; none that the client could not verify."""
    sent = attached(row, "teammate_mailbox").get("messages")
    if isinstance(sent, list):
        told = (one for one in objects(sent) if one.get("provenance") != "forged")
        return [(str(one.get("from") or ""), one["text"]) for one in told if isinstance(one.get("text"), str)]
    text = "\n".join(texts(row)) if row.get("type") == "user" and not row.get("isMeta") else ""
    parts = text.split("</teammate-message>")[:-1] if text.startswith("<teammate-message ") else []
    found = (one.partition("<teammate-message ")[2].partition(">") for one in parts)
    names = ((marks.partition('teammate_id="')[2].partition('"')[0], marks, said) for marks, _, said in found)
    return [(name, said.strip()) for name, marks, said in names if name and 'verified="false"' not in marks]


_COMMAND = re.compile(
    r"\s*(?P<expanded><command-message>[^<]{0,300}</command-message>\s*)?<command-name>(?P<name>/?[^<\n]{1,200})"
    r"</command-name>(?:\s*<command-message>[^<]{0,300}</command-message>)?"
    r"(?:\s*<command-args>(?P<args>.*)</command-args>)?",
    re.DOTALL,
)
_STEERING = {
    *("add-dir", "agents", "branch", "clear", "color", "compact", "config", "context", "effort", "export", "fast"),
    *("fork", "hooks", "login", "logout", "mcp", "memory", "model", "output-style", "permissions", "plugin", "rename"),
    *("resume", "rewind", "theme", "usage"),
}
"""Commands of the client that steer it, whatever stands behind them; others carry a request ("/plan the move")."""


def slash_command(row: Json) -> str:
    """A slash command as it was typed ("/review the parser"); "" for any other row.

    One without arguments, or that steers the client ("/compact keep ids"), counts only when it is a prompt of the
    project's or a skill, which the client expands and records with its message first. One that comes from a tool the
    model has called.
    """
    by = part(row, "origin").get("kind")
    if row.get("type") != "user" or row.get("isMeta") or row.get("sourceToolUseID") or by not in (None, "human"):
        return ""
    text = "\n".join(texts(row)).strip()
    found = _COMMAND.match(text) if text.startswith("<command-") else None
    if not found:
        return ""
    name, args = found["name"].strip().lstrip("/"), (found["args"] or "").strip()
    asks = found["expanded"] or (args and name not in _STEERING)
    return f"/{name} {args}".strip() if asks else ""


def tool_uses(row: Json) -> Iterator[tuple[str, str, Json]]:
    """(id, tool, input) of each call in an assistant row."""
    if row.get("type") != "assistant":
        return
    for block in blocks(row):
        if block.get("type") == "tool_use" and isinstance(block.get("name"), str):
            yield str(block.get("id")), block["name"], part(block, "input")


def input_text(inputs: Mapping[str, Any]) -> str:
    """What a call hands to its tool, as the model wrote it: names and values, line by line."""
    import json  # 2 ms of start-up, paid only by whoever estimates

    shown = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in inputs.values())
    return "\n".join(f"{name}: {text}" for name, text in zip(inputs, shown, strict=True))


def tool_results(row: Json) -> Iterator[tuple[str, str, bool]]:
    """(id of the call, text, failed) of each result in a user row."""
    if row.get("type") != "user":
        return
    for block in blocks(row):
        if block.get("type") == "tool_result":
            yield str(block.get("tool_use_id")), block_text(block), block.get("is_error") is True


def was_refused(row: Json, tool: str) -> bool:
    """Whether the client says of this result that the user did not let the call run.

    The text of the result proves nothing: a command, a page or a server may use the same words. Up to 2.1.42 the
    client gives them as its error, where only its own tools' errors are its own words; those of Bash since 2.0.
    """
    told = row.get("toolUseResult")
    if told == "User rejected tool use":
        return True
    foreign = tool.startswith(("mcp__", "WebFetch", "WebSearch", "Agent", "Task"))
    own = not foreign and (tool != "Bash" or not str(row.get("version") or "1.").startswith("1."))
    stayed = tool == "ExitPlanMode" and told == "Error: User chose to stay in plan mode and continue planning"
    return stayed or (own and str(told).startswith("Error: The user doesn't want to proceed with this tool use"))


def assistant_text(row: Json) -> str:
    """What the assistant said in this row, without thinking and calls."""
    return "\n".join(texts(row)).strip() if row.get("type") == "assistant" else ""
