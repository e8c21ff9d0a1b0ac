"""Elements as text/markup.py writes them, read.

Rule: no declarations, no entities but the five and numbers, no processing instructions, no CDATA; depth, length and
number are bounded. So there is nothing that expands and nothing that is fetched. Source: requirement M.
"""

import re
from typing import NamedTuple, NoReturn

from holdfast.errors import BadInput
from holdfast.text.markup import Element


def check_size(text: str, where: str) -> None:
    """Raise BadInput for a text that is longer than any context of an agent."""
    if len(text) > 2_000_000:
        raise BadInput(f"{len(text):,} characters, at most 2,000,000", where, "Hand in one context")


_TAG = re.compile(
    r"<(/?)([A-Za-z_][\w.-]{0,60})((?:\s+[A-Za-z_][\w.-]{0,60}=\"[^\"<]*\")*)\s*(/?)>|<!--.*?-->", re.DOTALL
)
_ATTRIBUTE = re.compile(r"(?<![\w.-])([\w.-]++)=\"([^\"<]*+)\"")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(\w{1,8}));|&")


class _Open(NamedTuple):
    """An element whose end has not been seen."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: list[Element]
    texts: list[str]


def read(text: str) -> Element:
    """The one element of a text. Raises BadInput with the character at which it is wrong."""
    check_size(text, "marked text")
    root = _Open("", (), [], [])
    stack, at, count = [root], 0, 0
    while at < len(text):
        start = text.find("<", at)
        start = len(text) if start < 0 else start
        stack[-1].texts.append(text[at:start])
        if start == len(text):
            break
        found = _TAG.match(text, start)
        if not found:
            _refuse("no tag that a context has", start, "Write & and < in texts as &amp; and &lt;; no <!…>, no <?…>")
        count += found[1] != "/"
        if len(stack) > 12 or count > 20_000:
            _refuse("deeper than 12 or more than 20000 elements", start, "Hand in one context")
        _tag(found, stack, start)
        at = found.end()
    if len(stack) > 1 or len(root.children) != 1 or "".join(root.texts).strip():
        _refuse("not one whole element", len(text), "Hand in one element, with nothing before or after it")
    return root.children[0]


def _tag(found: re.Match[str], stack: list[_Open], at: int) -> None:
    closing, tag, attributes, empty = found.groups()
    if tag is None:  # a comment
        return
    if not closing:
        named = tuple((name, _unescaped(value, at)) for name, value in _ATTRIBUTE.findall(attributes))
        stack.append(_Open(tag, named, [], []))
    if closing or empty:
        if len(stack) < 2 or stack[-1].tag != tag:
            _refuse(f"</{tag}> closes nothing that is open", at, "Close each element once, the inner ones first")
        done = stack.pop()
        stack[-1].children.append(_closed(done, at))


def _closed(done: _Open, at: int) -> Element:
    text = "".join(done.texts)
    if done.children and text.strip():
        _refuse(f"<{done.tag}> has text beside its elements", at, "Put the text into an element of its own")
    return Element(done.tag, tuple(done.children), "" if done.children else _unescaped(text, at), done.attributes)


def _unescaped(text: str, at: int) -> str:
    named = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

    def meant(found: re.Match[str]) -> str:
        decimal, hexadecimal, name = found.groups()
        number = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else -1
        if name in named:
            return named[name]
        if not 0 <= number <= 0x10FFFF:
            _refuse(f"{found.group()!r} is no entity known here", at, "Write & as &amp;")
        return chr(number)

    return _ENTITY.sub(meant, text) if "&" in text else text


def _refuse(what: str, at: int, todo: str) -> NoReturn:
    raise BadInput(what, f"marked text, character {at}", todo)
