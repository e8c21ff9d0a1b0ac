"""The folder of one's own agent loop: its checkpoints, and a line for each thing that was done to its window.

Without a folder ("") nothing is written and every path is "".
"""

import contextlib
import time

from holdfast.checkpoint import store
from holdfast.hot.files import append, make_folder
from holdfast.hot.jsonc import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LOG = "audit.jsonl"


class LoopFolder:
    """Where a manager writes."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def save(self, data: "dict[str, Any]", readable: "Callable[[dict[str, Any]], str]") -> str:
        """Store a checkpoint with its time; the path of its page. Raises OSError."""
        if not self.folder:
            return ""
        now = {"time": time.time(), "stamp": time.strftime("%Y-%m-%d %H:%M"), "session": "loop", "environment": {}}
        return store.readable_path(self.folder, store.save(self.folder, {**now, **data}, readable))

    def log(self, told: "dict[str, Any]") -> None:
        """Add a line; a disk that refuses keeps none, since the work goes on all the same."""
        if self.folder:
            with contextlib.suppress(OSError):
                make_folder(self.folder)
                append(f"{self.folder}/{LOG}", f"{dumps(told)}\n")
