"""What has this session done so far, and where does it stand?

A reducer over transcript rows, each fed once into a plain JSON object (worklog/model.py), so a grown transcript costs
its growth. Bounds keep the state small after any number of rows: the newest entries stay, and of the prompts the first.
Rows are foreign text of any size and shape: what cannot be read is stepped over and counted, and of very long texts the
two ends are looked at. Sources: requirements W1, W2.
"""

from collections.abc import Sequence
from typing import Any, cast

from holdfast.text import late as re
from holdfast.text.identifiers import occurs
from holdfast.text.lines import both_ends, clip, one_line
from holdfast.text.markdown import ELSEWHERE, own_lines
from holdfast.text.redaction import redacted
from holdfast.transcript import rows
from holdfast.worklog import calls, marks, plan, record, spending
from holdfast.worklog.model import (
    Boundary,
    MarkedLine,
    Message,
    Source,
    Standpoint,
    TeamMessage,
    Worklog,
    empty,
    newest,
    own_words,
)
from holdfast.worklog.record import RecordLine


def fold(state: Worklog, chunk: rows.Chunk) -> Worklog:
    """The state after the chunk's rows. The given state is not changed."""
    new = cast(
        "Worklog", {key: value.copy() if isinstance(value, (list, dict)) else value for key, value in state.items()}
    )
    for row in chunk.rows:
        try:
            _feed(new, row)
        except Exception:  # noqa: BLE001 - whatever it is: one bad row must not cost the rest of the session
            new["skipped"] += 1
    new["offset"] += chunk.consumed
    new["skipped"] += chunk.skipped
    return new


def _feed(state: Worklog, row: dict[str, Any]) -> None:
    if not rows.is_main(row):
        return
    kind = row.get("type")
    if rows.begins(row):
        state["jobs"], state["starts"] = dict.fromkeys(state["jobs"], ""), True  # what ran was another process's
    state["messages"] += kind in ("user", "assistant")
    if rows.is_boundary(row):
        state["window"] += 1
        state["boundaries"] = [*state["boundaries"], _boundary(row)][-12:]
    elif kind == "user":
        _user(state, row)
    elif kind == "assistant":
        _assistant(state, row)
    elif kind == "attachment":
        _attachment(state, row)
    elif kind == "queue-operation":
        _waiting(state, _text(row, "content"))
    elif kind == "agent-setting":
        state["agent"] = _name(row, "agentSetting", "")
    state["client"] = _text(row, "version") or state["client"]
    if (branch := _name(row, "gitBranch", state["branch"])) != state["branch"]:
        state["branch"], state["branches"] = branch, newest(state["branches"], branch, 8)
    state["folder"] = _name(row, "cwd", state["folder"])
    state["root"] = state["root"] or state["folder"]


def _waiting(state: Worklog, text: str) -> None:
    """What the client is about to hand on: each notification, whatever becomes of it."""
    calls.notified(state, text)
    if rows.is_before(state["client"], (2, 1, 50)) and not rows.is_machine(text):  # later ones write it elsewhere, too
        state["queued"] = newest(state["queued"], redacted(text), 20)


def _text(row: dict[str, Any], key: str, most: int = 1_000) -> str:
    """A name that this or the client made: an id, a time, a version."""
    value = row.get(key)
    return value[:most] if isinstance(value, str) else ""


def _name(row: rows.Json, key: str, known: str) -> str:
    """A name that somebody chose, without secrets: of a branch, a folder. Rows repeat the one that is known."""
    value = row.get(key)
    return known if value == known or not value or not isinstance(value, str) else redacted(value)[:1_000]


def _boundary(row: dict[str, Any]) -> Boundary:
    data = rows.part(row, "compactMetadata")
    before, after = data.get("preTokens"), data.get("postTokens")
    return {
        "id": _text(row, "uuid") or _text(row, "timestamp"),
        "trigger": _text(data, "trigger"),
        "before": before if isinstance(before, int) else None,
        "after": after if isinstance(after, int) else None,
    }


_REMEMBER = re.compile(r"\A/holdfast[:-]remember\s+")
"""Before the words that are to be kept."""


def _user(state: Worklog, row: dict[str, Any]) -> None:
    if row.get("isCompactSummary"):
        _summary(state, redacted("\n".join(rows.texts(row))))
        return
    for call, text, failed in rows.tool_results(row):
        known = state["open_calls"].pop(call[:200], None)
        if known:
            calls.returned(state, known, row, text, failed)
    if prompt := redacted(rows.human_prompt(row)):
        _typed(state, prompt, row)
    elif command := rows.slash_command(row):
        _asked(state, command, "command", row)
    elif plan_text := _text(row, "planContent", 50_000):  # approved, and begun upon in a fresh window
        plan.proposed(state, {"plan": plan_text})
        calls.agreed(state)
    else:
        _teammates(state, row)
        return
    state["open_calls"] = {}  # whatever has not returned by now was interrupted


def _typed(state: Worklog, prompt: str, row: dict[str, Any]) -> None:
    if own := _asked(state, prompt, "typed", row):  # what is nobody's lays nothing down
        marks.keep(state, rows.without_pastes(own), "assistant" if state["called"] else "user")


def _asked(state: Worklog, text: str, source: Source, row: dict[str, Any]) -> str:
    """Note a prompt, in the place of what was typed since the row before it: who goes back to it has taken that back.

    Gives what of it the user has written; of the first where an agent's file may have begun the conversation, nothing.
    What was handed in beside it is left out, and what they have not typed at all, or perhaps not, says so.
    """
    is_typed, parent = rows.is_typed(row), _text(row, "parentUuid") or "none" * (row.get("parentUuid", "") is None)
    back = next((one for one in state["prompts"] if is_typed and parent and one.get("parent") == parent), None)
    if back:
        _take_back(state, back["n"])
        state["left"] = dict([*state["left"].items(), (back.get("at", ""), _text(row, "timestamp"))][-40:])
    is_begun = state["agent"] and (state["starts"] or not state["turns"]) and row.get("entrypoint") in rows.AT_A_SCREEN
    state["starts"] = False
    written = "" if is_begun else rows.written(row, text, state["arguments"])
    own = _REMEMBER.sub("", written)
    state["handed_in"] += bool(written) and not state["arguments"] and row.get("entrypoint") not in rows.AT_A_SCREEN
    if written not in ("", text):
        text = f"{written} {ELSEWHERE}"
    elif is_begun or not is_typed or state["called"]:  # a program may have handed in what they wrote elsewhere
        text = f"({'perhaps ' * is_typed}not typed by the user) {text}"
    _stand(state)
    calls.heard(state, text, source, own=own)
    newest_one = state["prompts"][-1]
    newest_one["at"], newest_one["parent"] = _text(row, "timestamp"), parent
    return own


def _stand(state: Worklog) -> None:
    """Note what stands as a prompt comes, of the newest 8; the record where it is another than at the one before."""
    last = state["last_message"]
    said = Message(n=last["n"], text=both_ends(last["text"], 800))  # its end is told, of a question behind it
    here = Standpoint(n=state["messages"], said=said, planned=state["planned"])
    if state["record"] != next((one["record"] for one in reversed(state["stood"]) if "record" in one), None):
        here["record"] = state["record"]
    first, *others = [*state["stood"], here]
    state["stood"] = [first, *others] if len(others) < 8 else [{"record": first["record"], **others[0]}, *others[1:]]


def _take_back(state: Worklog, back: int) -> None:
    """What was asked, said, marked, ticked off, recorded and planned from this prompt on; of one further back than is
    known no message or plan stands, and of the record what had come before. What was done is done, and nobody says
    whether the client's to-do list goes back, too.
    """
    blank, stood = empty(), [one for one in state["stood"] if one["n"] <= back]
    there = Standpoint(n=back, said=blank["last_message"], planned=blank["planned"])
    there["record"] = [line for line in state["record"] if line.get("n", 0) < back]
    there = next((one for one in stood if one["n"] == back), there)
    record_then = next(one["record"] for one in (there, *reversed(stood)) if "record" in one)
    state["last_message"], state["planned"], state["record"] = there["said"], there["planned"], record_then
    state["stood"] = [one for one in state["stood"] if one["n"] < back]
    state["prompts"] = [one for one in state["prompts"] if one["n"] < back]
    gone = [one for one in state["marks"] if one.get("first", one["n"]) >= back]
    again = [one["over"] for one in gone if "over" in one and one["over"].get("first", one["over"]["n"]) < back]
    kept = [one for one in state["marks"] if one not in gone]
    state["marks"] = sorted([*kept, *again], key=lambda one: one["n"])
    state["taken_back"] = [*state["taken_back"], *gone][-40:]


def _attachment(state: Worklog, row: dict[str, Any]) -> None:
    """What the client put in by itself: an instruction file, its task list, words typed while a tool ran."""
    if path := _text(rows.attached(row, "nested_memory"), "path"):
        calls.instructed(state, redacted(path))
    plan.listed(state, rows.attached(row, "task_reminder").get("content") or None)
    if prompt := redacted(rows.human_prompt(row)):
        _typed(state, prompt, row)
    _teammates(state, row)


def _teammates(state: Worklog, row: dict[str, Any]) -> None:
    """What other agents of the team say: a report on a task is none of their words."""
    for name, said in rows.teammates(row):
        if not plan.reported(state, said):
            message = TeamMessage(n=state["messages"], text=clip(redacted(said), 1_000), name=redacted(name)[:200])
            state["team"] = newest(state["team"], message, 8)


def _summary(state: Worklog, text: str) -> None:
    """Take over its record; what it lays down counts as marked by the assistant, a rule where the user has said it, a
    decision where they have said or answered it: any other is only retold.
    """
    found = record.read(text)
    following, _, aside = record.following(state["record"], found, words(state))
    state["record"] = _numbered(state, following)
    unsaid = [(line["kind"], line["text"]) for line in aside if not line["users"]]
    for line in found.lines:
        kind = marks.KINDS.get(line["kind"])
        if kind == "rule" and not _is_new_rule(state, line["text"]):
            continue
        if kind and (line["kind"], line["text"]) not in unsaid and not marks.says(state, kind, line["text"]):
            kind = "retold" if kind == "decision" and not _is_borne_out(state, line["text"]) else kind
            marks.add(state, MarkedLine(kind=kind, text=line["text"], by="assistant", n=state["messages"]))


def _is_new_rule(state: Worklog, text: str) -> bool:
    """Whether the user has said it, and no line that is marked already."""
    known = [mark["text"] for mark in state["marks"] if mark["kind"] == "rule"]
    return record.quotes(text, words(state)) and not record.quotes(text, known)


def _is_borne_out(state: Worklog, text: str) -> bool:
    """Whether it is marked as it stands, in the user's words, or begins with an answer of theirs."""
    if any(mark["text"] == text for mark in state["marks"] if mark["kind"] == "decision"):
        return True
    given = (one_line(prompt["text"]) for prompt in state["prompts"] if prompt["source"] == "answer")
    is_answered = any(occurs(answer, text[: len(answer) + 1]) for answer in given if answer)
    return is_answered or bool(record.users_words(text, words(state)))


def words(state: Worklog) -> list[str]:
    """What the user has said so far in their own voice, by paragraphs, as the state has it."""
    return [one for prompt in state["prompts"] for one in own_words(prompt)]


def _assistant(state: Worklog, row: dict[str, Any]) -> None:
    model = _text(rows.message(row), "model")
    if model != "<synthetic>":
        state["model"] = model or state["model"]
    state["spent"], state["answer"] = spending.added(state["spent"], state["answer"], row)
    text = redacted(rows.assistant_text(row))
    if text:
        said(state, text)
        marks.keep(state, text, "assistant")
        lines = record.read(text)
        if lines.came:  # what it quotes, a page say, neither lays down nor closes anything
            lines = record.read("\n".join(own_lines(text)))
        written = [line for line in lines.lines if line["id"]]  # without ids it is prose that happens to look so
        if written or lines.over:
            now = record.added(state["record"], lines._replace(lines=written), words(state))
            state["record"] = _numbered(state, now)
    for call, tool, inputs in rows.tool_uses(row):
        calls.called(state, call[:200], tool, inputs)


def _numbered(state: Worklog, lines: Sequence[RecordLine]) -> list[RecordLine]:
    """Each with the number of the message with which its words came."""
    known = {(one["id"], one["text"]): one.get("n", 0) for one in state["record"]}
    return [{**line, "n": known.get((line["id"], line["text"]), state["messages"])} for line in lines]


def said(state: Worklog, text: str) -> None:
    """Note what the assistant said last."""
    state["last_message"] = {"n": state["messages"], "text": both_ends(text, 4_000)}
