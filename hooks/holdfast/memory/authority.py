"""Whose word changes what: one rule for superseding, archiving, forgetting, editing, resolving and letting through.

In a shell of their own it is the user who speaks. In the client's shell nobody can tell; there a record of the user's
is changed by the user's word: in one of their last requests in this conversation a paragraph says just that, the
command's verb and codes or ids ("forget DEC-2026-11-23-001"); a code within a sentence or pasted text asks for nothing.
What an assistant or a tool has said, an assistant may change. New words are the user's where they stand in a request.
"""

import os
import string
import time
from collections.abc import Iterable, Sequence

from holdfast.errors import BadInput
from holdfast.hot import paths
from holdfast.memory.record import Record, called, first, texts
from holdfast.memory.store import SHORTEST_ID, Memory
from holdfast.session import liveness, worklog
from holdfast.session.context import Session
from holdfast.session.event import from_fields
from holdfast.text.dates import is_time, seconds
from holdfast.text.lines import one_line
from holdfast.text.markdown import own_lines
from holdfast.worklog.marks import WHOLE
from holdfast.worklog.model import own_words
from holdfast.worklog.record import first_sentence, users_words


def requests() -> list[tuple[str, list[str]]]:
    """What the user has said in the conversation that this shell belongs to: of each request when, and the paragraphs
    in their own voice; [] where none is known here.
    """
    state, name = paths.state_folder(), os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    folder = paths.session_folder(state, name)
    transcript = str(liveness.noted(folder).get("transcript") or "") if name else ""
    if not transcript:
        return []
    session = Session(state, folder, paths.project_folder(), {}, [], time.time(), 0)
    work = worklog.fold(from_fields({"transcript_path": transcript, "session_id": name}, "Stop"), session)
    said = worklog.said_here(work, folder)["prompts"]
    return [(prompt.get("at", ""), own) for prompt in said if (own := own_words(prompt))]


def said(text: str) -> str:
    """The user's own sentences that have these words, "" where a request has them not."""
    return users_words(text, [one for _, own in requests() for one in own], WHOLE)


def are_users(values: Iterable[object]) -> bool:
    """Whether each text of these fields, and of lists of such, is a whole sentence of theirs; numbers are nobody's."""
    flat = (one for value in values for one in (value if isinstance(value, (list, tuple)) else [value]))
    return all(_is_whole(one) for one in flat if isinstance(one, str) and one.strip())


def _is_whole(text: str) -> bool:
    return one_line(said(text)).strip(" .!") == one_line(text).strip(" .!")


def refuse(records: Iterable[tuple[Record, str]], what: str, memories: Sequence[Memory]) -> None:
    """Raises BadInput where one of these is the user's and no request of theirs asks for it: for the client's shell.

    records: each with how far it is trusted here; what: is to be done, the command's verb, e.g. "forget". What is
    confirmed is what the user could have seen, and a name that two records have means neither: a clone may give any.
    memories: the one at hand first, and each in which the user may have seen that name.
    """
    users = [record for record, trust in records if trust == "trusted"]
    asked = {name: at for at, own in requests()[-3:] for one in own for name in _asked(one, what)} if users else {}
    for record in users:
        when = [at for name, at in asked.items() if _means(memories, name, record)]
        if not when:
            why = f"it is the user's word, and no request of theirs says just that: {what} it"
            name = next((one for one in (called(record), record.id[:8]) if _means(memories, one, record)), record.id)
            todo = f"Ask the user to say `{what} {name}` here, in a paragraph of its own"
            todo += ", or to do it in a shell outside of the client"
            raise BadInput(why, called(record), todo)
        path = memories[0].find(record.id).path if what == "confirm" else ""
        if path and not any(is_time(at) and os.stat(path).st_ctime < seconds(at) for at in when):  # it was as it is
            todo = "Show it to the user as it reads now, and ask them again"
            raise BadInput("it has changed since the user asked for this", called(record), todo)


def _means(memories: Iterable[Memory], name: str, record: Record) -> bool:
    return [one.record.id for memory in memories for one in memory.matching(name)] == [record.id]


def _asked(paragraph: str, what: str) -> list[str]:
    """The codes and ids, in small letters, that a paragraph asks to do this to, and says nothing else.

    Of a superseding the first: what is named behind it takes its place.
    """
    found = list[str]()
    for line in own_lines(paragraph):
        verb, *names = line.lower().replace("`", " ").replace(",", " ").strip(" .!").split() or [""]
        is_code = (name.startswith("dec-") or set(name) <= {*string.hexdigits, "-"} for name in names)
        if verb.removeprefix("/holdfast").lstrip(":-") != what or not all(is_code):
            return []
        found += (name for name in names[: 1 if what == "supersede" else None] if len(name) >= SHORTEST_ID)
    return found


def refuse_words(old: Record, new: Record) -> None:
    """Raises BadInput where an edit of the user's record brings words that are no whole sentence of theirs."""
    says = first(new.kind, new.content)
    is_short = new.title in (one_line(says, 100), one_line(first_sentence(says), 100))
    for text in {*([] if is_short else [new.title]), *texts(new)} - {old.title, *texts(old)}:
        if not _is_whole(text):
            todo = "Take a sentence as they said it in this conversation, or ask them to say it"
            raise BadInput("these new words of the user's record are not theirs", one_line(text, 60), todo)
