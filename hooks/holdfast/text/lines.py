"""One function each for text that is shown: on one line, cut, cut with what is missing, and a span of time in words."""


def clip(text: str, chars: int) -> str:
    """At most `chars` characters of `text`, cut between words where there are any, marked as cut."""
    if len(text) <= chars:
        return text
    cut = text[: max(0, chars - 1)]
    space = cut.rfind(" ")
    return (cut[:space] if space > chars // 2 else cut).rstrip(" ,;:-(") + "…"


def one_line(text: object, chars: int = 0) -> str:
    """Any foreign text as one line, at most `chars` long (0: any length): no control characters, single blanks."""
    flat = str(text)
    if not flat.isprintable():  # a line break is not printable either
        flat = "".join(char if char.isprintable() else " " for char in flat)
    flat = " ".join(flat.split())
    return clip(flat, chars) if chars else flat


def beginning(text: str, chars: int) -> str:
    """`text` verbatim; of a longer one its first `chars` characters and how many are missing."""
    return text if len(text) <= chars else f"{text[:chars]} […{len(text) - chars:,} more characters]"


def ending(text: str, chars: int) -> str:
    """At most `chars` characters of `text`, its end: cut between words where there are any, marked as cut."""
    if len(text) <= chars:
        return text
    cut = text[len(text) - max(0, chars - 1) :]
    space = cut.find(" ") + 1
    return "…" + (cut[space:] if space < chars // 2 else cut).lstrip()


def both_ends(text: str, chars: int) -> str:
    """`text` verbatim; of a longer one its two ends, together `chars` characters, and how many are missing between."""
    half = chars // 2
    if len(text) <= chars:
        return text
    return f"{text[:half]} […{len(text) - 2 * half:,} more characters…] {text[-half:]}"


def age(seconds: float) -> str:
    """A span for people: "40 s", "12 min", "5 h", "3 days"."""
    for size, unit, least in ((86_400, "days", 2), (3_600, "h", 1), (60, "min", 1)):
        if seconds >= size * least:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"
