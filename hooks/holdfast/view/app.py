"""The page's requests and answers. Reading changes nothing; a change is one of the memory's own commands."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined
from werkzeug.exceptions import Forbidden, HTTPException, NotFound
from werkzeug.routing import Map, Rule, Submount
from werkzeug.wrappers import Request, Response

from holdfast.errors import BadInput, HoldfastError
from holdfast.hot import jsonc
from holdfast.hot.files import read_text
from holdfast.hot.fingerprint import fingerprint
from holdfast.ledger.model import Entry
from holdfast.memory.record import KINDS, SHAPES
from holdfast.report.page import style
from holdfast.session.context import stamp
from holdfast.text.lines import one_line, seen
from holdfast.text.quoting import LABELS
from holdfast.text.redaction import redacted
from holdfast.view import store
from holdfast.view.door import HEADERS, Door, same

HERE = __file__.removesuffix("app.py")
SHOWN = 4_000
"""Characters of a text on a page; the whole is a link away."""
MEMORIES = {"memory": "this project's", "own": "yours, told in every project"}
Row = Mapping[str, Any]
"""A record as `holdfast memory show --json` has it."""


class Desk(NamedTuple):
    """The memory's own commands, as the page uses them. Each raises HoldfastError."""

    listed: Callable[[str, str, str], tuple[list[Row], int]]
    """(whose, question, kind) -> the records that are shown, and how many there are at all. whose: one of MEMORIES."""
    one: Callable[[str, str], Row]
    """(whose, id)"""
    change: Callable[[str, list[str]], str] | None
    """Runs a command, gives what it says; None where nobody can tell that it is the user who sits at the page."""


class App:
    """A WSGI application; for the sessions of one state folder, or of all projects."""

    def __init__(self, state: str, everywhere: bool, door: Door, desk: Desk) -> None:
        self.state, self.everywhere, self.door, self.desk = state, everywhere, door, desk
        world = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        world.filters |= {"line": _line, "text": _text, "when": lambda seconds: stamp(seconds) if seconds else ""}
        world.globals |= {"form_token": door.form, "may_change": desk.change is not None, "everywhere": everywhere}
        world.globals |= {"memories": MEMORIES, "top": door.top}
        self.template = world.from_string(read_text(f"{HERE}page.html", follow=True))
        verb = "<any(edit, confirm, supersede, forget):verb>"
        whose = f"<any({', '.join(MEMORIES)}):whose>"
        routes = [
            Rule("/", endpoint=self.sessions, methods=["GET"]),
            Rule("/style.css", endpoint=self.style, methods=["GET"]),
            Rule("/sessions/<name>", endpoint=self.session, methods=["GET"]),
            Rule("/sessions/<name>/<kind>/<which>", endpoint=self.moment, methods=["GET"]),
            Rule("/sessions/<name>/<kind>/<which>/<int:number>", endpoint=self.whole, methods=["GET"]),
            Rule(f"/{whose}", endpoint=self.memory, methods=["GET"]),
            Rule(f"/{whose}/<name>", endpoint=self.record, methods=["GET"]),
            Rule(f"/{whose}/<name>/{verb}", endpoint=self.change, methods=["POST"]),
        ]
        self.routes = Map([Submount(door.top, routes)], strict_slashes=False, merge_slashes=False)

    def __call__(self, environ: Any, start: Any) -> Iterable[bytes]:
        request = Request(environ)
        request.max_content_length = 1_000_000  # bytes of a form
        try:
            if why := self.door.refuses(request.method, request.path, dict(request.headers)):
                response = Response(why, 403)  # plain: the page has links, and they have the token
            else:
                endpoint, values = self.routes.bind_to_environ(environ).match()
                response = endpoint(request, **values)
        except HTTPException as error:
            response = self._page("told", error.code or 500, title=error.name, lines=[error.description or ""], back="")
        except (HoldfastError, OSError) as error:
            response = self._page("told", 400, title="This cannot be done", lines=[str(error)], back="")
        response.headers.update(HEADERS)
        return response(environ, start)

    def _page(self, what: str, code: int = 200, **facts: Any) -> Response:
        return Response(self.template.render(what=what, **facts), code, mimetype="text/html")

    def style(self, _: Request) -> Response:
        return Response(style() + read_text(f"{HERE}page.css", follow=True), mimetype="text/css")

    def sessions(self, _: Request) -> Response:
        found = store.known(self.state, self.everywhere)
        return self._page("sessions", found=[(one, store.is_here(one), store.request(one)) for one in found])

    def session(self, request: Request, name: str) -> Response:
        """What happened in one; of the kind that is asked for, or all."""
        session, kind = self._session(name), request.args.get("kind", "")
        found = store.moments(session)
        kinds, chosen = Counter(one.kind for one in found), [one for one in found if kind in ("", one.kind)]
        facts: dict[str, Any] = {"kinds": kinds, "kind": kind, "total": len(found)}
        facts["has_transcript"] = store.has_transcript(session)
        return self._page("session", session=session, found=chosen, **facts)

    def moment(self, _: Request, name: str, kind: str, which: str) -> Response:
        found = self._moment(name, kind, which)
        wholes = [(path.rpartition("/")[2], read_text(path)) for path in found.wholes]
        return self._page("moment", session=self._session(name), one=found, wholes=wholes, shown=SHOWN)

    def whole(self, _: Request, name: str, kind: str, which: str, number: int) -> Response:
        """A text in full, as nothing but text: of the moment itself (0), or of an original."""
        found = self._moment(name, kind, which)
        if number > len(found.wholes):
            raise NotFound
        text = read_text(found.wholes[number - 1]) if number else found.text
        return Response(seen(redacted(text)), mimetype="text/plain")

    def _session(self, name: str) -> Entry:
        for one in store.known(self.state, self.everywhere):
            if one["session"] == name and store.is_here(one):
                return one
        raise NotFound("There is no session of this name, or its files are gone.")

    def _moment(self, name: str, kind: str, which: str) -> store.TimelineItem:
        for one in store.moments(self._session(name)):
            if (one.kind, one.name) == (kind, which):
                return one
        raise NotFound("There is nothing of this name in the session.")

    def memory(self, request: Request, whose: str) -> Response:
        query, kind = request.args.get("q", ""), request.args.get("kind", "")
        found, total = self.desk.listed(whose, query, kind)
        return self._page("memory", whose=whose, found=found, total=total, query=query, kind=kind, kinds=KINDS)

    def record(self, request: Request, whose: str, name: str, wrong: str = "") -> Response:
        """One record, with the forms that change it. wrong: what was wrong with the one that was sent."""
        row = self._row(whose, name)
        sent = request.form if request.form.get("mark") == _mark(row) else {}  # what was typed is not lost
        fields = [one._replace(value=sent.get(one.option, one.value)) for one in _fields(row)]
        facts = {"fields": fields, "trust": LABELS.get(row["trust"], LABELS["untrusted"]).words}
        return self._page("record", 400 if wrong else 200, whose=whose, row=row, mark=_mark(row), wrong=wrong, **facts)

    def _row(self, whose: str, name: str) -> Row:
        try:
            row = self.desk.one(whose, name)
        except BadInput as error:
            raise NotFound(str(error)) from None
        if row["id"] != name:
            raise NotFound
        return row

    def change(self, request: Request, whose: str, name: str, verb: str) -> Response:
        form, row = request.form, self._row(whose, name)
        if not same(self.door.form, form.get("token", "")) or not self.desk.change:
            raise Forbidden("This form is not from this page, or the page only reads.")
        try:
            if form.get("mark") != _mark(row):
                raise BadInput("the record has changed since it was shown", "", "Look at it again, here it is")
            more = _edits(row, form) if verb == "edit" else []
            new = [form.get("new", "").strip()] if verb == "supersede" else []
            told = self.desk.change(whose, [verb, *more, "--", row["id"], *new])
        except HoldfastError as error:
            return self.record(request, whose, name, str(error).removeprefix("--"))  # a field is named as on the page
        back = f"/{whose}" if verb == "forget" else f"/{whose}/{name}"
        return self._page("told", title="Done", lines=told.splitlines(), back=back)


def _mark(row: Row) -> str:
    """Of all that the record says; uses may be counted meanwhile."""
    said = {name: value for name, value in row.items() if name not in ("access_count", "last_accessed", "score")}
    return fingerprint(jsonc.dumps(said).encode("utf-8", "replace"))


class Field(NamedTuple):
    """A field of the form that edits a record. option: what the command has before its value; value: as it is shown."""

    option: str
    label: str
    type: str
    """array: one a line; string, integer; line: one that cannot be emptied."""
    choices: tuple[Any, ...]
    value: str


def _fields(row: Row) -> list[Field]:
    ten = tuple(map(str, range(1, 11)))
    return [
        Field("--title=", "title", "line", (), row["title"]),
        *(
            Field(f"--set={name}=", name.replace("_", " "), rule["type"], tuple(rule.get("enum", ())), _shown(value))
            for name, rule in SHAPES[row["kind"]].items()
            for value in [row["content"].get(name, "")]
        ),
        Field("--tag=", "tags", "array", (), _shown(row["tags"])),
        Field("--path=", "paths", "array", (), _shown(row["paths"])),
        Field("--importance=", "importance", "line", ten, str(row["importance"])),
        Field("--expires=", "expires: a day, or 30d from now", "line", (), row["expires"]),
    ]


def _shown(value: Any) -> str:
    return "\n".join(value) if isinstance(value, (list, tuple)) else str(value)


def _edits(row: Row, form: Mapping[str, str]) -> list[str]:
    found = []
    for field in _fields(row):
        value = form.get(field.option, field.value).replace("\r\n", "\n").strip()
        if value != field.value.strip() and (value or field.type in ("array", "string")):
            found += [field.option + one for one in (value.splitlines() or [""] if field.type == "array" else [value])]
    if not found:
        raise BadInput("nothing was changed", "", "Change a field first")
    return found


def _line(value: object, chars: int = 200) -> str:
    return one_line(redacted(str(value)), chars)


def _text(value: str, chars: int = SHOWN) -> str:
    """The beginning of a text, without secrets and what could pose as something else."""
    return seen(redacted(value)[:chars])
