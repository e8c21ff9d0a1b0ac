"""A scripted Messages API on 127.0.0.1, so that the real client can run without a network.

Rules are tried in order; the first that fits the request answers it. Every request body is kept in memory:
it is exactly what a model would have seen, so a test asserts on it.

    with Loopback([rule("run the demo", call("Bash", command="ls"))]) as api: ... api.requests
"""

import itertools
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

Json = dict[str, Any]
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 0, "output_tokens": 20}


class Rule(NamedTuple):
    """One scripted answer: when it applies, and what it answers."""

    match: str
    blocks: tuple[Json, ...]
    within: str = "last"  # "last": the last message; "body": the whole request
    tools: bool | None = None  # only requests with (True) or without (False) a list of tools
    times: int | None = None  # how often it may fire; None: without end
    usage: Json | None = None  # what the answer reports in place of its own figures
    delay: float = 0.0  # seconds before it answers
    begun: str = ""  # the end of the first message: tells a sub-agent's conversation from its parent's


class Request(NamedTuple):
    """One request that the client sent."""

    number: int
    path: str
    body: Json

    @property
    def messages(self) -> list[Json]:
        """The conversation of this request."""
        return list(self.body.get("messages", []))

    @property
    def text(self) -> str:
        """Every text of the request, system prompt and messages, tool descriptions left out."""
        return "\n".join(texts([self.body.get("system", []), self.messages]))

    @property
    def opening(self) -> str:
        """Every text of the first message: tells one conversation from another."""
        return "\n".join(texts(self.messages[:1]))

    @property
    def last(self) -> str:
        """Every text of the last message."""
        return "\n".join(texts(self.messages[-1:]))


def texts(node: object) -> Iterator[str]:
    """Walk a message tree and yield each string that a model reads in it."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for item in node:
            yield from texts(item)
    elif isinstance(node, dict):
        for key in ("text", "content", "input", "thinking"):
            value = node.get(key)
            yield from texts(list(value.values()) if isinstance(value, dict) else value)


def say(text: str) -> Json:
    """A text block."""
    return {"type": "text", "text": text}


def call(name: str, **arguments: object) -> Json:
    """A tool call block."""
    return {"type": "tool_use", "name": name, "input": arguments}


def agent(prompt: str, **options: object) -> Json:
    """A call of the Agent tool."""
    given = {"description": prompt.lower(), "prompt": prompt, "subagent_type": "general-purpose"}
    return call("Agent", **{**given, **options})


def rule(match: str, *blocks: Json | str, **options: Any) -> Rule:
    """A rule; a plain string stands for a text block."""
    return Rule(match, tuple(say(b) if isinstance(b, str) else b for b in blocks), **options)


class Loopback:
    """The server: a context manager that listens on a free port while it is open."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self.requests: list[Request] = []
        self._rules = tuple(rules)
        self._left = [r.times for r in self._rules]
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))

    @property
    def url(self) -> str:
        """The address to put into ANTHROPIC_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def record(self, path: str, body: Json) -> int:
        """Keep a request and give its number."""
        with self._lock:
            number = next(self._numbers)
            if path.startswith("/v1/messages") and "count_tokens" not in path:
                self.requests.append(Request(number, path, body))
        return number

    def choose(self, body: Json) -> Rule:
        """The first rule that fits; without one the answer is a short text."""
        last, whole = json.dumps(body.get("messages", [])[-1:]), json.dumps(body)
        with self._lock:
            for index, candidate in enumerate(self._rules):
                left = self._left[index]
                if left != 0 and _fits(candidate, body, last, whole):
                    self._left[index] = None if left is None else left - 1
                    return candidate
        return rule("", "OK done.")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has ended in the middle of an answer is nothing to tell."""


def _fits(candidate: Rule, body: Json, last: str, whole: str) -> bool:
    if candidate.tools is not None and candidate.tools != bool(body.get("tools")):
        return False
    if candidate.begun and not _ends_with(body, candidate.begun):
        return False
    return candidate.match in (last if candidate.within == "last" else whole)


def _ends_with(body: Json, text: str) -> bool:
    said = list(texts(body.get("messages", [])[:1]))
    return bool(said) and said[-1].rstrip().endswith(text)


def _answer(chosen: Rule, number: int, body: Json) -> Json:
    blocks = [
        {"id": f"toolu_{number:04d}{index:02d}", **block} if block["type"] == "tool_use" else block
        for index, block in enumerate(chosen.blocks)
    ]
    asks = any(block["type"] == "tool_use" for block in blocks)
    usage = {**USAGE, "cache_creation_input_tokens": len(json.dumps(body)) // 4}
    return {
        "id": f"msg_{number:06d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if asks else "end_turn",
        "stop_sequence": None,
        "usage": {**usage, **(chosen.usage or {})},
    }


def _stream(message: Json) -> Iterator[bytes]:
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage={"output_tokens": message["usage"]["output_tokens"]})
    yield _event("message_stop")


def _event(name: str, **data: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()


def _handler(api: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

        def reply(self, payload: bytes, kind: str = "application/json") -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def do_HEAD(self) -> None:
            self.reply(b"")

        def do_GET(self) -> None:
            self.reply(b'{"data": []}')

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            body = json.loads(raw or b"{}")
            number = api.record(self.path, body)
            if "count_tokens" in self.path:
                self.reply(json.dumps({"input_tokens": len(raw) // 4}).encode())
            elif self.path.startswith("/v1/messages"):
                self.say(api.choose(body), number, body)
            else:
                self.reply(b"{}")

        def say(self, chosen: Rule, number: int, body: Json) -> None:
            threading.Event().wait(chosen.delay)
            message = _answer(chosen, number, body)
            if body.get("stream"):
                self.reply(b"".join(_stream(message)), "text/event-stream")
            else:
                self.reply(json.dumps(message).encode())

    return Handler
