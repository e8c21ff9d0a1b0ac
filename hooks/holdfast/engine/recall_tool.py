"""How does a model ask for the whole of what has left its window?

Rule: by the name in the mark that stands in its place, through one tool that the loop offers beside its own; the
manager's `recall` answers. The tool's description names every mark that a strategy leaves and how each says where the
whole is. Source: requirement E (a placeholder says where the full text is). A loop whose agent can read files needs it
not when the archive is a folder.
"""

from typing import Any

MARKS = ("[Evicted", "[Summary of", "[Merged", "[Turn", "[Holdfast", "[What came before", "[The window before")
"""How the texts begin that stand for a longer one."""
WHOLE = ("whole: NAME", "Whole result: NAME", "What came before: NAME", "The window before this one: NAME")
"""How they say where the whole is."""


def _either(words: tuple[str, ...]) -> str:
    quoted = [f"`{word}`" for word in words]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


RECALL_TOOL: dict[str, Any] = {
    "name": "recall",
    "description": (
        "The whole text of something that was taken out of this conversation, or shortened, to save room. In its place "
        f"stands a text that begins with {_either(MARKS)} and says {_either(WHOLE)}: give that NAME. Use it when you "
        "need the exact text and not its finding."
    ),
    "input_schema": {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "The NAME that the text in its place gives"}},
        "required": ["name"],
    },
}
"""For the request's list of tools; pass what the model gives to `ContextWindowManager.recall`."""
