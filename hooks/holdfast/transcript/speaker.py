"""Whose is a text in the user's place: theirs, or a memory's or a client's?

Rule: what may be the user's is carried along as theirs, what surely is theirs is heard as their words. Nobody's is what
frames of a memory or a client hold from end to end, one behind the other, a notification with the line that its client
adds; and the line in which a client tells of an interruption or a hook. What else stands there is carried. Heard of it
is what stands below an interruption or the last end of a frame, for what ends one early within it frees nothing;
nothing below a notification, a hook's line or a phrase with which a client hands in somebody's text, a former summary
or a skill, since no sign ends that.
"""

from holdfast.text import late as re
from holdfast.transcript.rows import FRAMES, HANDED_IN, HOOKS, INTERRUPTED

_OWN = [one[1:] for one in ("<memory", *FRAMES) if one != "<command-"]  # a command is the user's
_MARKS = "|".join(re.escape(one) + (r"[\w-]*+" if one[-1] in "-_" else r"(?![\w-])") for one in _OWN)
_BROKEN = "|".join(rf"{re.escape(one.rstrip(']'))}[^\]\n]{{0,200}}\]" for one in INTERRUPTED)
_HOOKS, _HANDED_IN = ("|".join(map(re.escape, some)) for some in (HOOKS, HANDED_IN))
_HELD = re.compile(
    rf"\s*(?:<task-notification.*?</task-notification>\n?[^\n<]*|<({_MARKS}).*?</\1\s*>"
    rf"|{_BROKEN}|(?:{_HOOKS})[^\n]*)",
    re.DOTALL,
)
_FOREIGN = re.compile(
    rf"(?:\s*(?:<task-notification.*</task-notification>.*|<(?:{_MARKS}).*</(?:{_MARKS})[^<>]*>"
    rf"|{_BROKEN}|(?:{_HOOKS}|{_HANDED_IN}).*))+",
    re.DOTALL,
)


def is_held(text: str) -> bool:
    """Whether it is nobody's from end to end."""
    end = 0
    while found := _HELD.match(text, end):
        end = found.end()
    return end > 0 and not text[end:].strip()


def heard(text: str) -> str:
    """The text, in which what is not surely the user's is a quotation."""
    found = _FOREIGN.match(text)
    if not found:
        return text
    quoted = (f"> {line}" for line in found[0].splitlines())
    return "\n".join([*quoted, text[found.end() :].removeprefix("\n")])
