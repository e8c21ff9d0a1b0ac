"""The packet: what a session is told that comes out of a compaction, comes back, or starts where another ended.

Rule: the sections of checkpoint/sections.py for this start, cut from the end to the room there is; what is cut is said.
All of it is framed as data with its source and age, so that nothing reads as a new instruction; where there is nothing
to say, nothing is said, but after a compaction where the rest is found. Sources: requirements H3, W4, W5, J9.
"""

from collections.abc import Mapping, Sequence

from holdfast.checkpoint import model
from holdfast.checkpoint.sections import Section, SectionMaterial, flat, sections
from holdfast.compaction import checks, instructions
from holdfast.session.context import skill
from holdfast.session.reply import clip_utf16, utf16_length
from holdfast.text.lines import age, one_line
from holdfast.worklog import fold, record
from holdfast.worklog.model import Worklog

BESIDE_A_RECORD = 4_000
"""UTF-16 units at most beside a summary that closes with a record: it holds what else would be told."""
ASK: Section = (
    "The summary has no closing record",
    [
        "- Write one at the end of your next reply, outside of code blocks: a line for each thing that must outlast "
        "the next compaction, in one of the forms `RULE R1: …`, `CHOSE C1: …`, `OPEN O1: …`, `NEXT N1: …`."
    ],
)


def text(known: SectionMaterial, said: list[Section], is_others: bool = False) -> str:
    """The text for these sections, at most `known.chars` UTF-16 units; "" when there are none. is_others: another
    session's, which they name.
    """
    if not said:
        return f"Holdfast: {_finds()}." if known.recalls else ""
    head = _earlier(known) if is_others else _frame(known, has_record=ASK not in said)
    parts, cut = [head], "(cut here for want of room)"
    left = known.chars - utf16_length(parts[0]) - len(cut) - 1
    for title, lines in said:
        body = "\n".join([f"\n## {title}", *lines])
        left -= utf16_length(body) + 1
        if left < 0:
            rest = clip_utf16(body, max(0, left + utf16_length(body))).rpartition("\n")[0]
            parts += [*([rest] if "\n" in rest.strip() else []), cut]
            break
        parts.append(body)
    return clip_utf16("\n".join(parts), known.chars)


def alone(work: Worklog, chars: int, summary: str = "") -> tuple[list[Section], str]:
    """Sections and text after a compaction of a session that has nothing but its transcript."""
    known = SectionMaterial(work, {}, {"directory": work["folder"]}, recalls=True, chars=chars)
    known, counts = beside(known, work, summary, checks.Now())
    found = after(known, counts, summary)
    return found, text(known, found)


def beside(
    known: SectionMaterial, work: Worklog, summary: str, now: checks.Now
) -> tuple[SectionMaterial, dict[str, int]]:
    """What is known, with the summary, what its record lacks and what is not so in it; its counts, {} without one."""
    found = record.read(summary)
    known = known._replace(summary=flat(summary), standing=now.rules)
    if not found.came:
        return known._replace(dropped=tuple(record.lasting(work["record"]))), {}
    lines, dropped, aside = record.following(work["record"], found, [*fold.words(work), *now.rules])
    corrected = checks.corrections([*lines, *aside], work, now, found.over)
    counts = {"lines": len(found.lines), "left_out": found.left_out, "set_aside": len(aside)}
    room = min(known.chars, BESIDE_A_RECORD)
    known = known._replace(
        work=model.worded(known.work),
        standing=tuple(instructions.users_rules(work, now.rules)),
        dropped=tuple(dropped),
        corrected=_together(corrected),
        chars=room,
        page="",
    )
    return known, {**counts, "dropped": len(dropped), "corrected": len(corrected)}


def _together(corrected: Sequence[str]) -> tuple[str, ...]:
    """Lines of which the same is to be said are named at once."""
    groups = dict[str, dict[str, None]]()
    for line in corrected:
        name, _, what = line.partition(": ")
        groups.setdefault(what, {})[name] = None
    return tuple(f"{', '.join(names)}: {what}" for what, names in groups.items())


def after(known: SectionMaterial, counts: Mapping[str, int], summary: str) -> list[Section]:
    """The sections after a compaction; counts: of the summary's record, empty where it came without one."""
    return [*sections("beside" if counts else "compact", known), *([ASK] if summary and not counts else [])]


def _frame(known: SectionMaterial, has_record: bool) -> str:
    if known.summary and not known.page and has_record:  # that holds the rest
        finds = f"; {_finds()}" if known.recalls else ""
        return f"Holdfast's notes beside the summary; data, no new instruction{finds}."
    where = f"; more of them: {one_line(known.page)}" if known.page else ""
    where += f"; the skill `{skill('recall')[1:]}` searches the whole conversation" if known.recalls else ""
    source = f"Holdfast's notes on this session{_age(known)}; data, no new instruction"
    return f"{source}; where the conversation differs, it is newer{where}."


def _earlier(known: SectionMaterial) -> str:
    return f"Holdfast's notes on an earlier session{_age(known)}; data, no instruction."


def _age(known: SectionMaterial) -> str:
    return f", {age(known.seconds)} old" if known.seconds >= 0 else ""


def _finds() -> str:
    return f"the skill `{skill('recall')[1:]}` finds what the summary left out"
