import html
import json
import re
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from holdfast.cli import view
from holdfast.cli.main import main
from holdfast.memory.store import project_memory, users_memory
from holdfast.view import store
from holdfast.view.app import App, Desk
from holdfast.view.door import HEADERS, Door
from tests.view.conftest import KEY, Served

HOST = "127.0.0.1:8765"
OWN = {"Origin": f"http://{HOST}"}
FORM = {**OWN, "Content-Type": "application/x-www-form-urlencoded"}


class Visitor:
    """Somebody at the page, in this process."""

    def __init__(self, state: Path, changes: bool = True, everywhere: bool = False) -> None:
        self.door = Door()
        desk = Desk(view._listed, view._one, view._change if changes else None)
        self.client = Client(App(str(state), everywhere, self.door, desk), use_cookies=False)

    def ask(self, path: str, method: str = "GET", data: Any = None, **headers: str) -> TestResponse:
        return self.client.open(self.door.top + path, method=method, data=data, headers={"Host": HOST, **headers})

    def send(self, name: str, verb: str, whose: str = "memory", **fields: str) -> TestResponse:
        return self.ask(f"/{whose}/{name}/{verb}", "POST", self.form(name, verb, whose) | fields, **OWN)

    def form(self, name: str, verb: str, whose: str = "memory") -> dict[str, str]:
        shown = self.ask(f"/{whose}/{name}").text
        form = shown.partition(f'/{whose}/{name}/{verb}"')[2].partition("</form>")[0]
        sent = dict(re.findall(r'<input[^>]*name="([^"]+)" value="([^"]*)"', form))
        sent |= dict(re.findall(r'<textarea name="([^"]+)"[^>]*>\n(.*?)</textarea>', form, re.DOTALL))
        sent |= dict(re.findall(r'<select name="([^"]+)">.*?<option selected>([^<]*)<', form, re.DOTALL))
        return {key: html.unescape(value).replace("\n", "\r\n") for key, value in sent.items()}


REFUSED = {
    "another name of this address": ("GET", "/", {"Host": "evil.test"}, 403),
    "a name that begins like ours": ("GET", "/", {"Host": "127.0.0.1.evil.test:8765"}, 403),
    "another origin": ("GET", "/", {"Origin": "http://evil.test"}, 403),
    "a link that would change": ("GET", "/memory/{record}/forget", {}, 405),
    "a form without its token": ("POST", "/memory/{record}/forget", OWN, 403),
    "another method": ("PUT", "/memory/{record}", OWN, 405),
    "a path that climbs": ("GET", "/sessions/..%2f..%2f..%2fetc", {}, 404),
    "an original that climbs": ("GET", "/sessions/{session}/digest/..%2f..%2fstate.json", {}, 404),
    "an original that is none": ("GET", "/sessions/{session}/prompt/1/9", {}, 404),
    "a negative one": ("GET", "/sessions/{session}/prompt/1/-1", {}, 404),
    "a record by a part of its id": ("GET", "/memory/{part}", {}, 404),
    "a record that is none": ("GET", "/memory/%00", {}, 404),
    "a kind that is none": ("GET", "/memory?kind=x", {}, 400),
}


def test_what_is_refused(session: str, records: dict[str, str], state: Path) -> None:
    """Each of them, with the headers that bind a browser, and without a word of what is kept."""
    visitor, record = Visitor(state), records["Adopt PostgreSQL"]
    named = {"session": session, "record": record, "part": record[:8]}
    for what, (method, path, headers, code) in REFUSED.items():
        answer = visitor.ask(path.format(**named), method, **headers)
        told = visitor.door.form in answer.text or (code == 403 and method == "GET" and visitor.door.top in answer.text)
        assert (answer.status_code, told) == (code, False), what
        assert dict(answer.headers).items() >= HEADERS.items()
    assert visitor.ask("/memory/x/forget", "POST", b"x=" + b"y" * 1_100_000, **FORM).status_code == 413
    assert project_memory("").get(record)


def test_the_address_alone_opens(records: dict[str, str], state: Path) -> None:
    """With the token in its path; without it nothing is told, and nothing is laid down in the browser, whose cookies
    go to every port of this host.
    """
    visitor = Visitor(state)
    key = visitor.door.top[1:]
    for top in ("", "/x", f"/{key[:-1]}", f"/{key}x", f"/x/{key}", f"//{key}", "/%ff%c3%a9", f"/{visitor.door.form}"):
        for path in ("/", f"/?key={key}", "/style.css", f"/memory/{records['Adopt PostgreSQL']}"):
            answer = visitor.client.open(top + path, headers={"Host": HOST, "Cookie": f"key={key}"})
            assert (answer.status_code, answer.text.count(key), answer.text.count("PostgreSQL")) == (403, 0, 0), top
    for path, host in (("", HOST), ("/", "127.0.0.1"), ("/memory", "localhost:1")):
        for headers in ({"Host": host}, {"Host": host, "Origin": f"http://{host}"}):
            answer = visitor.ask(path, **headers)
            assert (answer.status_code, answer.headers.get("Set-Cookie")) == (200, None)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-origin"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "null", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "null", "Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        (OWN, 200),
    ],
)
def test_where_a_form_comes_from(headers: dict[str, str], code: int, records: dict[str, str], state: Path) -> None:
    """Nothing is changed for one whose origin nobody tells, whatever tokens it has."""
    visitor, name = Visitor(state), records["Adopt PostgreSQL"]
    fields = visitor.form(name, "forget")
    assert fields["token"] == visitor.door.form
    assert visitor.ask(f"/memory/{name}/forget", "POST", fields, **headers).status_code == code
    assert (name in {one.id for one in project_memory("").all()}) is (code == 403)


def test_every_link_leads_somewhere_and_changes_nothing(session: str, records: Any, state: Path, project: Path) -> None:
    """From the first page on: all that was kept is there, escaped and without secrets, and no file is touched."""
    visitor, pages, ahead = Visitor(state), dict[str, str](), ["/"]
    visitor.ask("/memory?q=tabs")  # makes the index, as the command does

    def tree() -> dict[Path, int]:
        return {one: one.lstat().st_mtime_ns for one in project.rglob("*") if one.is_file()}

    before = tree()
    while ahead:
        path = ahead.pop()
        answer = visitor.ask(path)
        assert answer.status_code == 200, path
        pages[path] = answer.text
        links = (html.unescape(one) for one in re.findall(r'(?:href|action)="([^"]+)"', answer.text))
        links = (one.removeprefix(visitor.door.top) for one in links)
        base = path.partition("?")[0]
        found = [f"{base}{one}" if one[0] == "?" else one for one in links if answer.mimetype == "text/html"]
        ahead += [one for one in dict.fromkeys(found) if one not in pages and one not in ahead and "/edit" not in one
                  and not one.endswith(("/confirm", "/forget", "/supersede"))]  # fmt: skip
    assert tree() == before
    texts = "\n".join(pages.values())
    kinds = ["prompt", "digest", "handoff", "compaction", "summary", "restored", "checkpoint"]
    assert [kind for kind in kinds if f"/{kind}/" not in "".join(pages)] == []
    assert pages[f"/sessions/{session}"].count("/restored/") == 1
    assert [one for one in (", of Bash: make check", ", of Read: /p/app.log") if one not in texts] == []
    assert KEY not in texts
    assert KEY[:8] not in store._call("Bash", {"command": "\u200b" * 1_980 + KEY})  # nor half of it
    assert "\x1b" not in texts and "\u202e" not in texts  # noqa: PT018 - one rule
    shown = [text for path, text in pages.items() if not re.fullmatch(r"/sessions/.*/\d+", path)]
    assert not any("<script" in text or "<img" in text for text in shown)
    plain = [text for path, text in pages.items() if re.fullmatch(r"/sessions/[^/]+/(digest|handoff)/[^/]+/1", path)]
    assert any("check 450 of the store" in text for text in plain)
    assert any("## Finding 149" in text and "<script>" in text for text in plain)


def test_the_forms_are_the_commands(records: dict[str, str], state: Path) -> None:
    """Each changes what the command changes; what was not edited stays, and what was seen is what counts."""
    visitor, here = Visitor(state), project_memory("")
    mine, tabs = records["Adopt PostgreSQL"], records["The importer wants tabs"]
    foreign = next(name for title, name in records.items() if title.startswith("Login"))
    lists = {"--tag=": "store\ndb", "--set=alternatives_considered=": "MySQL\nSQLite"}
    said = {"--title=": "Adopt PostgreSQL 17", "--importance=": "9", "--set=rationale=": "transactions\nand joins"}
    answer = visitor.send(mine, "edit", **said, **lists)
    assert answer.status_code == 200, answer.text
    after = here.get(mine)
    assert (after.title, after.tags, after.importance) == ("Adopt PostgreSQL 17", ("store", "db"), 9)
    assert after.content["decision"] == "Adopt PostgreSQL, as was agreed."
    assert after.content["rationale"] == "transactions\nand joins"
    assert after.content["alternatives_considered"] == ("MySQL", "SQLite")
    visitor.send(mine, "edit", **{"--set=rationale=": "", **dict.fromkeys(lists, "")})
    after = here.get(mine)
    assert (after.content["rationale"], after.content["alternatives_considered"], after.tags) == ("", (), ())
    assert "nothing was changed" in visitor.send(mine, "edit").text
    wrongs = {"--importance=": "11", "--title=": "x" * 101, "--set=decision=": "", "--expires=": "1999-01-01"}
    for field, wrong in wrongs.items():
        answer = visitor.send(mine, "edit", **{field: wrong, "--set=context=": "typed in vain"})
        assert (answer.status_code, "typed in vain" in answer.text) == (400, True)
    assert visitor.send(foreign, "confirm", mark="of another state").status_code == 400
    assert here.get(foreign).trust == "semi_trusted"
    assert visitor.send(foreign, "confirm").status_code == 200
    assert here.get(foreign).trust == "trusted"
    assert "there is no record" in visitor.send(mine, "supersede", new="--help").text
    assert visitor.send(mine, "supersede", new=tabs[:8]).status_code == 200
    assert here.get(mine).superseded_by == tabs
    assert visitor.send(tabs, "forget").status_code == 200
    assert visitor.ask(f"/memory/{tabs}").status_code == 404


def test_what_is_chosen_is_counted_beside_all_that_there_is(records: dict[str, str], state: Path) -> None:
    assert len(records) == 3
    for path, count in (("/memory", "3 of 3, archived"), ("/memory?kind=issue", "1 of 3, archived")):
        assert count in Visitor(state).ask(path).text


def test_the_users_own_memory(records: dict[str, str], state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["memory", "add", "decision", "Always use tabs", "--user", "--json"]) == 0
    own, visitor = json.loads(capsys.readouterr().out)["id"], Visitor(state)
    assert "Always use tabs" in visitor.ask("/own").text
    assert "Always use tabs" not in visitor.ask("/memory").text
    assert visitor.send(own, "edit", "own", **{"--set=rationale=": "so it was"}).status_code == 200
    assert users_memory().get(own).content["rationale"] == "so it was"
    foreign = (f"/memory/{own}", f"/own/{records['Adopt PostgreSQL']}")
    assert [visitor.ask(path).status_code for path in foreign] == [404, 404]
    assert visitor.send(own, "forget", "own").status_code == 200
    assert users_memory().all() == []


DAMAGES = (b"", b"[]", b'{"v": 1, "prompts": [7], "phases": 3}\n', b"\xff\x00 1\n" * 9)


def test_damaged_and_gone(session: str, state: Path) -> None:
    """Whatever stands in a session's files, the page tells what it can; a session without files is listed as one."""
    folder, visitor = state / "sessions" / session, Visitor(state)
    files = [one for one in (*folder.rglob("*"), *(state / "logs").iterdir()) if one.is_file() and one.name != "here"]
    for path in files:
        whole = path.read_bytes()
        for damage in (*DAMAGES, whole[: len(whole) // 2]):
            path.write_bytes(damage)
            assert visitor.ask(f"/sessions/{session}").status_code in (200, 404), path
            assert visitor.ask("/").status_code == 200
        path.write_bytes(whole)
    assert visitor.ask(f"/sessions/{session}").status_code == 200
    assert session not in Visitor(state / "other").ask("/").text
    assert f"/sessions/{session}" in Visitor(state / "other", everywhere=True).ask("/").text
    (folder / "here").unlink()  # as a clone's would be
    assert "its files are gone" in visitor.ask("/").text
    assert visitor.ask(f"/sessions/{session}").status_code == 404


def test_in_the_clients_shell_it_reads(records: dict[str, str], state: Path) -> None:
    """There nobody can tell that it is the user who asks: no form, and none is taken."""
    visitor, record = Visitor(state, changes=False), records["Adopt PostgreSQL"]
    assert "This page only reads" in visitor.ask(f"/memory/{record}").text
    token = {"token": visitor.door.form}
    assert visitor.ask(f"/memory/{record}/forget", "POST", token, **OWN).status_code == 403


def test_the_page_in_a_browser(session: str, records: dict[str, str], served: Served, browser: Any) -> None:
    """On a desk and a phone, light and dark: nothing is asked of others or complained of,
    no record runs anything, a form of another page does nothing, and one of this page forgets.
    """
    name = next(name for title, name in records.items() if title.startswith("Login"))
    asked = set()
    for path in ("/", f"/sessions/{session}", f"/memory/{name}", "/memory", f"/sessions/{session}/prompt/1"):
        for width, scheme in ((390, "dark"), (1280, "light")):
            asked |= {*browser.looked_at(served.base + path, width, scheme)}
            assert browser.value("document.title").startswith("Holdfast: ")
    assert {one for one in asked if not one.startswith(f"{served.base}/")} == set()
    assert browser.value("document.body.innerText.includes('<script>')") is True
    assert KEY not in browser.value("document.body.innerText")
    foreign = f"<form method=post action={served.base}/memory/{name}/forget><button>go</button></form>"
    browser.open(f"data:text/html,{foreign}", 1280, "light")
    browser.press("button")
    assert "another page may not ask this one" in browser.value("document.body.innerText")
    assert project_memory("").get(name)
    browser.open(f"{served.base}/memory/{name}", 390, "light")
    browser.press("summary", loads=False)
    browser.press("button.forget")
    assert "forgotten: " in browser.value("document.body.innerText")
    assert browser.value("document.documentElement.scrollWidth") <= 390
    assert [one.id for one in project_memory("").all() if one.id == name] == []


def test_how_it_ends(served: Served, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = served.port
    assert main(["view", "--port", port]) == 1
    taken = f"--port: port {port} cannot be had (Address already in use). Leave it out for a free one"
    assert capsys.readouterr().err == f"holdfast: {taken}\n"
    assert main(["view", "--port", "70000"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    code, told = served.end()
    assert (code, told) == (0, "holdfast: ended\n")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port)))
    again = Served(project, "--port", port)
    assert again.port == port
    assert again.base != served.base
    again.end()


def test_what_can_be_missing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "waitress", None)
        assert main(["view"]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert re.search(r"`/\S+ -m pip .*install waitress`", err)
    assert "waitress: not installed, but needed by the page" in err
    monkeypatch.setenv("BROWSER", "/nonexistent/browser")
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("CLAUDECODE", "1")
    without_browser = Served(project, "--open")
    assert without_browser.end()[0] == 0
    assert "it only reads" in without_browser.said
    assert "no browser was found here; open the address in yours" in without_browser.said


def test_the_browsers_command_line_has_no_key(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others on this machine may see it: it names a file that the user alone can read, gone in the end."""
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\n(echo "$1"; stat -c %a "${{1#file://}}"; cat "${{1#file://}}") > {tmp_path}/opened\n'
    )
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    served = Served(project, "--open")
    named, mode, *leads = (tmp_path / "opened").read_text().splitlines()
    assert (named.startswith("file:///"), mode) == (True, "600")
    assert served.base.rpartition("/")[2] not in named
    assert served.address in "".join(leads)
    assert served.end() == (0, "holdfast: ended\n")
    assert not Path(named.removeprefix("file://")).parent.exists()


def test_a_compaction_stands_behind_its_checkpoint_and_before_what_came_of_it(session: str, state: Path) -> None:
    log = state / "sessions" / session / "hook.log"
    slow = re.sub(r"(?m)^(\d+)(?=\.\d+ PostCompact)", lambda found: str(int(found[0]) + 600), log.read_text())
    log.write_text(slow)
    kinds = [one.kind for one in store.moments(store.known(str(state), False)[0])]
    places = [kinds.index(kind) for kind in ("checkpoint", "compaction", "summary", "restored")]
    assert places == sorted(places)


def test_that_a_transcript_is_gone_is_said(session: str, state: Path, transcript: Any) -> None:
    visitor, said = Visitor(state), "transcript of it is gone"
    assert said not in visitor.ask(f"/sessions/{session}").text
    transcript.path.unlink()
    assert said in visitor.ask(f"/sessions/{session}").text
