"""How is a context written in lines, and read back: the micro format and the compressed one?

Rule: micro is YAML, a line for a field and one for each item of a list, for people and agents alike. Compressed puts
each field on one line with `|` between its items; nothing in it is for looks. Both give back exactly what was
written, whatever characters it holds. A compressed field has `=` where a micro one has `: `, so that a reader tells
the two apart. Names are in lower case, not in capitals as the source has them: capitals made the compressed form of
a small context dearer than micro. Source: requirement M.
"""

import json
import re
from typing import Any

from holdfast.engine.shared.context import KINDS, LIST, PAIRS, TEXT, Context, Value, built, filled
from holdfast.errors import BadInput
from holdfast.hot import jsonc
from holdfast.text.markup import check_size

# What YAML reads as something else than these very words, plus what would end the value early.
_NOT_PLAIN = re.compile(
    r"[\s\-?:,\[\]{}#&*!|>'\"%@`~=<.]|.*(?::(?:\s|$)|\s#|\s$)"
    r"|(?i:null|true|false|yes|no|on|off|y|n)$|[+\d][\da-fA-FoOxX_.,:eE+-]*$",
    re.DOTALL,
)


def micro(context: Context) -> str:
    """The context as YAML. Texts that YAML would read otherwise stand in quotes, as JSON writes them."""
    lines = []
    for name, value in filled(context).items():
        if isinstance(value, str):
            lines.append(f"{name}: {_scalar(value)}")
            continue
        lines.append(f"{name}:")
        lines += [f"- {_scalar(item) if isinstance(item, str) else ': '.join(map(_scalar, item))}" for item in value]
    return "\n".join(lines)


def _scalar(text: str) -> str:
    if text and text.isprintable() and not _NOT_PLAIN.match(text):
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def read_micro(text: str) -> Context:
    """The context of a micro text. Raises BadInput with the line that is wrong."""
    check_size(text, "micro context")
    fields: dict[str, Value] = {}
    items: dict[str, list[Any]] = {}
    name = ""
    for number, line in enumerate(text.split("\n"), 1):
        where = f"micro context, line {number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("- ") and name in items:
            items[name].append(_item(line[2:], KINDS[name], where))
            continue
        key, _, rest = line.partition(":")
        name = _known(key, fields, where)
        fields[name] = _value(rest, where) if KINDS[name] == TEXT else _no_rest(rest, where)
        if KINDS[name] != TEXT:
            items[name] = []
    return built({**fields, **{name: tuple(found) for name, found in items.items()}}, "micro context")


def _known(key: str, fields: dict[str, Value], where: str) -> str:
    if key not in KINDS:
        raise BadInput(f"no field {key[:40]!r}", where, f"Fields are {', '.join(KINDS)}")
    if key in fields:
        raise BadInput(f"{key} stands twice", where, "Write each field once")
    return key


def _no_rest(rest: str, where: str) -> Value:
    if rest.strip():
        raise BadInput("a list begins on its own line", where, 'Write each item on a line that begins with "- "')
    return ()


def _item(text: str, kind: str, where: str) -> str | tuple[str, str]:
    if kind == LIST:
        return _value(text, where)
    first, rest = _quoted(text, where) if text.startswith('"') else ("", text)
    if text.startswith('"') and rest.startswith(": "):
        return first, _value(rest[2:], where)
    key, colon, rest = text.partition(": ")
    if text.startswith('"') or not colon:
        raise BadInput("an item here has a name and a text", where, 'Write "- name: text"')
    return key, _value(rest, where)


def _value(text: str, where: str) -> str:
    text = text.strip(" ")
    if not text.startswith('"'):
        return text
    value, rest = _quoted(text, where)
    if rest.strip():
        raise BadInput("text after the closing quote", where, "Put the whole value into the quotes")
    return value


def _quoted(text: str, where: str) -> tuple[str, str]:
    """The quoted text that stands at the beginning, and what follows it."""
    try:
        value, end = jsonc.scan(text, 0)
    except (StopIteration, ValueError):
        raise BadInput("a quote is not closed", where, 'Close it, or write quotes within as \\"') from None
    return str(value), text[end:]


_SPECIAL = re.compile(r"[\\|\n\r]")
_ESCAPES = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"}
_MEANT = {"n": "\n", "r": "\r"}
_PIECE = re.compile(r"(?:[^\\|]|\\.)*", re.DOTALL)
_PAIR = re.compile(r"((?:[^\\:]|\\.)*):(.*)", re.DOTALL)


def compressed(context: Context) -> str:
    """The context with one line for each field."""
    return "\n".join(f"{name}={_joined(value)}" for name, value in filled(context).items())


def _joined(value: Value) -> str:
    if isinstance(value, str):
        return _escaped(value)
    return "|".join(_escaped(one) if isinstance(one, str) else _pair(one) for one in value)


def _pair(pair: tuple[str, str]) -> str:
    name = _escaped(pair[0]).replace(":", "\\:")
    return f"{name}:{_escaped(pair[1])}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ESCAPES[found.group()], text)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _MEANT.get(found[1], found[1]), text, flags=re.DOTALL)


def read_compressed(text: str) -> Context:
    """The context of a compressed text. Raises BadInput with the line that is wrong."""
    check_size(text, "compressed context")
    fields: dict[str, Value] = {}
    for number, line in enumerate(text.split("\n"), 1):
        where = f"compressed context, line {number}"
        if not line.strip() or line.startswith("#"):
            continue
        key, _, rest = line.partition("=")
        name = _known(key, fields, where)
        fields[name] = _split(rest, KINDS[name], where)
    return built(fields, "compressed context")


def _split(text: str, kind: str, where: str) -> Value:
    if kind == TEXT:
        return _plain(text)
    pieces, at = [], 0
    while at <= len(text):
        found = _PIECE.match(text, at)
        pieces.append(found.group() if found else "")
        at += len(pieces[-1]) + 1
    return tuple(map(_plain, pieces)) if kind != PAIRS else tuple(_parted(piece, where) for piece in pieces)


def _parted(piece: str, where: str) -> tuple[str, str]:
    found = _PAIR.fullmatch(piece)
    if not found:
        raise BadInput(f"{piece[:40]!r} has no name", where, "Write name:text")
    return _plain(found[1]), _plain(found[2])
