"""The one place that says what of a server's address may be shown: what can be no part of a password.

People write one in many forms, also in such as libpq does not read; where it is not sure, nothing is shown.
"""

from itertools import takewhile

from holdfast.text import late as re

KEY = "store.url"
_FIELD = re.compile(r"(?:host|port|dbname|user|service|sslmode)=[\w.,/%@:-]*")
_PLACE = r"[\w.%-]*(?::\d{1,5})?"
_URL = re.compile(
    rf"(postgres(?:ql)?://)(?:([\w.%-]*)(?::[^?]*)?(@))?({_PLACE}(?:,{_PLACE})*(?:/[\w.%-]*)?)(?:(\?)([^@?]*))?"
)


def told(value: object) -> str:
    """An address, or whatever stands in its place, as it may be shown."""
    text = value if isinstance(value, str) else " "
    if found := _URL.fullmatch(text):
        *head, query = (part or "" for part in found.groups())
        return "".join(head) + "&".join(filter(_FIELD.fullmatch, query.split("&")))
    return " ".join(takewhile(_FIELD.fullmatch, text.split())) or "(not shown)" * bool(text)
