"""Which words of a text are secrets, and what stands in their place?

Rule: the formats that their makers gave them (text/secret_patterns.py) anywhere, and the value after a
name such as `password=` where it is no placeholder, no expression and no plain word. What is taken out leaves a
visible mark, `[redacted: AWS key]`. Hashes, UUIDs, base64 images and integrity values of lock files have no such
beginning and no such name, and stay. Where prose stands as well (after a colon, "is", or in a table) the value must
look like no word, version or commit. Applied at write and at recall; twice gives the same as once. Source:
requirement J10.
"""

import functools
import re
from collections.abc import Callable

from holdfast.memory.record import TITLE_CHARS, Record, mapped
from holdfast.text import secret_patterns

_MARK = "[redacted: {}]"
_SPOT = re.compile(r"pass|pwd|pw|secret|token|credential|key", re.IGNORECASE)
_OF = r"(?:[ \t](?:for|of)[ \t](?:the[ \t])?[\w.-]{1,30}|[ \t]\([\w .-]{1,30}\))?"
_SIGN = (
    r"(?:\*\*|`|\\*[\"'])?" + _OF + r"(?:[ \t]{0,3}(?::=|=>|[:=]|\|)(?:\*\*)?[ \t]{0,3}(?:\\+(?=[\"'])|`)?"
    r"|>(?=[^<>\s]{4,400}</))"
)
_ASSIGNED = re.compile(
    rf"(?P<name>{secret_patterns.NAMED})(?P<sign>{_SIGN})"
    r"(?:\"(?P<double>[^\"\n\\]{4,400})(?=\\*\")|'(?P<single>[^'\n\\]{4,400})(?=\\*')|(?P<bare>[^\s\"'`,;)\]}<>|]{4,400}))"
)
_URL = re.compile(
    r"(?P<name>\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:)"
    r"(?P<bare>(?!\d{1,5}/)[^\s?,\"'<>]{1,200})(?=@[\w\[])"
)
"""A password may have @ and / in it; what begins like a port is none."""
_COMMIT = r"[0-9a-f]{40}\Z|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z"
_HOLLOW = re.compile(
    r"\[(?:redacted|[A-Za-z_ -]{1,30}\]\Z)|[$%{<*]|(?i:(?:\w{0,20}_)?x{3,}|\.{3}|your|my[_-]|example|changeme"
    r"|placeholder|redacted|(?:min|max)(?:[_-]?len|[_-]?\d)"
    r"|(?:none|null|true|false|undefined|string|str|required|optional)\b"
    r"|(?:os|env|process|self|this|config|settings|args|request|req)\."
    r"|base\d\d(?!:[\w+/]{20})|(?:ctrl|alt|shift|cmd|command|control|option|meta|super)\+|sha-?\d|md5|oauth|argon2|b?s?crypt|aes-?\d|[hre]s\d{3}\b|ed25519|utf-?\d)"
    rf"|(?:(?:{'|'.join(secret_patterns.OWNERS)}|client|session|refresh)[_-]?)?{secret_patterns.NAMED}[A-Za-z_]*\Z"
    rf"|(?:~|\.{{1,2}})?(?:/[a-z][a-z0-9_.-]{{0,40}}){{2,20}}\Z"
)
"""How a value looks that stands for a secret, or tells of one, and is none."""
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[)|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
_NAMES_A_THING = re.compile(rf"{_COMMIT}|v?\d+(?:\.\d+)+\Z|[A-Za-z]+(?:[-_/](?:[A-Za-z]+|v?\d{{1,3}}))+\d{{0,2}}\Z")
"""A commit, a UUID, a version, words with hyphens: what prose has after a colon, or after "bearer"."""


def redacted(text: str) -> str:
    """`text` with a mark in the place of each secret."""
    for name, hints, pattern in secret_patterns.ROWS:
        if any(hint in text for hint in hints):  # looking for these takes a tenth of the time
            text = secret_patterns.compiled(pattern).sub(_MARK.format(name), text)
    if "://" in text:
        text = _URL.sub(lambda found: found["name"] + _unless_hollow(found["bare"], "password"), text)
    text = _without_named(text)
    low = text.lower()
    for kind, hints, form, pattern in secret_patterns.TOLD:
        if any(hint in low for hint in hints):
            text = secret_patterns.compiled(pattern).sub(functools.partial(_told, _FORMS[form], kind), text)
    return text


def _may_hold(text: str) -> bool:
    """False where `redacted` would take nothing out of any part of this: of most records, in a fraction of the time."""
    low = text.lower()
    if "://" in text or _SPOT.search(text) or any(hint in low for row in secret_patterns.TOLD for hint in row[1]):
        return True
    rows = (pattern for _, hints, pattern in secret_patterns.ROWS if any(hint in text for hint in hints))
    return any(secret_patterns.compiled(pattern).search(text) for pattern in rows)


def _without_named(text: str) -> str:
    """Without the values after names. The patterns are tried where a name stands only: a third of the time."""
    parts, done = [], 0
    for spot in _SPOT.finditer(text):
        if spot.start() < done:
            continue
        for pattern, form in _AFTER_NAMES:
            found = pattern.match(text, spot.start())
            told = form(found) if found else ""
            if found and told != found[0]:
                parts += [text[done : found.start()], told]
                done = found.end()
                break
    return "".join([*parts, text[done:]])


def secrets(text: str) -> list[str]:
    """What kinds of secrets a text holds, each once; [] for none."""
    marks = re.findall(r"\[redacted: ([^\]\n]{1,40})\]", redacted(text))
    known = re.findall(r"\[redacted: ([^\]\n]{1,40})\]", text)
    return list(dict.fromkeys(mark for mark in marks if mark not in known))


def record(given: Record) -> Record:
    """The record without secrets; a title that grows by that is cut."""
    said: list[str] = [given.project, given.agent, given.session]

    def noted(text: str) -> str:
        said.append(text)
        return text

    mapped(given, noted)
    if not _may_hold("\n".join(said)):
        return given
    cleaned = mapped(given, redacted)
    tags = tuple(tag for tag in cleaned.tags if "[" not in tag)
    project, agent, session = map(redacted, (given.project, given.agent, given.session))
    title = cleaned.title[:TITLE_CHARS]
    return cleaned._replace(title=title, tags=tags, project=project, agent=agent, session=session)


def _told(form: Callable[[str, str], str], kind: str, found: re.Match[str]) -> str:
    return found["name"] + form(found["bare"], kind)


def _assigned(found: re.Match[str]) -> str:
    group = next(name for name in ("double", "single", "bare") if found[name])
    before = found[0][: found.start(group) - found.start()]
    kind = "password" if before.lower().startswith(("passw", "passp")) else "secret"
    form = _unless_hollow if group != "bare" or found["sign"] == "=" else _if_random
    if form is _if_random and found["name"].lower() == "pass" and not _is_field(found):
        if found["name"] == "PASS":
            return found[0]
        form = _if_strong
    if "|" in found["sign"]:
        form = _if_strong
    return before + form(found[group], kind)


_FIELD = re.compile(
    r"(?:\A|\n)[ \t]*(?:- )?(?:[\w.]*[_.])?\Z|\buser(?:name)?[\"']?[ \t]?[:=][ \t]?[^\s,;]{1,40}[ \t,;/]{1,3}\Z",
    re.IGNORECASE,
)
"""How the text before "pass" looks where it names a field: the beginning of a line, or a user."""


def _is_field(found: re.Match[str]) -> bool:
    """Whether this "pass" is a password's name; after a colon it is nearly always a test that passed."""
    before = found.string[max(0, found.start() - 80) : found.start()]
    return bool(_FIELD.search(before)) and (found["name"] != "PASS" or before.endswith("_"))


def _unless_hollow(value: str, kind: str) -> str:
    """For places where a value is meant as it stands: anything but a placeholder, an expression, a sentence."""
    hollow = (
        _HOLLOW.match(value)
        or _EXPRESSION.match(value)
        or " " in value.strip()
        or (value.isdecimal() and kind != "password")
    )
    return value if hollow else _MARK.format(kind)


_SIGNED = re.compile(r"[\w!@$^&*?+~=-]*\w[!@$^&*]+\w[\w!@$^&*?+~=-]*\Z")
"""A sign within a word, which neither prose nor an address has: `p@ssword`."""


def _if_random(value: str, kind: str) -> str:
    """For places where prose stands as well: only what has letters and digits or signs mixed, and is no path."""
    digits = any(map(str.isdigit, value))
    mixed = digits and any(map(str.isalpha, value)) and (kind == "password" or not _NAMES_A_THING.match(value))
    told = kind == "password" and (value.isdecimal() or _SIGNED.match(value))
    random = len(value) >= _SHORTEST and (mixed or told)
    return _unless_hollow(value, kind) if random and not value.startswith(("/", "./", "~/")) else value


def _if_strong(value: str, kind: str) -> str:
    """For places where mostly prose stands: only what no word looks like."""
    cases = any(map(str.isupper, value)) and any(map(str.islower, value)) and len(value) >= _STRONG
    return _if_random(value, kind) if (cases or len(value) >= _LONG) and not _NAMES_A_THING.match(value) else value


def _cookie(value: str, kind: str) -> str:
    """All of a header's cookies, where the first is one that names a session."""
    first = value.partition("=")[2].partition(";")[0]
    return value if _if_random(first, kind) == first else _MARK.format(kind)


_SHORTEST, _STRONG, _LONG = 6, 8, 16  # characters: with letters and digits, in both cases as well, in one case

_NAMED_ARGUMENT = re.compile(r"[A-Za-z_]\w*=[^=]")
_FLAG = re.compile(r"(?<!\w)--?[a-z-]{0,40}\Z")
_LOGIN = re.compile(
    r"\b(?:log(?:ged|s)?[ -]?(?:in|on)|sign(?:ed)? in|connect\w*|authenticat\w*|user)\b[^\n]{0,60}"
    r"\b(?:with|and|using)(?: the| a)? \Z",
    re.IGNORECASE,
)
"""How the text before "password" looks where the password itself follows."""


def _spoken(found: re.Match[str]) -> str:
    """After a name in prose, or after an option of a command: `password for staging is …`, `--password …`."""
    start = found.start()
    if _NAMED_ARGUMENT.match(found["bare"]):
        return found[0]
    before = found.string[max(0, start - 100) : start]
    meant = not found["verb"] and (
        _FLAG.search(before[-42:]) or (found["name"].startswith("pass") and _LOGIN.search(before))
    )
    form = _if_random if meant or (found["verb"] == " is" and found["end"] is not None) else _if_strong
    return found["name"] + form(found["bare"], "secret") + found["after"]


_AFTER_NAMES = (
    (_ASSIGNED, _assigned),
    (
        re.compile(
            rf"(?P<name>{secret_patterns.NAMED}(?:{_OF}(?P<verb> is| to| was))?[ \t]{{1,3}}`?)"
            r"(?P<bare>[^\s\"'`,;\\-][^\s\"'`,;\\]{4,400}?)"
            r"(?P<after>`?[.!]?(?P<end>(?=[ \t]*(?:\n|\Z)))|(?=[\s\"'`,;\\]|[.!][\s\\]))"
        ),
        _spoken,
    ),
)
_FORMS: dict[str, Callable[[str, str], str]] = {"any": _unless_hollow, "random": _if_random, "cookie": _cookie}
"""How the value after a telling word must look, by the name that text/secret_patterns.py has for it."""
