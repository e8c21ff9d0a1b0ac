"""A request put together, for a program of one's own: `from holdfast import assembly`; docs/engine.md shows it.

Names are modules: what stands where and what stays out (`tiers`, `cache`, `prompt`), what is loaded and when
(`instructions`, `loading`, `retrieval`, `disclosure`).
"""

from holdfast.engine.assembly import cache, disclosure, instructions, prompt, retrieval, tiers
from holdfast.package import loading

__all__ = ["cache", "disclosure", "instructions", "loading", "prompt", "retrieval", "tiers"]
