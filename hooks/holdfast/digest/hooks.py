"""Large tool results: a digest or a reference in their place, the whole on disk.

Stands between the hot and the ordinary road: both call `digested_output`. Lean imports only. What cannot be kept on
disk is not taken out of the window. Wholes are named by tool and content (`bash-3f2a…txt`): the same text is kept once.
"""

import time

from holdfast import TYPE_CHECKING
from holdfast.digest import hits, policy
from holdfast.digest.content import Content
from holdfast.hot import usage_tail
from holdfast.hot.files import append, jot, kind_of, make_folder, os, read_text, safe_name, size_of, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.hot.paths import InSession, is_whole
from holdfast.hot.patterns import matches
from holdfast.transcript import tool_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.hot.thresholds import Thresholds


def answer(fields: "dict[str, Any]", session: str, limits: "Thresholds") -> str:
    """The hook's answer for a large result, as JSON text; "" to leave it."""
    output = digested_output(fields, session, limits)
    if output is None:
        return ""
    return dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}})


def digested_output(fields: "dict[str, Any]", session: str, limits: "Thresholds") -> "Any":
    """The tool response with digests in it, or None to leave it as it is. Raises OSError."""
    tool, response = str(fields.get("tool_name") or ""), fields.get("tool_response")
    known = _known(tool, fields, response) if matches(tool, limits["digest_tools"]) else None
    if known is None:
        return None
    result, before, after = tool_output.without_preview(response), 0, 0
    for path, shown in tool_output.joined_fields(tool, response):
        place = known if tool == "Read" or path == ("stdout",) else ""
        is_preview = bool(place) and tool != "Read"
        text = read_text(place) or shown if is_preview else shown
        least = limits["digest_bytes"]
        if len(text) < least and len(text.encode("utf-8", "replace")) < least:
            continue
        content = Content(text)
        if tool != "Read" and is_source(fields, content, is_preview):
            continue
        short = _short(fields, content, place, session, limits)
        if short:
            result = tool_output.with_text(result, path, short)
            seen = min(len(shown), 2_000) if is_preview else len(shown)  # of its own file (client 2.1.329)
            before, after = before + seen, after + len(short)
    if not after:
        return None
    append(f"{session}/{InSession.SAVED}", f"{tool} {before} {after} {time.time():.0f}\n")
    return result


def told_of_a_cut(fields: "dict[str, Any]") -> str:
    """What the agent is told of a failed call whose output the client has cut; "" where it is whole.

    The client keeps 30,000 characters of what a failed command prints, shows the ends of them, and saves none of the
    rest (2.1.329), so only another run can show it.
    """
    error, inputs = str(fields.get("error") or ""), fields.get("tool_input")
    _, _, rest = error.partition("\n\n... [")
    count, mark, _ = rest.partition(" characters truncated] ...")
    if not mark or not count.isdecimal():
        return ""
    command = str(inputs.get("command") or "") if isinstance(inputs, dict) else ""
    again = command if command and len(command) <= 300 and "\n" not in command else "COMMAND"
    see = f"({again}) > /tmp/failed.txt 2>&1; grep -nEi 'fail|error|panic' /tmp/failed.txt | head -60"
    cut = f"{int(count):,} characters out of the middle of this failed output, and all beyond its first 30,000"
    lost = f"the client has cut {cut}, and kept them nowhere: what failed may stand there"
    return f"[Holdfast: {lost}. To see it, if it may run again: {see}]"


def is_source(fields: "dict[str, Any]", content: Content, is_cut: bool) -> bool:
    """Whether an edit may have to match this text, by whatever tool it was read (digest/source.py)."""
    tool = str(fields.get("tool_name") or "")
    if content.hits and hits.is_excerpt(content.hits, len(content.lines)):
        return True
    if tool in policy.LISTINGS:
        return False
    from holdfast.digest import source

    (names, printed), inner = source.named(tool, fields.get("tool_input")), content.inner
    base = str(fields.get("cwd") or "")
    bases = [base, *(place for name in names if kind_of(place := _under(base, name), follow=True) == "folder")]
    found = {
        name: [place for one in bases if kind_of(place := _under(one, name.rpartition(":")[2]), follow=True)]
        for name in names
    }
    places = [place for some in found.values() for place in some if kind_of(place, follow=True) == "file"]
    files = (read_text(place, 2_000_000, follow=True) for place in dict.fromkeys(places))
    if places and source.is_part(inner.text, files):
        return not policy.is_data(inner, is_cut)
    is_gone = any(":" in name or not found[name] for name in printed or ())  # `HEAD~3:a.py` is of another time
    return printed is not None and (is_gone or source.is_nested(inner.text)) and not policy.kind_of(inner)


def _under(base: str, name: str) -> str:
    return name if is_whole(name) else f"{base}/{name}"


def _known(tool: str, fields: "dict[str, Any]", response: "Any") -> "str | None":
    """Where the whole text already is on disk ("" for nowhere); None when it must not be touched."""
    if tool == "Read":
        inputs = fields.get("tool_input")
        asked = inputs if isinstance(inputs, dict) else {}
        if asked.get("offset") or asked.get("limit"):
            return None  # a part that was asked for by its lines
        path = str(asked.get("file_path") or "")
        return path if tool_output.is_data_file(path) else None
    if not isinstance(response, dict):
        return ""
    persisted = response.get("persistedOutputPath")
    if response.get("isImage"):
        return None
    if not persisted:
        return ""
    known = isinstance(persisted, str) and 0 <= size_of(persisted) <= 64_000_000  # else the client's preview stays
    return persisted if known else None


def _short(fields: "dict[str, Any]", content: Content, source: str, session: str, limits: "Thresholds") -> str:
    """Digest or reference for one result; "" to leave it. The whole is on disk before it returns.

    A reference stands only for what was left as it is, and still stands above: of a digest nothing is there.
    """
    tool, data = str(fields.get("tool_name") or ""), content.text.encode("utf-8", "replace")
    mark = fingerprint(data)
    archive, seen = f"{session}/{InSession.ARCHIVE}", f"{session}/{InSession.SEEN}"
    if "link" in (kind_of(archive), kind_of(seen)):  # a clone's: nothing is kept through it, so nothing taken out
        return ""
    whole = source or f"{archive}/{safe_name(tool.lower(), 40)}-{mark}.txt"
    short = policy.digest(content.text, tool, whole, limits["digest_tokens"], content)
    if not short and limits["digest_repeats"] and tool != "Read":
        note = f"{seen}/{safe_name(str(fields.get('agent_id') or 'main'))}-{mark}"
        if _is_above(read_text(note, 200), fields):
            short = policy.reference(tool, whole, len(content.text))
        else:  # where that cannot be noted it is new the next time too
            jot(note, str(fields.get("tool_use_id") or "")[:200].encode("utf-8", "replace"), os.O_TRUNC)
    if short and not source and size_of(whole) < 0:
        make_folder(archive)
        write_atomic(whole, data)
    return short


def _is_above(call: str, fields: "dict[str, Any]") -> bool:
    """Whether an earlier call still stands in the conversation that this one is made in, as far as its end tells: not
    where a compaction or the user, who has gone back, has taken it out.
    """
    path, agent = str(fields.get("transcript_path") or ""), str(fields.get("agent_id") or "")
    if agent:
        path = f"{path.removesuffix('.jsonl')}/subagents/agent-{safe_name(agent)}.jsonl"
    rows = _conversation(usage_tail.read_tail(path, 400_000), bool(agent)) if call else ()
    return any(f'"{call}"'.encode() in row for row in rows)


def _conversation(data: bytes, is_agents: bool) -> "Iterator[bytes]":
    """The rows that stand in the window now, newest first: each row's parent, up to the last compaction. What the user
    has gone back behind is no parent of the newest row.

    is_agents: of a sub-agent's own transcript.
    """
    lines: "dict[str, tuple[str, bytes]]" = {}
    at = ""
    for line in data.split(b"\n"):
        row = loads_object(line) if b'"uuid"' in line else {}
        if row and bool(row.get("isSidechain")) == is_agents and row.get("subtype") != "compact_boundary":
            at = str(row.get("uuid"))
            lines[at] = str(row.get("parentUuid")), line
    while at in lines:
        at, line = lines.pop(at)
        yield line
