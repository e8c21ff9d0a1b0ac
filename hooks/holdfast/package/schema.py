"""What `holdfast handoff package --json` and `handoff received --json` print."""

from pydantic import BaseModel

from holdfast.package.kinds import KINDS, reduction
from holdfast.package.page import Package
from holdfast.package.store import Stored


class Receipt(BaseModel, extra="forbid"):
    """Who has it. time: epoch seconds; how: "read" (by the client's Read) or "said" (by the command)."""

    time: float
    who: str
    how: str


class PartCounts(BaseModel, extra="forbid"):
    """A part: entries told, and left out."""

    title: str
    told: int
    left_out: int


class PackageRow(BaseModel, extra="forbid"):
    """A package. tokens: of it; material: of what it was made from; reduction: per cent that it is smaller, or 0."""

    code: str
    kind: str
    made_by: str
    made_for: str
    time: float
    path: str
    tokens: int
    material: int
    reduction: int
    received: list[Receipt]


class Made(PackageRow, extra="forbid"):
    """One that was made just now; low, high: the budget of its kind."""

    low: int
    high: int
    least_reduction: int
    sections: list[PartCounts]


class PackageList(BaseModel, extra="forbid"):
    """`--list`: the newest first; foreign: codes of files that are not as they were made here."""

    packages: list[PackageRow]
    foreign: list[str]


def row(one: Stored) -> PackageRow:
    """A stored package as it is printed."""
    facts = one.facts
    return PackageRow(
        code=one.code,
        kind=facts["kind"],
        made_by=facts["of"],
        made_for=facts["to"],
        time=facts["time"],
        path=one.path,
        tokens=facts["tokens"],
        material=facts["material"],
        reduction=reduction(facts["tokens"], facts["material"]),
        received=[Receipt(**receipt._asdict()) for receipt in one.receipts],
    )


def made(one: Stored, package: Package) -> Made:
    """A new one, with what it holds."""
    low, high, least, _ = KINDS[one.facts["kind"]]
    sections = [PartCounts(title=c.part.title, told=len(c.entries), left_out=c.left) for c in package.chosen]
    return Made(**row(one).model_dump(), low=low, high=high, least_reduction=least, sections=sections)
