"""How is text put into elements so that it comes back as it was, and nothing else comes back with it?

Rule: elements with plain attributes and escaped text, no more of XML. What XML cannot hold (most control characters) is
written as a number all the same: the reader (engine/shared/markup_reader.py) takes it, because what tools print holds
such characters. Source: requirement M (the formats' parsers).
"""

import functools
from typing import NamedTuple

from holdfast.text import late as re


class Element(NamedTuple):
    """One element: text or children, in a context never both."""

    tag: str
    children: tuple["Element", ...] = ()
    text: str = ""
    attributes: tuple[tuple[str, str], ...] = ()

    def all(self, tag: str) -> tuple["Element", ...]:
        """The children of this tag."""
        return tuple(child for child in self.children if child.tag == tag)

    def of(self, tag: str) -> str:
        """The text of the first child of this tag, "" when there is none."""
        return next((child.text for child in self.children if child.tag == tag), "")


_TO_ESCAPE = re.compile("([&<>\x00-\x08\x0b-\x1f\x7f\ufffe\uffff])")
IN_ATTRIBUTE = re.compile('([&<>"\x00-\x1f\x7f\ufffe\uffff])')


def escape(text: str, pattern: re.Pattern[str] = _TO_ESCAPE) -> str:
    """`text` as it stands between tags."""
    parts = pattern.split(text)
    parts[1::2] = map(_escaped, parts[1::2])
    return "".join(parts).encode("utf-8", "xmlcharrefreplace").decode()  # half a surrogate pair is no UTF-8


@functools.cache
def _escaped(sign: str) -> str:
    return {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}.get(sign) or f"&#{ord(sign)};"


def write(element: Element) -> str:
    """The element on lines of its own; nothing is indented, because blanks cost tokens and belong to texts."""
    shown = "".join(f' {name}="{escape(value, IN_ATTRIBUTE)}"' for name, value in element.attributes)
    start, end = f"<{element.tag}{shown}>", f"</{element.tag}>"
    if not element.children:
        return f"{start}{escape(element.text)}{end}"
    inner = "\n".join(write(child) for child in element.children)
    return f"{start}\n{inner}\n{end}"
