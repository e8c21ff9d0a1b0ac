"""When is the work done, in the user's own words?

Rule: sentences of the user's prompts that name a condition to be met ("done when …", "until …", "make sure that …
passes", "tests must pass"), word for word, newest kept. Nothing is inferred: no such sentence, no criterion.
Source: W1 (success criteria).
"""

import re

from holdfast.worklog import notes

KEPT, CHARS = 5, 200
_WHO = r"(?:is|are|be|(?:we|you|i|it)(?:['\u2019](?:re|m|s)))"
_GO_ON = r"(?:keep|continue|iterate|repeat|loop|go on|work|try|run|fix|retry|don['\u2019]?t stop|not done)"
_HOLDS = r"pass(?:es)?|works?|green|succeeds?|builds?|compiles?|stays?|remains?|unchanged|covered|matches|still"
CONDITION = re.compile(
    "|".join(
        (
            rf"\b{_WHO} (?:done|finished|complete|happy|satisfied) (?:when|once|if|as soon as)\b",
            r"\b(?:done|finished|complete) (?:when|means|once)\b",
            rf"\b{_GO_ON}\b.{{0,80}}\buntil\b",
            rf"\b(?:make sure|ensure|(?:verify|confirm|check) that)\b.{{0,100}}?\b(?:{_HOLDS})\b",
            r"\b(?:tests?|build|lint|checks?|suite|ci|benchmarks?)\b.{0,40}"
            r"\b(?:must|should|ha(?:s|ve) to|needs? to) (?:all |still )?(?:pass|be green|succeed|work|run)\b",
            r"\bsuccess (?:criteri\w+|means|looks)\b",
            r"\bacceptance criteri\w+|\bdefinition of done\b",
        )
    ),
    re.IGNORECASE,
)


_QUOTED = re.compile(r'"[^"]{3,120}"|\u201c[^\u201d]{3,120}\u201d')


def found(prompts: list[str]) -> list[str]:
    """The user's sentences that say when the work is done, oldest first, each once."""
    kept: dict[str, None] = {}
    for prompt in prompts:
        for sentence in notes.own_sentences(prompt):
            said = _clip(" ".join(sentence.split()).lstrip("-*•> "))
            if CONDITION.search(_QUOTED.sub(" ", said)):
                kept.pop(said, None)
                kept[said] = None
    return list(kept)[-KEPT:]


def _clip(text: str) -> str:
    return text if len(text) <= CHARS else text[: CHARS - 1].rstrip() + "…"
