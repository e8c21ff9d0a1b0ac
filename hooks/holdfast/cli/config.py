"""`holdfast config`: what is in force and who says so, what is wrong, what may be set; sets it."""

import argparse
import os

from holdfast.cli.output import Output, Row, actions, as_json
from holdfast.config import address, edit, load
from holdfast.hot import paths


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    told = {
        "show": (_show, "every setting and its value; exit 1 when one is wrong"),
        "get": (_get, "one setting's value"),
        "set": (
            lambda args: _put(args, edit.parsed(args.key, args.value)),
            "change a setting, in your own file unless --project",
        ),
        "unset": (lambda args: _put(args, None), "take a setting out again"),
        "why": (_why, "which file says so, and what the others say"),
        "check": (_check, "which files were read, and what is wrong in them; exit 1 if anything"),
        "schema": (
            lambda _: Output(load.SCHEMA, as_json(load.SCHEMA), whole=True),
            "the JSON schema of the configuration",
        ),
    }
    parsers = actions(parser, told)
    for name in ("get", "set", "unset", "why"):
        parsers[name].add_argument("key", metavar="KEY", help="e.g. handoff.limit")
    parsers["set"].add_argument("value", metavar="VALUE", help="e.g. 400, true, or a list: 50,100")
    for name in ("set", "unset"):
        parsers[name].add_argument("--project", action="store_true", help="in this project's file instead")


def _show(args: argparse.Namespace) -> Output:
    values, problems = load.load(paths.state_folder(), os.environ)
    values = {key: _told(key, value) for key, value in values.items()}
    usual = load.defaults()
    changed = {key: f"; default: {_shown(usual[key]) or 'none'}" for key in load.KEYS if values[key] != usual[key]}
    rows: list[Row] = [
        (key, _shown(values[key]), shape["description"] + changed.get(key, "")) for key, shape in load.KEYS.items()
    ]
    rows += [("", "", problem) for problem in problems]
    return Output({"values": values, "problems": problems}, rows, 1 if problems else 0)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else load.shown(value)


def _told(key: str, value: object) -> object:
    return address.told(value) if key == address.KEY else value


def _sources(key: str) -> list[edit.SourceValue]:
    return [one._replace(value=_told(key, one.value)) for one in edit.why(key, paths.state_folder(), os.environ)]


def _get(args: argparse.Namespace) -> Output:
    said = next(one for one in _sources(args.key) if not one.note)
    return Output({"key": args.key, "value": said.value, "source": said.source, "written": ""}, _shown(said.value))


def _why(args: argparse.Namespace) -> Output:
    said = _sources(args.key)
    rows = [(_shown(one.value), one.note or "in force", one.source) for one in reversed(said)]
    return Output({"key": args.key, "sources": [one._asdict() for one in said]}, rows)


def _put(args: argparse.Namespace, value: object) -> Output:
    """Says what is in force now: another file may say otherwise."""
    state = paths.state_folder()
    made = " (a new folder: none was in this project)" * (args.project and not os.path.isdir(state))
    before = [one.source for one in edit.why(args.key, state, os.environ)] if value is None else []
    path = edit.put(args.key, value, state, os.environ, args.project)
    now = next(one for one in _sources(args.key) if not one.note)
    elsewhere = "" if now.source == path else " by default" if now.source == "default" else f" (so says {now.source})"
    done = f"written: {path}{made}"
    if value is None:
        done = f"taken out of {path}" if path in before else f"it was not set in {path}"
    told = f"{args.key} is {_shown(now.value)}{elsewhere}; {done}"
    return Output({"key": args.key, "value": now.value, "source": now.source, "written": path}, told)


def _check(args: argparse.Namespace) -> Output:
    _, problems = load.load(paths.state_folder(), os.environ)
    files = load.files(paths.state_folder(), os.environ)
    present = ", ".join(path for path in files if os.path.exists(path)) or "no file, only defaults"
    text = "\n".join(problems) or f"configuration is fine; read: {present}"
    return Output({"ok": not problems, "files": files, "problems": problems}, text, 1 if problems else 0)
