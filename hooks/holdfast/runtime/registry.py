"""Which module handles which event. Explicit, so that a reader and `holdfast doctor` see all of it."""

HANDLERS = {
    "SessionStart": "holdfast.runtime.handlers.session_start",
    "UserPromptSubmit": "holdfast.runtime.handlers.user_prompt_submit",
    "PreToolUse": "holdfast.runtime.handlers.pre_tool_use",
    "PostToolUse": "holdfast.runtime.handlers.post_tool_use",
    "SubagentStart": "holdfast.runtime.handlers.subagent_start",
    "SubagentStop": "holdfast.runtime.handlers.subagent_stop",
    "PreCompact": "holdfast.runtime.handlers.pre_compact",
    "PostCompact": "holdfast.runtime.handlers.post_compact",
    "Stop": "holdfast.runtime.handlers.stop",
    "SessionEnd": "holdfast.runtime.handlers.session_end",
}
