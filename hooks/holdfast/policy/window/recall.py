"""How does a model ask for the whole of what has left its window?

Rule: by the name in its placeholder, through one tool that the loop offers beside its own; the manager's `recall`
answers. Source: requirement E (a placeholder says where the full text is). A loop whose agent can read files needs it
not when the archive is a folder.
"""

from typing import Any

RECALL_TOOL: dict[str, Any] = {
    "name": "recall",
    "description": (
        "The whole text of something that was taken out of this conversation to save room. Where it was stands "
        "`[Evicted: …; whole: NAME]`: give that NAME. Use it when you need the exact text and not its finding."
    ),
    "input_schema": {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "The name after `whole:` in the placeholder"}},
        "required": ["name"],
    },
}
"""For the request's list of tools; pass what the model gives to `ContextWindowManager.recall`."""
