"""The page's requests and answers. Reading changes nothing; a change is one of the memory's own commands."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined
from werkzeug.exceptions import Forbidden, HTTPException, NotFound
from werkzeug.routing import Map, Rule
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from holdfast.errors import BadInput, HoldfastError
from holdfast.hot import jsonc
from holdfast.hot.files import read_text
from holdfast.hot.fingerprint import fingerprint
from holdfast.memory.record import KINDS, SHAPES
from holdfast.report.page import style
from holdfast.session.context import stamp
from holdfast.text.lines import one_line, seen
from holdfast.text.quoting import LABELS
from holdfast.text.redaction import redacted
from holdfast.view import store
from holdfast.view.door import HEADERS, Door, same, stranger

HERE = __file__.removesuffix("app.py")
SHOWN = 8_000
"""Characters of a text on a page; the whole is a link away."""
LONGEST_FORM = 1_000_000
Row = Mapping[str, Any]
"""A record as `holdfast memory show --json` has it."""


class Desk(NamedTuple):
    """The memory's own commands, as the page uses them. Each raises HoldfastError."""

    listed: Callable[[str, str], tuple[list[Row], int]]
    """(question, kind) -> the records that are shown, and of how many."""
    one: Callable[[str], Row]
    """By its id."""
    change: Callable[[list[str]], str] | None
    """Runs a command, gives what it says; None where nobody can tell that it is the user who sits at the page."""


class App:
    """A WSGI application; for the sessions of one state folder, or of all projects."""

    def __init__(self, state: str, everywhere: bool, door: Door, desk: Desk) -> None:
        self.state, self.everywhere, self.door, self.desk = state, everywhere, door, desk
        world = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        world.filters |= {"line": _line, "text": _text, "when": _when}
        world.globals |= {"form_token": door.form, "may_change": desk.change is not None, "everywhere": everywhere}
        self.template = world.from_string(read_text(f"{HERE}page.html", follow=True))
        self.routes = Map(
            [
                Rule("/", endpoint=self.sessions, methods=["GET"]),
                Rule("/style.css", endpoint=self.style, methods=["GET"]),
                Rule("/sessions/<name>", endpoint=self.session, methods=["GET"]),
                Rule("/sessions/<name>/<kind>/<which>", endpoint=self.moment, methods=["GET"]),
                Rule("/sessions/<name>/<kind>/<which>/<int:number>", endpoint=self.whole, methods=["GET"]),
                Rule("/memory", endpoint=self.memory, methods=["GET"]),
                Rule("/memory/<name>", endpoint=self.record, methods=["GET"]),
                Rule("/memory/<name>/<verb>", endpoint=self.change, methods=["POST"]),
            ],
            redirect_defaults=False,
            merge_slashes=False,
        )

    def __call__(self, environ: Any, start: Any) -> Iterable[bytes]:
        """One request."""
        request = Request(environ)
        request.max_content_length = LONGEST_FORM
        try:
            response = self._answered(request)
        except HTTPException as error:
            response = self._page("told", error.code or 500, title=error.name, lines=[error.description or ""])
        except (HoldfastError, OSError) as error:
            response = self._page("told", 400, title="This cannot be done", lines=[str(error)])
        response.headers.update(HEADERS)
        return response(environ, start)

    def _answered(self, request: Request) -> Response:
        if why := stranger(request.headers.get("Host", ""), request.headers.get("Origin")):
            raise Forbidden(why)
        if request.path == "/" and "key" in request.args and self.door.opens(request.args["key"]):
            entered = redirect("/", 303)
            entered.set_cookie(self.door.cookie, self.door.session, httponly=True, samesite="Strict")
            return entered
        if not self.door.knows(request.cookies.get(self.door.cookie, "")):
            raise Forbidden("Open the address that `holdfast view` has printed.")
        endpoint, values = self.routes.bind_to_environ(request.environ).match()
        answer: Response = endpoint(request, **values)
        return answer

    def _page(self, what: str, code: int = 200, **facts: Any) -> Response:
        return Response(self.template.render(what=what, **facts), code, mimetype="text/html")

    def style(self, _: Request) -> Response:
        """The report's style, and what this page adds."""
        return Response(style() + read_text(f"{HERE}page.css", follow=True), mimetype="text/css")

    def sessions(self, _: Request) -> Response:
        """All that are known."""
        found = store.known(self.state, self.everywhere)
        return self._page("sessions", found=[(one, store.request(one)) for one in found])

    def session(self, request: Request, name: str) -> Response:
        """What happened in one; of the kind that is asked for, or all."""
        place, kind = self._place(name), request.args.get("kind", "")
        found = store.moments(place)
        kinds = {one: sum(moment.kind == one for moment in found) for one in dict.fromkeys(m.kind for m in found)}
        chosen = [one for one in found if kind in ("", one.kind)]
        return self._page("session", place=place, found=chosen, kinds=kinds, kind=kind, total=len(found))

    def moment(self, _: Request, name: str, kind: str, which: str) -> Response:
        """One of them, with the beginning of its originals."""
        found = self._moment(name, kind, which)
        wholes = [(path.rpartition("/")[2], read_text(path)) for path in found.wholes]
        return self._page("moment", place=self._place(name), one=found, wholes=wholes, shown=SHOWN)

    def whole(self, _: Request, name: str, kind: str, which: str, number: int) -> Response:
        """A text in full, as nothing but text: of the moment itself (0), or of an original."""
        found = self._moment(name, kind, which)
        if number > len(found.wholes):
            raise NotFound
        text = read_text(found.wholes[number - 1]) if number else found.text
        return Response(seen(redacted(text)), mimetype="text/plain")

    def _place(self, name: str) -> store.Place:
        for one in store.known(self.state, self.everywhere):
            if one.name == name and one.is_here:
                return one
        raise NotFound("There is no session of this name, or its files are gone.")

    def _moment(self, name: str, kind: str, which: str) -> store.Moment:
        for one in store.moments(self._place(name)):
            if (one.kind, one.name) == (kind, which):
                return one
        raise NotFound("There is nothing of this name in the session.")

    def memory(self, request: Request) -> Response:
        """The records that answer, or all."""
        query, kind = request.args.get("q", ""), request.args.get("kind", "")
        found, total = self.desk.listed(query, kind)
        return self._page("memory", found=found, total=total, query=query, kind=kind, kinds=KINDS)

    def record(self, _: Request, name: str) -> Response:
        """One record, with the forms that change it."""
        return self._record(name)

    def _record(self, name: str, wrong: str = "", code: int = 200) -> Response:
        row = self._row(name)
        fields = [(field, rule["type"], rule.get("enum", ()), _field(row, field)) for field, rule in _shape(row)]
        facts = {"trust": LABELS.get(row["trust"], LABELS["untrusted"]).words, "mark": _mark(row), "wrong": wrong}
        return self._page("record", code, row=row, fields=fields, lists=_lists(row), **facts)

    def _row(self, name: str) -> Row:
        try:
            row = self.desk.one(name)
        except BadInput as error:
            raise NotFound(str(error)) from None
        if row["id"] != name:
            raise NotFound
        return row

    def change(self, request: Request, name: str, verb: str) -> Response:
        """Do what a form asks: as the command does, and only to the record as it was shown."""
        form, row = request.form, self._row(name)
        if not same(self.door.form, form.get("token", "")) or not self.desk.change:
            raise Forbidden("This form is not from this page, or the page only reads.")
        make = _COMMANDS.get(verb)
        if not make:
            raise NotFound
        try:
            if form.get("mark") != _mark(row):
                raise BadInput("the record has changed since it was shown", "", "Look at it again, here it is")
            told = self.desk.change([verb, *make(row, form)])
        except HoldfastError as error:
            return self._record(name, str(error), 400)
        gone = verb == "forget"
        return self._page("told", title="Done", lines=told.splitlines(), back="" if gone else row["id"])


def _shape(row: Row) -> list[tuple[str, Any]]:
    return list(SHAPES[row["kind"]].items())


def _field(row: Row, name: str) -> str:
    """A field of the content as its form has it, a list line by line."""
    value = row["content"].get(name, "")
    return "\n".join(value) if isinstance(value, (list, tuple)) else str(value)


def _lists(row: Row) -> dict[str, str]:
    return {"tag": "\n".join(row["tags"]), "path": "\n".join(row["paths"])}


def _mark(row: Row) -> str:
    """Of all that the record says; uses may be counted meanwhile."""
    counted = ("access_count", "last_accessed", "score")
    said = {name: value for name, value in row.items() if name not in counted}
    return fingerprint(jsonc.dumps(said).encode("utf-8", "replace"))


def _edit(row: Row, form: Mapping[str, str]) -> list[str]:
    """What differs from what was shown."""
    sent = {name: value.replace("\r\n", "\n").strip() for name, value in form.items()}
    found = []
    for place, (name, rule) in enumerate(_shape(row)):
        value = sent.get(f"content-{name}", "")
        if value != _field(row, name).strip():
            lines = value.splitlines() or [""] if rule["type"] == "array" else [value]
            found += [f"--set={name}={line}" for line in lines] if place or not value else [f"--text={value}"]
    for name, value in _lists(row).items():
        if sent.get(name, "") != value.strip():
            found += [f"--{name}={line}" for line in sent.get(name, "").splitlines() or [""]]
    for name in ("title", "importance", "expires"):
        if sent.get(name, "") not in ("", str(row[name])):
            found.append(f"--{name}={sent[name]}")
    if not found:
        raise BadInput("nothing was changed", "", "Change a field first")
    return [*found, "--", row["id"]]


_COMMANDS: Mapping[str, Callable[[Row, Mapping[str, str]], list[str]]] = {
    "edit": _edit,
    "confirm": lambda row, _: ["--", row["id"]],
    "supersede": lambda row, form: ["--", row["id"], form.get("new", "").strip()],
    "forget": lambda row, _: ["--", row["id"]],
}


def _line(value: object, chars: int = 200) -> str:
    return one_line(redacted(str(value)), chars)


def _text(value: str, chars: int = SHOWN) -> str:
    """The beginning of a text, without secrets and what could pose as something else."""
    return seen(redacted(value)[:chars])


def _when(seconds: float) -> str:
    return stamp(seconds) if seconds else ""
