from collections.abc import Callable

import pytest

from holdfast.transcript.commands import TEST_COMMAND, commit_hash, commit_made, is_look


@pytest.mark.parametrize(
    ("command", "printed", "expected"),
    [
        ("git commit -m x", "[main 1234abc] Fix\n 1 file changed", "1234abc Fix"),
        ("git commit -m x", "[feature/x (root-commit) 1234abcd] First", "1234abcd First"),
        ("git commit -m x", "nothing to commit, working tree clean", ""),
        ('git -C sub commit -qam "Fix it"', "", "Fix it"),
        ("git -c user.name=x --no-pager commit --message='Fix it'", "", "Fix it"),
        ("GIT_AUTHOR_NAME='A B' git commit -qmFix", "", "Fix"),
        ("cd p && (git add . ; git commit -q -m 'one; two && three')", "", "one; two && three"),
        ("git add .\ngit commit -q \\\n  -m x", "", "x"),
        ("git commit -q -m \"$(cat <<'EOF'\nIt's done\n\nmore\nEOF\n)\"", "", "It's done"),
        ("if git commit -m 'not ended", "[main 1234abc] Fix", "1234abc Fix"),
        *((none, "", "") for none in (
            "git commit -q --amend --no-edit", "cat > a.sh <<'EOF'\ngit commit -m x\nEOF", "# git commit -m x",
            "git log --grep commit", "git cherry-pick 9876fed", "git commit -qm x && git reset -q --hard HEAD~1",
            "git add -A; git diff --cached --quiet || git commit -m x", "git diff --quiet || (ls && git commit -qm x)",
        )),
        ("git commit --dry-run -m x", "On branch main\nChanges to be committed:", ""),
        ('grep -rn "git commit -m x" docs', "docs/a.md:1: [main 1234abc] Fix", ""),
        ("X=$((1<<4))\ngit commit -m 'Fix'", "", "Fix"),
        ("sed -i 's/cout << x/y/' a.cc\ngit commit -qam Fix", "", "Fix"),
        ("git commit -qF - <<'EOF'\nFix it\n\nmore\nEOF", "", "Fix it"),
        ('git commit -qm "$(cat <<\'EOF\'\nIt\'s "a; b" now\nEOF\n)" && git push', "", 'It\'s "a; b" now'),
        *((f"git add -A && git commit -m x{behind}", "husky failed", "") for behind in (" | tail", " || true", "; ls")),
        ("git commit -m x | tail -1", " 1 file changed, 2 insertions(+)", "x"),
        ("git add -A; git commit -qm 'Fix it'; git log --oneline -1", "abc1234 Fix it", "abc1234 Fix it"),
        ("set -e\ngit commit -qm x\ngit push -q", "", "x"),
        ("git commit -m x && git status", "[main 1234abc] x\nnothing to commit, working tree clean", "1234abc x"),
        ("git commit -qm x && git push 2>&1 | tail -1", "a..b main -> main", "x"),
        ("set -e\ngit commit -qm x && git push -q\ngit status -sb", "husky failed", ""),
        ("set -e; trap 'exit 0' ERR; git commit -qm x; ls", "husky failed", ""),
        ('git commit -m "BUG-7: x" 2>&1 | tail', "input: BUG-7: x\nhusky - commit-msg script failed", ""),
        ("git commit -qm wip; git log --oneline -3", "ruff failed\nabc1234 wip", ""),
        ("git diff --cached --stat; git commit -m x | tail -4", " 1 file changed, 1 insertion(+)\nruff failed", ""),
        ("git merge --squash f; git commit -m x | tail", " 1 file changed, 1 insertion(+)\nruff failed", ""),
        ("git commit -qam x; git merge f", "ruff failed\n 1 file changed", ""),
        ("git add -A; git commit -qm x; ls", "prettier: 2 files changed", ""),
        ("git add -A && git commit -m x 2>&1 | tail -1 && git push 2>&1 | tail -1", " 1 file changed\nok", "x"),
        ("ls a || ls; git commit -qm x", "", "x"),
        ("git commit -m A a && git commit -m B b", "[main 1234abc] A\n[main 2234abc] B", "1234abc A\n2234abc B"),
        ("legit commit", "", ""),
        ("", "[main 1234abc] Fix", ""),
    ],
)  # fmt: skip
def test_what_was_committed(command: str, printed: str, expected: str) -> None:
    """By what git printed, else by its message; only a step of the script that runs it counts, and no dry run."""
    assert commit_made(command, printed) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [("1234abc Fix", "1234abc"), ("Fix it", ""), ("123abc", ""), ("", ""), (f"{'a' * 40} x", "a" * 40)],
)
def test_the_hash_of_a_commit(made: str, expected: str) -> None:
    assert commit_hash(made) == expected


ANSWERS: dict[Callable[[str], object], tuple[tuple[str, ...], tuple[str, ...]]] = {
    TEST_COMMAND.search: (
        (
            *("pytest", "npm run test:unit -- -t x", "./gradlew test", "bin/check", "bash -lc 'pytest x'"),
            *("cd /p && CI=1 /p/scripts/test-all -v", "bash ./scripts/check.sh", "make -j4 test"),
            *("pnpm --filter @box/crypto test -- -v", "yarn workspace api run test"),
            *("mvn -q -pl core -am test", "./mvnw clean verify", "./gradlew :core:test", "gradlew testDebugUnitTest"),
            *("cargo +nightly test", "npm t", "npm run -w web test", "vendor/bin/pest", "hatch run test", "prove -l t"),
        ),
        (
            *("head -40 /p/scripts/test-e2e.sh", "chmod +x scripts/test-e2e.sh", "cat latest.txt", "go build"),
            *("ls tests", "pnpm add -D test-lib", "npm install jest-cli-x"),
            *("npm ci --prefix web", "cargo run --release -- prove", "pip install hatch tests"),
            *("bin/rails db:test:prepare", "npm run build:test", "./gradlew testClasses", "make -C tests deps"),
            "touch pytest.ini",
            *("rm -rf .pytest_cache", "npx eslint jest.config.js", "mypy tests/unittest/x.py"),
            "docker build -t a-pytest .",
        ),
    ),
    is_look: (
        (
            *("ls -la src", "cd /p && git status; git log -3", "git -C sub diff | head"),
            *('"$HOME/.claude/holdfast/pack/bin/holdfast" memory forget DEC-1', "X=1 /a/bin/holdfast doctor 2>&1"),
            *("cd /p && python3 -m holdfast config check", 'rg "a && b; c" src | sort'),
        ),
        (
            *("rg todo && rm x", "git commit -m x", "pytest -q", "cat x || make", "ls; " * 5_001),
            *("bin/holdfast status && make", "make holdfast", "./holdfast.sh", "ls & rm x"),
        ),
    ),
}
"""What is asked of a text -> the texts of which it is so, and those of which it is not."""


@pytest.mark.parametrize(
    ("asked", "text", "answer"),
    [(asked, text, is_so) for asked, (so, not_so) in ANSWERS.items() for is_so in (True, False)
     for text in (so if is_so else not_so)],
)  # fmt: skip
def test_what_a_command_is(asked: Callable[[str], object], text: str, answer: bool) -> None:
    """Every step of a look is a look. A test run is known by the words of its command, a tool's name anywhere counts, a
    folder's does not.
    """
    assert bool(asked(text)) is answer
