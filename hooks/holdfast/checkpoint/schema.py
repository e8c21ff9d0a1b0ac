"""What `holdfast checkpoint --json` prints: a contract for programs. Hooks never import it.

The view's keys are those of `model.View`, which the type checker holds; they are not told a second time here.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from holdfast.checkpoint.model import View


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Saved(_Closed):
    """`checkpoint save`."""

    version: int
    window: str
    path: str


class Row(_Closed):
    """One checkpoint of `checkpoint list`; of a torn one only the first six."""

    version: int
    age: str
    state: str
    """newest, whole or torn."""
    reason: str
    note: str
    about: str
    time: str | None = None
    tasks: dict[str, int] | None = None
    """How many of each status."""
    path: str | None = None


class Listed(_Closed):
    """`checkpoint list`."""

    session: str
    newest: int | None
    checkpoints: list[Row]


_VIEW: dict[str, Any] = {name: (Any, ... if name in View.__required_keys__ else None) for name in View.__annotations__}
Shown = create_model("Shown", __base__=_Closed, path=(str, ...), **_VIEW)
"""`checkpoint show`: the view, and where its page is."""

Resumed = create_model(
    "Resumed",
    __base__=Shown,
    drift=(list[str], ...),
    later=(str, ...),
    environment_now=(dict[str, Any], ...),
    text=(str, ...),
)
"""`checkpoint resume`: the view, what differs now, what came later, and the text to go on with."""
