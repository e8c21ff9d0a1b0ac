"""What goes through a foreign text in Python line by line, and texts that are worst for it.

Lines of our own code that are run are counted, without a clock (tests/benchmarks/test_worst_cases.py).
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from benchmarks.worst_cases import LIBRARY
from holdfast.errors import BadInput
from holdfast.text import redaction

UNITS = (
    *("a", " ", "\n", "\t", "\r", "\\", '"', "'", "`", "*", "#", "|", "<", ">", "[", "(", "{", "-", "_", ".", "/", "="),
    *("a ", "a\n", "a/", "a_", "aA", "0.", "\u6f22", "\u2028", "\u202e", "\ud800", "\x00", '\\"', '"a",', "a:\n"),
    *("<a ", "<a>\n", "</a>\n", "<a>\n</a>\n", "<a><b>", "[a](", "![", "```\n", "```a\n", "~~~a\n", "```json\n{"),
    *("[1,", "> a\n", "- a\n", "  - a\n", "- [x] a\n", "###### a\n##### a\n", "**a**\n", "| a | b |\n", '{"a":'),
    *("Decision: STOP\n", "Status: x\n", "## Must fix\n- a\n", "# Critical\n- a\n", "| CRITICAL | a |\n"),
    *("# a\n", "Errors: a\n", "<decision>", "<context_summary>a", "\n<handoff>", "<result>", "</result>"),
    *("<task-notification>", "error: a\n"),
    *("$ grep -r \"", "find a -", "a && ", "a | tail", "cd a;", "<<EOF\n"),
    *("@@ -1 +1 @@\n", "a.py:1:b\n", '{"a":1}\n', '{"":}\n', "1 "),
    *("git commit -m \"a\" && ", "[main abc1234] a\n"),
    *("password = a", "token=", "https://a:b@", "eyJ", "-----BEGIN PRIVATE KEY-----", "Bearer ", "RULE: \"a\"\n"),
    *("token,a1\n", "a|token\n1|a1\n", "c2stYWJj" * 8 + " "),
)  # fmt: skip
"""What the worst texts for scanners are made of, over and over: marks that open, repeat, quote and nest."""


def scanners() -> dict[str, Callable[[str], object]]:
    """What goes through a foreign text in Python, by name."""
    from holdfast.checkpoint import sections
    from holdfast.digest import policy
    from holdfast.handoff import decision, model, orchestrator, outline, sendback, structure, wakeup
    from holdfast.knowledge import markers, sources
    from holdfast.memory import markdown as records
    from holdfast.search import analysis
    from holdfast.text import identifiers, lines, markdown, markup, quoting, tokens
    from holdfast.transcript import check_runs, commands, outputs, rows
    from holdfast.worklog import marks

    return {
        "text/markdown:read": lambda text: list(markdown.read(text)),
        "text/markdown:plain": markdown.plain,
        "text/markdown:cells": markdown.cells,
        "text/markup:escape": markup.escape,
        "text/quoting:page": lambda text: quoting.page(text, "a"),
        "text/redaction:redacted": redaction.redacted,
        "text/identifiers:paths": identifiers.paths,
        "text/identifiers:identifiers": identifiers.identifiers,
        "text/identifiers:occurs": lambda text: identifiers.occurs(text[:9], text),
        "text/identifiers:names_file": lambda text: identifiers.names_file(text, "/a/a.py", "/a"),
        "text/lines:one_line": lambda text: lines.one_line(text, 80),
        "text/lines:unposing": lines.unposing,
        "text/tokens:estimate": tokens.estimate,
        "handoff/structure:scan": structure.scan.__wrapped__,
        "handoff/decision:find": decision.find,
        "handoff/model:parse": model.parse,
        "handoff/outline:outline": lambda text: outline.outline(text, 20),
        "handoff/sendback:too_many": lambda text: sendback.too_many(model.parse(text), 20, 20),
        "handoff/sendback:lint": sendback.lint,
        "handoff/wakeup:tag": lambda text: wakeup.tag(text, "result"),
        "handoff/orchestrator:with_task": lambda text: orchestrator.with_task(orchestrator.empty(), text, text),
        "digest/policy:digest": lambda text: policy.digest(text, "Bash", "/whole", 20),
        "transcript/commands:commit_made": lambda text: commands.commit_made(text, text),
        "transcript/outputs:tests_passed": outputs.tests_passed,
        "transcript/commands:is_look": commands.is_look,
        "transcript/check_runs:touches": lambda text: check_runs.touches(commands.plainly(text), text),
        "transcript/rows:human_prompt": lambda text: rows.human_prompt(_typed(text)),
        "transcript/rows:slash_command": lambda text: rows.slash_command(_typed(text)),
        "transcript/rows:parse_chunk": lambda text: rows.parse_chunk(text.encode("utf-8", "replace")),
        "worklog/marks:marked": lambda text: marks.marked(text, "user", 1),
        "memory/markdown:parse": lambda text: _tried(records.parse, f"---\n{text}\n---\n{text}"),
        "knowledge/markers:found": markers.found,
        "knowledge/sources:goal": sources.goal,
        "knowledge/sources:purpose": lambda text: sources.purpose(text, "a.py"),
        "search/analysis:lines": analysis.lines,
        "checkpoint/sections:flat": sections.flat,
    }


def _typed(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def _tried(read: Callable[[str], object], text: str) -> object:
    """Refusing a text is an answer."""
    try:
        return read(text)
    except (ValueError, BadInput):
        return None


def lines_run(scanner: Callable[[str], object], text: str) -> int:
    """How many lines of our own code a scanner runs over a text."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename.startswith(str(LIBRARY)) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        scanner(text)
    finally:
        sys.settrace(before)
    return count
