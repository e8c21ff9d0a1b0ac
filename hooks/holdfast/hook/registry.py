"""Which module handles which event. Explicit, so that a reader and `holdfast doctor` see all of it."""

HANDLERS = {
    "SessionStart": "holdfast.hook.on.session_start",
    "UserPromptSubmit": "holdfast.hook.on.user_prompt_submit",
    "PreToolUse": "holdfast.hook.on.pre_tool_use",
    "PostToolUse": "holdfast.hook.on.post_tool_use",
    "SubagentStart": "holdfast.hook.on.subagent_start",
    "SubagentStop": "holdfast.hook.on.subagent_stop",
    "PreCompact": "holdfast.hook.on.pre_compact",
    "PostCompact": "holdfast.hook.on.post_compact",
    "Stop": "holdfast.hook.on.stop",
    "SessionEnd": "holdfast.hook.on.session_end",
}
