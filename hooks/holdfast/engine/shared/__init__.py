"""The context that agents share, for a program of one's own: `from holdfast import shared`; docs/engine.md shows it.

Names are modules, each with one question: what is told (`context`, `formats`, `events`, `slices`), when to compress and
whom to tell (`triggers`, `escalation`, `quality`), and what may run at once or elsewhere (`gate`,
`delegation`).
"""

from holdfast.engine import delegation
from holdfast.engine.shared import context, escalation, events, formats, gate, quality, triggers
from holdfast.engine.shared import slice as slices

__all__ = ["context", "delegation", "escalation", "events", "formats", "gate", "quality", "slices", "triggers"]
