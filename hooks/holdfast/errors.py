"""The error tree. Each message says what is wrong, where, and what to do.

`BadInput` is somebody else's data (a payload, a settings file, a command line); `Fault` is ours or
the machine's (a full disk, a missing package). Commands print both as one line; hooks log them.
"""

import os
import sys


class HoldfastError(Exception):
    """Base of all errors that Holdfast raises on purpose."""

    def __init__(self, what: str, where: str = "", todo: str = "") -> None:
        self.what, self.where, self.todo = what, where, todo
        super().__init__(what, where, todo)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}. {self.todo}" if self.todo else text


class BadInput(HoldfastError):
    """Data handed in from outside is not what its format asks for."""


class Refused(BadInput):
    """The project's own folder is not used at all; the user is told at the start of a session."""


class Fault(HoldfastError):
    """The machine or the installation cannot do what is asked."""


def refusal(error: OSError) -> str:
    """Why a disk refuses, and which name stands in the way where one does; of several causes the first."""
    if not error.strerror and error.args and isinstance(error.args[0], list):  # shutil's, of a folder: (from, to, why)
        return str(error.args[0][0][-1]).partition(": ")[0]
    is_named = isinstance(error, (FileExistsError, IsADirectoryError, NotADirectoryError))
    path = error.filename2 or error.filename
    return f"{error.strerror or error}{f': {path}' if is_named and path else ''}"


def missing(what: str, *wanted: str) -> Fault:
    """What needs packages of which some are not here. wanted: as pip takes them, e.g. "mcp>=2"."""
    from importlib.util import find_spec  # only where something is missing

    names = {one: one.partition(">=")[0].partition("[")[0] for one in wanted}
    lacking = [one for one in wanted if not find_spec(names[one])] or wanted
    where = ", ".join(names[one] for one in lacking)
    return Fault(f"not installed, but needed by {what}", where, f"To install: `{how_to_add(*lacking)}`")


def how_to_add(*wanted: str) -> str:
    """The command that puts packages where this interpreter finds them; its environment may be without pip."""
    import shlex
    from importlib.util import find_spec

    outside = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") else [outside, "-m", "pip", "--python", sys.executable]
    return shlex.join([*pip, "install", *wanted])
