"""Holdfast keeps long agent work whole: small handoffs, safe compaction, an honest gauge.

This file imports nothing: every hook pays for what stands here. The names for agent loops are loaded when they are
asked for (docs/engine.md).
"""

__version__ = "0.1.0"

TYPE_CHECKING = False  # lean modules take it from here: `typing` would cost them more than all else
if TYPE_CHECKING:
    from holdfast.engine import assembly as assembly
    from holdfast.engine import shared as shared
    from holdfast.engine.archive import RECALL_TOOL as RECALL_TOOL
    from holdfast.engine.archive import Archive as Archive
    from holdfast.engine.archive import FolderArchive as FolderArchive
    from holdfast.engine.archive import MemoryArchive as MemoryArchive
    from holdfast.engine.blocks import Plan as Plan
    from holdfast.engine.manager import ContextWindowManager as ContextWindowManager
    from holdfast.engine.manager import HandOver as HandOver
    from holdfast.engine.manager import Turn as Turn
    from holdfast.engine.options import Settings as Settings
    from holdfast.errors import BadInput as BadInput
    from holdfast.errors import Fault as Fault
    from holdfast.search.index import SearchIndex as SearchIndex

PUBLIC = {
    "Archive": "engine.archive",
    "BadInput": "errors",
    "ContextWindowManager": "engine.manager",
    "Fault": "errors",
    "FolderArchive": "engine.archive",
    "HandOver": "engine.manager",
    "MemoryArchive": "engine.archive",
    "Plan": "engine.blocks",
    "RECALL_TOOL": "engine.archive",
    "Settings": "engine.options",
    "SearchIndex": "search.index",
    "Turn": "engine.manager",
    "assembly": "engine.assembly",
    "shared": "engine.shared",
}
"""Public name -> its module; a name that its module ends with stands for the module."""
__all__ = list(PUBLIC)


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    try:
        module = import_module(f"holdfast.{PUBLIC[name]}")
    except ModuleNotFoundError as error:
        if error.name != "holdfast.engine":
            raise
        raise ImportError(f"holdfast.{name} is not in a dropped-in pack; import it from a checkout") from None
    value = globals()[name] = module if PUBLIC[name].endswith(f".{name}") else getattr(module, name)
    return value
