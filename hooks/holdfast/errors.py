"""The error tree. Each message says what is wrong, where, and what to do.

`BadInput` is somebody else's data (a payload, a settings file, a command line); `Fault` is ours or
the machine's (a full disk, a missing package). Commands print both as one line; hooks log them.
"""


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
