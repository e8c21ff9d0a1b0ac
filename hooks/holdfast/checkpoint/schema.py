"""The JSON of `holdfast checkpoint`, checked: pydantic models made from the types of checkpoint/model.py.

Hooks never import this; they write by the same types.
"""

from types import NoneType, UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints, is_typeddict

from pydantic import BaseModel, ConfigDict, create_model

from holdfast.checkpoint.model import View


def model_of(kind: Any) -> type[BaseModel]:
    """The model of a TypedDict: its keys alone, those that may be missing with None."""
    hints = get_type_hints(kind)
    fields: dict[str, Any] = {
        name: (_type(hint), ...) if name in kind.__required_keys__ else (_type(hint) | None, None)
        for name, hint in hints.items()
    }
    return cast("type[BaseModel]", create_model(kind.__name__, __config__=ConfigDict(extra="forbid"), **fields))


def _type(hint: Any) -> Any:
    """The same with a model in place of each TypedDict."""
    if is_typeddict(hint):
        return model_of(hint)
    inner = tuple(_type(part) for part in get_args(hint))
    if get_origin(hint) is UnionType:
        return next(part for part in inner if part is not NoneType) | None
    return hint.__class__(get_origin(hint), inner) if get_origin(hint) in (list, dict) else hint


CheckpointView = model_of(View)


def shown(view: View) -> dict[str, Any]:
    """The view as it is printed. Raises pydantic's ValidationError for one that breaks the contract."""
    return CheckpointView.model_validate(view).model_dump(exclude_unset=True)
