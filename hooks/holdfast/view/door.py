"""Who may come in: this machine's own address, with the token that the command printed, from the page itself.

The token stands in the path. A cookie would go to every other server of this host: cookies know no ports. A page
elsewhere can neither read this one nor send to it: another name for this address (DNS rebinding) fails at the host, a
form of another site at its origin, at the token, and at the form's own.
"""

import hmac
import re
import secrets
from collections.abc import Mapping

OURS = re.compile(r"(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?")
"""Hosts; any port, so that a tunnel through ssh may end at another one."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # a browser then sends forms with the origin "null", and says what site it is
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Door:
    """The secrets of one run. top: with what every path begins; form: what every form has."""

    def __init__(self) -> None:
        self.top, self.form = f"/{secrets.token_urlsafe(32)}", secrets.token_urlsafe(32)

    def refuses(self, method: str, path: str, headers: Mapping[str, str]) -> str:
        """Why such a request is not taken; "" for one that is."""
        host, origin = headers.get("Host", ""), headers.get("Origin", "" if method in ("GET", "HEAD") else "null")
        if not OURS.fullmatch(host):
            return "this host is not served"
        if not (
            headers.get("Sec-Fetch-Site") == "same-origin" if origin == "null" else origin in ("", f"http://{host}")
        ):
            return "another page may not ask this one"
        is_known = same(self.top, f"/{path.split('/', 2)[1]}")
        return "" if is_known else "Open the address that `holdfast view` has printed."


def same(own: str, given: str) -> bool:
    """Compared in a time that says nothing of how much of it is right."""
    return hmac.compare_digest(own.encode(), given.encode("utf-8", "replace"))
