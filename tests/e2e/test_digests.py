"""Point 3: large tool output reaches the model as a digest, a source file as it is."""

import sys
from typing import NamedTuple

import pytest

from client import Run, Sandbox
from loopback import call, rule

GO = "GO-DIGEST run the build"
LARGE = {"whole": 25_000, "cut": 500_000}  # the client passes the first whole and keeps 2 KB of the second
ERROR = "error TS2345: Argument of type 'Session' is not assignable, in src/lib/auth.ts line 512"
PRINT = """
import sys
size, error = int(sys.argv[1]), sys.argv[2]
lines = [f"[{n:06d}] compiled module {n:06d} in {n % 7 + 1} ms" for n in range(size // 40)]
lines[len(lines) // 2] = error
print("\\n".join(lines))
sys.exit(len(sys.argv) > 3)
"""  # lines of 40 characters
SOURCE = "\n".join(
    f"export function handler{n}(request: Request): Response {{ return reply(request, {n}); }}" for n in range(300)
)


class Played(NamedTuple):
    """One run: the results as the model read them, by the call's id."""

    sandbox: Sandbox
    run: Run
    results: dict[str, str]


@pytest.fixture(scope="module")
def played(sandbox: Sandbox) -> Played:
    """Two large Bash outputs, the first of them twice, one that fails, a source file, read and printed, and one below
    the threshold twice.
    """
    script, source = sandbox.root / "build.py", sandbox.project / "handlers.ts"
    script.write_text(PRINT)
    source.write_text(SOURCE)
    commands = {name: f'{sys.executable} {script} {size} "{ERROR}"' for name, size in LARGE.items()}
    calls = [{**call("Bash", command=line, description=name), "id": f"toolu_{name}"} for name, line in commands.items()]
    read = {**call("Read", file_path=str(source)), "id": "toolu_read"}
    again = {**call("Bash", command=commands["whole"], description="again"), "id": "toolu_again"}
    printed = {**call("Bash", command=f"cat {source}", description="cat"), "id": "toolu_cat"}
    failed = {**call("Bash", command=f"{commands['cut']} fail", description="fails"), "id": "toolu_failed"}
    small = "yes 'all is well here' | head -310"
    first, second = (
        {**call("Bash", command=small, description=name), "id": f"toolu_{name}"} for name in ("1st", "2nd")
    )
    rules = [
        rule(GO, *calls, read, printed, failed, first, times=1, tools=True),
        rule("toolu_read", again, second, times=1),
    ]
    run = sandbox.run(GO, rules).undisturbed()
    assert run.result == "OK done."
    return Played(sandbox, run, _results(run))


def _results(run: Run) -> dict[str, str]:
    blocks = [b for r in run.requests for m in r.messages if isinstance(m["content"], list) for b in m["content"]]
    found = [block for block in blocks if block.get("type") == "tool_result"]
    return {block["tool_use_id"].removeprefix("toolu_"): _flat(block["content"]) for block in found}


def _flat(content: object) -> str:
    return content if isinstance(content, str) else "\n".join(block["text"] for block in content)  # type: ignore[attr-defined] # a list of text blocks


def _whole(played: Played, text: str) -> str:
    """What stands in the file that a digest names."""
    return max(played.sandbox.files_named(text), key=len, default="")


def test_what_still_stands_above_is_a_reference(played: Played) -> None:
    """As the client's own rows tell it."""
    assert played.results["1st"].count("all is well here") == 310
    assert "the same result as an earlier Bash call above" in played.results["2nd"]


@pytest.mark.parametrize("name", LARGE)
def test_a_large_output_becomes_a_digest_with_its_error_that_names_the_whole(played: Played, name: str) -> None:
    """The one error line from the middle, in less than half of what was printed; the file named holds all of it."""
    text, whole = played.results[name], _whole(played, played.results[name])
    assert ERROR in text
    assert len(text) < 12_500
    assert len(whole) >= LARGE[name]
    assert ERROR in whole
    assert "compiled module 000000 in 1 ms" in whole


def test_a_source_file_is_untouched(played: Played) -> None:
    """Every line of one that is read arrives as it is, in its order; so does what `cat` prints of it."""
    lines = [line.split("\t", 1)[-1] for line in played.results["read"].splitlines()]
    assert "\n".join(lines[:300]) == SOURCE
    assert played.results["cat"].strip() == SOURCE


def test_of_a_failed_output_that_was_cut_the_agent_is_told(played: Played) -> None:
    """The client shows ends alone, without the error: the request says so, and how to see the rest."""
    assert ERROR not in played.results["failed"].split("<system-reminder>")[0]
    told = [r for r in played.run.holding("the client has cut", "fail) > /tmp/failed.txt 2>&1") if r.body.get("tools")]
    assert told != []


def test_a_large_output_that_comes_again_is_a_digest_again(played: Played) -> None:
    """Above stands only a digest, so that no reference to a result above is given."""
    assert ERROR in played.results["again"]
    assert "the same result" not in played.results["again"]
    assert len(_whole(played, played.results["again"])) >= LARGE["whole"]
