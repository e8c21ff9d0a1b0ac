"""`holdfast view`: a local page on which the user reads sessions and the memory, and changes the memory."""

import argparse
import logging
import os
import socket
import tempfile
import time
import webbrowser
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from holdfast.cli import memory
from holdfast.cli import memory_view as shown
from holdfast.cli.output import AGENT
from holdfast.errors import BadInput, missing
from holdfast.hot import paths
from holdfast.hot.files import write_atomic
from holdfast.memory.store import Memory, project_memory, users_memory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: one that is free")
    parser.add_argument("--all-projects", action="store_true", help="the sessions of all your projects")
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    parser.set_defaults(run=_serve)


def _serve(args: argparse.Namespace) -> int:
    """Until Ctrl-C. Raises Fault for missing packages, BadInput for a port that cannot be had."""
    try:
        import waitress

        from holdfast.view.app import App, Desk
        from holdfast.view.door import Door
    except ImportError:
        raise missing("the page", "werkzeug", "waitress", "jinja2") from None
    listens = _listening(args.port)
    door, reads = Door(), bool(os.environ.get(AGENT))
    desk = Desk(_listed, _one, None if reads else _change)
    app = App(paths.state_folder(), args.all_projects, door, desk)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # one request after another is as it should be
    patience = {"channel_timeout": 10, "cleanup_interval": 5}  # seconds that a connection may keep others out
    server = waitress.create_server(app, sockets=[listens], threads=1, ident="holdfast", **patience)
    with tempfile.TemporaryDirectory(prefix="holdfast-view-") if args.open else nullcontext("") as private:
        try:
            _tell(f"http://127.0.0.1:{listens.getsockname()[1]}{door.top}/", reads, private)
            server.run()
        except KeyboardInterrupt:  # before it runs
            pass
    server.close()
    print("holdfast: ended")
    return 0


def _tell(address: str, reads: bool, private: str) -> None:
    """Where the page is; and open it, by a file in this folder: others on this machine may see a command line."""
    print(f"holdfast: {address}", flush=True)
    if reads:
        print("holdfast: it only reads: in the client's shell nobody can tell that you are at the page")
    if private:
        leads = f"{private}/open.html"
        write_atomic(leads, f'<meta http-equiv="refresh" content="0; url={address}">\n')
        if not webbrowser.open(f"file://{leads}"):
            print("holdfast: no browser was found here; open the address in yours")
    print("holdfast: open the address in a browser on this machine; Ctrl-C ends it", flush=True)


def _listening(port: int) -> socket.socket:
    listens = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listens.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # or the port of a page just ended stays taken
    try:
        listens.bind(("127.0.0.1", port))
        listens.listen()
    except (OSError, OverflowError) as error:
        listens.close()
        why = getattr(error, "strerror", None) or error
        raise BadInput(f"port {port} cannot be had ({why})", "--port", "Leave it out for a free one") from None
    return listens


def _memory(whose: str) -> Memory:
    return users_memory() if whose == "own" else project_memory("")


def _listed(whose: str, query: str, kind: str) -> tuple[list[Mapping[str, Any]], int]:
    """As `search` or `list` would show them, set aside ones too, and of how many; it counts for no use."""
    here = _memory(whose)
    if not os.path.isdir(here.folder):
        return [], 0
    options = ["--archived", "--limit=500", *([f"--type={kind}"] if kind else [])]
    args = memory.parsed(["search", *options, "--", query] if query.strip() else ["list", *options])
    found, whole = (shown.chosen([here], one, time.time()) for one in (args, memory.parsed(["list", *options[:1]])))
    return [shown.as_json(one) for one in found.found], whole.total


def _one(whose: str, key: str) -> Mapping[str, Any]:
    here = _memory(whose)
    (found,) = shown.stored([here.find(key)], here)
    return shown.as_json(found)


def _change(whose: str, argv: list[str]) -> str:
    args = memory.parsed([*argv[:1], *(["--user"] if whose == "own" else []), *argv[1:]])
    return str(args.run(args).text)
