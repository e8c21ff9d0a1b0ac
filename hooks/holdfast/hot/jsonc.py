"""JSON through the C scanner and encoder alone.

The `json` package costs 8 ms of start-up, because it imports `re`; its C half costs none. The half is
private to CPython, so any change there falls back to the package (same results, slower).

Note: `loads` ignores what follows the first value. Hook payloads and transcript rows hold one value
each; whoever must refuse trailing text compares `scan(text)[1]` with the length.
"""

from holdfast.hot.files import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

try:
    import _json

    class _Context:
        """What `json.JSONDecoder` would hand to the C scanner."""

        strict = False
        object_hook = None
        object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = {
            "-Infinity": float("-inf"),
            "Infinity": float("inf"),
            "NaN": float("nan"),
        }.__getitem__

    def _no_default(value: object) -> object:
        raise TypeError(f"{type(value).__name__} does not go into JSON")

    _scan: "Callable[[str, int], tuple[Any, int]]" = _json.make_scanner(_Context())  # type: ignore[arg-type]  # duck-typed in C

    def scan(text: str, start: int) -> "tuple[Any, int]":
        """The value that begins at `start`, and where it ends. Raises StopIteration or ValueError."""
        try:
            return _scan(text, start)
        except SystemError:  # the C half looks for its error class in json.decoder, which nobody has imported
            raise ValueError("the JSON is torn or damaged") from None

    _encode = _json.make_encoder(None, _no_default, _json.encode_basestring_ascii, None, ": ", ", ", False, False, True)

    def dumps(value: object) -> str:
        """JSON text of plain values, ASCII only, on one line."""
        return "".join(_encode(value, 0))

except (ImportError, AttributeError, TypeError):  # another interpreter or a later CPython
    import json

    scan = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]  # not in the stubs

    def dumps(value: object) -> str:
        """JSON text of plain values, ASCII only, on one line."""
        return json.dumps(value)


def loads(data: "str | bytes") -> "Any":
    """First JSON value in `data` (bytes: UTF-8, a damaged character becomes U+FFFD).

    Raises ValueError when there is none.
    """
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    start, end = 0, len(text)
    while start < end and text[start] in " \t\r\n\ufeff":
        start += 1
    try:
        return scan(text, start)[0]
    except StopIteration:
        raise ValueError(f"no JSON value at character {start}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def loads_whole(data: "str | bytes") -> "Any":
    """Like `loads`, but text after the value is a ValueError too: for what people write by hand."""
    text = (data.decode("utf-8", "replace") if isinstance(data, bytes) else data).strip(" \t\r\n\ufeff")
    value = loads(text)
    end = scan(text, 0)[1]
    if end != len(text):
        raise ValueError(f"text after the value at character {end}")
    return value


def loads_object(data: "str | bytes") -> "dict[str, Any]":
    """Like `loads`, but {} for anything that is not a JSON object. Never raises."""
    try:
        value = loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
