"""Does this line announce somebody else's words?

Rule: it does where it ends in a colon and asks to read, summarise, translate or mend what follows, names a text that
follows, or says who said it; so do the head of a mail and that of a Markdown document. After "He says: …" the words of
the same line are another's, after "Translate this: …" all. "Please follow these:" and "Rules for this project:"
announce one's own. Source: requirement N; the forms are those of the recorded prompts and of usual requests.
"""

import functools
import re
from collections.abc import Sequence

NONE, BLOCK, ALL = 0, 1, 2
"""How far another's words reach below a line: not at all, over the next block, to the end."""
HEAD_LINES = 4  # within which a mail's head shows
_LOOKED_AT = 200  # characters of a line's end, and of what stands before a colon: a lead-in is short

_PAPER = r"(?:e-?mails?|mails?|letter|articles?|blog post|read ?me(?:\.\w{2,4})?|web ?(?:page|site)|transcript)"
_TEXT = (
    rf"(?:{_PAPER}|pages?|sites?|files?|doc(?:s|uments?|umentation)?|texts?|paragraphs?|sentences?|quotes?|passages?"
    r"|logs?|outputs?|errors?|messages?|warnings?|exceptions?|stack ?trace|trace ?back|snippets?|diffs?|reports?"
    r"|responses?|repl(?:y|ies)|feedback|reviews?|comments?|issues?|tickets?|posts?|threads?|conversation|change ?log)"
)
_RETELL = r"(?:summari[sz]|translat|proof-?read|paraphras|rephras|reword)\w*"
_READ = rf"(?:{_RETELL}|(?:explain|analy[sz]|interpret)\w*|read|clarify)"
_MEND = (
    r"(?:fix|correct|review|check|debug|improve|polish|shorten|rewrite|look (?:at|over|through)|address|extract|answer"
    r"|reply to|respond to|understand|what (?:does|do|is))"
)
_THIS = r"(?:this|these|the following|the above|the below)"
_MORE = r"(?: (?:for|to|from|of|in|on|by|i|we|that|please)\b[^:]{0,40})?"
_MODIFIED = r"(?:[\w'.-]{1,30} ){0,2}"
_SPOKE = (
    r"(?:says?|said|reads?|states?|stated|tells? \w+|told \w+|prints?|printed|wrote|writes|repl(?:ies|ied)"
    r"|answer(?:s|ed)|suggest(?:s|ed)|recommend(?:s|ed)|claim(?:s|ed))"
)
_WHERE = r"(?: (?:that|this|the following|now|there|(?:in|at|on|to|about) [^:]{1,40}))?"


_ANNOUNCES = (
    rf"\b{_RETELL}(?: (?:for|to|into|in|from|please)\b[^:]*|,? please)?\Z",
    rf"\b{_READ}\b[^:]*\b(?:it|below|{_THIS}|{_TEXT}),?{_MORE}\Z",
    rf"\b{_MEND}\b[^:]*(?:(?<!like )(?<!as )\bthis(?: \w+)?{_MORE}| it| below|\b(?:grammar|spelling|wording)\b[^:]*)\Z",
    rf"\b{_THIS} {_MODIFIED}{_TEXT}{_MORE}\Z",
    rf"\A\W*(?:(?:and|now|here|here's|is|are|from|see|in)\W+)*(?:(?:the|this|that|my|our|his|her|their|an?) )?"
    rf"{_MODIFIED}{_PAPER}(?: (?:of|from|to|by|in|on|i|we)\b[^:]*)?\Z",
    rf"\A\W*(?:(?:and|now)\W+)?(?:here|here's|here is|here are|from|this is|see) (?:[\w'.-]{{1,30}} ){{0,3}}{_TEXT}"
    r"(?: [^:]{0,60})?\Z",
    r"\A\W*On .{6,100} wrote\Z",
)
"""Below these everything of a prompt is pasted."""
_INLINE = (rf"\A\W*(?:\w+ ){{0,4}}{_RETELL}\b[^:]*\Z",)
"""So is what stands behind it in its own line."""
_SAID = (rf"\A\W*(?!.*\b(?:I|we|you|my|our|your)\b)(?:[\w'`./-]{{1,40}} ){{1,6}}{_SPOKE}{_WHERE}\Z",)
_SHOWN = (
    rf"\A\W*(?:[\w'`./-]{{1,40}} ){{0,4}}{_TEXT} (?:\w+ )?(?:was|is|were|are|contain(?:s|ed)|has|had){_WHERE}\Z",
    rf"\A\W*(?!.*\b(?:I|we|you)\b)(?:[\w'`./-]{{1,40}} ){{1,6}}(?:shows?|showed|showing|return(?:s|ed)){_WHERE}\Z",
)
_FOLLOW = (
    r"\b(?:follow|obey|adhere|respect|comply|stick|apply|remember|keep)\b"
    r"|\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|preferences?)\W*\Z",
)
"""These ask to heed what comes."""
_LAST = re.compile(r"(?:.*[.!?]\s)?(.*)\Z", re.DOTALL)
_MAIL = re.compile(r"\W{0,4}(?:from|to|cc|subject|date|sent|reply-to|author)\W{0,3}:\W{0,3}\s\S", re.IGNORECASE)
_FORWARDED = re.compile(r"\W*-{2,} ?(?:original|forwarded) message\b", re.IGNORECASE)
_TITLE = re.compile(r"# +(?!of\b|is\b)\S")
_OWN_TITLE = re.compile(
    r"# +\W*(?:(?:my|our|the|project|code|coding|some) )*(?:rules?|constraints?|requirements?|conventions?|guidelines?"
    r"|preferences|instructions|tasks?|todo|goals?|objective|request|important|context|background|notes?|style"
    r"|fix|add|implement|build|make|write|create|refactor|update|change|remove|port|migrate|improve|rename|support|use"
    r"|move|replace|please)\b",
    re.IGNORECASE,
)
"""Under such a title people put their own words."""
_FRONT = re.compile(r"[\w-]{1,40}:(?:\s|\Z)")


def is_head(lines: Sequence[str]) -> bool:
    """Whether a mail or a document begins with the first of these lines."""
    first = lines[0]
    if first.startswith("# "):
        return bool(_TITLE.match(first)) and not _OWN_TITLE.match(first)
    if first.rstrip() == "---":
        return len(lines) > 1 and bool(_FRONT.match(lines[1]))
    under = lines[1].strip() if len(lines) > 1 else ""
    titled = len(under) > 2 and not under.strip("=") and bool(first.strip())
    return titled or bool(_FORWARDED.match(first)) or (bool(_MAIL.match(first)) and any(map(_MAIL.match, lines[1:])))


def led(line: str, pasted: bool) -> tuple[str, int]:
    """(what of a line is its author's own, how far another's words reach below it). pasted: it is of a prompt."""
    before, colon, _ = line.rstrip().partition(": ")
    if colon and len(before) <= _LOOKED_AT:
        said = _last(before)
        if pasted and _any(_INLINE, said) and _any(_ANNOUNCES, said):
            return before, ALL
        if _any(_SAID, said):
            return before, NONE
    if not line.rstrip().endswith(":"):
        return line, NONE
    said = _last(line.rstrip()[-_LOOKED_AT:-1])
    if _any(_FOLLOW, said):
        return line, NONE
    if _any(_SAID, said) or _any(_SHOWN, said):
        return line, ALL if pasted else BLOCK
    return line, ALL if pasted and _any(_ANNOUNCES, said) else NONE


def _last(text: str) -> str:
    """The last sentence."""
    found = _LAST.match(text)
    return found[1].strip(" *_#\t") if found else text


def _any(patterns: Sequence[str], text: str) -> bool:
    return any(_compiled(pattern).search(text) for pattern in patterns)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when the first line with a colon is seen: all of them would take longer than a start has."""
    return re.compile(pattern, re.IGNORECASE)
