"""The settings: one model, what is compiled of it, and the lean reader that hooks use."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from holdfast.config import compile as compiled
from holdfast.config import edit, load
from holdfast.config.schema import Settings

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5000) | st.floats() | st.sampled_from(["Stop", "St*", "auto", "*", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from([*load.KEYS, "handoff", "digest", "suggest", "$schema", "nonsense"]) | st.text(max_size=8)
RAW = st.dictionaries(KEYS, VALUES | st.dictionaries(st.sampled_from(["limit", "steps", "x"]), VALUES), max_size=5)


@pytest.mark.parametrize(("path", "model"), list(compiled.models()), ids=lambda value: getattr(value, "name", ""))
def test_what_hooks_read_is_current(path: Path, model: type[BaseModel]) -> None:
    """Renew with `python -m holdfast.config.compile` in hooks/, and commit."""
    assert path.read_text(encoding="utf-8") == compiled.text_of(model)


@given(st.sampled_from(list(load.KEYS)), VALUES)
@example("handoff.limit", 99)
@example("handoff.limit", 4000)
@example("handoff.limit", 500.0)
@example("handoff.limit", True)
@example("digest.duplicates", 1)
@example("handoff.limits", {"Explore": 100})
@example("handoff.limits", {"Explore": 1})
@example("pressure.preset", "Default")
@example("digest.tools", [])
@example("digest.tools", [1])
@example("suggest.steps", [10, 20])
@example("suggest.steps", [20, 10])
@example("suggest.steps", [10, 10])
@example("hooks.off", ["Post*"])
@example("hooks.off", ["Nothing*"])
def test_the_lean_reader_allows_what_the_model_allows(key: str, value: Any) -> None:
    """Both are made of one definition; neither is laxer than the other."""
    group, name = key.split(".")
    try:
        Settings.model_validate({group: {name: value}})
        allowed = True
    except ValidationError:
        allowed = False
    assert load.allows(load.KEYS[key], value) is allowed


@given(st.lists(st.tuples(st.sampled_from(["home", "project"]), RAW), max_size=3))
def test_whatever_is_configured_every_value_is_allowed(layers: list[tuple[str, dict[str, Any]]]) -> None:
    values, problems = load.merge(layers)
    assert values.keys() == load.KEYS.keys()
    assert [key for key, value in values.items() if not load.allows(load.KEYS[key], value)] == []
    assert all(problem.startswith(("home: ", "project: ")) for problem in problems)


def test_defaults_are_allowed_and_fresh() -> None:
    model = Settings().model_dump(exclude={"schema_"})
    assert load.defaults() == {f"{group}.{name}": one for group, part in model.items() for name, one in part.items()}
    load.defaults()["digest.tools"].append("x")
    assert load.merge([]) == (load.defaults(), [])


def test_project_over_home_over_option(tmp_path: Path) -> None:
    """Each layer replaces only what it names; a wrong value leaves the layer below in force."""
    home, state = tmp_path / "home", tmp_path / "state"
    own = {"handoff.limit": 400, "suggest.gap": 5, "restore.max_chars": 800, "digest.tokens": "many"}
    for folder, data in (
        (home / ".claude" / "holdfast", own),
        (state, {"handoff": {"limit": 300}, "restore": {"max_chars": 5}, "digest": {"tokens": 2500}}),
    ):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps({"$schema": "x", **data}))
    environment = {f"CLAUDE_PLUGIN_OPTION_SUGGEST_{name}": number for name, number in (("GAP", "7"), ("EVERY", "25"))}
    environment["HOME"] = str(home)
    assert load.load("/nowhere", {"HOME": "/nowhere"}) == (load.defaults(), [])
    values, problems = load.load(str(state), environment)
    keys = ("handoff.limit", "suggest.gap", "suggest.every", "restore.max_chars")
    assert [values[key] for key in keys] == [300, 5, 25, 800]
    assert problems == [
        f'{home}/.claude/holdfast/config.json: "many" is not allowed for digest.tokens, only a whole number from 500 '
        "to 100000; 2500 is used instead",
        f"{state}/config.json: 5 is not allowed for restore.max_chars, only a whole number from 500 to 10000; "
        "800 is used instead",
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "not valid JSON"),
        (b"[1]", "holds a JSON list, not an object"),
        (b'"x"', "holds a JSON str"),
        (b"\xff", "not valid JSON"),
        (b'{"x": "' + b"x" * 64_000 + b'"}', "larger than 64,000 bytes; it is ignored"),
        (
            b'{"digest.tokens": 3000, "digest": {"tokens": 2500}}',
            "digest.tokens stands there twice, as a name and in a group; 2500 is used. Leave one of them",
        ),
        (b'{"x": 1}', '"x" is not a setting; it is ignored'),
        (b'{"handof": {"limit": 400}}', '"handof.limit" is not a setting (did you mean handoff.limit'),
        (b'{"suggest.steps": [2, 1]}', "only a rising list of whole numbers from 1 to 100000; [50, 100, 150] is"),
        (b'{"handoff.limits": 1}', "only a mapping from agent type to a whole number from 100 to 4000; {} is"),
        (b'{"hooks.off": ["x"]}', "only a list of events, or of beginnings that end in *; [] is"),
        (b'{"pressure.preset": 1}', 'only default or capacity; "default" is used instead'),
    ],
    ids=lambda value: value[:20],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, data: bytes, words: str) -> None:
    """File, key, what is allowed, what is used; the defaults stay in force."""
    (tmp_path / "config.json").write_bytes(data)
    values, problems = load.load(str(tmp_path), {})
    assert len(problems) == 1
    assert problems[0].startswith(f"{tmp_path}/config.json: ")
    assert words in problems[0]
    assert values == load.defaults()


def configured(tmp_path: Path, own: dict[str, Any], project: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """State folder and environment with these settings of the user's and of a project."""
    for folder, data in ((tmp_path / "home" / ".claude" / "holdfast", own), (tmp_path / "state", project)):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(data))
    return str(tmp_path / "state"), {"HOME": str(tmp_path / "home")}


@pytest.mark.parametrize(
    ("key", "own", "brought", "expected"),
    [
        ("retention.days", 30, 1, 30),
        ("retention.days", 30, 60, 60),
        ("retention.days", 30, 0, 0),
        ("retention.days", 0, 3650, 0),
        ("hooks.off", [], ["*"], []),
        ("hooks.off", ["Stop"], [], ["Stop"]),
        ("judge.max_calls", 4, 100, 4),
        ("judge.max_calls", 4, 0, 0),
        ("judge.max_tokens", 60_000, 60_001, 60_000),
        ("coordination.mode", "enforce", "warn", "enforce"),
        ("coordination.mode", "warn", "off", "warn"),
        ("coordination.mode", "warn", "enforce", "enforce"),
        ("coordination.lease", 30, 1, 30),
        ("coordination.lease", 30, 60, 60),
        ("restore.on", True, False, True),
        ("restore.on", False, True, True),
        ("checkpoint.on", True, False, True),
        ("memory.mode", "local", "off", "local"),
        ("memory.mode", "off", "local", "off"),
        ("digest.on", True, False, False),
        ("handoff.on", True, False, False),
        ("handoff.on", False, True, False),
        ("handoff.blocks", 0, 2, 0),
        ("handoff.blocks", 2, 1, 1),
        ("restore.max_chars", 500, 10_000, 500),
        ("restore.max_chars", 9_000, 500, 9_000),
        ("handoff.limit", 500, 700, 700),
    ],
)
def test_a_project_adds_caution_and_never_takes_it_away(
    key: str, own: Any, brought: Any, expected: Any, tmp_path: Path
) -> None:
    """What it may not say is told and not followed; what it changes is told as well. The user may say all."""
    state, environment = configured(tmp_path, {key: own}, {key: brought})
    values, problems = load.load(state, environment)
    assert values[key] == expected
    assert [f"{state}/config.json: {key} is" in one and "Your own settings may" in one for one in problems] == (
        [] if expected == brought else [True]
    )
    assert load.changes(state, environment) == (
        [] if expected == own else [f"{key} is {json.dumps(expected)}, not {json.dumps(own)}"]
    )
    option = {"CLAUDE_PLUGIN_OPTION_" + key.upper().replace(".", "_"): json.dumps(brought)}
    assert load.load("/nowhere", option)[0][key] == brought


@pytest.mark.parametrize(
    ("own", "brought", "key"),
    [
        ({"coordination": {"mode": "yes"}}, {"coordination": {"mode": "enforce"}}, "coordination.mode"),
        ({"coordination": {"mode": "warn"}}, {"coordination": {"mode": "yes"}}, "coordination.mode"),
        ({"handoff.limit": 400, "handoff": {"limit": 300}}, {"handoff.limit": 350}, "handoff.limit"),
        ({"handoff.limit": 400, "handoff": {"limit": 3}}, {"handoff.limit": 350}, "handoff.limit"),
        ({"handoff.on": 1}, {}, "handoff.on"),
        ({"handoff.limits": 7}, {"handoff.limit": 350}, "handoff.limit"),
    ],
)
def test_the_source_in_force_is_the_one_whose_value_is(own: Any, brought: Any, key: str, tmp_path: Path) -> None:
    """Whatever is wrong in the sources below."""
    state, environment = configured(tmp_path, own, brought)
    (said,) = [one for one in edit.why(key, state, environment) if not one.note]
    assert json.dumps(said.value) == json.dumps(load.load(state, environment)[0][key])


@pytest.mark.parametrize("there", ["folder", "link to it", "nothing"])
def test_where_the_home_is_the_project_its_file_is_the_users_own(there: str, tmp_path: Path) -> None:
    """One file, which may say all, by whatever name of the home it is reached; what is set there goes there."""
    home, linked = tmp_path / "home", tmp_path / "linked"
    linked.symlink_to(home)
    (home if there == "nothing" else home / ".claude" / "holdfast").mkdir(parents=True)
    state, environment = f"{linked if there == 'link to it' else home}/.claude/holdfast", {"HOME": str(home)}
    own = f"{home}/.claude/holdfast/config.json"
    assert load.files(state, environment) == [own]
    for in_project in (True, False):
        assert edit.put("hooks.off", ["Stop"], state, environment, in_project) == own
    values, problems = load.load(state, environment)
    assert (values["hooks.off"], problems) == (["Stop"], [])
    assert load.changes(state, environment) == []
    assert edit.why("hooks.off", state, environment)[-1] == edit.SourceValue(own, ["Stop"])


def test_no_project_names_a_place_or_a_program() -> None:
    """A setting of free text (a path, a command, a model) is for the user alone."""
    free = {key for key, shape in load.KEYS.items() if shape.get("type") == "string" and "enum" not in shape}
    assert {key for key in free if load.KEYS[key].get("x-project") != "never"} == set()


EVIL = "x\n# Run\u202e this\u2028now\x1b[2J\ud800"


@given(st.text(st.characters(codec=None) | st.sampled_from("\n\u202e\u2066\x1b"), max_size=200))
@example(EVIL)
def test_nothing_foreign_stands_in_what_is_told(text: str) -> None:
    """Keys and values are quoted, in plain letters, on one line, and clipped; so is a path."""
    for raw in ({text: 1}, {"handoff.limit": text}, {"handoff": {text: text}}, {"handoff.limits": {text: text}}):
        for problem in load.merge([("home", raw)])[1]:
            assert problem.replace("…", "").isascii()
            assert problem.isprintable()
            assert len(problem) < 400
    for problem in load.merge([(f"/clone/{text}", {"x": 1})])[1]:
        assert problem.isprintable()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", ["link", "pipe", "terminal", "folder"])
def test_a_projects_config_is_a_plain_file(kind: str, tmp_path: Path) -> None:
    """Nothing is waited for, nothing elsewhere is read; it is told. The user's own may be a link."""
    state, environment = configured(tmp_path, {}, {})
    kept, place = tmp_path / "kept.json", tmp_path / "state" / "config.json"
    kept.write_text('{"handoff.limit": 300}')
    place.unlink()
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(kept if kind == "link" else "/dev/ptmx")
    values, problems = load.load(state, environment)
    assert values == load.defaults()
    assert problems == [f"{place}: this is no plain file; it is ignored; the other files and the defaults hold"]
    own = tmp_path / "home" / ".claude" / "holdfast" / "config.json"
    own.unlink()
    own.symlink_to(kept)
    assert load.load("/nowhere", environment)[0]["handoff.limit"] == 300


def test_plugin_options() -> None:
    """Read as JSON where it is JSON, else as text."""
    options = {"DIGEST_DUPLICATES": "false", "PRESSURE_PRESET": "capacity", "DIGEST_TOOLS": '["Bash"]'}
    given = {f"CLAUDE_PLUGIN_OPTION_{name}": text for name, text in (options | {"WINDOW_LIMIT": "", "X": "1"}).items()}
    expected = {"digest.duplicates": False, "pressure.preset": "capacity", "digest.tools": ["Bash"]}
    assert load.plugin_options(given) == expected


@given(
    st.lists(st.sampled_from(["*", "Explore", "my-agent", "other"]), max_size=3),
    st.dictionaries(st.sampled_from(["Explore", "my-agent", "other"]), st.integers(100, 4000), max_size=3),
    st.sampled_from(["Explore", "general-purpose", "my-agent", "other", ""]),
)
def test_limit_per_agent_type(agents: list[str], limits: dict[str, int], kind: str) -> None:
    values = {**load.defaults(), "handoff.agents": agents, "handoff.limits": limits}
    held = "*" in agents or kind in agents
    assert load.handoff_limit(values, kind) == (limits.get(kind, 500) if held else 0)


def test_a_model_that_changed_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    current, old, text = tmp_path / "a.json", tmp_path / "b.json", compiled.text_of(Settings)
    current.write_text(text, encoding="utf-8")
    monkeypatch.setattr(compiled, "models", lambda: [(current, Settings), (old, Settings)])
    assert compiled.renew() == [old]
    assert old.read_text(encoding="utf-8") == text


def test_a_command_renews_what_is_older_than_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, by the dates alone; nothing where nobody may write, and a room without a compiled file is none."""
    for name in ("room/schema.py", "room/made.json", "other/schema.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setattr(compiled, "LIBRARY", tmp_path)
    times: list[int] = []
    monkeypatch.setattr(compiled, "renew", lambda: times.append(1))
    compiled.renew_older()
    assert not times
    os.utime(tmp_path / "room" / "made.json", (100, 100))
    with monkeypatch.context() as locked:
        locked.setattr(os, "access", lambda *_: False)
        compiled.renew_older()
    assert not times
    for _ in range(2):
        compiled.renew_older()
    assert len(times) == 1
