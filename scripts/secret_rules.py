"""Make hooks/holdfast/_data/secret_rules.json anew out of CredSweeper's table (PyPI `credsweeper`, MIT licence).

    pip download --no-deps credsweeper; unzip it; pip install pyyaml
    python scripts/secret_rules.py credsweeper/rules/config.yaml

Taken are the rules for formats of makers: not weak, with a beginning of three characters or more, by which a text
without it is passed over. Left out are names of places, and base64 of JSON, which only decoding tells from any other.
Patterns match what they match there, but for one that takes in what stands before its beginning: of that it keeps
nothing, since it would be tried anew at each letter. Repetitions give nothing back where that could not help.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parents[1] / "hooks" / "holdfast" / "_data" / "secret_rules.json"
LEFT_OUT = (
    *("Firebase Domain", "AWS S3 Bucket", "PASETO Token", "PASERK Keys", "BASE64 Private Key"),
    *("CURL User Password", "CMD ConvertTo-SecureString"),
)
LONGEST_WORD = 4
"""Letters of a beginning; a longer one in small letters is a word, and what follows it a matter of redaction.py."""


def taken(rule: dict[str, Any]) -> bool:
    """Whether its pattern alone tells a secret."""
    hints = rule.get("required_substrings") or [""]
    named = any(hint.isalpha() and hint.islower() and len(hint) > LONGEST_WORD for hint in hints) or "pass" in hints
    known = min(map(len, hints)) >= 3 and "eyJ" not in hints and "://" not in hints and not named
    return known and rule["type"] == "pattern" and rule["confidence"] != "weak" and rule["name"] not in LEFT_OUT


def bounded(pattern: str) -> str:
    """Without what may stand before the beginning of a value in any number."""
    return re.sub(r"^\(\?P<value>\[[^\]]*\]\{0,\d+\}", "(?P<value>", pattern)


def possessive(pattern: str) -> str:
    """With repetitions that keep what they have, where what follows could stand in none of it: same matches, sooner."""

    def kept(found: re.Match[str]) -> str:
        own, rest = members(found[1]), pattern[found.end() :]
        # What may follow: parts that each begin with a dot, and then no sign of these.
        parts = r"(\(\\\.\[[^\]]*\]\{\d+,\d+\}\)\{0,\d+\})?\)*\(\?!(\[[^\]]*\])\)"
        refused = re.match(parts, rest)
        ends = refused and own <= members(refused[2]) and not (refused[1] and "." in own)
        dot, sign = rest.startswith("\\."), rest.startswith(("=*(", r"(\\?=|(%|\\u00)3[dD])"))
        is_safe = ends or (dot and "." not in own) or (sign and not own & set("\\=%"))
        return found[0] + "+" * bool(is_safe)

    return re.sub(r"(?<!\\)(\[[^\]]*\])\{\d+,\d+\}(?!\+)", kept, pattern)


def at_once(pattern: str) -> str:
    """Not tried anew at each place of a run of one sign that it begins with."""
    return re.sub(r"(?<=\(\?P<value>)((\w)\2{9,})", r"(?<!\2)\1", pattern)


def rows(rule: dict[str, Any]) -> list[list[Any]]:
    """One for each way that it has, with its own beginnings: a way that begins with none slows the others down."""
    name, hints, pattern = rule["name"], rule["required_substrings"], at_once(possessive(bounded(rule["values"][0])))
    flat = re.fullmatch(r"\(\?P<value>([^()]*\|[^()]*)\)", pattern)
    ways = [f"(?P<value>{way})" for way in flat[1].split("|")] if flat else []
    return [[name, [hint for hint in hints if hint in way], way] for way in ways] or [[name, hints, pattern]]


def members(signs: str) -> set[str]:
    """The characters of ASCII that a set such as [a-z-] has."""
    return {chr(n) for n in range(128) if re.fullmatch(signs, chr(n))}


def main(source: str) -> None:
    """Read the table, write ours: rows of name, beginnings, pattern."""
    import yaml  # type: ignore[import-untyped, unused-ignore]

    rules = yaml.safe_load(Path(source).read_text(encoding="utf-8"))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for rule in rules if taken(rule) for row in rows(rule))
    TARGET.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
