"""Which numbered lines of a prompt decide the numbered items that the assistant had asked of?

Rule: those of the same number, in the user's words; unless the list is introduced as one of the user's own ("Do these
first:"), or the line asks back or doubts and says nothing that settles it. Sources: requirements W2, J3; the forms are
those of all numbered prompts of the recorded sessions.
"""

import re
from typing import Any

from holdfast.text import authorship
from holdfast.text.lines import clip
from holdfast.text.phrasing import marked
from holdfast.worklog import notes

TITLE_CHARS, ANSWER_CHARS = 80, 200
_WHOLE = 1_500  # characters of a line that are looked at for what it asks
_NUMBERED = re.compile(
    r"(?m)^[ \t#*_-]*(?:item|point|question|q)?[ \t]*(\d{1,2})[.):][ \t*_:-]{0,4}(\S.+)$", re.IGNORECASE
)
_FEWEST = 2  # numbered lines that make a list
_DOUBTS = re.compile(r"\?|\b(?:hmm+|(?:i'm )?not sure|perhaps|maybe|(?:i )?_?think_?|no idea|dunno)\b", re.IGNORECASE)
_SETTLES = re.compile(
    r"^\W*(?:yes|yep|yup|yeah|no|nope|nah|ok(?:ay)?|sure|agreed?)\b|\b(?:yes|let'?s|(?:i|we)(?:'d| would| do)?"
    r" (?:agree|like|want|prefer)|should(?! (?:i|we|it|this|that)\b)|must|please|go with|go for"
    r"|(?:is|are) (?:fine|ok(?:ay)?|good|acceptable)|instead)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"\b(?:answers?|repl(?:y|ies)|re|questions?|points?|comments?|thoughts)\b", re.IGNORECASE)


def numbered(text: str, chars: int) -> dict[str, str]:
    """The numbered items of a text by their number, the last of each; {} where there is no list of them."""
    found = {number: clip(marked(said), chars) for number, said in _NUMBERED.findall(text)}
    return found if len(found) >= _FEWEST else {}


def answered(state: dict[str, Any], prompt: str) -> None:
    """Note as a decision each item of the assistant's list that this prompt settles."""
    own = authorship.own(prompt, pasted=True)
    if len(prompt) > notes.LONG_PROMPT or _is_own_list(own):
        return
    for number, answer in numbered(own, _WHOLE).items():
        if number in state["items"] and (_SETTLES.search(answer) or not _DOUBTS.search(answer)):
            said = clip(answer, ANSWER_CHARS)
            notes.note(state, "decision", f'on {number}. {state["items"][number]}: the user said "{said}"', "user")


def _is_own_list(prompt: str) -> bool:
    """Whether the line before the first item announces a list that answers nothing."""
    first = _NUMBERED.search(prompt)
    above = prompt[: first.start()].strip().splitlines()[-1:] if first else []
    return any(line.rstrip().endswith(":") and not _ANSWERS.search(line) for line in above)
