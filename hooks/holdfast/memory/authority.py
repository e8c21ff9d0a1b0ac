"""Whose word changes what: one rule for superseding, archiving, forgetting, editing, resolving and letting through.

In a shell of their own it is the user who speaks. In the client's shell nobody can tell; there a record of the user's
is changed by the user's word: in one of their last requests in this conversation a paragraph says just that, the
command's verb and codes or ids ("forget DEC-2026-11-23-001"); a code within a sentence or pasted text asks for nothing.
What an assistant or a tool has said, an assistant may change. New words are the user's where one passage of a request
has them, and those words alone are what a model there may put into a record of theirs.
"""

import os
import string
import time
from collections.abc import Iterable, Sequence
from functools import partial

from holdfast.errors import BadInput
from holdfast.hot import paths
from holdfast.memory import supersession
from holdfast.memory.record import SHAPES, Record, called, first
from holdfast.memory.store import SHORTEST_ID, Memory
from holdfast.memory.supersession import title_of
from holdfast.session import liveness, worklog
from holdfast.session.context import Session
from holdfast.session.event import from_fields
from holdfast.text.dates import is_time, seconds
from holdfast.text.lines import one_line
from holdfast.text.markdown import own_lines
from holdfast.worklog.model import Worklog, empty, own_words


def conversation() -> Worklog:
    """What was said in the conversation that this shell belongs to; nothing where none is known here."""
    state, name = paths.state_folder(), os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    folder = paths.session_folder(state, name)
    transcript = str(liveness.noted(folder).get("transcript") or "") if name else ""
    if not transcript:
        return empty()
    session = Session(state, folder, paths.project_folder(), {}, [], time.time(), 0)
    work = worklog.fold(from_fields({"transcript_path": transcript, "session_id": name}, "Stop"), session)
    return worklog.said_here(work, folder)


def requests() -> list[tuple[str, list[str]]]:
    """Of each request of the user's there when it was, and the paragraphs in their own voice."""
    return [(prompt.get("at", ""), own) for prompt in conversation()["prompts"] if (own := own_words(prompt))]


def said(text: str) -> str:
    """The passage of the user's that has these words, "" where no request has them."""
    return supersession.passage(text, [one for _, own in requests() for one in own])


def refuse(records: Sequence[tuple[Record, str]], what: str, memories: Sequence[Memory]) -> None:
    """Raises BadInput where one of these is the user's and no request of theirs asks for it: for the client's shell.

    records: each with how far it is trusted here; what: is to be done, the command's verb, e.g. "forget". Of a verb for
    two the request names them in this order, or the first alone. What is confirmed is what the user could have seen,
    and a name that two records have means neither: a clone may give any.
    memories: the one at hand first, and each in which the user may have seen that name.
    """
    order, means = [record for record, _ in records], partial(_means, memories)
    is_pair, changed = what in ("supersede", "beside"), records[:1] if what == "supersede" else records
    users = [record for record, trust in changed if trust == "trusted"]
    asked = [(at, names) for at, own in requests()[-3:] if users for one in own for names in _asked(one, what)]
    if is_pair:
        asked = [(at, names) for at, names in asked if len(names) <= len(order) and all(map(means, names, order))]
    for record in users:
        when = [at for at, names in asked if any(means(name, record) for name in names)]
        if not when:
            why = f"it is the user's word, and no request of theirs says just that: {what} it"
            those = order if is_pair else [record]
            names = [next((name for name in (called(one), one.id[:8]) if means(name, one)), one.id) for one in those]
            todo = f"Ask the user to say `{what} {' '.join(names)}` here, in a paragraph of its own"
            todo += ", or to do it in a shell outside of the client"
            raise BadInput(why, called(record), todo)
        path = memories[0].find(record.id).path if what == "confirm" else ""
        if path and not any(is_time(at) and os.stat(path).st_ctime < seconds(at) for at in when):  # it was as it is
            todo = "Show it to the user as it reads now, and ask them again"
            raise BadInput("it has changed since the user asked for this", called(record), todo)


def _means(memories: Iterable[Memory], name: str, record: Record) -> bool:
    return [one.record.id for memory in memories for one in memory.matching(name)] == [record.id]


def _asked(paragraph: str, what: str) -> list[list[str]]:
    """Line by line the codes and ids, in small letters, that a paragraph asks to do this to, and says nothing else."""
    found = list[list[str]]()
    for line in own_lines("\n".join(map(str.strip, paragraph.split("\n")))):  # none is code by its depth there
        verb, *names = line.lower().replace("`", " ").replace(",", " ").strip(" .!").split() or [""]
        is_code = (name.startswith("dec-") or set(name) <= {*string.hexdigits, "-"} for name in names)
        if verb.removeprefix("/holdfast").lstrip(":-") != what or not all(is_code):
            return []
        found.append([name for name in names if len(name) >= SHORTEST_ID])
    return found


def reworded(old: Record, new: Record) -> Record:
    """The user's record with one passage of theirs in the place of its words. Raises BadInput for any other edit."""
    named, asked = next(iter(SHAPES[old.kind])), first(new.kind, new.content)
    words = said(asked)
    made = old._replace(title=title_of(words, old.tags), content={**old.content, named: words})
    is_alone = new._replace(content={**new.content, named: words}, title=made.title) == made
    is_alone = is_alone and new.title in (old.title, title_of(asked, old.tags))
    if not is_alone or one_line(words).strip(" .!") != one_line(asked).strip(" .!"):
        todo = "Give `--text` alone, a passage as they said it in this conversation, or ask them to say it"
        raise BadInput("more than the user's own words would change in a record of theirs", called(old), todo)
    return made
