"""An agent's loop through the real SDK, hundreds of tool calls long, in a window that would not hold it.

    python examples/agent_loop.py                  # managed: goes on to the end, over two windows
    python examples/agent_loop.py --unmanaged      # the same loop without a manager: the API refuses it
    python examples/agent_loop.py --edits tools    # lets the API clear first
    python examples/agent_loop.py --live MODEL     # with your key and a real model (not tried by our tests)

The package must be found: `pip install .`, or PYTHONPATH=hooks. Without --live it speaks to fake_api.py on 127.0.0.1,
which needs no key, and refuses what the real API refuses.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping
from typing import Any, NamedTuple

try:
    import anthropic

    from fake_api import FakeApi
    from fake_project import TOOLS, Project
    from holdfast import RECALL_TOOL, BadInput, ContextWindowManager, FolderArchive
    from holdfast.engine.context_editing import request_edits
except ModuleNotFoundError as missing:
    hint = "From a checkout: `pip install . anthropic`, or `pip install anthropic` and PYTHONPATH=hooks"
    sys.exit(f"agent_loop: the package {missing.name} is not here. {hint}")

WINDOW = 36_000
"""Tokens. Small, so that the example is over in seconds; the same loop runs in 200,000."""
MOST_CALLS = 300
"""A window is handed over after so many calls even where it is not full."""
SYSTEM = "You work on the repository with the tools you have. Keep a plan with TodoWrite."
TASK = (
    'Replace every call of send(message, "urgent") below shop/ by dispatch(message, lane=N). The lanes stand in '
    "docs/rollout.md. Go folder by folder, check each module after its edit. Never change docs/rollout.md."
)


class Receipt(NamedTuple):
    """What one run came to."""

    calls: int = 0
    """Tool calls."""
    peak: int = 0
    """Tokens of the largest request, as the API counted it."""
    replaced: int = 0
    """Texts that gave way to a shorter one or to a placeholder."""
    sent: int = 0
    """Tokens of all requests together."""
    cached: int = 0
    """Of these, read from the cache."""
    rewrites: tuple[int, ...] = ()
    """Numbers of the requests before which something was replaced, from 0."""
    windows: tuple[str, ...] = ()
    """The checkpoint that each hand-over left."""
    recalls: int = 0
    cleared: int = 0
    """Tokens that the API itself cleared in the last request."""
    end: str = ""
    """The last words of the model, or of the API."""


class Loop:
    """The loop. What the manager does for it stands in `step`; the rest is any agent's."""

    def __init__(self, client: anthropic.Anthropic, model: str, manager: ContextWindowManager | None) -> None:
        self.client, self.model, self.manager = client, model, manager
        self.project, self.receipt = Project(), Receipt()
        self.messages: list[Any] = [{"role": "user", "content": TASK}]
        self.tools = [*TOOLS, RECALL_TOOL] if manager else TOOLS
        self.edits: dict[str, Any] = {}
        self.begun = 0

    def run(self) -> Receipt:
        """To the end of the task, to the API's refusal, or for 1,000 requests."""
        for number in range(1_000):
            try:
                self.step(number)
            except anthropic.BadRequestError as refused:
                self.receipt = self.receipt._replace(end=f"{refused.status_code} {_reason(refused)}")
            if self.receipt.end:
                return self.receipt
        self.receipt = self.receipt._replace(end="not done after 1,000 requests: what it reads does not fit")
        return self.receipt

    def step(self, number: int) -> None:
        """One request and the tools that it asks for."""
        answer = self.ask(self.view(number))
        if self.manager:
            self.manager.on_turn_end(answer.usage, getattr(answer, "context_management", None))
        self.note(answer)
        said = [block.to_dict() for block in answer.content]
        self.messages.append({"role": "assistant", "content": said})
        results = [self.use(block) for block in said if block["type"] == "tool_use"]
        if results:
            self.messages.append({"role": "user", "content": results})
        else:
            words = "\n".join(block["text"] for block in said if block["type"] == "text")
            self.receipt = self.receipt._replace(end=words or f"no words ({answer.stop_reason})")

    def view(self, number: int) -> list[Any]:
        """The messages to send. The loop's own list stays whole; what is sent has placeholders in it."""
        if not self.manager:
            return self.messages
        turn = self.manager.on_turn_start(self.messages, SYSTEM, self.tools)
        if turn.hand_over or self.receipt.calls - self.begun >= MOST_CALLS:  # the next begins with the work's state
            self.messages, path, _ = self.manager.on_overflow(self.messages)
            self.receipt = self.receipt._replace(windows=(*self.receipt.windows, path))
            self.begun = self.receipt.calls
            turn = self.manager.on_turn_start(self.messages, SYSTEM, self.tools)
        if any(plan.freed for plan in turn.plans):
            changes = self.receipt.replaced + sum(len(plan.changes) for plan in turn.plans)
            self.receipt = self.receipt._replace(replaced=changes, rewrites=(*self.receipt.rewrites, number))
        return turn.messages

    def ask(self, messages: list[Any]) -> Any:
        """One request. The cache mark at the top stands for "up to the last block"."""
        request: dict[str, Any] = {"model": self.model, "max_tokens": 4_000, "system": SYSTEM, "tools": self.tools}
        request |= {"messages": messages, "cache_control": {"type": "ephemeral"}, **self.edits}
        return self.client.beta.messages.create(**request) if self.edits else self.client.messages.create(**request)

    def use(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool; its result as it goes into the messages."""
        name, inputs = block["name"], block["input"]
        try:
            if name == "recall" and self.manager:
                text = self.manager.recall(inputs["name"])
                self.receipt = self.receipt._replace(recalls=self.receipt.recalls + 1)
            else:
                text = self.project.run(name, inputs)
            if self.manager:  # a very long result goes into the messages as a digest, its whole into the archive
                text = self.manager.on_tool_result(name, text, inputs)
        except (BadInput, KeyError, TypeError) as wrong:  # the model named what is not there
            text = f"Error: {wrong}"
        self.receipt = self.receipt._replace(calls=self.receipt.calls + 1)
        return {"type": "tool_result", "tool_use_id": block["id"], "content": text}

    def note(self, answer: Any) -> None:
        """Sizes, as the API tells them."""
        usage = answer.usage
        cached = usage.cache_read_input_tokens or 0
        size = usage.input_tokens + cached + (usage.cache_creation_input_tokens or 0)
        report = getattr(answer, "context_management", None)
        self.receipt = self.receipt._replace(
            peak=max(self.receipt.peak, size),
            sent=self.receipt.sent + size,
            cached=self.receipt.cached + cached,
            cleared=sum(edit.cleared_input_tokens for edit in report.applied_edits) if report else 0,
        )


def _reason(refused: anthropic.BadRequestError) -> str:
    body = refused.body
    return str(body["error"]["message"]) if isinstance(body, dict) else str(refused)


def told(receipt: Receipt, window: int) -> str:
    """The receipt for people."""
    cached = receipt.cached * 100 // max(1, receipt.sent)
    rows = [
        ("calls", f"{receipt.calls}, {receipt.recalls} of them recalls of what had left the window"),
        ("peak", f"{receipt.peak:,} of {window:,} tokens"),
        ("replaced", f"{receipt.replaced} texts, before {len(receipt.rewrites)} requests"),
        ("sent", f"{receipt.sent:,} tokens, {cached} % of them read from the cache"),
        ("hand-overs", str(len(receipt.windows))),
        ("end", receipt.end),
    ]
    if receipt.cleared:
        rows.insert(3, ("by the API", f"{receipt.cleared:,} tokens cleared in the last request"))
    return "\n".join(f"{name:<11} {text}" for name, text in rows)


def managed(folder: str, window: int, edits: str = "off") -> ContextWindowManager:
    """A manager with an archive and checkpoints in a folder."""
    later: dict[str, Any] = {"act": 0.85} if edits == "tools" else {}  # the API clears at .75; what it leaves is ours
    return ContextWindowManager(window, archive=FolderArchive(f"{folder}/archive", "archive"), folder=folder, **later)


def asked(edits: str, window: int) -> dict[str, Any]:
    """What goes into each request, so that the API clears; thinking must be on for its blocks to be cleared."""
    found = request_edits(edits, window, 0.75)
    return {**found, "thinking": {"type": "adaptive"}} if found else {}


def play(folder: str, *, manage: bool = True, edits: str = "off", window: int = WINDOW) -> tuple[Loop, FakeApi]:
    """The whole loop against the loopback; the loop as it ended, and the API as it was asked."""
    with FakeApi(window) as api:
        client = anthropic.Anthropic(api_key="none", base_url=api.url, max_retries=0)
        with client:
            loop = Loop(client, "fake-model", managed(folder, window, edits) if manage else None)
            loop.edits = asked(edits, window)
            loop.run()
    return loop, api


def main() -> int:
    """0 when the task was finished."""
    parser = argparse.ArgumentParser(description="A long agent loop in a small window")
    parser.add_argument("--unmanaged", action="store_true", help="send everything, as a loop without a manager does")
    parser.add_argument("--edits", default="off", choices=("off", "thinking", "tools"), help="what the API clears")
    parser.add_argument("--live", metavar="MODEL", default="", help="a real model, with the key from your environment")
    parser.add_argument("--window", type=int, default=WINDOW, help=f"its size in tokens; {WINDOW:,} if not given")
    args = parser.parse_args()
    window = args.window
    with tempfile.TemporaryDirectory() as folder:
        if args.live:
            manager = None if args.unmanaged else managed(folder, window, args.edits)
            loop = Loop(anthropic.Anthropic(), args.live, manager)
            loop.edits = asked(args.edits, window)
            receipt = loop.run()
        else:
            receipt = play(folder, manage=not args.unmanaged, edits=args.edits, window=window)[0].receipt
    sys.stdout.write(f"{told(receipt, window)}\n")
    return 0 if receipt.end.startswith("Done.") or args.live else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadInput, anthropic.APIError, TypeError) as wrong:  # TypeError: the SDK's, where there is no key
        sys.exit(f"agent_loop: {wrong}")
