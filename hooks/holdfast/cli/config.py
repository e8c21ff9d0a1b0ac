"""`holdfast config show|check|schema`: what is in force, what is wrong, what may be set."""

import argparse
import os

from holdfast.cli.output import Answer, actions, aligned, as_json
from holdfast.config import load
from holdfast.hot import paths

HELP = "show, check or describe the configuration"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    told = {
        "show": (_show, "every setting and its value; exit 1 when one is wrong"),
        "check": (_check, "which files were read, and what is wrong in them; exit 1 if anything"),
        "schema": (_schema, "the JSON schema of the configuration"),
    }
    actions(parser, told)


def _show(args: argparse.Namespace) -> Answer:
    values, problems = load.load(paths.state_folder(), os.environ)
    rows = aligned((key, str(values[key]), shape["description"]) for key, shape in load.KEYS.items())
    return Answer({"values": values, "problems": problems}, "\n".join([*rows, *problems]), 1 if problems else 0)


def _check(args: argparse.Namespace) -> Answer:
    _, problems = load.load(paths.state_folder(), os.environ)
    files = load.files(paths.state_folder(), os.environ)
    present = ", ".join(path for path in files if os.path.exists(path)) or "no file, only defaults"
    text = "\n".join(problems) or f"configuration is fine; read: {present}"
    return Answer({"ok": not problems, "files": files, "problems": problems}, text, 1 if problems else 0)


def _schema(args: argparse.Namespace) -> Answer:
    return Answer(load.SCHEMA, as_json(load.SCHEMA))
