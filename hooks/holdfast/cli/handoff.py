"""`holdfast handoff check|schema|package|received`: does a handoff keep the rules, what would stand in for it, what is
its shape; the package that hands a session's work to the next agent, and its receipt."""

import argparse
import json
from pathlib import Path
from typing import Any

from holdfast.cli import handoff_package
from holdfast.cli.output import Output, actions, as_json, read_named
from holdfast.config import load
from holdfast.errors import BadInput, Fault
from holdfast.handoff import model, outline, schema, sendback
from holdfast.package.kinds import KINDS
from holdfast.text import tokenizer, tokens


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    table = {
        "check": (_check, "tokens, problems, the outline when it is too long; exit 1 when it may not pass"),
        "schema": (_schema, "the JSON schema of a handoff"),
        "package": (handoff_package.package, "one file from which another agent goes on with this work; or --list"),
        "received": (handoff_package.received, "say that you have a package"),
    }
    parsers = actions(parser, table)
    checks = parsers["check"]
    checks.add_argument("file", metavar="FILE", help="a file with the handoff, or - for stdin")
    checks.add_argument("--limit", type=int, default=500, help="tokens allowed (default 500)")
    checks.add_argument("--exact", action="store_true", help="count through the API (needs ANTHROPIC_API_KEY)")
    checks.add_argument("--model", default="claude-sonnet-4-5", help="to count for with --exact (%(default)s)")
    made = parsers["package"]
    kinds = "; ".join(f"{name}: {kind.when} (to {kind.high:,} tokens)" for name, kind in KINDS.items())
    made.add_argument("--kind", choices=list(KINDS), metavar="KIND", help=kinds)
    made.add_argument("--for", dest="to", default="whoever goes on", metavar="AGENT", help="who it is for")
    made.add_argument("--task", default="", metavar="TEXT", help="what the next agent is asked; of a specialist needed")
    made.add_argument("--session", default="", metavar="ID", help="default: this one, else the newest")
    made.add_argument("--transcript", default="", metavar="FILE", help="any session's transcript (.jsonl) instead")
    made.add_argument("--list", action="store_true", help="the packages made here, and who has received them")
    parsers["received"].add_argument("code", metavar="CODE", help="as the package's first line has it")
    parsers["received"].add_argument("--by", default="", metavar="AGENT", help="default: this session")


def _schema(args: argparse.Namespace) -> Output:
    shape = json.loads(Path(model.__file__).with_name("handoff.json").read_text("utf-8"))
    return Output(shape, as_json(shape), whole=True)


def _check(args: argparse.Namespace) -> Output:
    bounds = load.KEYS["handoff.limit"]
    low, high = bounds["minimum"], bounds["maximum"]
    if not low <= args.limit <= high:
        raise BadInput(f"--limit is {args.limit}", "handoff check", f"Give a number from {low} to {high}")
    given = read_named(args.file, "Give a file with the handoff, or -")
    checked = check(given, args.limit, args.model if args.exact else "")
    return Output(checked, _text(checked), 0 if checked["ok"] else 1)


def check(text: str, limit: int, exact_model: str = "") -> dict[str, Any]:
    """The contract of the command, as handoff/schema.py defines it."""
    parsed = model.parse(text)
    counted, problems = _count(parsed.read, limit, exact_model)
    over, decided = counted.tokens > limit, parsed.decided
    problems += [f"{counted.tokens:,} tokens; the limit is {limit:,}"] if over else []
    problems += [] if decided else ["no line states a decision (PROCEED, STOP or CLARIFY)"]
    problems += parsed.problems
    problems += schema.problems(parsed.given) if parsed.form.startswith("json") else []
    broken = [(rule, said) for rule, told in sendback.lint(parsed.read).items() for said in told]
    problems += [f"{rule}: {said} (leave out {sendback.CUTS[rule]})" for rule, said in broken]
    facts: dict[str, Any] = {
        "tokens": counted.tokens,
        "limit": limit,
        "ok": bool(text.strip()) and not over and bool(decided),
        "counted_by": counted.source,
        "band": None if counted.source == "api" else list(tokenizer.BANDS[counted.source]),
        "form": parsed.form,
        "decision": decided,
        "problems": problems,
        "compact": outline.outline(text, limit, tokenizer.counter()) if over else "",
    }
    return schema.Check(**facts).model_dump()


def _count(text: str, limit: int, exact_model: str) -> tuple[tokenizer.Count, list[str]]:
    """As a hook counts it, unless it is to be exact."""
    problems = []
    try:
        if exact_model:
            return tokenizer.exact(text, exact_model), []
    except Fault as fault:
        problems = [f"not counted exactly: {fault}"]
    guess = tokens.estimate(text)
    return tokenizer.count(text) if tokens.is_near(guess, limit) else tokenizer.Count(guess, "estimate"), problems


def _text(checked: dict[str, Any]) -> str:
    how = "exact, by the API"
    if checked["counted_by"] != "api":
        low, high = checked["band"]
        by = f" by {checked['counted_by']}".removesuffix(" by estimate")
        how = f"estimate{by}; the true number is mostly {low:.2f} to {high:.2f} times this"
    size = f"{'ok' if checked['ok'] else 'not ok'}: {checked['tokens']:,} of {checked['limit']:,} tokens ({how})"
    head = f"{size}, decision {checked['decision'] or 'not stated'}, form {checked['form']}"
    instead = ["", "What the caller gets if the agent does not shorten it:", checked["compact"]]
    return "\n".join([head, *(f"- {problem}" for problem in checked["problems"]), *instead * bool(checked["compact"])])
