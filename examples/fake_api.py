"""A Messages API on 127.0.0.1, so that the example runs without a key and without a network.

It refuses what the real one refuses: a request above the window, calls and results that are not paired, an empty
text. Sizes are figured from the request that came in, cache reads from what it shares with the one before, and the
beta `context_management` clears on this side, as the real one does. What an answer says is fake_model.py's.
"""

import itertools
import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

import fake_model

Json = dict[str, Any]
CHARS_PER_TOKEN = 3.0
COUNTS = {"tool_uses": "cleared_tool_uses", "thinking_turns": "cleared_thinking_turns"}


class Refused(Exception):
    """What a request breaks."""


class Request(NamedTuple):
    """What is remembered of one request."""

    parts: tuple[int, ...]
    """A hash for tools, system and each message, in the order in which the cache reads them."""
    tokens: int
    opening: str
    """The texts of its first message."""


class FakeApi:
    """The server: a context manager that listens on a free port while it is open."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.requests: list[Request] = []
        self.refused: list[str] = []
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))

    @property
    def url(self) -> str:
        """The address for `base_url`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: Json) -> Json:
        """One answer. Raises Refused."""
        check(body["messages"])
        sent, edits = edited(body)
        parts = [sent.get("tools"), sent.get("system"), *sent["messages"]]
        sizes = [tokens(part) for part in parts]
        if sum(sizes) > self.window:
            raise Refused(f"prompt is too long: {sum(sizes)} tokens > {self.window} maximum")
        hashes = tuple(hash(json.dumps(part)) for part in parts)
        before = self.requests[-1].parts if self.requests else ()
        shared = next((i for i, (a, b) in enumerate(zip(before, hashes, strict=False)) if a != b), len(before))
        read = sum(sizes[:shared]) if body.get("cache_control") else 0
        opening = "\n".join(fake_model.texts(body["messages"][0]))
        self.requests.append(Request(hashes, sum(sizes), opening))
        return self._message(body, fake_model.answer(sent), (read, sum(sizes) - read), edits)

    def _message(self, body: Json, said: Sequence[Json], sizes: tuple[int, int], edits: Sequence[Json]) -> Json:
        number = next(self._numbers)
        content = [{**block, "id": f"toolu_{number:05d}"} if block["type"] == "tool_use" else block for block in said]
        written = "cache_creation_input_tokens" if body.get("cache_control") else "input_tokens"
        found = {
            "id": f"msg_{number:05d}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": "tool_use" if content[-1]["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": 0,
                "cache_read_input_tokens": sizes[0],
                written: sizes[1],
                "output_tokens": tokens(content),
            },
        }
        return {**found, "context_management": {"applied_edits": edits}} if "context_management" in body else found


def tokens(part: object) -> int:
    """About how many tokens a part of a request has."""
    return int(len(json.dumps(part)) / CHARS_PER_TOKEN) if part else 0


def check(messages: Sequence[Json]) -> None:
    """The rules for messages. Raises Refused."""
    opened: set[str] = set()
    for index, message in enumerate(messages):
        content = message["content"] if isinstance(message["content"], list) else []
        kinds = {"tool_use": "id", "tool_result": "tool_use_id"}
        found = {kind: {block[key] for block in content if block["type"] == kind} for kind, key in kinds.items()}
        if index == 0 and message["role"] != "user":
            raise Refused('messages: first message must use the "user" role')
        if not message["content"] or any(block["type"] == "text" and not block["text"] for block in content):
            raise Refused(f"messages.{index}: text content blocks must be non-empty")
        if opened - found["tool_result"]:
            raise Refused(f"messages.{index}: `tool_use` ids were found without `tool_result` blocks: {opened}")
        if found["tool_result"] - opened:
            raise Refused(f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks")
        opened = found["tool_use"]
    if opened:
        raise Refused(f"messages: `tool_use` ids were found without `tool_result` blocks: {opened}")


def edited(body: Json) -> tuple[Json, list[Json]]:
    """The request as the model sees it, and what was cleared."""
    applied: list[Json] = []
    size = tokens(body) if "context_management" in body else 0
    for edit in body.get("context_management", {}).get("edits", ()):
        wanted = "thinking" if "thinking" in edit["type"] else "tool_result"
        trigger, keep = edit.get("trigger", {"value": 0})["value"], edit["keep"]
        turns = [i for i, m in enumerate(body["messages"]) if any(b["type"] == wanted for b in _blocks(m))]
        gone = set(turns[: -keep["value"]]) if size > trigger else set()
        if gone:
            body = {**body, "messages": _cleared(body["messages"], gone, wanted)}
            before, size = size, tokens(body)
            applied.append(
                {"type": edit["type"], COUNTS[keep["type"]]: len(gone), "cleared_input_tokens": before - size}
            )
    return body, applied


def _cleared(messages: Sequence[Json], gone: set[int], wanted: str) -> list[Json]:
    dropped = "thinking" if wanted == "thinking" else ""
    return [
        {**message, "content": [_clear(block) for block in message["content"] if block["type"] != dropped]}
        if index in gone
        else message
        for index, message in enumerate(messages)
    ]


def _clear(block: Json) -> Json:
    return {**block, "content": "[cleared]"} if block["type"] == "tool_result" else block


def _blocks(message: Mapping[str, Any]) -> list[Json]:
    return message["content"] if isinstance(message["content"], list) else []


def _handler(api: FakeApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            try:
                status, found = 200, api.answer(body)
            except Refused as refused:
                api.refused.append(str(refused))
                error = {"type": "invalid_request_error", "message": str(refused)}
                status, found = 400, {"type": "error", "error": error}
            data = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
