"""`holdfast mcp`: what Holdfast knows of a project, for other agents, over the Model Context Protocol on stdio."""

import argparse
import os
import signal
import sys

from holdfast.cli.output import AGENT, aside
from holdfast.errors import BadInput, missing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--write", action="store_true", help="records may be added and superseded; else it only reads")
    parser.add_argument("--project", default="", metavar="DIR", help="default: the one around the current folder")
    parser.set_defaults(run=serve)


def serve(args: argparse.Namespace) -> int:
    """Answers until stdin ends. Raises BadInput for a folder that is none, Fault where the package is missing."""
    if args.project:
        if not os.path.isdir(args.project):
            raise BadInput("no such folder", args.project, "Name the project's folder")
        os.environ["CLAUDE_PROJECT_DIR"] = os.path.abspath(args.project)
    try:
        from holdfast.cli.mcp_tools import Server
    except ImportError:
        raise missing("this server", "mcp>=2") from None
    os.environ[AGENT] = "1"  # whoever asks over it is a model: all comes fenced, and nothing is the user's word
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # else Ctrl-C waits for the next line
    if sys.stdin.isatty():
        aside("a client of the Model Context Protocol is to start this; Ctrl-C ends it")
    Server(args.write).run()
    return 0
