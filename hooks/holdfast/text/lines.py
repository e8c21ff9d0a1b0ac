"""One function each for text that is shown: on one line, cut, cut with what is missing, and a span of time in words."""

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0")
"""Letters that print nothing, though Unicode calls them printable; behind one sign, variants can spell any text."""


def clip(text: str, chars: int) -> str:
    """At most `chars` characters of `text`, cut between words where there are any, marked as cut."""
    if len(text) <= chars:
        return text
    cut = text[: max(0, chars - 1)]
    space = cut.rfind(" ")
    return (cut[:space] if space > chars // 2 else cut).rstrip(" ,;:-(") + "…"


def one_line(text: object, chars: int = 0) -> str:
    """Any foreign text as one line, at most `chars` long (0: any length), single blanks for all that cannot be seen.

    Line breaks of all kinds, control characters, reversed writing, letters without width: a name may hold any of them.
    """
    flat = str(text)
    if not flat.isascii() or not flat.isprintable():
        shown = {char: char if _prints(char) else " " for char in set(flat)}
        flat = "".join(map(shown.__getitem__, flat))
    flat = " ".join(flat.split())
    return clip(flat, chars) if chars else flat


def seen(text: str) -> str:
    """A text of several lines as a screen may show it: a mark for each sign that steers, hides or turns about."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(char if _prints(char) or char in "\n\t\u200d" else "\ufffd" for char in text)


def unposing(text: str) -> str:
    """A foreign text, each line of it that begins as one of ours, or stands as a caption does, behind a quotation mark.

    However a reader breaks lines, and whatever stands before the words that is no word or cannot be seen.
    """
    if text.isascii() and "--- " not in text and "holdfast" not in text.lower():
        return text
    return "".join(f"| {line}" if _poses(line) else line for line in text.splitlines(keepends=True))


def _poses(line: str) -> bool:
    if not line.isascii():
        from unicodedata import normalize  # letters that only look wider

        line = normalize("NFKC", line)
    before, ours, after = "".join(filter(_prints, line)).strip().lower().partition("holdfast")
    if ours and not any(map(str.isalnum, before)):
        return "[" in before or after.lstrip(" *_`").startswith(":")
    bare = (before + ours + after).lstrip("> |*#`")
    return bare.startswith("--- ") and bare.endswith(" ---")


def _prints(char: str) -> bool:
    is_variant = "\ufe00" <= char <= "\ufe0e" or "\U000e0100" <= char <= "\U000e01ef"  # not that of emoji, FE0F
    return char.isprintable() and not is_variant and char not in _BLANK


def ending(text: str, chars: int) -> str:
    """At most `chars` characters of `text`, its end: cut between words where there are any, marked as cut."""
    if len(text) <= chars:
        return text
    cut = text[len(text) - max(0, chars - 1) :]
    space = cut.find(" ") + 1
    return "…" + (cut[space:] if space < chars // 2 else cut).lstrip()


def both_ends(text: str, chars: int) -> str:
    """`text` verbatim; where that is shorter, its two ends, together at most `chars` characters, and how many are
    missing. It is cut at a blank where one is near: half a word says nothing.
    """
    half = chars // 2
    if len(text) <= chars + len(f" […{len(text) - 2 * half:,} more characters…] "):
        return text
    start, end = text.rfind(" ", half - 24, half), text.find(" ", len(text) - half, len(text) - half + 24) + 1
    first, last = text[: start if start > 0 else half], text[end if end > 0 else len(text) - half :]
    return f"{first} […{len(text) - len(first) - len(last):,} more characters…] {last}"


def without_colours(text: str) -> str:
    """Without what steers a terminal: half of a coloured table's characters, and between a number and its noun."""
    first, *parts = text.split("\x1b[")
    return "".join([first, *(part.lstrip("0123456789;?")[1:] for part in parts)])


def counted(number: int, noun: str) -> str:
    """ "1 run", "2,000 runs"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def age(seconds: float) -> str:
    """A span for people: "40 s", "12 min", "5 h", "3 days"."""
    for size, unit, least in ((86_400, "days", 2), (3_600, "h", 1), (60, "min", 1)):
        if seconds >= size * least:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"
