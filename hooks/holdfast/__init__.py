"""Holdfast keeps long agent work whole: small handoffs, safe compaction, an honest gauge.

This file imports nothing: every hook pays for what stands here. The names for agent loops are loaded when they are
asked for (docs/engine.md).
"""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast import assembly as assembly
    from holdfast import shared as shared
    from holdfast.errors import BadInput as BadInput
    from holdfast.errors import Fault as Fault
    from holdfast.policy.window.change import Plan as Plan
    from holdfast.policy.window.handover import HandOver as HandOver
    from holdfast.policy.window.recall import RECALL_TOOL as RECALL_TOOL
    from holdfast.policy.window.scores import Settings as Settings
    from holdfast.policy.window.turn import Turn as Turn
    from holdfast.search import SearchIndex as SearchIndex
    from holdfast.store.whole import Archive as Archive
    from holdfast.store.whole import FolderArchive as FolderArchive
    from holdfast.store.whole import MemoryArchive as MemoryArchive
    from holdfast.window import ContextWindowManager as ContextWindowManager

PUBLIC = {
    "Archive": "store.whole",
    "BadInput": "errors",
    "ContextWindowManager": "window",
    "Fault": "errors",
    "FolderArchive": "store.whole",
    "HandOver": "policy.window.handover",
    "MemoryArchive": "store.whole",
    "Plan": "policy.window.change",
    "RECALL_TOOL": "policy.window.recall",
    "Settings": "policy.window.scores",
    "SearchIndex": "search",
    "Turn": "policy.window.turn",
    "assembly": "assembly",
    "shared": "shared",
}
"""Public name -> its module; a name that is its own module stands for the module."""
__all__ = list(PUBLIC)


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"holdfast.{PUBLIC[name]}")
    value = globals()[name] = module if PUBLIC[name] == name else getattr(module, name)
    return value
