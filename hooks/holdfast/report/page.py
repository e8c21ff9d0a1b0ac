"""The report as one HTML page that asks nobody for anything: no script, no font, no picture from elsewhere.

Its own policy forbids them all. Whatever stands in it from outside is escaped by the template engine.
"""

from functools import reduce
from typing import Any

from holdfast.errors import missing
from holdfast.hot.files import read_text
from holdfast.report.schema import Written
from holdfast.report.stats import HOT_MS
from holdfast.report.status import SHOWN
from holdfast.text.redaction import redacted_in

BEGINS = "<!doctype html>\n<!-- Holdfast report -->"
"""By which a file is known to be a report, and may be written anew."""


def page(facts: Written, when: str) -> str:
    """The page. Raises Fault where the packages that draw it are missing."""
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        from holdfast.report import plots
    except ImportError:
        raise missing("the report", "jinja2", "pygal") from None
    found, trace = facts.stats, facts.trace
    drawn = {name: plots.daily(name, found) for name in plots.DAILY} if found.days else {}
    if found.memory:
        drawn["memory"] = plots.memory(found)
    if trace and len(trace.points) > 1:  # one is no line
        drawn["window"] = plots.window(trace)
    if trace and trace.components:
        drawn["composition"] = plots.composition(trace.components)
    if trace and trace.agents:
        drawn["agents"] = plots.agents(trace.agents)
    told = redacted_in(facts.model_dump())
    world = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = world.from_string(template_text())
    svgs = {name: Markup(svg) for name, svg in drawn.items()}  # noqa: S704 - pygal has escaped what it draws
    below = SHOWN if any(one.digests.after > one.digests.before for one in found.sessions) else ""
    shown = f"; {SHOWN}" if any(one.digests.after > one.digests.before for one in found.days) else ""
    more = {"when": when, "shown": shown, "below": below, "hot_ms": HOT_MS, "at": lambda path: at(told["stats"], path)}
    return BEGINS + template.render(**told, plots=svgs, **more)


def template_text() -> str:
    """The page's template, its colours among it."""
    return read_text(__file__.removesuffix("page.py") + "page.html", follow=True)


def style() -> str:
    """The page's style: colours, light and dark, and its tables."""
    return template_text().partition("<style>")[2].partition("</style>")[0]


def at(facts: Any, path: str) -> Any:
    """What stands at `days.0.kept_out`."""
    return reduce(lambda value, key: value[int(key) if key.isdecimal() else key], path.split("."), facts)
