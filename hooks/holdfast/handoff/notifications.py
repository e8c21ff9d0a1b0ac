"""A background agent's return, as the client tells it: a `<task-notification>` prompt.

Lean imports: the wake-up hook reads every prompt with this.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def tag(prompt: str, name: str) -> str:
    """The text between <name> and the last </name>, since a result may hold one too; "" without both."""
    start, end = prompt.find(f"<{name}>"), prompt.rfind(f"</{name}>")
    return prompt[start + len(name) + 2 : end] if 0 <= start < end else ""


def agent_of(prompt: str) -> str:
    """The id of the agent whose result this notification brings; "" when it is no such notification."""
    if not prompt.lstrip().startswith("<task-notification>") or "<result>" not in prompt:
        return ""
    return tag(prompt[: prompt.find("<result>")], "task-id")


def is_alone(prompt: str) -> bool:
    """Whether the prompt is one notification and nothing else: only then may it be dropped for its report's sake."""
    return prompt.count("<task-notification>") == 1 and prompt.rstrip().endswith("</task-notification>")


def attended(environment: "Mapping[str, str]") -> "bool | None":
    """Whether somebody sits at the screen (client 2.1.329: 1 there, 0 under -p); None when the client does not tell."""
    return {"1": True, "0": False}.get(environment.get("CLAUDE_CODE_SESSION_ATTENDED", ""))
