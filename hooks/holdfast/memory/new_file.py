"""A new record's file: its name, a decision's number, and how of several writers none overwrites another.

The file is written beside and linked to its name when it is whole: the link fails where the name is taken. Numbers of
decisions stand in the names of their files; between writers a claimed file in the cache decides, per day. A number
whose writer was killed is left out.
"""

import os
import re

from holdfast.errors import BadInput
from holdfast.hot.files import claim, names_in, write_atomic
from holdfast.hot.provenance import is_plain, real_folder
from holdfast.memory import files, markdown
from holdfast.memory.cache import CACHE, CODES, make_cache
from holdfast.memory.files import FOLDERS
from holdfast.memory.record import Record

_SLUG_CHARS = 40


def create(folder: str, record: Record) -> tuple[str, Record | None]:
    """(path, record as stored); None for one whose file is there already. Raises OSError."""
    make_cache(folder)
    place = real_folder(f"{folder}/{FOLDERS[record.kind]}")
    names, ending = names_in(place), f"-{record.id[:8]}.md"
    alike = (f"{place}/{name}" for name in names if name.endswith(ending))
    there = next((path for path in alike if _id_of(path) == record.id), "")
    if there:
        return there, None
    if record.kind == "decision":
        record = record._replace(code=record.code or _number(record.time[:10], names, folder))
    path = f"{place}/{file_name(record)}"
    whole = f"{folder}/{CACHE}/{os.path.basename(path)}.{os.getpid()}.tmp"
    write_atomic(whole, markdown.render(record))
    return path, record if _linked(whole, path) else None


def _id_of(path: str) -> str:
    """The id of the record that stands there; "" where none can be read."""
    try:
        return files.read(path, is_plain(path)).id
    except BadInput:
        return ""


def _linked(whole: str, path: str) -> bool:
    """Whether the finished file now has its name; False where another one has it. Raises OSError."""
    try:
        os.link(whole, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if os.path.exists(path):
            return False
        os.rename(whole, path)
        return True
    finally:
        if os.path.exists(whole):
            os.unlink(whole)
    return True


def file_name(record: Record) -> str:
    """<date>-<number of a decision>-<words of the title>-<8 of the id>.md"""
    words = re.sub(r"[^a-z0-9]+", "-", record.title.lower())[:_SLUG_CHARS].strip("-")
    parts = (record.time[:10], record.code[15:], words, record.id[:8])
    return "-".join(part for part in parts if part) + ".md"


def _number(day: str, names: list[str], folder: str) -> str:
    """The next free DEC-… of a day, ours alone. names: of the decisions' files. Raises OSError."""
    codes = real_folder(f"{folder}/{CACHE}/{CODES}")
    today = (name[len(day) + 1 :].partition("-")[0] for name in names if name.startswith(f"{day}-"))
    used = [int(number) for number in today if 3 <= len(number) <= 6 and number.isdecimal()]
    used += [int(name[11:]) for name in names_in(codes) if name.startswith(f"{day}-") and name[11:].isdecimal()]
    number = max(used, default=0) + 1
    while not claim(f"{codes}/{day}-{number:03d}"):
        if not os.path.exists(f"{codes}/{day}-{number:03d}"):
            raise OSError(f"{codes} cannot be written to")
        number += 1
    return f"DEC-{day}-{number:03d}"
