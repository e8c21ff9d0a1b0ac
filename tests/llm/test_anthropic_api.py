import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from holdfast.errors import Fault
from holdfast.llm import anthropic_api
from holdfast.llm.anthropic_api import AnthropicApi
from loopback import Loopback, rule

KEY = "sk-ant-test-000000"
ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "yes"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
Serve = Callable[..., str]


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loopback is asked directly, and nothing is tried twice."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(anthropic_api, "RETRIES", 0)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(status, body, delay)`: the address of an API that always answers so."""
    with ExitStack() as open_servers:

        def start(status: int, body: bytes, delay: float = 0.0) -> str:
            done = threading.Event()

            class Handler(BaseHTTPRequestHandler):
                def log_message(self, *_: object) -> None:
                    """Keep quiet."""

                def do_POST(self) -> None:
                    self.rfile.read(int(self.headers["content-length"]))
                    done.wait(delay)
                    self.send_response(status)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that left is nothing to tell
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            open_servers.callback(server.server_close)
            open_servers.callback(server.shutdown)
            open_servers.callback(done.set)
            return f"http://127.0.0.1:{server.server_address[1]}"

        yield start


def api(url: str, seconds: float = 20) -> AnthropicApi:
    """The adapter against this address."""
    return AnthropicApi("claude-x", {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}, seconds)


def test_a_prompt_is_answered() -> None:
    """Model, limit and prompt reach the API of the environment; the text of the answer comes back."""
    with Loopback([rule("Which file?", "src/a.py")]) as loopback:
        assert api(loopback.url).ask("Which file?", 77) == "src/a.py"
        [request] = loopback.requests
    assert (request.body["model"], request.body["max_tokens"], request.last) == ("claude-x", 77, "Which file?")


FAILURES: dict[str, tuple[int, bytes, str]] = {
    "no right": (401, b'{"type": "error", "error": {"type": "authentication_error", "message": "bad key"}}', "bad key"),
    "not JSON": (200, b"<html>a portal</html>", "did not answer"),
    "empty": (200, json.dumps({**ANSWER, "content": []}).encode(), "empty"),
    "cut": (200, json.dumps({**ANSWER, "stop_reason": "max_tokens"}).encode(), "cut at 9 tokens"),
    "refused": (200, json.dumps({**ANSWER, "content": [], "stop_reason": "refusal"}).encode(), "refusal"),
}


@pytest.mark.parametrize(("status", "body", "said"), FAILURES.values(), ids=list(FAILURES))
def test_a_failure_is_a_fault_with_its_reason(serve: Serve, status: int, body: bytes, said: str) -> None:
    """Never an answer that was not given."""
    with pytest.raises(Fault, match=said) as told:
        api(serve(status, body)).ask("Which file?", 9)
    assert KEY not in str(told.value)


def test_a_slow_answer_is_given_up(serve: Serve) -> None:
    """After the seconds that were allowed."""
    with pytest.raises(Fault, match="Timeout"):
        api(serve(200, json.dumps(ANSWER).encode(), delay=30), seconds=0.2).ask("Which file?", 9)


def test_without_the_package_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is optional for everything else."""
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(Fault, match="pip install anthropic"):
        api("http://127.0.0.1:9")


def test_a_token_serves_as_well_as_a_key(serve: Serve) -> None:
    """ANTHROPIC_AUTH_TOKEN, as behind a gateway."""
    env: dict[str, Any] = {"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": serve(200, json.dumps(ANSWER).encode())}
    assert AnthropicApi("claude-x", env, 20).ask("x", 9) == "yes"
