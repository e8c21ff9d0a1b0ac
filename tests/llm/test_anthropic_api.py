import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

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


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(anthropic_api, "RETRIES", 0)


def api(url: str = "http://127.0.0.1:9", seconds: float = 20, variable: str = "ANTHROPIC_API_KEY") -> AnthropicApi:
    return AnthropicApi("claude-x", {variable: KEY, "ANTHROPIC_BASE_URL": url}, seconds)


@pytest.mark.parametrize("variable", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_prompt_is_answered(variable: str) -> None:
    """Model, limit and prompt reach the API of the environment; the text of the answer comes back."""
    with Loopback([rule("Which file?", "src/a.py")]) as loopback:
        assert api(loopback.url, variable=variable).ask("Which file?", 77) == "src/a.py"
        [request] = loopback.requests
    assert (request.body["model"], request.body["max_tokens"], request.last) == ("claude-x", 77, "Which file?")


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.wfile.write(b"HTTP/1.0 %d x\r\ncontent-type: application/json\r\n\r\n%s" % (status, body))

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"


FAILURES: dict[str, tuple[int, bytes, str]] = {
    "no right": (401, b'{"type": "error", "error": {"type": "authentication_error", "message": "bad key"}}', "bad key"),
    "not JSON": (200, b"<html>a portal</html>", "did not answer"),
    "empty": (200, json.dumps({**ANSWER, "content": []}).encode(), "empty"),
    "cut": (200, json.dumps({**ANSWER, "stop_reason": "max_tokens"}).encode(), "cut at 9 tokens"),
    "refused": (200, json.dumps({**ANSWER, "content": [], "stop_reason": "refusal"}).encode(), "refusal"),
}


@pytest.mark.parametrize(("status", "body", "said"), FAILURES.values(), ids=list(FAILURES))
def test_a_failure_is_a_fault_with_its_reason(status: int, body: bytes, said: str) -> None:
    with answering(status, body) as url, pytest.raises(Fault, match=said) as told:
        api(url).ask("Which file?", 9)
    assert KEY not in str(told.value)


def test_a_slow_answer_is_given_up() -> None:
    with Loopback([rule("", "x", delay=5)]) as loopback, pytest.raises(Fault, match="Timeout"):
        api(loopback.url, seconds=0.2).ask("Which file?", 9)


def test_without_the_package_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is optional for everything else."""
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(Fault, match=r"-m pip .*install anthropic"):
        api()
