from holdfast.engine.assembly import retrieval
from holdfast.engine.assembly.retrieval import Candidate

FILES = {
    "src/auth/refreshToken.py": "\n".join(
        [*(f"line {n}" for n in range(1, 11)), "def refresh(token):", "    expire(token)"]
    ),
    "src/auth/login.py": "def login(user):\n    return session(user)",
    "docs/style.md": "colours",
    "src/billing/refunds.py": "def refund(order): ...",
}
CANDIDATES = [Candidate(path) for path in FILES]


def test_only_the_best_are_read_and_cited_by_line() -> None:
    """Words of paths count, in camelCase too; what shares no word is not read."""
    read: list[str] = []

    def reading(path: str) -> str:
        read.append(path)
        return FILES[path]

    found = retrieval.retrieve("why does the refresh token expire?", CANDIDATES, reading)
    assert read == ["src/auth/refreshToken.py"]
    assert [one.reference for one in found] == ["src/auth/refreshToken.py:9-12"]
    assert found[0].text.splitlines()[2] == "def refresh(token):"


def test_a_rare_word_outranks_a_common_one() -> None:
    """What every candidate has tells nothing."""
    candidates = [Candidate(f"src/auth/{n}.py", "login session") for n in range(5)] + [Candidate("x.py", "webhook")]
    assert retrieval.rank("login webhook", candidates)[0][1].path == "x.py"


def test_places_that_meet_are_one() -> None:
    """Lines are shown once, long ones cut."""
    text = "\n".join(["alpha token", "x" * 500, "beta token", *["y"] * 20, "gamma token"])
    found = retrieval.retrieve("token", [Candidate("token.txt")], lambda path: text)
    assert sorted(one.reference for one in found) == ["token.txt:1-5", "token.txt:22-24"]
    assert max(len(line) for one in found for line in one.text.splitlines()) <= 201
