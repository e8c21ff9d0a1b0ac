"""Put a record into the memory, whoever gives it: which one gives way, and which that is there already stands for it?

Rule: of the states of one owner only the newest holds; of two decisions of one title the newer one, but one of the
user's goes by no form of words: only where it is named (`--supersedes`), or they give the title by hand. Nothing gives
way to what is trusted less. Age goes by the records' times: a session that was killed is put away late, and then a
newer record may hold in place of what it left. A record with the same words stands for a new one where it is trusted
here as much, weighs as much, gives reasons where that does, is kept as long and is still told, and is as new from then
on; else the new one takes its place.
Sources: requirements J3, J4, J6, J8, N.
"""

import contextlib
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.hot.fingerprint import fingerprint
from holdfast.memory import location
from holdfast.memory.briefing import SELECTION, is_told_at_any_age, section
from holdfast.memory.catalogue import ALIVE
from holdfast.memory.files import keys
from holdfast.memory.record import (
    RULE,
    SHAPES,
    Record,
    created_at,
    first,
    in_use,
    is_alive,
    key_of,
    saying,
    texts,
    trust_of,
    with_unsettled,
)
from holdfast.memory.store import Memory
from holdfast.text import identifiers, quoting, redaction, tokens
from holdfast.text import late as re
from holdfast.text.dates import DAY, is_time, seconds
from holdfast.text.lines import one_line
from holdfast.worklog import marks
from holdfast.worklog.model import Worklog, own_words
from holdfast.worklog.record import first_sentence, users_words
from holdfast.worklog.record import without as users_without

TRUST = {"user": "trusted", "assistant": "semi_trusted", "tool": "untrusted"}
"""Who said it -> how far it is trusted."""
Trust = Callable[[Record], str]
"""How far a stored record is trusted here, whatever it says itself."""


def identity(text: str) -> str:
    """A UUID (version 8, made of a hash) that is the same for the same text."""
    mark = "".join(fingerprint(f"{salt}{text}".encode("utf-8", "replace")) for salt in ("", "2 "))
    return f"{mark[:8]}-{mark[8:12]}-8{mark[13:16]}-8{mark[17:20]}-{mark[20:32]}"


class OpenMemory(NamedTuple):
    """A memory as it stands while records are put into it."""

    memory: Memory
    now: float  # epoch seconds
    stamp: str  # since when what gives way is set aside, ISO 8601
    by_hand: bool = False  # whether the user gives them by a command of their own

    def trust(self, record: Record) -> str:
        """How far a stored record is trusted here."""
        return trust_of(record, self.memory.written())


class Outcome(NamedTuple):
    """What became of a record."""

    record: Record  # as the memory has it: the new one, or the one that stands for it
    stored: bool = False
    over: tuple[Record, ...] = ()  # those that it took the place of
    under: Record | None = None  # the newer one that holds in its place: it was archived at once
    beside: tuple[Record, ...] = ()
    """Those on the same matter that stand all the same: of the two, the older one is trusted more."""
    near: tuple[Record, ...] = ()
    """Those of its title, or that it names: somebody is to say whether it supersedes them or stands beside them."""
    renewed: bool = False
    """The one that stands for it counts as said now."""


def upsert(
    opened: OpenMemory, made: Record, instead: Record | None = None, together: Iterable[str] = (), again: bool = True
) -> Outcome:
    """Store a record, unless one stands for it; that one is then as new as this. Raises BadInput and OSError.

    instead: the record that it is expressly to take the place of; then it is stored whatever else is there. together:
    ids of those that were said with it, at one time: who says both contradicts neither. again: whether it is said now.
    """
    there = None if instead else equivalent(opened, made)
    if there:
        return _renewed(opened, there, made) if again else Outcome(there)
    rivals, known = _rivals(opened, made), opened.memory.known()
    found = place(made, rivals, opened.now, opened.trust, opened.by_hand)
    weaker = [old for old in _alike(opened, made) if gives_way(old, made, opened.now, opened.trust)]
    by_itself = [old for old in [*found.over, *weaker] if not opened.memory.is_shared(old.id)]  # nor is git's changed
    going = {old.id: old for old in [*([instead] if instead else []), *by_itself]}
    under = None if instead else found.under
    if under:
        made = made._replace(archived=opened.stamp, superseded_by=under.id)
    said = {*going, *together, *(one.id for one in found.beside)}  # to be replaced, or to stand beside it
    is_compared = not under and made.kind in ("decision", "learning")
    coded = (one.record for code in _codes(made) for one in known.going_by(code)) if is_compared else ()
    pool = [one for one in (*rivals, *coded) if one.id not in said and is_alive(one, opened.now)] if is_compared else []
    near = touching(made, pool)
    touched = tuple(one.record for one in known.named(near).values())
    record = opened.memory.add(with_unsettled(made, near)).record
    for old in going.values():
        with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
            opened.memory.supersede(old.id, record.superseded_by or record.id, opened.stamp)
    beside = tuple(one for one in (*found.beside, *found.over) if one.id not in going)
    return Outcome(record, True, tuple(going.values()), under, beside, touched)


def _renewed(opened: OpenMemory, old: Record, made: Record) -> Outcome:
    """What is said again is its author's newest word; another's is not, nor is what git sees changed."""
    is_same = saying(old) == saying(made) and opened.trust(old) == made.trust
    is_theirs = is_same and not opened.memory.is_shared(old.id)
    if not is_theirs or created_at(old, opened.now) >= created_at(made, opened.now):
        return Outcome(old)
    new = old._replace(time=made.time, expires=max(old.expires, made.expires) if old.expires else "")
    new = new._replace(session=old.session * (old.session == made.session))  # nobody takes back what others say too
    if not opened.memory.written().when(f"first {old.id}"):
        location.note(opened.memory.folder, location.Name.WRITTEN, [f"first {old.id}"], seconds(old.time))
    opened.memory.update(new)
    return Outcome(new, renewed=True)


def _rivals(opened: OpenMemory, made: Record) -> list[Record]:
    """The records that `place` asks of: other states, or decisions of its title."""
    known = opened.memory.known()
    if made.kind == "state":  # where a colleague's work stands says nothing of ours
        found = known.found(f"kind = 2 AND wording NOT NULL AND {ALIVE}", {"now": opened.now}, "ORDER BY time DESC")
    else:
        found = known.known_by(one for one in keys(made) if one.startswith("title "))
    return list({one.record.id: one.record for one in found}.values())


def touching(record: Record, others: Iterable[Record]) -> list[str]:
    """Ids of those that bear its title, or whose code it names: what shared words mean no program knows."""
    title, codes = record.title.casefold(), set(_codes(record))
    near = (one for one in others if one.code in codes or (one.kind, one.title.casefold()) == (record.kind, title))
    return [one.id for one in near if one.id != record.id][:10]


def _codes(record: Record) -> list[str]:
    return re.findall(r"\bDEC-\d{4}-\d\d-\d\d-\d{3,6}\b", f"{record.title}\n{first(record.kind, record.content)}")


def place(new: Record, others: Iterable[Record], now: float, trust: Trust, by_hand: bool = False) -> Outcome:
    """Where a record would stand that is trusted as it says itself. now: epoch seconds; by_hand: as of OpenMemory."""

    def goes(older: str, newer: str) -> bool:
        return is_enough(older, newer) and (older != "trusted" or by_hand or new.kind == "state")

    if new.kind not in ("state", "decision"):  # of the other kinds all stand
        return Outcome(new)
    rivals = [one for one in others if one.kind == new.kind and one.id != new.id and is_alive(one, now)]
    if new.kind == "state":  # where a colleague's work stands says nothing of ours
        rivals = [one for one in rivals if not quoting.is_carried(trust(one))]
    dated, when = [(created_at(one, now), one) for one in rivals], created_at(new, now)
    older = [(one, goes(trust(one), new.trust)) for made, one in dated if made <= when and _replaces(new, one)]
    newer = [(made, one.id, one) for made, one in dated if made > when and _replaces(one, new)]
    under = [row for row in newer if goes(new.trust, trust(row[2]))]
    beside = [one for one, enough in older if not enough] + [row[2] for row in newer if row not in under]
    over = tuple(one for one, enough in older if enough)
    return Outcome(new, False, over, max(under)[2] if under else None, tuple(beside))


def _replaces(newer: Record, older: Record) -> bool:
    if newer.kind == "state":
        return newer.agent == older.agent
    are_rules = RULE in newer.tags and RULE in older.tags  # called by a first sentence alone
    return newer.title.casefold() == older.title.casefold() and not are_rules


def is_enough(older: str, newer: str) -> bool:
    """Whether a record may be set aside for another one; both by how far they are trusted here."""
    return quoting.label_of(newer).rank >= quoting.label_of(older).rank


def equivalent(opened: OpenMemory, made: Record) -> Record | None:
    """The record that says this and is enough."""
    return next((old for old in _alike(opened, made) if stands_for(old, made, opened.trust)), None)


def stands_for(old: Record, new: Record, trust: Trust) -> bool:
    """Whether a record with the same words is enough, so that the new one need not be stored."""
    days = SELECTION[section(old)].days
    is_told_still = not days or seconds(new.time) - seconds(old.time) <= days * DAY
    lasts = is_told_still and (not old.expires or bool(new.expires))
    if not lasts or old.importance < new.importance or not is_enough(new.trust, trust(old)):
        return False
    reasons = all(old.content[name] or not said for name, said in new.content.items() if name != "context")
    return reasons or not is_enough(trust(old), new.trust)  # the user's would not go: both would be told


def gives_way(old: Record, new: Record, now: float, trust: Trust) -> bool:
    """Whether a record with the same words that is not enough goes for the new one."""
    return created_at(old, now) <= created_at(new, now) and is_enough(trust(old), new.trust)


def take_back(opened: OpenMemory, work: Worklog, known: dict[str, str], session: str) -> None:
    """Set aside, once, what an agent first decided behind a prompt to which the user went back: what it had superseded
    there holds again; what it has learned stays, and what is the user's. known: as of capture.Capture.
    """
    spans = {row[0]: [*map(seconds, row)] for row in work["left"].items() if all(map(is_time, row))}

    def is_behind(when: float) -> bool:
        return any(begun <= when <= end for begun, end in [(0, 0), *spans.values()])

    said = (key_of("decision", one["text"]) for one in work["taken_back"] if one["kind"] == "decision")
    tables, marked = opened.memory.known(), (fingerprint(one.encode("utf-8", "replace")) for one in said)
    there = [one.record for one in tables.named(known[mark] for mark in marked if known.get(mark)).values()]
    for begun in spans.keys() - {mark.removeprefix("left ") for mark in known}:
        known[f"left {begun}"], found = "", tables.found("kind = 0 AND time BETWEEN ? AND ?", spans[begun])
        there += [one.record for one in found if one.record.id not in known.values()]  # by a command
    theirs = (one for one in there if one.session == session and opened.trust(one) != "trusted")
    first, is_shared = opened.memory.written().when, opened.memory.is_shared  # 0 for what was said once
    going = (one for one in theirs if is_behind(first(f"first {one.id}")) and not is_shared(one.id))
    gone = {one.id: one._replace(archived=one.archived or opened.stamp) for one in going}
    known.update({mark: "" for mark, name in known.items() if name in gone})  # said anew it is another record
    over = [one for _, one, _ in tables.naming(gone) if one.superseded_by in gone and one.id not in gone]
    back = (in_use(one, opened.now) for one in over if one.archived and is_behind(seconds(one.archived)))
    for one in [*gone.values(), *back]:
        with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
            opened.memory.update(one)


def is_over(opened: OpenMemory, made: Record) -> bool:
    """Whether it was forgotten, or set aside as a word of the user's: what an assistant's was binds assistants only."""
    if made.trust == "trusted":
        return bool(_withdrawn(opened, made))
    return saying(made) in opened.memory.forgotten()


def unforgotten(memory: Memory, text: str, at: str = "") -> str:
    """A request of the user's without the sentences and marked lines that were forgotten; at: when they had typed it,
    for what they have forgotten since.
    """
    gone, typed = memory.forgotten(), seconds(at) if is_time(at) else 0

    def is_gone(said: str) -> bool:
        made = (Record("", kind, "", "", {next(iter(SHAPES[kind])): said}) for kind in ("decision", "learning"))
        return any(saying(one) in gone and gone.when(f"user {saying(one)}") >= typed for one in made)

    marked = [one["text"] for one in marks.marked(text, "user", 0) if is_gone(one["text"])]
    return users_without(marks.unmarked(text, "user", marked) if marked else text, is_gone)


def _withdrawn(opened: OpenMemory, made: Record) -> float:
    """When the user's word of this was set aside or forgotten last, epoch seconds; 0 for never."""
    known = (one.record for one in opened.memory.known().known_by(one for one in keys(made) if one.startswith("said ")))
    aside = [seconds(one.archived) for one in known if one.archived and opened.trust(one) == "trusted"]
    return max([opened.memory.forgotten().when(f"user {saying(made)}"), *aside])


def typed_anew(opened: OpenMemory, found: Mapping[str, Any], work: Worklog, before: Record | None = None) -> float:
    """When the user said this last, epoch seconds, where that is after it was set aside or forgotten; else 0.

    found: fields of its record; before: that in use, after which it is to be. Rows that a fork has copied are as old as
    they were.
    """
    trusted = found["trust"] == "trusted"
    gone = _withdrawn(opened, Record("", found["kind"], "", "", found["content"])) if trusted else 0
    if trusted and before and is_alive(before, opened.now):
        gone = max(gone, created_at(before, opened.now))
    if not gone:
        return 0.0
    said = first(found["kind"], found["content"])
    marked = [mark["n"] for mark in work["marks"] if mark["by"] == "user" and mark["text"] == said]
    dated = ((seconds(one["at"]), one) for one in work["prompts"] if is_time(one.get("at", "")))
    since = [(at, one) for at, one in dated if at > gone + 1]  # what was set aside is dated in whole seconds
    return max((at for at, one in since if one["n"] in marked or passage(said, own_words(one)) == said), default=0.0)


def passage(text: str, paragraphs: Iterable[str]) -> str:
    """The words of the user's that have these: sentences as they follow each other in one paragraph; else ""."""
    for one in paragraphs:
        found = users_words(text, [one], 600)  # of more a start would show the beginning alone
        if found and found.replace(" ", "") in one_line(one).replace(" ", ""):
            return found
    return ""


def _alike(opened: OpenMemory, made: Record) -> list[Record]:
    """The records in use that have the same words, or show by the same command; of states each is its own."""
    asked = _shown(made)
    found = (one.record for one in opened.memory.known().known_by(asked)) if asked else ()
    return [old for old in found if is_alive(old, opened.now) and asked & _shown(old)]


def _shown(record: Record) -> set[str]:
    return {one for one in keys(in_use(record)._replace(delete=False)) if not one.startswith(("title ", "was "))}


def owner(record: Record) -> tuple[str, bool]:
    """Whose states a state is among: the agent, and whether the user said it; trusted as it says itself."""
    return record.agent, record.trust == "trusted"


def newest_states(records: Iterable[Record], now: float) -> dict[tuple[str, bool], Record]:
    """Of each owner the newest state in use: only that one holds."""
    states = [one for one in records if one.kind == "state" and is_alive(one, now)]
    return {owner(one): one for one in sorted(states, key=lambda one: (created_at(one, now), one.id))}


def kept_days(record: Record) -> int:
    """How long a record that a session leaves is kept, in days; 0 is for good, as all that a start tells at any age."""
    if record.importance >= 8 or is_told_at_any_age(record):
        return 0
    return 30 if record.importance >= 5 else 7


def title_of(says: str, tags: Container[str]) -> str:
    """What calls a record that has no title but its words: of a rule the first sentence."""
    return one_line(first_sentence(says) if RULE in tags else says, 100)


def rejection(record: Record) -> str:
    """Why this is no record, and what to write in its place; "" when it is worth keeping. Secrets are out already."""
    whole, most = "\n".join([record.title, *texts(record)]), 2_000
    if any(line.startswith(("diff --git ", "@@ -", "--- a/", "+++ b/")) for line in whole.splitlines()):
        return "it is a diff, which holds for a moment only: say what was changed for good, and why"
    if record.kind != "state" and tokens.estimate(whole) > most:
        return f"it has more than {most:,} tokens, so reading it saves nothing: keep the conclusion, and name the file"
    words = (word for word in redaction.without_marks(whole).lower().split() if any(map(str.isalpha, word)))
    if whole.isascii() and len(set(words)) < 2:  # other scripts than Latin have no blanks between words
        return "it says too little to be of use later: write a sentence, without secrets"
    if record.kind == "decision" and record.trust == "untrusted":
        return "a decision needs somebody who decided: what a tool or the web says is an issue or a learning"
    return ""


def tagged(record: Record) -> Record:
    """The record with tags: its own, else the names of files and of things in it, else its kind."""
    if record.tags:
        return record
    whole = " ".join([*record.paths, record.title, *texts(record)])
    names = [identifiers.basename(path) for path in identifiers.paths(whole)] + identifiers.identifiers(whole)
    found = dict.fromkeys(name.lower() for name in names if name[:1].isalnum() and len(name) <= 40)
    return record._replace(tags=tuple(found)[:5] or (record.kind,))
