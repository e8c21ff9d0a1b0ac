"""What does a file say that it is for, and what a project?"""

from holdfast.text.lines import clip
from holdfast.text.quoting import clean

HEAD = 3_000
"""Characters of a file that tell its purpose."""


def purpose(head: str, path: str) -> str:
    """What a file says that it is for, in its first sentence; "" where it says nothing. head: its beginning."""
    rights = ("spdx", "copyright", "license", "licence", "coding:", "coding=", "<?xml", "!doctype", "#!")
    prose = path.lower().endswith((".md", ".rst", ".txt"))
    for line in (one.strip() for one in clean(head[:HEAD]).split("\n")[:30]):
        comment = line.startswith(("#", "//", "/*", "*", "<!--", "--", ";", "%", '"""', "'''"))
        if line and not prose and not comment:
            return ""  # code begins
        said = line.strip("#/*!<>-;%\"'= \t")
        if any(map(str.isalnum, said)) and not any(mark in line.lower() for mark in rights) and line[0] not in "[<":
            first, dot, _ = said.partition(". ")
            return clip(f"{first}{dot}".strip(), 160)
    return ""


def goal(readme: str) -> str:
    """What a project is for: the first paragraph of prose in its README, as it stands there; "" for none."""
    fenced, pieces = False, clean(readme).split("<!--")
    bare = pieces[0] + "".join(piece.partition("-->")[2] for piece in pieces[1:])
    for paragraph in bare.split("\n\n"):
        fenced ^= paragraph.count("```") % 2 == 1
        rows = [line.strip() for line in paragraph.split("\n")]
        said = " ".join(line for line in rows if line and not line.startswith(("#", "===", "---")))
        if said and not fenced and said[0] not in "<[!|>`*-" and len(said.split()) > 1:
            return clip(said, 300)
    return ""
