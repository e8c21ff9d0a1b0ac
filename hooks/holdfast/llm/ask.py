"""Asking a language model: one protocol, two adapters, and a cap on what may be spent.

Nothing asks a model unless the user has named one. What a model cannot do is a Fault with the reason; no answer is
ever made up in its place.
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from holdfast.errors import BadInput, Fault
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate


class Model(Protocol):
    """Something that answers a prompt."""

    @property
    def name(self) -> str:
        """As it stands in a record: "claude-x" or "claude:haiku"."""

    def ask(self, prompt: str, max_tokens: int) -> str:
        """The answer, never empty. Raises Fault: no key, no network, an error, an empty answer, one cut short."""


class Cap(NamedTuple):
    """What one use may spend. tokens: estimated, of all prompts and what each answer may have."""

    calls: int
    tokens: int
    key: str = "Cap."
    """What a message names before "calls" or "tokens"; of the configuration "judge.max_"."""


class Metered:
    """A model behind a cap; counts what is spent. Not for threads."""

    def __init__(self, model: Model, cap: Cap) -> None:
        self.model, self.cap, self.name = model, cap, model.name
        self.calls = self.tokens = 0

    def ask(self, prompt: str, max_tokens: int) -> str:
        """As Model.ask. Raises Fault before the call that would go over the cap; a failed call counts."""
        tokens = self.tokens + estimate(prompt) + max_tokens
        if self.calls >= self.cap.calls:
            raise Fault(f"the cap of {self.cap.calls} calls is reached", self.name, f"Raise {self.cap.key}calls")
        if tokens > self.cap.tokens:
            todo = f"Raise {self.cap.key}tokens"
            raise Fault(f"about {tokens} tokens would exceed the cap of {self.cap.tokens}", self.name, todo)
        self.calls, self.tokens = self.calls + 1, tokens
        return self.model.ask(prompt, max_tokens)


def chosen(name: str, config: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Metered:
    """The model that the user named, within what the configuration allows. Raises Fault."""
    cap = Cap(config["judge.max_calls"], config["judge.max_tokens"], "judge.max_")
    return named(name, cap, float(config["judge.seconds"]), environment)


def check(name: str, environment: Mapping[str, str]) -> None:
    """Raises BadInput for what names no model; an address of the user's own may know others."""
    command, _, variant = name.partition(":")
    is_known = command == "claude" or (name.startswith("claude-") and not variant)
    if not is_known and not environment.get("ANTHROPIC_BASE_URL"):
        shown = one_line(name, 40)
        told = f"Give claude, claude:{shown or 'haiku'} or the id of a model of the API, claude-…"
        raise BadInput("no model has this name", shown or "--model", told)


def named(name: str, cap: Cap, seconds: float = 120, environment: Mapping[str, str] | None = None) -> Metered:
    """`claude`, `claude:MODEL` (the client's command), or a model of the API; seconds: for one answer.

    Raises BadInput for what is no name of these, Fault where it cannot be asked.
    """
    env = dict(os.environ if environment is None else environment)
    check(name, env)
    command, _, variant = name.partition(":")
    if command == "claude":
        from holdfast.llm.claude_cli import ClaudeCommand

        return Metered(ClaudeCommand(variant, env, seconds), cap)
    from holdfast.llm.anthropic_api import AnthropicApi

    return Metered(AnthropicApi(name, env, seconds), cap)
