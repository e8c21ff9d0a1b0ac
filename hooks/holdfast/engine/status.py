"""How does a managed window stand, in one object for logs and dashboards?

Rule: the gauge, the budget by component, the six figures of health with their trends, what was done so far and what it
cost in the prompt cache. What is not known is None. Everything in it is plain JSON. Sources: requirements P, T, F2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.engine import health
from holdfast.engine.usage_tracker import Meter
from holdfast.gauge import advice, budget, pressure


def report(meter: Meter, used: int, audit: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The object. used: tokens of the next request; audit: one record per plan that was carried out."""
    limit, sizes = meter.monitor.limit, list(meter.monitor.sizes)
    speed = pressure.velocity(sizes)
    rows = [row._asdict() | {"name": row.component} for row in budget.rows(meter.budget)] if meter.budget else []
    share = used / limit if limit else None
    return {
        "zone": pressure.zone(used, pressure.marks(limit, meter.monitor.preset)),
        "used": used,
        "limit": limit or None,
        "share": share,
        "tokens_per_turn": round(speed) or None,
        "turns_left": pressure.turns_left(used, limit, speed),
        "components": rows,
        "health": health.report(meter.health),
        "alerts": [alert._asdict() for alert in meter.alerts],
        "todo": advice.advice(share, rows, False),
        "estimates": meter.fit._asdict(),
        "plans": len(audit),
        "freed": sum(int(record.get("freed") or 0) for record in audit),
        "model_calls": sum(int(record.get("calls") or 0) for record in audit),
        "cache_read_share": meter.cached / meter.sent if meter.sent else None,
    }
