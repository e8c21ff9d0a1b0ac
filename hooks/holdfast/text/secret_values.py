"""How must a value look that is a secret, by the name that the table has for it (`forms`)?

Where prose stands as well (after a colon, "is", in a table, or further on in the line) it must look like no word,
version or commit; anywhere it is no placeholder, no expression and no sentence (`shapes` of _data/secret_shapes.json).
"""

import functools
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from holdfast.text import late as re
from holdfast.text import secret_table
from holdfast.text.identifiers import EXTENSIONS


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of the table; `.` is any sign."""
    return re.compile(pattern, re.DOTALL)


@functools.cache
def shape(name: str) -> re.Pattern[str]:
    """A shape of the table by its name."""
    return compiled(with_names(secret_table.load()[0]["shapes"][name][1]))


def with_names(pattern: str) -> str:
    """A pattern with other shapes in the places that are kept for them by their names."""
    shapes = secret_table.load()[0]["shapes"]
    return re.sub(r"\{([a-z]+)\}", lambda named: with_names(shapes[named[1]][1]), pattern)


def small(text: str) -> str:
    """In small letters, every letter in its place."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate({ord("İ"): "i"}).lower()


_COLUMN = " " * 4
"""Blanks that align columns, as of types, colours or what a command's options are for."""


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
    def line(self) -> str:
        """What is written from its match on, in one line."""
        return self.whole[self.found.start() : self.found.start() + 400].partition("\n")[0]

    @property
    def before(self) -> str:
        """What stands before that, in small letters."""
        return self.found.string[max(0, self.found.start() - 100) : self.found.start()]

    @property
    def is_of_another(self) -> bool:
        """Whether its name ends a longer one, behind a sign: `DB_PASS`."""
        return self.before[-2:-1].isalnum() and self.before.endswith(("_", "-", "."))

    @property
    def is_camel(self) -> bool:
        """Whether its name ends one in camelCase: `dbPass`."""
        return self.before[-1:].isalpha() and self.name.istitle()


def _command(value: Value) -> bool:
    """An argument of one of the commands that the row names."""
    is_port = not value.text.strip("0123456789:.")
    return _is_behind_hint(value) and not is_port and not _is_hollow(value.text, value.kind)


def _is_behind_hint(value: Value) -> bool:
    """Whether what the row waits for stands before it in its command."""
    begun = value.found.string[max(0, value.found.start() - 300) : value.found.start("value")]
    *_, command = shape("command").finditer(begun)
    return any(hint in command[0] for hint in value.hints)


def _cookie(value: Value) -> bool:
    """All of a header's cookies, where one is such as names a session."""
    values = (pair.partition("=")[2] for pair in value.text.split(";"))
    return _is_behind_hint(value) and any(len(one) >= 12 and _is_random(one, value.kind) for one in values)


def _pgpass(value: Value) -> bool:
    """The last field of a line of ~/.pgpass, with its host before it; a compiler's place in a file looks similar."""
    line, ends = value.before.rpartition("\n")[2], value.found["end"] in ("", "\n")
    host = shape("host").search(line)
    is_file = host and host["end"] and host["end"] in EXTENSIONS.split("|")
    is_host = (host and not is_file) or (ends and shape("alone").match(line))
    return bool(is_host) and not _is_hollow(value.text, value.kind)


def _assigned(value: Value) -> bool:
    """After a name and a sign: `password = …`, `"token": "…"`, a cell of a table."""
    found, text, kind = value.found, value.text, value.kind
    sign, is_quoted, is_pass = found["sign"].lstrip("_0123456789"), not found["bare"], found["name"] == "pass"
    is_numbered = sign != found["sign"]
    begun = sign.rstrip("\\r@") + found.string[found.end("sign")]
    is_filled = "{" in text and begun.endswith(("f'", 'f"', '$"'))  # f"…{name}", $@"…{name}"
    if begun.endswith("'"):  # nothing is filled in, as far as quotes tell
        text = text.replace("${", "{").replace("#{", "{")
    if is_filled or _is_variable(value, is_numbered):
        return False
    if found["or"]:  # what is compared with it, or stands in its place; a language has tokens too
        return (_is_no_name if found["name"] == "token" else _is_random)(text, kind)
    in_column = _COLUMN in sign and "=" not in sign  # as types do, and colours
    told = is_strong if is_quoted else _is_no_name
    unlike = in_column and not (is_quoted and kind == "password") and not told(text, kind)
    if unlike or _is_of_many(value, sign, is_numbered):
        return False
    if is_quoted or sign == "=":
        is_folder = found["name"] == "pwd" and text.startswith(("/", "~", "$", "."))  # the shell's own
        is_short = len(text) < 6 and kind != "password"
        is_word = not any(map(str.isdigit, text)) and not shape("signed").match(text)
        # {"pass": "green"}, credentials: "include", "password2": "Repeat it"
        is_meant = not is_word or not (is_numbered or is_pass or found["name"].startswith("credential"))
        # Only of these two a sentence is the secret itself.
        said = text.replace(" ", "-") if is_quoted and found["name"] in ("psk", "passphrase") else text
        return is_meant and not is_folder and not is_short and not _is_hollow(said, kind)
    if value.name == "PASS":  # else it is a test that passed
        return value.before.endswith("_") and _is_random(text, kind)
    is_field = not is_pass or value.is_camel or shape("field").search(value.before)
    return (_is_random if is_field and not any(map(sign.__contains__, "|│")) else is_strong)(text, kind)


def _is_of_many(value: Value, sign: str, is_numbered: bool) -> bool:
    """Whether its name has another meaning too, and the value looks like that: `pass1=1200ms`, `pw = x1-x0`,
    `blurPass: gauss5x5`, `"token2": "python3"`, `PSK_8 = psk8x4`. With a user before it, or in a query, it is a secret.
    """
    found, text, kind, name = value.found, value.text, value.kind, value.found["name"]
    is_lone = not (value.is_of_another or value.before[-1:].isalnum() or value.name.isupper())  # as a parameter is
    is_width, is_bare = value.name == "pw" and is_lone, bool(found["bare"])
    is_step = value.is_camel and name == "pass" and is_bare and sign != "="
    is_counted = is_numbered and (name in ("pass", "psk") or name.startswith(("token", "credential")))
    told = _is_random if value.is_of_another else (_is_no_name if is_counted else is_strong)
    if told(text, kind) or not (is_width or is_step or is_counted):
        return False
    if is_width and not is_bare:
        return bool(shape("size").match(text))
    if name == "psk" or not _is_random(text, kind):
        return True
    if value.before.endswith(("?", "&")) or shape("user").search(value.before):
        return False
    if not (is_lone or is_step):
        return bool(shape("figure").fullmatch(text) or shape("place").match(text))
    return bool(shape("sum").match(text) or (is_bare and not is_width and shape("version").match(text)))


def _is_variable(value: Value, is_numbered: bool) -> bool:
    """Whether a variable's or a constant's name stands there, or a variable in brackets says whose value it is:
    `next_token=next_token`, `password=hashed_password`, `TOKEN = "GITHUB_TOKEN"`, `colours[token] = "blue"`.
    """
    found, text, name = value.found, value.text, value.found["name"]
    if found["sign"].startswith("]") and not value.before.rpartition("[")[2].startswith(":"):
        return True
    plain = text.lower().lstrip("=").rstrip("0123456789" * is_numbered)
    if plain.endswith(name) and f"{value.before}{name}".endswith(plain):
        return True
    may_be_another = text.isupper() or (found["bare"] and not value.name.isupper())
    return bool(may_be_another and shape("another's name").match(text))


def _pair(value: Value) -> bool:
    """What stands under `value` beside a name; where not right behind it, or as an attribute, only what the name of no
    thing looks like.
    """
    if not value.found["between"] and "=" not in value.found[0] and not value.found[0].startswith("label"):
        return not _is_hollow(value.text, value.kind)
    if value.kind == "password":
        return _is_random(value.text, value.kind)
    return (_is_no_name if value.found["name"] == "token" else is_strong)(value.text, value.kind)


def _spoken(value: Value) -> bool:
    """After a name in prose, or after an option of a command: `password for staging is …`, `--password …`."""
    found, text, kind = value.found, value.text, value.kind
    is_file = "/" in text and text.rpartition(".")[2] in EXTENSIONS.split("|")
    if is_file or not _is_random(text, kind) or shape("argument").match(text):
        return False
    if _COLUMN in found[0] or found["dash"]:  # else a type, or what an option is for
        return _is_no_name(text, kind) and (kind != "password" or found["end"] is not None)
    if is_strong(text, kind) or found["verb"]:
        return is_strong(text, kind) or (found["verb"] == " is" and found["end"] is not None)
    is_login = value.name.startswith("pass") and shape("login").search(value.before)
    is_prose = not value.before[-1:].strip()  # no part of a longer name
    is_name = "@" in text or (is_prose and shape("words").match(text))
    is_quoted = found["quote"] and kind == "password" and not is_name
    return bool(is_quoted or is_login or shape("flag").search(value.before[-42:]))


def is_unlike_words(text: str, kind: str) -> bool:
    """Further on in a line that names one, in whatever words: only what nobody would write as a word or a name."""
    text = text.rstrip(".,:;!?*_")
    is_thing = shape("number").match(text) or text.rpartition(".")[2] in EXTENSIONS.split("|")
    return is_strong(text, kind) and not is_thing and _is_unspeakable(text)


@functools.lru_cache(maxsize=4_096)
def _is_hollow(text: str, kind: str) -> bool:
    """Whether it is a placeholder, an expression or a sentence."""
    is_word = " " in text.strip() or (text.isdecimal() and kind != "password")
    is_key = len(text) >= 20 and "(" not in text and any(map(str.isdigit, text)) and _is_unspeakable(text)
    return bool(is_word or shape("hollow").match(text) or (shape("expression").match(text) and not is_key))


@functools.lru_cache(maxsize=4_096)
def _is_random(text: str, kind: str) -> bool:
    """For places where prose stands as well: only what has letters and digits or signs mixed, and is no path."""
    is_password = kind == "password"
    mixed = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    mixed = mixed and (is_password or not shape("names a thing").match(text))
    told = is_password and (text.isdecimal() or shape("signed").match(text))
    random = len(text) >= 6 and (mixed or told) and not text.startswith(("/", "./", "~/"))
    return bool(random) and not _is_hollow(text, kind)


@functools.lru_cache(maxsize=4_096)
def is_strong(text: str, kind: str) -> bool:
    """For places where mostly prose stands: only what no word looks like."""
    cases = any(map(str.isupper, text)) and any(map(str.islower, text)) and len(text) >= 8
    is_name = shape("names a thing").match(text) or (shape("product").match(text) and not _is_unspeakable(text))
    return (cases or len(text) >= 16) and not is_name and _is_random(text, kind)


def _is_no_name(text: str, kind: str) -> bool:
    """For places where types and kinds stand as well: but for a password only what is made of no words."""
    return is_strong(text, kind) and (kind == "password" or _is_unspeakable(text))


@functools.lru_cache(maxsize=4_096)
def _is_unspeakable(value: str) -> bool:
    """Whether its characters differ as those of a random text do, and its letters stand in no runs as in words.

    Bits by character (Shannon), at least 3; letters between digits, signs and changes of case, fewer than 3 on average.
    """
    import math  # rarely needed

    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
    runs = shape("run of letters").findall(value)
    return bits >= 3 and bool(runs) and sum(map(len, runs)) < 3 * len(runs)


FORMS: dict[str, Callable[[Value], bool]] = {
    "any": lambda value: not _is_hollow(value.text, value.kind),
    "random": lambda value: _is_random(value.text, value.kind),
    "cookie": _cookie,
    "command": _command,
    "pair": _pair,
    "piped": lambda value: bool(shape("piped").match(value.line)) and _is_random(value.text, value.kind),
    "pgpass": _pgpass,
    "assigned": _assigned,
    "spoken": _spoken,
    "far": lambda value: is_unlike_words(value.text, value.kind),
    # In small letters it may be a file's or a field's key. What begins as ASN.1 and SSH's formats do is a public one,
    # and with a word and a sign a path or a name.
    "setting": lambda value: value.line.startswith("_KEY") and is_unlike_words(value.text, value.kind),
    "broken": lambda value: _is_unspeakable(value.text),
}
"""Whether a value is one that is meant, by the name that the table has for how it must look."""
