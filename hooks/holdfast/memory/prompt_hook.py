"""What a prompt calls up from the memory, once in a window.

The hot road has found that words of the prompt could stand for a memory (hot/prompt_match.py); here it is decided. The
records themselves are read from their files, so that one that was archived or forgotten meanwhile is not told.
"""

from holdfast.errors import BadInput
from holdfast.hot.files import read_bytes
from holdfast.memory import briefing, code_references, derived, recall, start_hook
from holdfast.memory.cache import ROWS, is_ours
from holdfast.memory.record import Record
from holdfast.memory.store import Memory
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.text import quoting

HEAD = "Holdfast: from this project's memory, since the prompt touches it."
LOOKED_AT = 8  # of those that fit: some may have been told or archived


def recalled(event: Event, session: Session) -> str:
    """The text for the model, "" when nothing fits well. Commands of the client and sub-agents get none."""
    prompt = event.text("prompt")
    if event.in_subagent or prompt.lstrip().startswith("/"):
        return ""
    memory = derived.memory_at(session.project)
    if not is_ours(memory.folder):  # what a clone brought is not followed
        return ""
    table = recall.rows(read_bytes(f"{memory.cache}/{ROWS}"), prompt)
    told = start_hook.already_told(session)
    ids = [name for name in recall.fitting(table, prompt) if name not in told][:LOOKED_AT]
    records = [record for name in ids if (record := _read(memory, name, session.now))]
    kept = recall.within([_quoted(record, session) for record in records], _whole)
    if not kept:
        return ""
    names = [record.id for record in records[: len(kept)]]
    start_hook.note_told(session, memory.folder, names)
    return _whole(kept)


def _whole(quoted: list[quoting.Quoted]) -> str:
    return f"{HEAD}\n{quoting.fenced(quoted)}"


def _read(memory: Memory, name: str, now: float) -> Record | None:
    """The record without secrets, when it still holds."""
    try:
        record = memory.get(name)
    except BadInput:  # forgotten meanwhile, or broken by hand
        return None
    return derived.believed(record, memory.written()) if briefing.is_alive(record, now) else None


def _quoted(record: Record, session: Session) -> quoting.Quoted:
    one = briefing.entry(record)
    gone = code_references.gone(session.project, record.paths, {})
    return quoting.Quoted(briefing.told(one, session.now, gone), record.trust, "", record.kind, "")
