import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import wiring
from holdfast.install import settings

OURS = {"type": "command", "command": wiring.shell_command("stop"), "timeout": 5}
LINE = {"type": "command", "command": wiring.shell_command("status_line")}
WANTED = settings.PackEntries(
    {"Stop": [{"hooks": [OURS]}], "PreToolUse": [{"matcher": "Agent", "hooks": [OURS]}]}, LINE
)

TEXTS = st.text(max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2), max_leaves=6
)
THEIR_HOOKS = st.fixed_dictionaries({"type": st.just("command"), "command": TEXTS})
GROUPS = st.fixed_dictionaries({"hooks": st.lists(THEIR_HOOKS, max_size=2)}, optional={"matcher": TEXTS})
HOOKS = st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "Setup"]), st.lists(GROUPS, max_size=2), max_size=3)
DOCUMENTS = st.builds(
    lambda rest, known: {**{k: v for k, v in rest.items() if k not in ("hooks", "statusLine")}, **known},
    st.dictionaries(TEXTS, VALUES, max_size=4),
    st.fixed_dictionaries({}, optional={"hooks": HOOKS, "statusLine": THEIR_HOOKS}),
)


@st.composite
def layouts(draw: st.DrawFn) -> str:
    text = json.dumps(
        draw(DOCUMENTS),
        indent=draw(st.sampled_from([None, 2, 4, "\t"])),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([None, (",", ":"), (", ", " : ")])),
    )
    text = text.replace("\n", "\r\n") if draw(st.booleans()) else text
    return draw(st.sampled_from(["", settings.BOM])) + text + draw(st.sampled_from(["", "\n", "\r\n"]))


def value(text: str) -> Any:
    return json.loads(text.removeprefix(settings.BOM))


@given(text=layouts())
def test_merge_then_strip_is_nothing(text: str) -> None:
    left = settings.strip(settings.merge(text, WANTED), value(text))
    assert list(value(left).items()) == list(value(text).items())
    assert settings.written(value(text), text) == settings.written(value(left), left)


def test_half_an_emoji_survives() -> None:
    merged = settings.merge('{"a": "\\ud83d ö"}', WANTED)
    assert value(merged.encode().decode())["a"] == "\ud83d ö"


@given(text=layouts())
def test_merge_keeps_all_that_was_there(text: str) -> None:
    once = settings.merge(text, WANTED)
    assert settings.merge(once, WANTED) == once
    old, new = value(text), value(once)
    hooks = dict(old.get("hooks", {}))
    for event, groups in WANTED.hooks.items():
        hooks[event] = [*hooks.get(event, []), *groups]
    assert new == {**old, "hooks": hooks, "statusLine": old.get("statusLine", LINE)}


@given(text=layouts(), key=TEXTS.filter(lambda k: k not in ("hooks", "statusLine")), added=VALUES)
def test_strip_after_another_program_rewrote_the_file(text: str, key: str, added: Any) -> None:
    changed = {**value(settings.merge(text, WANTED)), key: added}
    left = settings.strip(json.dumps(changed, indent=2), value(text))
    assert value(left) == {**value(text), key: added}


@pytest.mark.parametrize(
    ("text", "said", "where"),
    [
        pytest.param("[]", "the file should be an object, but is a list", "", id="list"),
        pytest.param('{"hooks": null}', '"hooks" should be an object, but is null', "", id="hooks-null"),
        pytest.param('{"hooks": {"Stop": {}}}', '"hooks"."Stop" should be a list, but is an object', "", id="event"),
        pytest.param('{\n  "hooks": {},\n}', "not valid JSON", "line 3, column 1", id="comma"),
        pytest.param('{"a": NaN}', "not valid JSON", "", id="NaN"),
        pytest.param("[" * 100_000, "not valid JSON", "", id="deep"),
    ],
)
def test_what_cannot_be_edited_is_refused_in_words(text: str, said: str, where: str) -> None:
    with pytest.raises(settings.SettingsError) as caught:
        settings.merge(text, WANTED)
    assert caught.value.what.startswith(said)
    assert caught.value.where.startswith(where)


@pytest.mark.parametrize("origin", [None, "", "https://git.example.org/holdfast"])
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("name", ["stop", "pre_compact", "session_start"])
@pytest.mark.parametrize("cat", ["cat", "command -p cat"])
def test_entries_of_an_older_pack_are_replaced(cat: str, name: str, alone: bool, origin: str | None) -> None:
    """Also of an event that the pack no longer has, with the first `cat` of PATH, the home's plugins, other words."""
    command = wiring.shell_command(name, origin=origin, alone=alone).replace("command -p cat", cat)
    command = command.replace('"${CLAUDE_CONFIG_DIR:-$HOME/.claude}"', '"$HOME"/.claude')
    command = command.replace("this project uses it, but", "a project has it, and")
    old = settings.PackEntries({"Setup": [{"hooks": [{**OURS, "command": command}]}]}, None)
    new = value(settings.merge(settings.merge('{\n  "a": 1\n}', old), WANTED))
    assert new["hooks"] == {"Setup": [], **WANTED.hooks}


def test_a_hook_that_the_user_put_into_our_group_stays() -> None:
    theirs = {"type": "command", "command": "mine"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [OURS, theirs, OURS]}]}}, indent=2)
    assert json.loads(settings.strip(text, {})) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


@pytest.mark.parametrize("groups", [[1], [None], [{"hooks": 3}], [{"hooks": [7, {"command": 1}]}], [[]]], ids=str)
def test_foreign_shapes_inside_an_event_are_left_alone(groups: list[Any]) -> None:
    text = json.dumps({"hooks": {"Stop": groups}}, indent=2)
    assert settings.strip(settings.merge(text, WANTED), value(text)) == text
