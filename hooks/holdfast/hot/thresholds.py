"""The few numbers that the hot path compares with, compiled by the warm hooks: `gate.json`.

A gate is written as a whole and read without checks, so its keys are fixed here:
  v       format version
  off     events that are switched off
  chars   payload bytes from which a tool result may need a digest
  tools   tools whose results may become a digest; patterns may end in *
  tokens  tokens above which a result becomes a digest
  repeats whether a repeated result of that size becomes a reference
  epoch   compactions so far: an earlier result is only in the window within one epoch
  look    number of the call at which the ordinary road is due
  mark    tokens at which it is due (the next zone); 0 when the limit is not known
  eager   whether a natural breakpoint makes it due
  zones   tokens at which yellow, orange and red begin; [] when the limit is not known
  preset  name of the zones' preset
  limit   tokens at which compaction fires; 0 when not known
  queue   whether a text waits that the next prompt or tool result delivers (compaction/waiting.py)
  recall  path of the words by which a prompt calls up a memory (memory/derived.py); there may be none yet
  limits  handoff limit per agent type, "*" for all others; 0 is no limit
"""

from holdfast.hot.files import Lock, read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.hot.paths import GATE_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHARS_PER_TOKEN = 2  # below every text kind measured, so nothing that needs a digest is passed over


def load(path: str) -> "dict[str, Any]":
    """The gate, or {} when there is none or it is of another version."""
    gate = loads_object(read_bytes(path))
    return gate if gate.get("v") == GATE_VERSION else {}


def save(path: str, gate: "dict[str, Any]") -> None:
    """Replace the gate. Raises OSError."""
    write_atomic(path, dumps({"v": GATE_VERSION, **gate}))


def update(path: str, key: str, value: "Any") -> None:
    """Change one number of a gate that is there. Raises OSError."""
    with Lock(path + ".lock"):
        gate = load(path)
        if gate and gate.get(key) != value:
            save(path, {**gate, key: value})
