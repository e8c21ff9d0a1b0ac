"""Which words of a text are secrets, and what stands in their place?

Rule: the formats that makers of keys and tokens gave them anywhere (_data/secret_rules.json, a public table, and the
`formats` of _data/secret_shapes.json), and the value after a name such as `password=`, a header or an option (`told`
there) where it is no placeholder, no expression and no plain word (`shapes`). What is taken out leaves a visible mark,
`[redacted: AWS key]`. Hashes, UUIDs, base64 images and integrity values of lock files have no such beginning and no
such name, and stay. Where prose stands as well (after a colon, "is", or in a table) the value must look like no word,
version or commit. Twice gives the same as once. Source: requirement J10.

Patterns are compiled when a text has a beginning or a word that they need: most texts have none.
"""

import functools
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from holdfast.hot import jsonc
from holdfast.hot.files import read_bytes

_DATA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_data")
_MARK = "[redacted: {}]"
_SHORTEST, _STRONG, _LONG = 6, 8, 16
"""Characters of a value: with letters and digits, in both cases as well, in one case."""


class _Tables(NamedTuple):
    formats: tuple[tuple[str, tuple[str, ...], str], ...]
    """What it is, beginnings of which one stands in it, the pattern; its group `value`, else all of it, is secret."""
    told: tuple[tuple[str, tuple[str, ...], str, str], ...]
    """What it is, words of which one stands before it (small letters), how the value must look, name and value."""
    shapes: dict[str, str]


@functools.cache
def _tables() -> _Tables:
    own: dict[str, Any] = jsonc.loads_object(read_bytes(f"{_DATA}/secret_shapes.json"))
    public: list[Any] = jsonc.loads(read_bytes(f"{_DATA}/secret_rules.json").decode())
    formats = tuple((name, tuple(hints), pattern) for name, hints, pattern in [*own["formats"], *public])
    told = tuple((kind, tuple(hints), form, pattern) for kind, hints, form, pattern in own["told"])
    return _Tables(formats, told, {name: pattern for name, (_, pattern) in own["shapes"].items()})


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def _shape(name: str) -> re.Pattern[str]:
    return _compiled(_tables().shapes[name])


def redacted(text: str) -> str:
    """`text` with a mark in the place of each secret."""
    for name, hints, pattern in _tables().formats:
        if any(hint in text for hint in hints):  # looking for these takes a tenth of the time
            text = _compiled(pattern).sub(functools.partial(_marked, name), text)
    if "://" in text:
        text = _shape("url").sub(functools.partial(_told, _unless_hollow, "password"), text)
    text = _without_named(text)
    low = text.lower()
    for kind, hints, form, pattern in _tables().told:
        if any(hint in low for hint in hints):
            text = _compiled(pattern).sub(functools.partial(_told, _FORMS[form], kind), text)
    return text


def secrets(text: str) -> list[str]:
    """What kinds of secrets a text holds, each once; [] for none."""
    known = _shape("mark").findall(text)
    return list(dict.fromkeys(mark for mark in _shape("mark").findall(redacted(text)) if mark not in known))


def may_hold(text: str) -> bool:
    """False where `redacted` would take nothing out of any part of this: of most texts, in a fraction of the time."""
    low = text.lower()
    if "://" in text or _shape("name").search(text) or any(hint in low for row in _tables().told for hint in row[1]):
        return True
    rows = (pattern for _, hints, pattern in _tables().formats if any(hint in text for hint in hints))
    return any(_compiled(pattern).search(text) for pattern in rows)


def without_marks(text: str) -> str:
    """What is left of a redacted text beside the marks."""
    return _shape("mark").sub("", text)


def _marked(name: str, found: re.Match[str]) -> str:
    """The match with a mark in the place of its value."""
    if "value" not in found.re.groupindex:
        return _MARK.format(name)
    start, end = (place - found.start() for place in found.span("value"))
    return found[0][:start] + _MARK.format(name) + found[0][end:]


def _told(form: Callable[[str, str], str], kind: str, found: re.Match[str]) -> str:
    return found["name"] + form(found["bare"], kind)


def _without_named(text: str) -> str:
    """Without the values after names. The patterns are tried where a name stands only: a third of the time."""
    parts, done = [], 0
    for spot in _shape("name").finditer(text):
        if spot.start() < done:
            continue
        for shape, form in (("assigned", _assigned), ("spoken", _spoken)):
            found = _shape(shape).match(text, spot.start())
            told = form(found) if found else ""
            if found and told != found[0]:
                parts += [text[done : found.start()], told]
                done = found.end()
                break
    return "".join([*parts, text[done:]])


def _assigned(found: re.Match[str]) -> str:
    group = next(name for name in ("double", "single", "bare") if found[name])
    before = found[0][: found.start(group) - found.start()]
    kind = "password" if before.lower().startswith(("passw", "passp")) else "secret"
    form = _unless_hollow if group != "bare" or found["sign"] == "=" else _if_random
    if form is _if_random and found["name"].lower() == "pass" and not _is_field(found):
        if found["name"] == "PASS":
            return found[0]
        form = _if_strong
    return before + (_if_strong if "|" in found["sign"] else form)(found[group], kind)


def _is_field(found: re.Match[str]) -> bool:
    """Whether this "pass" is a password's name; after a colon it is nearly always a test that passed."""
    before = found.string[max(0, found.start() - 80) : found.start()]
    return bool(_shape("field").search(before)) and (found["name"] != "PASS" or before.endswith("_"))


def _spoken(found: re.Match[str]) -> str:
    """After a name in prose, or after an option of a command: `password for staging is …`, `--password …`."""
    start = found.start()
    if _shape("argument").match(found["bare"]):
        return found[0]
    before = found.string[max(0, start - 100) : start]
    is_login = found["name"].startswith("pass") and _shape("login").search(before)
    meant = not found["verb"] and (_shape("flag").search(before[-42:]) or is_login)
    form = _if_random if meant or (found["verb"] == " is" and found["end"] is not None) else _if_strong
    return found["name"] + form(found["bare"], "secret") + found["after"]


def _unless_hollow(value: str, kind: str) -> str:
    """For places where a value is meant as it stands: anything but a placeholder, an expression, a sentence."""
    is_word = " " in value.strip() or (value.isdecimal() and kind != "password")
    hollow = is_word or _shape("hollow").match(value) or _shape("expression").match(value)
    return value if hollow else _MARK.format(kind)


def _if_random(value: str, kind: str) -> str:
    """For places where prose stands as well: only what has letters and digits or signs mixed, and is no path."""
    digits = any(map(str.isdigit, value))
    mixed = digits and any(map(str.isalpha, value)) and (kind == "password" or not _shape("names a thing").match(value))
    told = kind == "password" and (value.isdecimal() or _shape("signed").match(value))
    random = len(value) >= _SHORTEST and (mixed or told)
    return _unless_hollow(value, kind) if random and not value.startswith(("/", "./", "~/")) else value


def _if_strong(value: str, kind: str) -> str:
    """For places where mostly prose stands: only what no word looks like."""
    cases = any(map(str.isupper, value)) and any(map(str.islower, value)) and len(value) >= _STRONG
    is_strong = (cases or len(value) >= _LONG) and not _shape("names a thing").match(value)
    return _if_random(value, kind) if is_strong else value


def _cookie(value: str, kind: str) -> str:
    """All of a header's cookies, where the first is one that names a session."""
    first = value.partition("=")[2].partition(";")[0]
    return value if _if_random(first, kind) == first else _MARK.format(kind)


_FORMS: dict[str, Callable[[str, str], str]] = {"any": _unless_hollow, "random": _if_random, "cookie": _cookie}
"""How the value after a telling word must look, by the name that the table has for it."""
