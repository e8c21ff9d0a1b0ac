"""A shell's script on one line, and taken apart into its steps; nothing of it is expanded or run.

Rule: tokens are recognized as POSIX and bash do (Shell Command Language, 2.3 and 2.7.4): quotations with what is
substituted in them, comments, documents up to their own last line. What never ends reaches to the script's end.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.text import late as re

LONGEST = 20_000
"""Characters of a script that are looked at."""
_DEEPEST = 20
"""Substitutions within each other; what stands deeper is taken for words."""
_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_LINK = re.compile(r"&&|\|\||\|&|;;|[;|)\n]|\((?!\([^()\n]*\)\))|&(?!>)")
_REDIRECTION = re.compile(r"\d*(?P<way><<-|<<<|<<|<&|<>|<(?!\()|&>>|&>|>>|>\||>&|>(?!\())[ \t]*")
_PLAIN = re.compile(r"[^\s;&|()<>\"'`\\$]+")
_QUOTED = re.compile(r"(?:[^\"\\`$]++|\\.)++", re.DOTALL)
_WHOLE = re.compile(
    r"'[^']*'?|`(?:[^`\\]|\\.)*`?|\\.?|\$'(?:[^'\\]|\\.)*'?|\$\{[^}\n]*\}?"
    r"|\$\(\((?:[^()\n]|\([^()\n]*\))*\)\)|\(\([^()\n]*\)\)",
    re.DOTALL,
)
"""What has an end of its own, but for quotations and groups, in which others may stand."""
_CLOSING = re.compile(r"(?:'[^'\n]*'|\"[^\"\n]*\"|\\.|[^\s;&|()<>'\"\\])*")
"""By what a document is to end: nothing is substituted in it."""
_ESCAPED = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": ""})
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Step(NamedTuple):
    """A step of a script: its words as they stand, the link behind it, the file that its output goes to, whether its
    messages go there too, and where in the script it ends.
    """

    words: list[str]
    link: str = ""
    file: str = ""
    is_silent: bool = False
    end: int = 0


def _tokens(script: str, at: int = 0, depth: int = 0) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of blanks, comments, links, words, and where input and output lead from and to; of a document
    both where it is opened and what stands in it.
    """
    closing = list[str]()
    while at < len(script):
        start = at
        if found := _BLANK.match(script, at):
            kind, at = "blank", found.end()
        elif script[at] == "#":
            kind, at = "comment", _find(script, "\n", at)
        elif found := _REDIRECTION.match(script, at):
            at = found.end()
            kind = "in" if found["way"][0] == "<" else "out"
            if found["way"] in ("<<", "<<-"):
                said = _CLOSING.match(script, at)
                kind, at = "opened", said.end() if said else at
                closing.append(unquoted(script[found.end() : at]))
        elif found := _LINK.match(script, at):
            kind, at = "link", found.end()
        else:
            kind, at = "word", max(at + 1, _end_of_word(script, at, depth))
        yield kind, start, at
        if closing and script[start:at] == "\n":
            for line in closing:
                end = _find_line(script, line, at)
                yield "document", at, end
                at = _find(script, "\n", end) + 1
            closing = []


def _find(script: str, sign: str, at: int) -> int:
    """Where it stands next, or the script's end."""
    found = script.find(sign, at)
    return found if found >= 0 else len(script)


def _find_line(script: str, line: str, at: int) -> int:
    """Where the next line begins that says nothing else, or the script's end."""
    while at < len(script):
        end = _find(script, "\n", at)
        if script[at:end].strip() == line:
            return at
        at = end + 1
    return len(script)


def _end_of_word(script: str, at: int, depth: int) -> int:
    while at < len(script):
        if found := _PLAIN.match(script, at) or _WHOLE.match(script, at):
            at = found.end()
        elif script[at] == '"':
            at = _end_of_quotation(script, at + 1, depth)
        elif script.startswith(("$(", "<(", ">("), at):
            at = _end_of_group(script, at + 2, depth)
        elif script[at] == "$":
            at += 1
        else:
            break
    return at


def _end_of_quotation(script: str, at: int, depth: int) -> int:
    """Behind the quotation mark that ends what was begun with one."""
    while at < len(script) and script[at] != '"':
        if found := _QUOTED.match(script, at):
            at = found.end()
        elif script.startswith("$(", at) and not script.startswith("$((", at):
            at = _end_of_group(script, at + 2, depth)
        else:
            at = _find(script, "`", at + 1) + 1 if script[at] == "`" else at + 1
    return at + 1


def _end_of_group(script: str, at: int, depth: int) -> int:
    """Behind the bracket that ends what was begun with one."""
    level = 1
    for kind, start, end in _tokens(script, at, depth + 1) if depth < _DEEPEST else ():
        sign = script[start:end] if kind == "link" else ""
        level += (sign == "(") - (sign == ")")
        if not level:
            return end
    return at if depth >= _DEEPEST else len(script)


def substituted(word: str) -> Iterator[tuple[int, int]]:
    """Where in a word the scripts stand (start, end) whose output is put into it."""
    at = word.find("$(") if word[0] != "'" else -1
    while at >= 0:
        end = _end_of_group(word, at + 2, 0)
        if not word.startswith("$((", at):
            yield at + 2, end - word.endswith(")", at, end)
        at = word.find("$(", end)


def flat(script: str, depth: int = 0) -> str:
    """On one line but for what is quoted, without comments, each document as a string behind bash's `<<<`."""
    script = script[:LONGEST]
    if not any(sign in script for sign in ("\n", "#", "<<")):  # most are on one, and to take one apart is slow
        return script.strip()
    parts, opened, goes_on = list[str](), list[int](), True
    for kind, start, end in _tokens(script):
        text = script[start:end]
        if kind == "document":
            parts[opened.pop(0)] = f"<<< $'{text.rstrip().translate(_ESCAPED)}'"
        elif text == "\n":
            parts.append(" " if goes_on else "; ")
            goes_on = True
        elif kind in ("blank", "comment"):
            parts.append(" ")
        else:
            opened += [len(parts)] * (kind == "opened")
            text = _flat_within(text, depth) if kind == "word" and "<<" in text else text
            parts.append("<<< ''" if kind == "opened" else text)
            goes_on = text in ("{", "!", "do", "then", "else") or (kind == "link" and text != ")")
    return "".join(parts).strip(" ;") or script.strip()


def _flat_within(word: str, depth: int) -> str:
    """A word with documents in what is substituted in it."""
    parts, behind = list[str](), 0
    for start, end in substituted(word) if depth < _DEEPEST else ():
        parts += [word[behind:start], flat(word[start:end], depth + 1)]
        behind = end
    return "".join([*parts, word[behind:]])


@functools.lru_cache(64)
def steps(script: str) -> tuple[Step, ...]:
    """The steps of a script as `flat` gives it."""
    found, words, way, file, is_silent = list[Step](), list[str](), "", "", False
    for kind, start, end in _tokens(script[:LONGEST]):
        text = script[start:end]
        if kind == "link":
            found.append(Step(words, text, file, is_silent, start))
            words, way, file, is_silent = [], "", "", False
        elif kind in ("in", "out"):
            way = text
        elif kind == "word":
            if ">" not in way:
                words.append(way + text)
            elif way[0] in ">&1" and ">&" not in way:  # no other output, and none that goes where another does
                file = unquoted(text)
            is_silent = is_silent or way[:1] == "&" or (way.strip() == "2>&" and text == "1")
            way = ""
    return (*found, Step(words, "", file, is_silent, len(script)))


def unquoted(word: str) -> str:
    """A word as a program gets it."""
    parts, at = list[str](), 0
    while at < len(word):
        start, sign = at, word[at]
        if sign == '"':
            at = _end_of_quotation(word, at + 1, 0)
            parts.append(word[start + 1 : at - 1].replace('\\"', '"'))
        elif sign == "'":
            at = _find(word, "'", at + 1) + 1
            parts.append(word[start + 1 : at - 1])
        elif word.startswith("$'", at):
            found = _WHOLE.match(word, at)
            at = found.end() if found else len(word)
            parts.append(_ESCAPE.sub(lambda one: {"n": "\n", "t": "\t"}.get(one[1], one[1]), word[start + 2 : at - 1]))
        else:
            at += 2 if sign == "\\" else 1
            parts.append(word[at - 1 : at])
    return "".join(parts)
