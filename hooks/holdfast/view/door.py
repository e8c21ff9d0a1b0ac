"""Who may come in: this machine's own address, with the token that the command printed, from the page itself.

A page elsewhere can neither read this one nor send to it. Another name for this address (DNS rebinding) fails at the
host, a form of another site at its origin, at the cookie, which is for this site alone, and at the form's own token.
"""

import hmac
import re
import secrets

OURS = re.compile(r"(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?")
"""Hosts; any port, so that a tunnel through ssh may end at another one."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser sends forms without their origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Door:
    """The secrets of one run."""

    def __init__(self, port: int) -> None:
        self.cookie = f"holdfast-view-{port}"  # cookies know no ports: two pages would take each other's
        self.key, self.session, self.form = (secrets.token_urlsafe(32) for _ in range(3))
        self._once = set[str]()

    def once(self) -> str:
        """A key that opens once: for what starts the browser, whose command line others on this machine may see."""
        key = secrets.token_urlsafe(32)
        self._once.add(key)
        return key

    def opens(self, key: str) -> bool:
        """Whether this key, of an address, is one of ours."""
        spent = [one for one in self._once if same(one, key)]
        self._once.difference_update(spent)
        return bool(spent) or same(self.key, key)

    def knows(self, cookie: str) -> bool:
        """Whether this is a visitor who has come in by a key."""
        return same(self.session, cookie)


def same(own: str, given: str) -> bool:
    """Compared in a time that says nothing of how much of it is right."""
    return hmac.compare_digest(own.encode(), given.encode("utf-8", "replace"))


def stranger(host: str, origin: str | None) -> str:
    """Why a request with these headers is not taken; "" for one that may be ours."""
    if not OURS.fullmatch(host):
        return "this host is not served"
    if origin is not None and origin != f"http://{host}":
        return "another page may not ask this one"
    return ""
