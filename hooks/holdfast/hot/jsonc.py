"""JSON through the C scanner and encoder alone.

The `json` package costs 8 ms of start-up, because it imports `re`; its C half costs none. The half is
private to CPython, so any change there falls back to the package (same results, slower).

Note: `loads` ignores what follows the first value. Hook payloads and transcript rows hold one value
each; whoever must refuse trailing text compares `scan(text)[1]` with the length.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    Value = TypeVar("Value")

LEAST, MOST = -60_000_000_000, 250_000_000_000
"""Between them lie the seconds of every date that can be told, and every size and count there is."""

DEEPEST = 200
"""Levels of a JSON, at most: whoever walks through one in Python may call itself only so often."""


def sane(value: "Any") -> int:
    """A whole number that is one; 0 for anything else, such as what only a damaged or forged file holds."""
    return value if type(value) is int and LEAST < value < MOST else 0


def field(data: "Mapping[str, Any]", name: str, blank: "Value") -> "Value":
    """What stands there, where it is of the blank's type; else the blank."""
    value = data.get(name)
    return value if type(value) is type(blank) else blank


def whole_numbers(value: "Any") -> "list[int]":
    """Those of a list; [] for anything else."""
    return [one for one in value if isinstance(one, int)] if isinstance(value, list) else []


def whole(digits: "str | bytes") -> int:
    """The number that is written there. Raises ValueError for one that is none, or longer than any."""
    if len(digits) > 20:
        raise ValueError("no number has so many digits")
    return sane(int(digits))


def broken(digits: str) -> float:
    """As `whole`, with a fraction; 0 for NaN and what is infinite."""
    number = float(digits)
    return number if LEAST < number < MOST else 0.0


def _whole(digits: str) -> int:
    return whole(digits) if len(digits) <= 20 else 0


def _none(name: str) -> "Any":
    raise ValueError(f"{name} is no JSON")


class _Context:
    """What `json.JSONDecoder` would hand to the C scanner."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float: "Any" = float
    parse_int: "Any" = int
    parse_constant: "Any" = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


class _Sane(_Context):
    parse_float, parse_int, parse_constant = staticmethod(broken), staticmethod(_whole), staticmethod(lambda _: 0)


class _Strict(_Context):
    strict, parse_constant = True, staticmethod(_none)


def _sound(text: str, start: int, value: "Any", end: int) -> "tuple[Any, int]":
    """What was scanned there, with a question mark for each half of an emoji: no file has one. Raises ValueError."""
    if end - start > 10_000 and _is_plain(value):
        return value, end
    if end - start > DEEPEST and text.count("[", start, end) + text.count("{", start, end) > DEEPEST:
        level, deep = [value], 1
        while level := [one for upper in level for one in _inner(upper) if isinstance(one, (dict, list))]:
            deep += 1
            if deep > DEEPEST:
                raise ValueError("JSON nested too deeply")
    is_half = text.find("\\ud", start, end) >= 0 or text.find("\\uD", start, end) >= 0
    return _whole_signs(value) if is_half else value, end


def _is_plain(value: "Any") -> bool:
    """Whether it has few values, all ASCII, as long as they may be: to look through a text takes 2 ms a megabyte."""
    level, count = [value], 0
    while level and count <= DEEPEST:
        count += len(level)
        texts = [one for one in level if isinstance(one, str)]
        texts += [name for one in level if isinstance(one, dict) for name in one]
        if not all(map(str.isascii, texts)):
            return False
        level = [one for upper in level for one in _inner(upper)]
    return count <= DEEPEST


def _inner(value: "Any") -> "Iterable[Any]":
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _whole_signs(value: "Any") -> "Any":
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole_signs(name): _whole_signs(one) for name, one in value.items()}
    return [*map(_whole_signs, value)] if isinstance(value, list) else value


try:
    import _json

    def _scanner(context: "type[_Context]") -> "Callable[[str, int], tuple[Any, int]]":
        made: "Callable[[str, int], tuple[Any, int]]" = _json.make_scanner(context())  # type: ignore[arg-type]  # duck-typed in C

        def scan(text: str, start: int) -> "tuple[Any, int]":
            try:
                return _sound(text, start, *made(text, start))
            except SystemError:  # the C half looks for its error class in json.decoder, which nobody has imported
                raise ValueError("the JSON is torn or damaged") from None

        return scan

    def _no_default(value: object) -> object:
        raise TypeError(f"{type(value).__name__} does not go into JSON")

    _encode = _json.make_encoder(None, _no_default, _json.encode_basestring_ascii, None, ": ", ", ", False, False, True)

    def dumps(value: object) -> str:
        """JSON text of plain values, ASCII only, on one line."""
        return "".join(_encode(value, 0))

except (ImportError, AttributeError, TypeError):  # another interpreter or a later CPython
    import json

    def _scanner(context: "type[_Context]") -> "Callable[[str, int], tuple[Any, int]]":
        names = ("strict", "parse_float", "parse_int", "parse_constant")
        made: "Any" = json.JSONDecoder(**{name: getattr(context(), name) for name in names})
        return lambda text, start: _sound(text, start, *made.scan_once(text, start))

    def dumps(value: object) -> str:
        """JSON text of plain values, ASCII only, on one line."""
        return json.dumps(value)


scan = _scanner(_Context)
"""(text, start) -> the value that begins there, as it is, and where it ends. Raises StopIteration or ValueError."""
_scan_sane, _scan_strict = _scanner(_Sane), _scanner(_Strict)


def loads(data: "str | bytes", how: "Callable[[str, int], tuple[Any, int]]" = scan) -> "Any":
    """First JSON value in `data` (bytes: UTF-8, a damaged character becomes U+FFFD), as it is.

    Raises ValueError when there is none.
    """
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    start, end = 0, len(text)
    while start < end and text[start] in " \t\r\n\ufeff":
        start += 1
    try:
        return how(text, start)[0]
    except StopIteration:
        raise ValueError(f"no JSON value at character {start}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def loads_whole(data: "str | bytes", how: "Callable[[str, int], tuple[Any, int]]" = scan) -> "Any":
    """Like `loads`, but text after the value is a ValueError too: for what people write by hand."""
    text = (data.decode("utf-8", "replace") if isinstance(data, bytes) else data).strip(" \t\r\n\ufeff")
    value = loads(text, how)
    end = how(text, 0)[1]
    if end != len(text):
        raise ValueError(f"text after the value at character {end}")
    return value


def loads_strict(data: bytes) -> "Any":
    """Like `loads_whole`, but only what every other reader takes for JSON too."""
    return loads_whole(data.decode(), _scan_strict)


def loads_object(data: "str | bytes", as_is: bool = False) -> "dict[str, Any]":
    """Like `loads`, but {} for anything that is not a JSON object, and 0 for numbers that nothing has. Never raises.

    A file may be damaged or forged: NaN, 1e300 or 400 digits would end whoever reckons with them. as_is: what the
    client hands over.
    """
    try:
        value = loads(data, scan if as_is else _scan_sane)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
