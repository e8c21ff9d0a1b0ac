"""What a prompt calls up from the memory, once in a window.

The hot road has found that words of the prompt could stand for a memory (core/telling.py); here it is decided. The
records themselves are read from their files, so that one that was archived or forgotten meanwhile is not told.
"""

from holdfast.core.events import Event
from holdfast.core.record import Record
from holdfast.errors import BadInput
from holdfast.policy.memory import fence, recall, rehydrate
from holdfast.runtime import memory_compile, memory_places, memory_start
from holdfast.runtime.session import Session
from holdfast.store.files import read_bytes
from holdfast.store.memory import Memory
from holdfast.store.memory_cache import ROWS, is_ours

HEAD = "Holdfast: from this project's memory, since the prompt touches it."
LOOKED_AT = 8  # of those that fit: some may have been told or archived


def recalled(event: Event, session: Session) -> str:
    """The text for the model, "" when nothing fits well. Commands of the client and sub-agents get none."""
    prompt = event.text("prompt")
    if event.in_subagent or prompt.lstrip().startswith("/"):
        return ""
    memory = memory_compile.memory_at(session.project)
    if not is_ours(memory.folder):  # what a clone brought is not followed
        return ""
    table = recall.rows(read_bytes(f"{memory.cache}/{ROWS}"), prompt)
    told = memory_start.already_told(session)
    ids = [name for name in recall.fitting(table, prompt) if name not in told][:LOOKED_AT]
    records = [record for name in ids if (record := _read(memory, name, session.now))]
    kept = recall.within([_quoted(record, session) for record in records], _whole)
    if not kept:
        return ""
    names = [record.id for record in records[: len(kept)]]
    memory_start.note_told(session, memory.folder, names)
    return _whole(kept)


def _whole(quoted: list[fence.Quoted]) -> str:
    return f"{HEAD}\n{fence.fenced(quoted)}"


def _read(memory: Memory, name: str, now: float) -> Record | None:
    """The record without secrets, when it still holds."""
    try:
        record = memory.get(name)
    except BadInput:  # forgotten meanwhile, or broken by hand
        return None
    return memory_compile.believed(record, memory.written()) if rehydrate.is_alive(record, now) else None


def _quoted(record: Record, session: Session) -> fence.Quoted:
    one = rehydrate.entry(record)
    gone = memory_places.gone(session.project, record.paths, {})
    return fence.Quoted(rehydrate.told(one, session.now, gone), record.trust, "", record.kind, "")
