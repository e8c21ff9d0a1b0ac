"""Is this result source, which an edit must match letter by letter? Whatever tool has read it.

Rule: it is when at least half of its lines stand in a file that the call names, unless they are JSON's records; when
what printed it only prints files (READERS, or a tool of an MCP server) and the file that it names is not on this disk,
as of another revision or machine; and when, of names that cannot be resolved, its brackets close on lines of their own,
as code's do and a log's do not.
A log or table by its name is none. Hot-path module: lean imports only and no regular expressions.
"""

from holdfast import TYPE_CHECKING
from holdfast.transcript.tool_output import is_data_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

READERS = ("cat", "sed", "nl", "bat", "show", "cat-file")
"""Commands, and git's, that print files as they are."""
_PARTS, _BLANKS = "|;&>", "'\"`()<=,{}$\\"
_SIGNS = str.maketrans(_PARTS + _BLANKS, "\n" * len(_PARTS) + " " * len(_BLANKS))


def named(tool: str, inputs: "Any") -> "tuple[list[str], list[str] | None]":
    """(files and folders that a call names, those that it prints: None for a shell's call that prints none)."""
    texts = list(_texts(inputs))
    if tool != "Bash":
        names = [text for text in texts if text and not set(text) & {" ", "\n"} and names_file(text)]
        return names, names
    parts = [part.split() for text in texts for part in text[:4_000].translate(_SIGNS).split("\n")]
    folders = [words[1] for words in parts if words[:1] == ["cd"] and len(words) > 1]
    names = list(dict.fromkeys([*folders, *(word for words in parts for word in words if names_file(word))]))[:50]
    found = [(words, words.index(reader)) for words in parts for reader in READERS if reader in words]
    return names, [word for words, at in found for word in words[at:] if word in names] if found else None


def _texts(value: "Any") -> "Iterator[str]":
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def names_file(word: str) -> bool:
    """Whether a word has the form of a file's name that is no log or table: `a/b`, `b.py`, `HEAD~3:a/b.py`."""
    last = word.rpartition("/")[2].rpartition(":")[2]
    ending = last.rpartition(".")[2] if "." in last[1:] else ""
    is_name = ending[:1].isalpha() and ending.isalnum() and len(ending) <= 5
    is_path = "/" in word[:-1] and last.replace("_", "").replace("-", "").isalnum()
    return (is_name or is_path) and "://" not in word and word[0] not in "-@*" and not is_data_file(last)


def is_part(text: str, files: "Iterable[str]") -> bool:
    """Whether at least half of the lines of a text, whatever numbers them, stand in these files."""
    known = {line.strip() for file in files for line in file.split("\n")}
    lines = [line for line in map(_bare, text.split("\n")) if line] if known else []  # 8 ms a megabyte
    return bool(lines) and sum(line in known for line in lines) * 2 >= len(lines)


def _bare(line: str) -> str:
    """A line without its number, as `cat -n`, Read and the tools of servers put it before."""
    rest = line.strip()
    text = rest.lstrip("0123456789")
    sign = text.lstrip()[:1] if text != rest else ""
    if sign and (sign in "\u2192|\u2502" or text[0] == "\t" or text[:2] == ": "):
        return text.lstrip()[sign in "\u2192|\u2502:" :].strip()
    return rest


def is_nested(text: str) -> bool:
    """Whether brackets open at ends of lines and close on lines of their own, in a text that is mostly indented."""
    start = text[:30_000]  # more says nothing else
    lines = [line for line in start.split("\n") if line.strip()] if any(sign in start for sign in ")]}") else []
    opened, closed = sum(line.rstrip()[-1] in "([{" for line in lines), sum(line.strip()[0] in ")]}" for line in lines)
    indented = sum(line[0] in " \t" for line in lines)
    return min(opened, closed) * 33 >= len(lines) > 0 and indented * 2 >= len(lines)
