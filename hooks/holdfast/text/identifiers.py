"""Names in a text that an agent must be able to type again: paths and identifiers.

path        a token with a folder and an extension, or a file name with an extension that is known
identifier  camelCase or snake_case of at least seven characters, as the recall benchmarks count them

Line numbers after a path (`a/b.go:12-20`) are no part of the name.
"""

from collections.abc import Sequence

from holdfast.text import late as re

EXTENSIONS = (
    "bash|bat|c|cc|cfg|conf|cpp|cs|css|csv|cts|cue|dart|db|diff|ejs|el|env|ex|exs|go|gradle|graphql|h|hbs|hcl|hpp"
    "|htm|html|ini|ipynb|java|jinja|jinja2|js|json|jsonc|jsonl|jsx|kt|kts|less|lock|log|lua|m|md|mdx|mjs|mk|ml|mod"
    "|mts|nix|patch|php|pl|plist|prisma|proto|ps1|py|pyi|r|rb|rs|rst|sass|scala|scss|sh|sol|sql|sqlite|sum|svelte"
    "|svg|swift|tf|tmpl|toml|ts|tsx|txt|vue|xml|yaml|yml|zig|zsh"
)
_PATH = re.compile(
    r"(?=[\w./@~+<>{}*-])(?<![\w./@~-])"
    r"(?:(?<![+<>{}*])(?:[~.]{0,2}/)?(?:[\w.@+<>{}*-]+/)+[\w.@+*-]*\w\.[A-Za-z]\w{0,7}(?![\w/])"
    rf"|(?<![\w.@+]\+)\.?\w[\w.@+-]*\.(?:{EXTENSIONS})(?![\w(/]|\.\w))"
)


def paths(text: str) -> list[str]:
    """Distinct paths in order of appearance."""
    return list(dict.fromkeys(_PATH.findall(text)))


def identifiers(text: str) -> list[str]:
    """Distinct identifiers in order of appearance."""
    words = dict.fromkeys(_IDENTIFIER.findall(text))  # most are in small letters
    return [word for word in words if ("_" in word or not word.islower()) and _SHAPE.search(word)]


_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w{6,}", re.ASCII)
_SHAPE = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]")


def basename(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1]


def occurs(term: str, text: str) -> bool:
    """Whether `term` stands in `text` as a whole word."""
    return term in text and bool(re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text))


def names_file(text: str, path: str, root: str = "", among: Sequence[str] = ()) -> bool:
    """Whether a text has a file's path as a whole word, from the file system's or from the folder `root` on.

    A sign before the latter stands for `root`: models write "/src/a.py" as they write "./src/a.py". Its last parts are
    enough where only one of the paths `among` which it is ends so: models name a folder once, then its files.
    """
    parts = path.split("/")
    forms = [path, path.removeprefix(f"{root}/")] if root else [path]
    ends = ("/".join(parts[at:]) for at in range(1, len(parts))) if parts[-1] in text else ()
    forms += [end for end in ends if sum(f"/{one}".endswith(f"/{end}") for one in among) == 1]
    either = "|".join(map(re.escape, forms))
    return parts[-1] in text and bool(re.search(rf"(?<![\w/.~@+-])(?:\.?/)?(?:{either})(?![\w/@+~-]|\.\w)", text))
