"""Which words of a text are secrets, and what stands in their place?

Rule: the formats that makers of keys and tokens gave them anywhere (_data/secret_rules.json, a public table, and the
`formats` of _data/secret_shapes.json), and the value after a name such as `password=`, in a header, a URL, a command or
a connection string (`told` there) where it looks like one (secret_values.py). What is taken out leaves a visible mark,
`[redacted: AWS key]`. Hashes, UUIDs, base64 images and integrity values of lock files have no such beginning and no
such name, and stay. Twice gives the same as once. Requirement J10.

Every text passes here before it is cut, first of all: half a key is no key to any rule.

Patterns are compiled when a text has what they need, and read small letters: ten times as fast as leaving case aside.
Each place is looked at a bounded number of times; of what stands closer than in any text of people's, all goes unseen.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from holdfast.text import encoded, secret_table, secret_tables
from holdfast.text import late as re
from holdfast.text.secret_values import FORMS, Value, compiled, is_unlike_words, shape, small, with_names

Json = TypeVar("Json")
_Format = tuple[str, str, str]
"""A maker's own: kind, pattern, what must stand before it (EDGES). Its group `value`, else all, is secret."""
_ALWAYS = r"|(?:(?<![0-9A-Za-z+/])|\\n)\+{1,3}|\[[0-9;]{0,80}m"
EDGES = {"": "", "edge": _ALWAYS, "joint": rf"{_ALWAYS}|[_-]|(?<!\S)-[A-Za-z]"}
"""Where a format begins that must not stand within a word -> where else: in a line that a diff adds, and behind a
colour however its first sign is written. joint: one whose first letters tell enough may stand behind a hyphen, as in a
file's name or a branch, or behind an option's letter."""
_Span = tuple[int, int, str]
"""A place in a text that is secret, from and to, and what it is."""
_Pointers = dict[str, list[int]]
"""What must stand in a text, and the places of the formats or rows that may then say something."""


class _ValueRule(NamedTuple):
    """What stands behind a name or a word of its own, in small letters."""

    kind: str
    hints: tuple[str, ...]
    form: str
    """How the group `value` must look."""
    pattern: str
    behind: str
    """The pattern without the name that it begins with; "" where it begins with none."""


class _Tables(NamedTuple):
    formats: list[_Format]
    told: list[_ValueRule]
    blocks: _Pointers
    """Beginnings of formats of several lines."""
    starts: list[tuple[bool, str, _Pointers]]
    """Beginnings of the others, by whether they have a capital letter, and a sign that they have."""
    words: _Pointers
    """What the rows of `told` need."""


SHORTEST = 15
"""Characters of the shortest word that is a key by its format alone."""
_DIGIT = re.compile("[0-9]")
CROWDED = 2_000, 20
"""A word of more characters, over each of which a format would be tried more often than this, is nobody's prose."""
REST = 200
"""Where values stand too close, each goes unseen, with its name and what follows in its line, at most so much."""
FAR = 49
"""Characters between a name and the value, where the name is told in prose."""


@functools.cache
def _tables() -> _Tables:
    own, public = secret_table.load()
    edge, told = shape("edge").pattern, [_row(*row) for row in own["told"]]
    formats, starts = list[_Format](), _Pointers()
    for kind, hints, pattern in [*own["formats"], *public]:
        # The edge is looked at where the rest fits: five times as fast.
        has_edge = pattern.startswith(edge) or (len(formats) < len(own["formats"]) and kind != "private key")
        for hint in hints:
            starts.setdefault(hint, []).append(len(formats))
        sort = "joint" if min(map(len, hints)) >= 3 else "edge"  # fewer stand together in base64 by chance
        formats.append((kind, pattern.removeprefix(edge), sort * has_edge))
    words = _Pointers()
    for place, row in enumerate(told):
        for hint in row.hints or secret_table.NAMES:
            words.setdefault(hint, []).append(place)
    blocks = {hint: starts.pop(hint) for hint in secret_table.BLOCKS}
    sorts: dict[tuple[bool, str], _Pointers] = {}
    for hint, places in starts.items():
        sign = next((sign for sign in "_-" if sign in hint), "")
        sorts.setdefault((hint != hint.lower(), sign), {})[hint] = places
    return _Tables(formats, told, blocks, [(*sort, found) for sort, found in sorts.items()], words)


def _row(kind: str, hints: list[str], form: str, pattern: str) -> _ValueRule:
    """A row of the table, with its names in their place."""
    behind = pattern.removeprefix("(?P<name>{name})").removeprefix("{name}")
    behind = with_names(behind) if behind != pattern else ""
    return _ValueRule(kind, tuple(hints), form, with_names(pattern), re.sub(r"\?P<\w+>", "?:", behind))


def redacted(text: str) -> str:
    """`text` with a mark in the place of each secret; without colours, unseen letters and escapes that part one."""
    plain, found = _peeled(text), _marked_in(text)
    if len(plain) == len(text):
        return found
    if found != text:
        found = _TAIL.sub(r"\g<mark>", found)
        plain = _peeled(found)
    for _ in range(DEEP):
        plain = _peeled(plain)
    again = _marked_in(plain)
    return found if again == plain else again


def _marked_in(text: str) -> str:
    return _short(text) if len(text) < 200 else _redacted(text)


def _peeled(text: str) -> str:
    is_seen = text.isascii() and not any(sign in text for sign in ("\x1b", "u001", "\0"))
    plain = text if is_seen else _PASSED_OVER.sub("", text)
    return _ESCAPED.sub(lambda one: chr(int(one[1] or "2f", 16)), plain) if "\\" in plain else plain


DEEP = 3  # what is hidden in what is hidden; a text may have as many of those as it has signs
_UNSEEN = (
    "(?:(?:(?:\x1b|(?<!\\\\)\\\\++u001[bB])\\[|\x9b)[0-?]{0,80}[ -/]{0,9}[@-~]"
    "|(?:\x1b|(?<!\\\\)\\\\++u001[bB])(?:[]PX^_](?:[^\x07\x1b\\\\]|\\\\(?!u00(?:07|1[bB]))){0,2000}+"
    "(?:\x07|\x1b\\\\|\\\\u0007|\\\\u001[bB]\\\\++)|[ -/]{0,9}[0-Z^-~])"
    "|[\x00\xad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f]"
    "|[\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef])"
)
"""What a screen shows nothing of: colours and all else that steers a terminal (ECMA-48, 5.3 and 5.4), links' addresses,
NUL, and letters without width (Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, without fillers of
Korean and of music)."""
_NEEDLESS = r"(?<!\\)\\++(?:/|u00(2[67bBdDeEfF]|3[0-9aAcCdDeE]|[46][0-9a-fA-F]|5[0-9aAfF]|7[0-9aA]))"
"""What JSON may escape and need not (RFC 8259, section 7), with more backslashes where JSON stands in JSON."""
_PASSED_OVER, _ESCAPED = re.compile(_UNSEEN), re.compile(_NEEDLESS)
_REST = r"[^\s\"'`,;<>()\[\]{}|\\\x1b]{1,500}+"
_TAIL = re.compile(rf"(?P<mark>\[redacted: [^\]\n]{{1,40}}\])(?:(?:{_UNSEEN})++{_REST}|(?:{_NEEDLESS})(?:{_REST})?)++")
"""What goes on behind a mark with such a sign between: of a key whose length is open the first part is one too."""


def _redacted(text: str) -> str:
    tables = _tables()
    if begun := _begun(text):
        for word in dict.fromkeys(word for word in text.split() if len(word) > CROWDED[0]):
            text = _thinned(text, word, begun)
        for kind, pattern, edge in (tables.formats[place] for place in sorted(begun)):
            text = compiled(pattern).sub(functools.partial(_marked, kind, edge), text)
    text = encoded.marked(text, secrets) if len(text) > encoded.SHORTEST else text
    low = small(text)
    bare = shape("mark").sub("[redacted: ]", low)  # what a mark says of a kind names nothing
    pointed = {place for hint, places in tables.words.items() if hint in bare for place in places}
    rows = [tables.told[place] for place in sorted(pointed)]
    if rows and not _DIGIT.search(low):  # no word behind a name is a secret without one
        rows = [row for row in rows if row.form not in ("spoken", "far")]
    elif rows:
        text = secret_tables.marked(text, low, HIDDEN)
    for is_named, group in itertools.groupby(rows, lambda row: bool(row.behind)):
        some = tuple(group)
        text = _behind_names(text, some) if is_named else functools.reduce(_behind, some, text)
    return text


_short = functools.lru_cache(maxsize=4_096)(_redacted)


def without_cells(text: str, starts: set[int] | None = None) -> str:
    """A text of which a part is told, without what only a header far above it, in colours too, tells to be secret."""
    plain = _peeled(text)
    starts = starts if len(plain) == len(text) else None
    found = secret_tables.marked(plain, small(plain), HIDDEN, starts)
    return text if found == plain else found


def redacted_end(text: str, lines: int) -> str:
    """The last lines of a text with such marks, and some before them: a name may stand above its value.

    Only a key of many lines may have begun above those: where one points to that, all of the text is looked at.
    """
    if not any(sign in text for sign in secret_table.BLOCKS):
        text = "\n".join(without_cells(text).rstrip().rsplit("\n", lines + 5)[-lines - 5 :])
    return redacted(text)


def _begun(text: str) -> set[int]:
    """The places of the formats that may stand in a text: in one of its words, or by a beginning of several lines."""
    tables = _tables()
    found = {place for hint, places in tables.blocks.items() if hint in text for place in places}
    long = {word for word in text.split() if len(word) >= SHORTEST and (not word.islower() or _DIGIT.search(word))}
    if not long:
        return found
    is_crowded = any(len(word) > CROWDED[0] for word in long)
    capital = [word for word in long if not word.islower()]
    for has_capital, sign, starts in tables.starts:
        words = " ".join([word for word in (capital if has_capital else long) if sign in word])
        hints = [hint for hint in starts if hint in words] if words else ()
        begun = {place for hint in hints for place in starts[hint]}
        found |= {place for place in begun if is_crowded or compiled(tables.formats[place][1]).search(words)}
    return found


def _behind(text: str, row: _ValueRule) -> str:
    """The text without the values of a row."""
    low, pattern = small(text), compiled(row.pattern)
    found = _found(_near_names(text, low, row) if row.form == "far" else pattern.finditer(low), low)
    return _marked_at(text, _rest_of_lines(low, pattern) if found is None else _meant(text, row, found))


def _near_names(text: str, low: str, row: _ValueRule) -> Iterator[re.Match[str]]:
    """The matches of a row some characters behind a name, in its line, or behind such a match: its mark is a name."""
    import bisect  # rarely needed

    ends, last = [found.end() for found in shape("name of its own").finditer(low)], -1
    for found in compiled(row.pattern).finditer(low) if ends else ():
        place = bisect.bisect(ends, found.start()) - 1
        near = max(ends[place] if place >= 0 else -1, last)
        if 0 <= near >= found.start() - FAR and "\n" not in low[near : found.start()]:
            yield found
            start, end = found.span("value")
            last = end - 1 if is_unlike_words(text[start:end], row.kind) else last


def _behind_names(text: str, rows: tuple[_ValueRule, ...]) -> str:
    """The text without the values behind names. Where one of the rows says something is looked for once, for all."""
    low = small(text)
    found = _found(_any_of(rows).finditer(low), low)
    if found is None:
        return _marked_at(text, _rest_of_lines(low, _any_of(rows)))
    places = [one.start() for one in found]
    for row in rows if places else ():
        match = compiled(row.pattern).match
        spans = _meant(text, row, [one for place in places if (one := match(low, place))])
        if spans:
            text, places = _marked_at(text, spans), _moved(places, spans)
            low = small(text)
    return text


@functools.cache
def _any_of(rows: tuple[_ValueRule, ...]) -> re.Pattern[str]:
    """A name, where behind it one of the rows says something."""
    behind = "|".join(f"(?={row.behind})" for row in rows)
    return compiled(f"{shape('name').pattern}(?:{behind})")


def _found(matches: Iterator[re.Match[str]], low: str) -> list[re.Match[str]] | None:
    """The matches but before marks; None where they stand too close (in sessions 11 in 2,000 characters at most)."""
    most = 40 + len(low) // 40
    open_ones = (one for one in matches if "[redacted: " not in low[one.end() : one.end() + 16])
    found = list(itertools.islice(open_ones, most + 1))
    return found if len(found) <= most else None


def _rest_of_lines(low: str, pattern: re.Pattern[str]) -> list[_Span]:
    """What is taken out unseen: from each match, none of which is empty, to the end of the line that it ends in."""
    spans, done = list[_Span](), 0
    while found := pattern.search(low, done):
        start, end = found.span()
        done = low.find("\n", end, end + REST)
        done = done if done >= 0 else min(end + REST, len(low))
        spans.append((start, done, "secret"))
    return spans


def _marked_at(text: str, spans: Iterable[_Span]) -> str:
    """The text with marks in the place of some parts, which stand in their order."""
    parts, done = list[str](), 0
    for start, end, kind in spans:
        parts += [text[done:start], _mark(kind)]
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def _moved(places: Iterable[int], spans: list[_Span]) -> list[int]:
    """Where the places are when there are marks; without those that stood in what they replace."""
    moved, by, ahead = list[int](), 0, spans[::-1]
    for place in places:
        while ahead and place >= ahead[-1][1]:
            start, end, kind = ahead.pop()
            by += len(_mark(kind)) - (end - start)
        if not ahead or place < ahead[-1][0]:
            moved.append(place + by)
    return moved


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


def redacted_in(value: Json, above: str = "") -> Json:
    """A JSON value with a mark in the place of each secret in its texts, also of one that its key tells; keys stay."""
    if isinstance(value, str):
        clean = redacted(value)
        # within what a key above tells to hold secrets: as a cell below such a header
        return secret_tables.clean(clean, "", HIDDEN) if above else clean  # type: ignore[return-value]  # text for text
    if isinstance(value, Mapping):
        beside = {str(key).lower(): one for key, one in value.items()}
        named = {"value": str(beside.get("name") or beside.get("key") or "value")[-60:]}
        return {  # type: ignore[return-value]
            key: _under(named.get(str(key).lower(), str(key)), one, above) for key, one in value.items()
        }
    if isinstance(value, (list, tuple)):
        return type(value)(redacted_in(one, above) for one in value)
    return value


def _under(key: str, value: object, above: str) -> object:
    """A value of a key; the mark in its place where only both together say that it is secret."""
    if not isinstance(value, str):
        is_told = isinstance(value, (Mapping, list)) and shape("names what it holds").search(small(key))
        return redacted_in(value, key if is_told else above)
    clean, is_named = redacted_in(value, above), any(map(key.lower().__contains__, secret_table.NAMES))
    kinds = secrets(f'"{key}": "{clean.replace(chr(34), "!")}"') if is_named and len(clean) <= 500 else ()
    return _mark(kinds[0]) if kinds else clean


def redacted_answer(question: str, answer: str) -> str:
    """What was answered, with marks: also where only the name in the question says that it is a secret."""
    for end in {name[0]: name.end() for name in shape("name").finditer(small(question))}.values():
        asked = redacted(f"{question[:end]}: ")
        told = redacted(f"{asked}{answer}")
        answer = told.removeprefix(asked) if told.startswith(asked) else HIDDEN
    return redacted(answer)


def secrets(text: str) -> list[str]:
    """What kinds of secrets a text holds, each once; [] for none."""
    known = shape("mark").findall(text)
    return list(dict.fromkeys(mark for mark in shape("mark").findall(redacted(text)) if mark not in known))


def without_marks(text: str) -> str:
    """What is left of a redacted text beside the marks."""
    return shape("mark").sub("", text)


def _meant(text: str, row: _ValueRule, matches: list[re.Match[str]]) -> list[_Span]:
    """Which values of a row are secret. matches: in small letters."""
    form, pattern, spans, at, done = FORMS[row.form], compiled(row.pattern), list[_Span](), 0, 0
    groups = ("double", "single", "double2", "single2", "bare") if "bare" in pattern.groupindex else ("value",)
    for found in matches:
        start, end = found.span(next(filter(found.group, groups)))
        if text[end : end + 1] in ("'", '"'):  # that may be escaped itself
            end = start + len(text[start:end].rstrip("\\"))
        if start < done or found.start() < at:  # of the value before, or of its name
            continue
        at = found.end()
        sort = "password" if found.groupdict().get("name", "").startswith(("passw", "passp", "passc")) else row.kind
        if form(Value(text[start:end], sort, row.hints, found, text)):
            spans.append((start, end, sort))
            done = end
    return spans


def _mark(kind: str) -> str:
    return f"[redacted: {kind}]"


HIDDEN = _mark("secret")
"""In the place of a whole line."""


def _marked(kind: str, edge: str, found: re.Match[str]) -> str:
    """The match with a mark in the place of its value; the match where it is the end of a word."""
    at, whole = found.start(), found[0]
    longest = 90 if found.string[at - 1 : at] == "m" else 8  # of an edge: a colour, else an escape
    is_inner = edge and at and _WITHIN.match(found.string[at - 1])
    if is_inner and not _before(edge)(found.string, max(0, at - longest), at):
        return whole
    if "value" not in found.re.groupindex:
        return _mark(kind)
    start, end = found.span("value")
    return f"{whole[: start - at]}{_mark(kind)}{whole[end - at :]}"


_WITHIN = re.compile(r"[\\0-9A-Za-z+_-]")
"""What stands within a word, or ends an escape."""


@functools.cache
def _before(edge: str) -> Callable[[str, int, int], re.Match[str] | None]:
    """Looks for what may stand before a token, right before a place."""
    return compiled(rf"(?:{shape('edge').pattern}{EDGES[edge]})\Z").search
