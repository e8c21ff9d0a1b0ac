"""The report's plots: pygal draws them, CSS variables of the page colour them. Each is an SVG without scripts."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pygal
from pygal.style import Style

from holdfast.gauge.pressure import short
from holdfast.report.schema import Component, DayTotals, Returned, Statistics, Trace
from holdfast.text.lines import clip, counted

# pygal looks for plugins by a finder of Python 2's kind, at which every later import warns
sys.meta_path[:] = [finder for finder in sys.meta_path if hasattr(finder, "find_spec")]


def window(trace: Trace) -> str:
    """The window's fill answer by answer, with its limit and what changed it. It has points."""
    top = max([trace.limit or 0, *(tokens for _, tokens in trace.points)])
    chart = _chart(pygal.XY, dots_size=5, x_title=trace.by, height=320, margin_bottom=42, range=(0, top))
    chart.add("tokens in the window", trace.points, show_dots=False, fill=True)
    for kind in ("compaction", "digest", "handoff"):
        places = Counter((mark.number, mark.tokens) for mark in trace.marks if mark.kind == kind)
        marks = [{"value": place, "label": counted(times, kind)} for place, times in places.items()]
        if marks:
            chart.add(counted(places.total(), kind), marks, stroke=False)
    if trace.limit:
        ends = [(point[0], trace.limit) for point in (trace.points[0], trace.points[-1])]
        chart.add("limit", ends, show_dots=False, stroke_style={"dasharray": "6, 4", "width": 2})
    return _drawn(chart)


def composition(parts: Sequence[Component]) -> str:
    """Tokens of the window by what they came from."""
    chart = _chart(pygal.HorizontalBar, show_legend=False, margin_right=28)
    chart.x_labels = [one.name for one in reversed(parts)]
    chart.add("tokens", [one.used for one in reversed(parts)])
    return _drawn(chart)


def agents(returned: Sequence[Returned]) -> str:
    """Tokens of each sub-agent's report and of what its caller read."""
    room = {"height": 110 + 34 * len(returned), "legend_at_bottom_columns": 1}
    chart = _chart(pygal.HorizontalBar, margin_right=28, **room)
    chart.x_labels = [clip(one.agent, 24) for one in reversed(returned)]
    chart.add("returned", [one.before for one in reversed(returned)])
    chart.add("read by the caller", [one.after for one in reversed(returned)])
    return _drawn(chart)


DAILY: Mapping[str, tuple[Any, Mapping[str, Callable[[DayTotals], float]]]] = {
    "kept_out": (pygal.StackedBar, {
        "digests": lambda one: one.digests.before - one.digests.after,
        "handoffs": lambda one: one.handoffs.before - one.handoffs.after,
    }),
    "handoffs": (pygal.Bar, {
        "returned": lambda one: one.handoffs.before,
        "read by the caller": lambda one: one.handoffs.after,
    }),
    "compactions": (pygal.StackedBar, {
        "kept": lambda one: one.compactions.kept,
        "corrected": lambda one: one.compactions.corrected,
        "lost": lambda one: one.compactions.lost,
    }),
    "hook_time": (pygal.StackedBar, {  # seconds
        "warm runs": lambda one: one.hooks.warm_ms / 1_000,
        "short runs, estimated": lambda one: one.hooks.hot_ms / 1_000,
    }),
}  # fmt: skip
"""Name of a plot -> its kind, and what it shows of each day."""


def daily(name: str, found: Statistics) -> str:
    """One of DAILY."""
    kind, series = DAILY[name]
    chart, known = _chart(kind, legend_at_bottom_columns=len(series)), {one.day: one for one in found.days}
    days = _labelled(chart, [*known])
    for said, value in series.items():
        chart.add(said, [value(known[day]) if day in known else None for day in days])
    return _drawn(chart)


def memory(found: Statistics) -> str:
    """Records at the end of each day."""
    chart, came = _chart(pygal.Bar, show_legend=False, order_min=0), {one.day: one.records for one in found.memory}
    days = _labelled(chart, [*came])
    chart.add("records", [max((count for then, count in came.items() if then <= day), default=0) for day in days])
    return _drawn(chart)


def _labelled(chart: Any, known: Iterable[str]) -> list[str]:
    """The days that are drawn, a week at least and a month at most: those between two that are known, too."""
    last, first = date.fromisoformat(max(known)), date.fromisoformat(min(known))
    count = min(31, max(7, (last - first).days + 1))
    days = [(last - timedelta(days=back)).isoformat() for back in reversed(range(count))]
    chart.x_labels = [day[5:] for day in days]
    chart.x_labels_major = chart.x_labels[:: -(-count // 6)]  # a phone has room for six
    chart.show_minor_x_labels = False
    return days


def _chart(kind: type[Any], **options: Any) -> Any:
    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--ink)",
        foreground_strong="var(--ink)",
        foreground_subtle="var(--line)",
        guide_stroke_color="var(--line)",
        major_guide_stroke_color="var(--line)",
        colors=tuple(f"var(--plot-{number})" for number in range(1, 6)),
        value_colors=("var(--ink)",) * 5,
        opacity="1",
        stroke_width="1.5",
        font_family="inherit",
        label_font_size=11,
        major_label_font_size=11,
        legend_font_size=12,
        title_font_size=11,
        transition="0s",
    )
    return kind(
        style=style,
        js=[],
        legend_at_bottom=True,
        legend_box_size=10,
        value_formatter=lambda value: f"{value:,.10g}",
        truncate_label=-1,
        truncate_legend=-1,
        min_scale=3,
        max_scale=6,
        margin=8,
        no_data_text="nothing yet",
        # a phone shows it at nine tenths, so that its letters stay readable
        **{"width": 440, "height": 260, "legend_at_bottom_columns": 2, **options},
    )


def _drawn(chart: Any) -> str:
    """The SVG: its scripts left out, and the value of a bar or a dot as a title, which a browser shows by itself."""
    root = chart.render_tree()
    for parent in list(root.iter()):
        named = [one for one in parent if str(one.tag).endswith("desc")]
        told = [one for one in named if one.get("class") in ("label", "x_label", "value")]
        if told:
            order = sorted(told, key=lambda one: one.get("class") == "value")
            ET.SubElement(parent, "title").text = ": ".join(one.text or "" for one in order)
        for one in list(parent):
            if not isinstance(one.tag, str) or one.tag.endswith(("script", "desc")):
                parent.remove(one)
    for title in [one for one in root if str(one.tag).endswith("title")]:
        root.remove(title)
    for text in root.iter():
        number = (text.text or "").replace(",", "")
        if str(text.tag).endswith("text") and number.isdecimal():
            text.text = short(int(number))
    return ET.tostring(root, encoding="unicode")
