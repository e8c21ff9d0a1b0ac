"""Which words of a text are secrets, and what stands in their place?

Rule: the formats that makers of keys and tokens gave them anywhere (_data/secret_rules.json, a public table, and the
`formats` of _data/secret_shapes.json), and the value after a name such as `password=`, in a header, a URL, a command or
a connection string (`told` there) where it is no placeholder, no expression and no plain word (`shapes`). What is taken
out leaves a visible mark, `[redacted: AWS key]`. Hashes, UUIDs, base64 images and integrity values of lock files have
no such beginning and no such name, and stay. Where prose stands as well (after a colon, "is", in a table, or further on
in the line) the value must look like no word, version or commit. Twice gives the same as once. Requirement J10.

Every text passes here before it is cut: half a key is no key to any rule. Whoever takes words out of a transcript, a
file or a command calls `redacted` first.

Patterns are compiled when a text has what they need, and read small letters: ten times as fast as leaving case aside.
"""

import bisect
import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from holdfast.text import encoded, secret_table
from holdfast.text.identifiers import EXTENSIONS

Json = TypeVar("Json")


_Format = tuple[str, str, bool]
"""A maker's own: kind, pattern, whether it begins where no word goes on. Its group `value`, else all, is secret."""
_Told = tuple[str, tuple[str, ...], str, str]
"""Behind a name, in small letters: kind, hints, form (how the group `value` must look), pattern."""
_Pointers = dict[str, list[int]]
"""What must stand in a text, and the places of the formats or rows that may then say something."""


class _Tables(NamedTuple):
    formats: list[_Format]
    told: list[_Told]
    blocks: _Pointers
    """Beginnings of formats of several lines."""
    starts: list[tuple[bool, str, _Pointers]]
    """Beginnings of the others, by whether they have a capital letter, and a sign that they have."""
    words: list[tuple[str, _Pointers]]
    """What a row of `told` needs, below a part that several have in common."""
    shapes: dict[str, str]


SHORTEST = 15
"""Characters of the shortest word that is a key by its format alone."""
_has_digit = re.compile("[0-9]").search
BLOCKS = ("-----BEGIN", "KEY-----", "PuTTY-User", "Private-Lines", "FlyV1 ")
PARTS = ("@", "sql", "mongo", "smb", "pdp")
BEFORE = 200
"""Characters of a name and what may stand between it and its value, at most: none is looked for sooner in a value."""
CROWDED = 2_000, 40
"""A word of more characters, over each of which a format would be tried more often than this, is nobody's prose."""


@functools.cache
def _tables() -> _Tables:
    own, public = secret_table.load()
    name, edge = own["shapes"]["name"][1], own["shapes"]["edge"][1]
    shapes = {key: pattern.replace("{name}", name) for key, (_, pattern) in own["shapes"].items()}
    told = [(kind, tuple(hints), form, text.replace("{name}", name)) for kind, hints, form, text in own["told"]]
    formats, starts = list[_Format](), _Pointers()
    for kind, hints, pattern in [*own["formats"], *public]:
        # The edge is looked at where the rest fits: five times as fast.
        has_edge = pattern.startswith(edge) or (len(formats) < len(own["formats"]) and kind != "private key")
        for hint in hints:
            starts.setdefault(hint, []).append(len(formats))
        formats.append((kind, pattern.removeprefix(edge), has_edge))
    blocks = {hint: starts.pop(hint) for hint in BLOCKS}
    sorts: dict[tuple[bool, str], _Pointers] = {}
    for hint, places in starts.items():
        sign = next((sign for sign in "_-" if sign in hint), "")
        sorts.setdefault((hint != hint.lower(), sign), {})[hint] = places
    return _Tables(formats, told, blocks, [(*sort, found) for sort, found in sorts.items()], _words(told), shapes)


def _words(told: list[_Told]) -> list[tuple[str, _Pointers]]:
    """What the rows need, each looked for only where a shorter part of it stands."""
    needed = _Pointers()
    for place, row in enumerate(told):
        for hint in row[1] or secret_table.NAMES:
            needed.setdefault(hint, []).append(place)
    parts: dict[str, _Pointers] = {}
    for hint in sorted(needed, key=len):
        part = next((part for part in (*PARTS, *parts) if part in hint), hint)
        parts.setdefault(part, {})[hint] = needed[hint]
    return list(parts.items())


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def _shape(name: str) -> re.Pattern[str]:
    return _compiled(_tables().shapes[name])


def redacted(text: str) -> str:
    """`text` with a mark in the place of each secret."""
    return _short(text) if len(text) < 200 else _redacted(text)


def _redacted(text: str) -> str:
    tables = _tables()
    if begun := _begun(text):
        for word in dict.fromkeys(word for word in text.split() if len(word) > CROWDED[0]):
            text = _thinned(text, word, begun)
        for kind, pattern, has_edge in (tables.formats[place] for place in sorted(begun)):
            text = _compiled(pattern).sub(functools.partial(_marked, kind, has_edge), text)
    text = encoded.marked(text, secrets) if len(text) > encoded.SHORTEST else text
    low = _small(text)
    rows = [tables.told[place] for place in sorted(_pointed(low))]
    if rows and not _has_digit(low):  # no word behind a name is a secret without one
        rows = [row for row in rows if row[2] not in ("spoken", "far")]
    for row in rows:
        clean = _without(text, low, row)
        text, low = (text, low) if clean is text else (clean, _small(clean))
    return text


_short = functools.lru_cache(maxsize=4_096)(_redacted)


def redacted_end(text: str, lines: int) -> str:
    """The last lines of a text with such marks, and some before them: a name may stand above its value.

    Only a key of many lines may have begun above those: where one points to that, all of the text is looked at.
    """
    if not any(sign in text for sign in BLOCKS):
        text = "\n".join(text.rstrip().rsplit("\n", lines + 5)[-lines - 5 :])
    return redacted(text)


def _begun(text: str) -> set[int]:
    """The places of the formats that may stand in a text: in one of its words, or by a beginning of several lines."""
    tables = _tables()
    found = {place for hint, places in tables.blocks.items() if hint in text for place in places}
    long = {word for word in text.split() if len(word) >= SHORTEST and (not word.islower() or _has_digit(word))}
    if not long:
        return found
    is_crowded = any(len(word) > CROWDED[0] for word in long)
    capital = [word for word in long if not word.islower()]
    for has_capital, sign, starts in tables.starts:
        words = " ".join([word for word in (capital if has_capital else long) if sign in word])
        hints = [hint for hint in starts if hint in words] if words else ()
        begun = {place for hint in hints for place in starts[hint]}
        found |= {place for place in begun if is_crowded or _compiled(tables.formats[place][1]).search(words)}
    return found


def _pointed(low: str) -> set[int]:
    """The places of the rows of which a word stands in a text in small letters."""
    parts = (hints for part, hints in _tables().words if part in low)
    return {place for hints in parts for hint, places in hints.items() if hint in low for place in places}


def _next(pattern: re.Pattern[str], names: list[int], low: str, at: int) -> re.Match[str] | None:
    """Where a pattern matches next that begins with a name: it is tried at the names alone."""
    for place in range(bisect.bisect_left(names, at), len(names)):
        if found := pattern.match(low, names[place]):
            return found
    return None


@functools.lru_cache(maxsize=1)
def _names(low: str) -> list[int] | None:
    """Where a name of a secret may begin; None where these are so many that a look at each place costs less."""
    found = list[int]()
    for name in secret_table.NAMES:
        at = low.find(name)
        while at >= 0:
            found.append(at)
            if len(found) > len(low) // 50 + 5:
                return None
            at = low.find(name, at + 1)
    return sorted(found)


def _thinned(text: str, word: str, begun: set[int]) -> str:
    """Without a word in which a key might begin at very many places: each would be tried to its end."""
    tables = _tables()
    tried = ((hint, place) for _, _, starts in tables.starts for hint in starts for place in starts[hint])
    for hint, place in tried:
        kind, pattern, _ = tables.formats[place]
        if place in begun and word.count(hint) * _reach(pattern) > CROWDED[1] * len(word):
            return text.replace(word, _mark(kind))
    return text


@functools.cache
def _reach(pattern: str) -> int:
    """Over how many characters it is tried from one place, about: as many as one part of it may repeat."""
    return max(map(int, re.findall(r"[{,](\d+)\}", pattern)), default=1)


def redacted_in(value: Json) -> Json:
    """A JSON value with a mark in the place of each secret in its texts, also of one that its key tells; keys stay."""
    if isinstance(value, str):
        return redacted(value)  # type: ignore[return-value]  # a text for a text
    if isinstance(value, Mapping):
        return {key: _under(str(key), redacted_in(one)) for key, one in value.items()}  # type: ignore[return-value]
    if isinstance(value, (list, tuple)):
        return type(value)(map(redacted_in, value))
    return value


def _under(key: str, value: object) -> object:
    """A value of a key; the mark in its place where only both together say that it is secret."""
    if not isinstance(value, str) or len(value) > 500 or not any(name in key.lower() for name in secret_table.NAMES):
        return value
    kinds = secrets(f'"{key}": "{value.replace(chr(34), "!")}"')
    return _mark(kinds[0]) if kinds else value


def secrets(text: str) -> list[str]:
    """What kinds of secrets a text holds, each once; [] for none."""
    known = _shape("mark").findall(text)
    return list(dict.fromkeys(mark for mark in _shape("mark").findall(redacted(text)) if mark not in known))


def without_marks(text: str) -> str:
    """What is left of a redacted text beside the marks."""
    return _shape("mark").sub("", text)


def _small(text: str) -> str:
    """In small letters, every letter in its place."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate({ord("İ"): "i"}).lower()


class Value(NamedTuple):
    """What may be a secret, and where it stands. found: the match in small letters; whole: the text itself."""

    text: str
    kind: str
    hints: tuple[str, ...]
    found: re.Match[str]
    whole: str

    @property
    def name(self) -> str:
        """The name that it has, as it is written."""
        return self.whole[slice(*self.found.span("name"))]

    @property
    def before(self) -> str:
        """What stands before that, in small letters."""
        return self.found.string[max(0, self.found.start() - 100) : self.found.start()]


def _without(text: str, low: str, row: _Told) -> str:
    """The text without the values that are meant; itself where there are none. low: in small letters."""
    usual, hints, form, pattern = row[0], row[1], _FORMS[row[2]], _compiled(row[3])
    parts, done, at, names = list[str](), 0, 0, None if hints else _names(low)
    is_quoted, is_named = "double" in pattern.groupindex, "name" in pattern.groupindex
    while found := pattern.search(low, at) if names is None else _next(pattern, names, low, at):
        at = max(found.end(), found.start() + 1)
        start, end = found.span(
            next(one for one in ("double", "single", "bare") if found[one]) if is_quoted else "value"
        )
        if start < done:
            continue
        called = found["name"] if is_named else ""
        sort = "password" if called.startswith(("passw", "passp", "passc")) else usual
        if form(Value(text[start:end], sort, hints, found, text)):
            parts += [text[done:start], _mark(sort)]
            done, at = end, max(at, end - BEFORE)
    return "".join([*parts, text[done:]]) if done else text


def _mark(kind: str) -> str:
    return f"[redacted: {kind}]"


def _marked(kind: str, has_edge: bool, found: re.Match[str]) -> str:
    """The match with a mark in the place of its value; the match where it is the end of a word."""
    at = found.start()
    if has_edge and not _compiled(rf"{_tables().shapes['edge']}\Z").search(found.string, max(0, at - 90), at) and at:
        return found[0]
    if "value" not in found.re.groupindex:
        return _mark(kind)
    start, end = (place - at for place in found.span("value"))
    return found[0][:start] + _mark(kind) + found[0][end:]


def _cookie(value: Value) -> bool:
    """All of a header's cookies, where the first is one that names a session."""
    return _is_random(value.text.partition("=")[2].partition(";")[0], value.kind)


def _command(value: Value) -> bool:
    """An argument of one of the commands that the row names."""
    begun = value.found.string[max(0, value.found.start() - 300) : value.found.start()]
    for end in "|;&\n":
        begun = begun.rpartition(end)[2]
    is_port = not value.text.strip("0123456789:.")
    return any(hint in begun for hint in value.hints) and not is_port and not _is_hollow(value.text, value.kind)


def _pgpass(value: Value) -> bool:
    """The last field of a line of ~/.pgpass, with its host before it; a compiler's place in a file looks similar."""
    line, ends = value.before.rpartition("\n")[2], value.found["end"] in ("", "\n")
    host = _shape("host").search(line)
    is_file = host and host["end"] and host["end"] in EXTENSIONS.split("|")
    is_host = (host and not is_file) or (ends and _shape("alone").match(line))
    return bool(is_host) and not _is_hollow(value.text, value.kind)


def _assigned(value: Value) -> bool:
    """After a name and a sign: `password = …`, `"token": "…"`, a cell of a table."""
    found, text, kind = value.found, value.text, value.kind
    sign, is_quoted, is_pass = found["sign"], not found["bare"], found["name"] == "pass"
    if is_quoted or sign == "=":
        if found["name"] == "pwd" and text.startswith(("/", "~", "$", ".")):
            return False  # the shell's own folder
        is_short = len(text) < 6 and kind != "password" and not is_pass
        # Only of these two a sentence is the secret itself.
        said = text.replace(" ", "-") if is_quoted and found["name"] in ("psk", "passphrase") else text
        return not is_short and not _is_hollow(said, kind)
    if not _is_random(text, kind):
        return False
    if is_pass and (value.name == "PASS" or not _shape("field").search(value.before)):
        # after a colon it is nearly always a test that passed
        return _is_strong(text, kind) if value.name != "PASS" else value.before.endswith("_")
    return "|" not in sign or _is_strong(text, kind)


def _spoken(value: Value) -> bool:
    """After a name in prose, or after an option of a command: `password for staging is …`, `--password …`."""
    found, text, kind = value.found, value.text, value.kind
    if not _is_random(text, kind) or _shape("argument").match(text):
        return False
    if _is_strong(text, kind) or found["verb"]:
        return _is_strong(text, kind) or (found["verb"] == " is" and found["end"] is not None)
    is_login = value.name.startswith("pass") and _shape("login").search(value.before)
    return bool(is_login or _shape("flag").search(value.before[-42:]))


def _far(value: Value) -> bool:
    """Further on in a line that names one, in whatever words: only what nobody would write as a word or a name."""
    text = value.text.rstrip(".,:;!?*_")
    return _is_strong(text, value.kind) and not _shape("number").match(text) and _is_unspeakable(text)


@functools.lru_cache(maxsize=4_096)
def _is_hollow(text: str, kind: str) -> bool:
    """Whether it is a placeholder, an expression or a sentence."""
    is_word = " " in text.strip() or (text.isdecimal() and kind != "password")
    return bool(is_word or _shape("hollow").match(text) or _shape("expression").match(text))


@functools.lru_cache(maxsize=4_096)
def _is_random(text: str, kind: str) -> bool:
    """For places where prose stands as well: only what has letters and digits or signs mixed, and is no path."""
    is_password = kind == "password"
    mixed = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    mixed = mixed and (is_password or not _shape("names a thing").match(text))
    told = is_password and (text.isdecimal() or _shape("signed").match(text))
    random = len(text) >= 6 and (mixed or told) and not text.startswith(("/", "./", "~/"))
    return bool(random) and not _is_hollow(text, kind)


@functools.lru_cache(maxsize=4_096)
def _is_strong(text: str, kind: str) -> bool:
    """For places where mostly prose stands: only what no word looks like."""
    cases = any(map(str.isupper, text)) and any(map(str.islower, text)) and len(text) >= 8
    is_name = _shape("names a thing").match(text) or _shape("product").match(text)
    return (cases or len(text) >= 16) and not is_name and _is_random(text, kind)


@functools.lru_cache(maxsize=4_096)
def _is_unspeakable(value: str) -> bool:
    """Whether its characters differ as those of a random text do, and its letters stand in no runs as in words.

    Bits by character (Shannon), at least 3; letters between digits, signs and changes of case, fewer than 3 on average.
    """
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
    runs = _shape("run of letters").findall(value)
    return bits >= 3 and bool(runs) and sum(map(len, runs)) < 3 * len(runs)


_FORMS: dict[str, Callable[[Value], bool]] = {
    "any": lambda value: not _is_hollow(value.text, value.kind),
    "random": lambda value: _is_random(value.text, value.kind),
    "cookie": _cookie,
    "command": _command,
    "pgpass": _pgpass,
    "assigned": _assigned,
    "spoken": _spoken,
    "far": _far,
}
"""Whether a value is one that is meant, by the name that the table has for how it must look."""
