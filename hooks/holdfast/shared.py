"""The context that agents share, for a program of one's own: `from holdfast import shared`; docs/engine.md shows it.

Names are modules, each with one question: what is told (`context`, `formats`, `events`, `slices`), when to compress and
whom to tell (`triggers`, `control`, `debt`, `quality`), and what may run at once or elsewhere (`gate`, `branches`,
`delegation`).
"""

from holdfast.policy.shared import branches, context, control, debt, events, formats, gate, quality, triggers
from holdfast.policy.shared import slice as slices
from holdfast.policy.window import delegation

__all__ = [
    "branches",
    "context",
    "control",
    "debt",
    "delegation",
    "events",
    "formats",
    "gate",
    "quality",
    "slices",
    "triggers",
]
