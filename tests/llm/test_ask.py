from pathlib import Path
from typing import Any

import pytest

from holdfast.config import load
from holdfast.errors import BadInput, Fault
from holdfast.llm import ask
from holdfast.llm.ask import Cap, Metered


class Echo:
    """A model that says what it was asked."""

    name, asked = "echo", 0

    def ask(self, prompt: str, max_tokens: int) -> str:
        self.asked += 1
        if prompt == "fail":
            raise Fault("no network", self.name)
        return prompt[: max_tokens * 9]


def test_the_cap_on_calls_is_held() -> None:
    model = Echo()
    metered = Metered(model, Cap(2, 10_000))
    assert metered.ask("one", 10) == "one"
    with pytest.raises(Fault, match="no network"):
        metered.ask("fail", 10)
    with pytest.raises(Fault, match=r"cap of 2 calls.*Raise Cap\.calls"):
        metered.ask("three", 10)
    assert (model.asked, metered.calls) == (2, 2)


@pytest.mark.parametrize(("prompt", "answer"), [("word " * 2_000, 10), ("word", 1_000)], ids=["prompt", "answer"])
def test_the_cap_on_tokens_is_held(prompt: str, answer: int) -> None:
    model = Echo()
    with pytest.raises(Fault, match=r"Raise Cap\.tokens"):
        Metered(model, Cap(5, 1_000)).ask(prompt, answer)
    assert model.asked == 0


@pytest.mark.parametrize(
    ("name", "kind", "known_as"),
    [
        ("claude", "ClaudeCommand", "claude"),
        ("claude:haiku", "ClaudeCommand", "claude:haiku"),
        ("claude-haiku-4-5", "AnthropicApi", "claude-haiku-4-5"),
    ],
)
def test_the_name_chooses_the_adapter(tmp_path: Path, name: str, kind: str, known_as: str) -> None:
    """`claude` is the command, also with a model of its own; everything else is a model of the API."""
    executable = tmp_path / "claude"
    executable.write_text("#!/bin/sh\n")
    executable.chmod(0o700)
    values: dict[str, Any] = load.defaults()
    found = ask.chosen(name, values, {"PATH": str(tmp_path), "ANTHROPIC_API_KEY": "sk-ant-test-000000"})
    assert type(found.model).__name__ == kind
    assert found.name == known_as
    assert found.cap == Cap(values["judge.max_calls"], values["judge.max_tokens"], "judge.max_")
    with pytest.raises(Fault, match=r"Raise judge\.max_tokens"):
        found.ask("word", values["judge.max_tokens"])


@pytest.mark.parametrize("name", ["", "haiku", "claud", "claudette", "claude-x:y"])
def test_what_names_no_model_is_refused_with_what_may_be_meant(name: str) -> None:
    """Before anything else is looked at; who has an address of their own may have other models there."""
    with pytest.raises(BadInput, match=f"Give claude, claude:{name or 'haiku'} or the id of a model of the API"):
        ask.check(name, {})
    ask.check(name, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"})


@pytest.mark.parametrize("name", ["claude", "claude-haiku-4-5"])
def test_what_is_missing_is_said_at_once(tmp_path: Path, name: str) -> None:
    with pytest.raises(Fault) as told:
        ask.chosen(name, load.defaults(), {"PATH": str(tmp_path)})
    assert told.value.todo
