"""Sums over the ledger by day, project and session, with what they come to at list prices."""

import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.ledger import hooks as ledger
from holdfast.ledger import model
from holdfast.ledger.model import Entry, Figures
from holdfast.report import prices, schema
from holdfast.text.dates import DAY, iso
from holdfast.text.lines import one_line

HOT_MS = 11
"""Milliseconds that a hot run is taken for: 1.1 starts of Python on an idle machine (`holdfast bench hooks`)."""
WHOSE = ("spent", "spent_by_agents")
"""What the main conversation spent, and what its sub-agents did."""


class Cell(NamedTuple):
    """What one session came to on one day."""

    entry: Entry
    day: str
    figures: Figures


def _by(key: Callable[[Cell], str], cells: list[Cell]) -> Iterable[tuple[str, list[Cell]]]:
    found = defaultdict[str, list[Cell]](list)
    for cell in cells:
        found[key(cell)].append(cell)
    return found.items()


def _path(cell: Cell) -> str:
    return ledger.folder_of(cell.entry)


def gather(state: str, since: str = "", project: str = "", remembered: Iterable[str] = ()) -> schema.Statistics:
    """Of all projects, or of one by its folder or its folder's name. since: the first day that counts, ISO.

    remembered: the local times of the memory's records. Raises BadInput for a project that is not there.
    """
    entries, torn = ledger.entries(state)
    chosen = _of_project(entries, project) if project else entries
    found = summed(chosen, since)
    found.project = chosen[0]["project"] if project else None
    found.memory = list(_memory(Counter(time[:10] for time in remembered), since))
    found.problems = [f"this entry cannot be read and is passed over: {path}" for path in torn]
    return found


def summed(chosen: Iterable[Entry], since: str = "") -> schema.Statistics:
    """The sums of these entries from a day on."""
    cells = [Cell(one, day, part) for one in chosen for day, part in sorted(one["days"].items()) if day >= since]
    days, projects = sorted(_by(lambda one: one.day, cells)), _by(lambda one: one.entry["project"], cells)
    return schema.Statistics(
        since=since or None,
        project=None,
        total=schema.Totals(**_totals(cells)),
        days=[schema.DayTotals(day=day, **_totals(part)) for day, part in days],
        projects=[schema.ProjectTotals(project=one_line(folder), **_totals(part)) for folder, part in projects],
        sessions=[_session(part[0].entry, part) for _, part in _by(_path, cells)],
        memory=[],
        prices=schema.Prices(as_of=prices.AS_OF, source=prices.SOURCE),
        problems=[],
    )


def _memory(came: Counter[str], since: str) -> Iterable[schema.MemoryDay]:
    records = 0
    for day, count in sorted(came.items()):
        records += count
        if day >= since:
            yield schema.MemoryDay(day=day, records=records)


def first_day(since: str, now: float) -> str:
    """`7d`, `2w` or a day as a day, ISO, today being one of the seven; "" is all. Raises BadInput for anything else."""
    if not since:
        return ""
    number, unit = since[:-1], {"d": 1, "w": 7}.get(since[-1:])
    if unit and number.isdecimal() and number.isascii() and 0 < int(number) < 10_000:
        return time.strftime("%Y-%m-%d", time.localtime(now - (int(number) * unit - 1) * DAY))
    try:
        time.strptime(since, "%Y-%m-%d")
    except ValueError:
        todo = "Give days or weeks (7d, 2w) or a day (2026-11-04)"
        raise BadInput(f"{one_line(since, 40)!r} is no time", "--since", todo) from None
    return since


def folder_of(state: str, asked: str) -> str:
    """The folder of a project that is known, by it or by its name. Raises BadInput."""
    return _of_project(ledger.entries(state)[0], asked)[0]["project"]


def _of_project(entries: list[Entry], asked: str) -> list[Entry]:
    """Raises BadInput for a name that none or several have."""
    folder = os.path.abspath(asked)
    exact = [one for one in entries if one["project"] == folder]
    found = exact or [one for one in entries if os.path.basename(one["project"]) == asked]
    named = sorted({one["project"] for one in found})
    if len(named) != 1:
        known = ", ".join(named or sorted({one["project"] for one in entries})[:10]) or "none yet"
        said = "several projects have this name" if named else "no session of this project is known"
        raise BadInput(said, one_line(asked, 200), one_line(f"Known: {known}"))
    return found


def _session(entry: Entry, cells: list[Cell]) -> schema.SessionTotals:
    return schema.SessionTotals(
        session=one_line(entry["session"]),
        project=one_line(entry["project"]),
        started=iso(entry["started"]),
        used=iso(entry["used"]),
        files=os.path.isdir(ledger.folder_of(entry)),
        models=sorted({name for cell in cells for who in WHOSE for name in _by_model(cell.figures, who)}),
        **_totals(cells),
    )


def _totals(cells: list[Cell]) -> dict[str, Any]:
    sums = model.total(cell.figures for cell in cells)
    of = {name: sums.get(name, 0) for name in model.NAMES}
    digests, handoffs, compactions = (
        {"count": of[name], "before": of[f"{name}_before"], "after": of[f"{name}_after"]}
        for name in ("digests", "handoffs", "compactions")
    )
    facts = {name: of[f"facts_{name}"] for name in ("kept", "corrected", "lost")}
    facts |= {"must": sum(facts.values()), "corrected": facts["corrected"] + of["lines_corrected"]}
    hot_ms, warm_ms = of["hot_runs"] * HOT_MS, of["warm_ms"]
    return {
        **{name: of[name] for name in ("turns", "calls", "agents", "agents_unknown", "put_in", "steering")},
        "sessions": len(set(map(_path, cells))),
        "kept_out": _kept_out(sums),
        "digests": schema.Reduction(**digests),
        "handoffs": schema.Reduction(**handoffs),
        "extra_requests": of["send_backs"],
        "compactions": schema.Compacted(**compactions, **facts),
        "hooks": schema.HookTime(
            warm_runs=of["warm_runs"], warm_ms=warm_ms, hot_runs=of["hot_runs"], hot_ms=hot_ms, ms=warm_ms + hot_ms
        ),
        "spent": _spent(sums, *WHOSE),
        "spent_by_agents": _spent(sums, WHOSE[1]),
        "money": _money(cells),
    }


def _kept_out(figures: Figures) -> int:
    """Tokens; what was handed on longer than it came counts against it."""
    return sum(figures.get(f"{name}_before", 0) - figures.get(f"{name}_after", 0) for name in ("digests", "handoffs"))


def _spent(sums: Figures, *whose: str) -> schema.TokensSpent:
    parts = [part for one in whose for part in _by_model(sums, one).values()]
    return schema.TokensSpent(**{**dict.fromkeys(schema.TokensSpent.model_fields, 0), **model.total(parts)})


def _by_model(figures: Figures, whose: str) -> dict[str, Figures]:
    found: dict[str, Figures] = {}
    for key, value in figures.items():
        head, _, rest = key.partition(" ")
        if head == whose:
            name, _, kind = rest.partition(" ")
            found.setdefault(name, {})[kind] = value
    return {name: part for name, part in found.items() if any(part.values())}


def _money(cells: Iterable[Cell]) -> schema.Money:
    """What a session keeps out and puts in is priced as the model's that gave most answers of its conversation."""
    sums: dict[str, float] = {}
    unknown = set[str]()
    for cell in cells:
        parts = _by_model(cell.figures, "spent") or _by_model(cell.entry["seen"], "spent")
        main = max(parts, key=lambda name: parts[name].get("answers", 0), default="")
        moved = {"kept_out": _kept_out(cell.figures), "put_in": cell.figures.get("put_in", 0)}
        bills = [("spent", name, part) for who in WHOSE for name, part in _by_model(cell.figures, who).items()]
        bills += [(what, main, {"input": tokens}) for what, tokens in moved.items() if tokens]
        for what, name, tokens in bills:
            price = prices.of(name)
            if price:
                sums[what] = sums.get(what, 0) + prices.cost(price, tokens)
            else:
                unknown.add(one_line(name, 80))
    priced = {what: round(sums[what], 4) if what in sums else None for what in ("spent", "kept_out", "put_in")}
    if not unknown:
        priced = {what: value or 0.0 for what, value in priced.items()}
    return schema.Money(**priced, unknown=sorted(unknown))
