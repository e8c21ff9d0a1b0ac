import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.cli import bench
from holdfast.cli import main as cli
from holdfast.session.context import PROGRAM
from tests.conftest import HOOKS


def test_every_command_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command: the help with all of them, exit 2."""
    assert cli.main([]) == 2
    out = capsys.readouterr().out
    assert [name for name in cli.COMMANDS if f"\n  {name} " not in out] == []
    assert len(out.splitlines()) < 28


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_its_module_and_tells_of_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([name, "--help"])
    assert end.value.code == 0
    assert f"usage: holdfast {name}" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["bench", "hooks"], ["replay", "x.jsonl"]], ids=lambda words: words[0])
def test_what_needs_a_checkout_says_so_elsewhere(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Benchmarks and replays are no part of the pack: one line says what to do, exit 1."""
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "hooks" / "holdfast" / "cli" / "bench.py"))
    assert cli.main(command) == 1
    said = capsys.readouterr().err
    assert ("Run this from a checkout" in said, said.count("\n")) == (True, 1)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("status", f"{{state}}: no session has run here yet. Start Claude Code here, or see `{PROGRAM} doctor`"),
        ("status --json", "{state}: no session has run here yet"),
        ("checkpoint save", "{state}: no session has run here yet"),
        ("recall x", "{state}: no session has run here yet. Give a file"),
        ("replay {state}", "{state}: no such file"),
        (f"replay {__file__}", f"{__file__}: holds no transcript rows"),
    ],
)
def test_an_error_is_one_line(command: str, told: str, capsys: pytest.CaptureFixture[str], state: Path) -> None:
    """What, where and what to do, on stderr; exit 1; nothing is made on disk."""
    assert cli.main(command.format(state=state).split()) == 1
    out, err = capsys.readouterr()
    assert (out, err.startswith(f"holdfast: {told.format(state=state)}"), err.count("\n")) == ("", True, 1)
    assert not state.exists()


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("memory add decision --tag x Title", {"kind": "decision", "title": "Title", "tag": ["x"]}),
        ("memory add --user decision --text y Title --tag x", {"kind": "decision", "title": "Title", "text": "y"}),
        ("memory add --file x.md", {"kind": None, "title": "", "file": "x.md"}),
        ("memory add decision --tag x", {"kind": "decision", "title": "", "tag": ["x"]}),
        ("show", {"marker": []}),
        ("memory search --limit 3 words", {"query": "words", "limit": 3}),
        ("team state set k --version 1 v", {"key": "k", "value": "v", "version": 1}),
        ("team state get k --version 1", {"key": "k", "value": None, "version": 1}),
    ],
)
def test_options_stand_anywhere_among_the_words(words: str, read: dict[str, object]) -> None:
    parsed = vars(cli.parser(words.split()).parse_args(words.split()))
    assert {name: parsed[name] for name in read} == read


def test_ctrl_c_ends_a_command_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "refuse_leading_out", lambda *_: stopped(0))
    assert (cli.main(["memory", "list"]), capsys.readouterr()) == (130, ("", ""))


@pytest.mark.parametrize("command", ["stats", "knowledge build", "handoff schema"])
def test_without_packages_one_line_names_the_one_that_is_needed(command: str, tmp_path: Path) -> None:
    """Such is an installation without a network, and a plugin at its first start."""
    env = {"HOME": str(tmp_path), "PYTHONPATH": str(HOOKS), "PATH": os.environ["PATH"]}
    run = [sys.executable, "-B", "-S", "-m", "holdfast", *command.split()]
    done = subprocess.run(run, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = "holdfast: pydantic: this command needs a package that is not here. Run `"
    assert (done.returncode, done.stderr.startswith(told), done.stderr.count("\n")) == (1, True, 1)


def test_a_copy_without_its_tables_says_so(tmp_path: Path) -> None:
    """In one line, of what it would have said nothing: no secret could be taken out of that."""
    shutil.copytree(HOOKS / "holdfast", tmp_path / "holdfast", ignore=shutil.ignore_patterns("_data", "__pycache__"))
    env = {"HOME": str(tmp_path), "PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]}
    for command in (["team"], ["memory", "show", "ghp_no_such"]):
        run = [sys.executable, "-B", "-m", "holdfast", *command]
        done = subprocess.run(run, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
        told = "the tables by which secrets are known are gone or torn. Put this copy of Holdfast in anew (see README)"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"holdfast: {tmp_path}/holdfast/_data: {told}\n")


@pytest.mark.parametrize("command", [["memory", "list"], ["status"], ["--help"]], ids=lambda words: words[0])
def test_in_a_folder_that_is_gone_one_line_says_so(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert cli.main(command) == 1
    assert capsys.readouterr().err == "holdfast: the current folder is gone. Change to another one\n"


@pytest.mark.parametrize("command", [["status"], ["memory", "list"], ["checkpoint", "save"], ["recall", "x"]])
def test_no_command_uses_a_state_folder_that_leads_out_of_its_project(
    command: list[str], project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says where it leads; nothing is written there."""
    (tmp_path / "outside").mkdir()
    (project / ".claude").symlink_to(tmp_path / "outside")
    assert cli.main(command) == 1
    assert "leads out of the project" in capsys.readouterr().err
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [("memory", "show", "caf\udce9"), ("team", "state", "set", "k", "v", "--version", "9" * 30)]
)
def test_an_argument_that_nothing_can_hold_is_one_line(
    arguments: tuple[str, ...], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main(["memory", "add", "learning", "Tabs", "--text", "use tabs"])
    capsys.readouterr()
    assert cli.main([*arguments]) == 1
    told = capsys.readouterr().err
    assert told.startswith("holdfast: an argument cannot be used: ")
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("status --bogus", f"holdfast status: it takes no --bogus. See `{PROGRAM} status --help`"),
        ("staus", f"holdfast: there is no 'staus'; did you mean status? See `{PROGRAM} --help`"),
        ("memory lsit", f"holdfast memory: there is no 'lsit'; did you mean list? See `{PROGRAM} memory --help`"),
        (
            "memory add foo bar",
            f"there is no 'foo'; there are decision, issue, state, learning. See `{PROGRAM} memory add",
        ),
        ("uninstall", f"there is no 'uninstall'; did you mean `{PROGRAM} install DIR --uninstall`? See"),
        ("memory remove x", f"there is no 'remove'; did you mean `{PROGRAM} memory forget`? See"),
        ("memory", "holdfast memory: it needs add|search|list|show|edit|"),
        ("team claim", "holdfast team claim: it needs FILE|GLOB|FILE#HEADING. See"),
        ("team state", "holdfast team state: it needs get|set, KEY. See"),
        ("memory list --limit x", f"a whole number is needed, not 'x'. See `{PROGRAM} memory list --help`"),
        ("memory list --sort tme", "argument --sort: there is no 'tme'; did you mean time?"),
    ],
)
def test_a_wrong_argument_is_one_line(arguments: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the command whose help tells more, and what may have been meant."""
    with pytest.raises(SystemExit) as end:
        cli.main(arguments.split())
    err = capsys.readouterr().err
    assert (end.value.code, err.count("\n"), told in err) == (2, 1, True)


def test_the_command_that_a_message_names_runs_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    """It is on nobody's PATH: by its place."""
    assert cli.main(["status"]) == 1
    named = capsys.readouterr().err.split("`")[1].split()[0]
    assert os.access(os.path.expanduser(named), os.X_OK)


@pytest.mark.parametrize(("typed", "meant"), cli.MEANT.items())
def test_what_people_type_is_no_command_and_what_is_meant_is_one(typed: str, meant: str) -> None:
    for arguments, code in ((typed, 2), (f"{meant} --help", 0)):
        with pytest.raises(SystemExit) as end:
            cli.main(arguments.split())
        assert end.value.code == code


@pytest.mark.parametrize(("command", "code"), [("config schema", 0), ("config check", 1), ("--help", 0), ("staus", 2)])
def test_a_reader_that_has_had_enough_ends_a_command_quietly(command: str, code: int, state: Path) -> None:
    """`holdfast … | head -1`: nothing is complained of, and the exit code is that of the command."""
    state.mkdir(parents=True)
    (state / "config.json").write_text("{torn")
    reads, writes = os.pipe()
    os.close(reads)
    own = [sys.executable, "-c", "import sys; from holdfast.cli.main import main; sys.exit(main())", *command.split()]
    ended = subprocess.run(own, env={**os.environ, "PYTHONPATH": str(HOOKS)}, stdout=writes, stderr=-1, check=False)
    os.close(writes)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (code, int(code == 2))
