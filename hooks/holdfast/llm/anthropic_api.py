"""The Messages API through the anthropic package: key and address come from the environment.

ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, and ANTHROPIC_BASE_URL where it is not the usual address.
"""

import functools
from collections.abc import Mapping

from holdfast.errors import Fault, missing

RETRIES = 1


class AnthropicApi:
    """One model of the API."""

    def __init__(self, model: str, environment: Mapping[str, str], seconds: float) -> None:
        """seconds: how long one attempt may take. Raises Fault without a key or the package."""
        self.name = model
        key, token = environment.get("ANTHROPIC_API_KEY"), environment.get("ANTHROPIC_AUTH_TOKEN")
        if not key and not token:
            raise Fault("neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set", model, "Set one, or use `claude`")
        try:
            import anthropic  # a second of start-up: only when a model is asked
        except ImportError:
            raise missing("a model of the API", "anthropic") from None
        self._open = functools.partial(
            anthropic.Anthropic,
            api_key=key or None,
            auth_token=token or None,
            base_url=environment.get("ANTHROPIC_BASE_URL") or None,
            timeout=seconds,
            max_retries=RETRIES,
        )

    def ask(self, prompt: str, max_tokens: int) -> str:
        """As ask.Model. Raises Fault."""
        try:
            with self._open() as client:  # closed after each answer: there are two, and nobody else would close it
                answer = client.messages.create(
                    model=self.name, max_tokens=max_tokens, messages=[{"role": "user", "content": prompt}]
                )
            text = "\n".join(block.text for block in answer.content if block.type == "text").strip()
        except Exception as error:  # noqa: BLE001 - the package raises many kinds; each means: no answer
            reason = f"{type(error).__name__}: {error}"[:300]
            raise Fault(f"the API did not answer ({reason})", self.name, "Check key, model and network") from None
        if answer.stop_reason == "max_tokens":
            raise Fault(f"the answer was cut at {max_tokens} tokens", self.name)
        if not text:
            raise Fault(f"the answer is empty ({answer.stop_reason})", self.name)
        return text
