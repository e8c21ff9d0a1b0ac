"""What `holdfast recall --json` prints."""

from pydantic import BaseModel

from holdfast.recall.store import FoundPassage


class Said(BaseModel):
    """Words of one speaker: "user", "agent", "agent, thinking", a call with what it is about, "result"."""

    who: str
    text: str


class Passage(BaseModel):
    """A passage; row: of the transcript, or line of another file, from 1; time: ISO, "" where none is known."""

    file: str
    row: int
    time: str
    said: list[Said]


class Recalled(BaseModel):
    """The passages that answer, the best first."""

    query: str
    passages: list[Passage]


def passage(answer: FoundPassage) -> Passage:
    """As it is printed."""
    said = [Said(who=piece.who, text=piece.text) for piece in answer.pieces]
    return Passage(file=answer.path, row=answer.row, time=answer.time, said=said)
