"""Which of the things said in this session bind the work from here on?

Rule: only the user's own prompts give constraints, corrections, approvals and cancellations; of the assistant's
prose only what it marks itself (DECISION:, Lesson: …) or says plainly (chose, because, did not work). What a tool
printed is never read here, and what either of them passes on is not theirs (text/authorship.py).
Sources: requirements W2, H9, J9.
"""

import re
from typing import Any

from holdfast.text import authorship
from holdfast.text.lines import clip
from holdfast.text.markdown import sentences
from holdfast.text.phrasing import marked

KEPT = 40  # of each kind
CHARS = 400
ASKED_CHARS = 240
LONG_PROMPT = 1_500  # above it a prompt holds pasted material, and only the strongest words make a rule
SHORT_ANSWER = 90

_WHY = r"\b(?:because|since|due to|so that|as (?:it|they|the))\b"
_REASON = re.compile(
    r"(?:the )?(?:reason|rationale)\b|(?:this|that|it)(?:'s| is| was) because\b|because\b", re.IGNORECASE
)

# Each row: kind, whose words, pattern. A sentence takes the first kind that fits.
_USER = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("decision", r"^\W*(?:DECISION|DECIDED|ADR)\b[^:\n]{0,20}:\s*\S"),
        ("learning", r"^\W*(?:lessons?(?: learned)?|learned|takeaway|gotcha)\s*:\s*\S"),
        (
            "cancelled",
            # At the start of a clause only: "don't forget the docs" and "add a cancel button" call nothing off.
            r"(?:^|[,;:.]\s+|^(?:(?:ok(?:ay)?|yes|no|actually|please|so|then|and|but|well|hm+)\W+){1,3})"
            r"(?:please )?(?:cancel (?:it|that|this|the [\w -]{0,30}(?:task|plan|work|step|item|migration|export))\b"
            r"|never ?mind\b|forget (?:about (?:it|that|this|the)|it|that|this|the [\w -]{2,30})(?:[.,!;]|$)"
            r"|scrap (?:it|that|this|the)\b|scratch (?:it|that|this)\b|don'?t bother\b"
            r"|let'?s not (?:do|build|add|implement|pursue)\b|leave (?:it|that|this) out\b|stop working on\b"
            r"|(?:drop|skip|abandon) "
            r"(?:it|that|this|the [\w -]{0,30}(?:idea|plan|task|step|feature|approach|part|work))\b"
            r"|leave (?:it|that|this|the) [\w -]{0,40}(?:for now|for later|aside))"
            r"|\b(?:no longer needed|not needed any ?more|we (?:no longer|don'?t) need|off the table)\b",
        ),
        (
            "constraint",
            r"\b(always|never|do ?n[o']t (?!we|you|i\b|they)|must(?:n'?t| not)?\b|make sure|ensure (?:that|the)"
            r"|from now on"
            r"|only (?:use|if|when|do|for)|no need to|avoid|should(?:n'?t| not| always| never| only)|prefere?"
            r"|please use"
            r"|use \w+ (?:instead|not)|instead of|rather than|needs? to be|has to be|i(?:'d"
            r"| would) rather"
            r"|acceptable|out of (?:favou?r|scope)|keep (?:using|it (?:simple|small|as))|stick (?:to|with)"
            r"|stay (?:on|within)"
            r"|keep\b.{2,60}\b(?:unchanged|untouched|intact|compatible|below|under|as (?:it is|is|they are))"
            r"|(?:use|run|work|test|build|write)\b[^,.;]{2,60}, not|only (?:touch|change|edit|work|run|write)"
            r"|no exceptions?"
            r"|under no circumstances|no (?:new|extra|additional|external) \w+|i want (?:all|every|each|no)|we require"
            r"|(?:is|are) (?:required|mandatory)|(?:important|essential|crucial|vital) that|at (?:most|least) \d+)\b"
            r"|\bonly\W*$|\bno (?:more|less|fewer)\W*$",
        ),
        (
            "correction",
            r"^(?:no\b|nope|wait\b|stop\b|hmm+|actually)|\b(that'?s (?:not|wrong)|(?:is|was|are)n'?t (?:it|this"
            r"|that|right)"
            r"|not (?:right|correct|what|fully|quite)|wrong|incorrect|i meant|i said|you (?:forgot|missed"
            r"|removed|broke)"
            r"|still (?:fail|see|get|broken|not|the same|wrong)|revert|undo|doesn'?t (?:work|make sense)"
            r"|why (?:did|do|are) you"
            r"|looks? (?:strange|odd|wrong|off)|should be|you (?:misunderstood|got (?:it|that|this) wrong)"
            r"|hold on|not what i"
            r"|(?:change|put) (?:it|that|this|them) back|i did(?:n'?t| not) (?:ask|say|mean))\b",
        ),
    )
)
_NAMED = ("decision", "learning")
"""What the user names so, which holds in a long prompt as well."""
_STRONG = re.compile(
    r"\b(always|never|do ?n[o']t|must(?:n'?t| not)?|make sure|from now on|under no circumstances)\b", re.IGNORECASE
)
_APPROVAL = re.compile(
    r"^(?:yes|yep|yeah|yup|ok(?:ay)?|sure|go ahead|go for it|do it|sounds good|lgtm|looks good|approved?|perfect|great"
    r"|agreed?|please do|correct|exactly|right|that works|makes sense|option \w+\b|let'?s (?:do|go|add|use|try)"
    r"|i (?:like|agree|approve))\b",
    re.IGNORECASE,
)
# Each row: kind, words of which one stands in whatever the pattern finds (looking for them costs a fifth), pattern.
MARKED = tuple(
    (kind, words, re.compile(pattern))
    for kind, words, pattern in (
        (
            "decision",
            ("decision", "decided", "adr", "dec-"),
            r"(?i)^\W*(?:DECISION|DECIDED|ADR)\b[^:\n]{0,20}:\s*\S|\bDEC-\d",
        ),
        ("todo", ("todo", "fixme", "next"), r"^\W*(?:TODO|FIXME|NEXT)\b[^:\n]{0,12}:\s*\S"),
        ("bug", ("bug", "issue-"), r"^\W*(?:BUG|ISSUE-\d+)\b[^:\n]{0,12}:\s*\S|\bBUG-\d+\b"),
        (
            "learning",
            ("lesson", "learn", "takeaway", "insight", "gotcha"),
            r"(?i)^\W*(?:lessons?(?: learned)?|learned|learning|takeaway|key insight|gotcha)\s*:\s*\S",
        ),
        (
            "failed",
            (
                *("fail", "n't", "not", "dead end", "gave up", "rolled", "would", "approach", "attempt", "workaround"),
                *("idea", "trick", "hack", "no effect", "reverted", "undid", "abandoned", "backed out", "rejected"),
                *("turned out", "tried"),
            ),
            r"(?i)(?<!if )(?<!when )\b(did(?:n'?t| not) work|dead end"
            r"|turned out (?:to be )?(?:wrong|not|impossible)|that approach (?:fail|won|does|is)|gave up"
            r"|rolled (?:it )?back"
            r"|not viable|would (?:create|cause|introduce) an? (?:import )?(?:cycle"
            r"|deadlock|loop)"
            r"|(?:approach|attempt|workaround|idea|trick|hack)\b[^.]{0,60}\b(?:failed|fails|broke|made (?:it"
            r"|things) worse)"
            r"|ha[ds] no effect|(?:did(?:n'?t| not)|does(?:n'?t| not)) help|so i (?:reverted|undid"
            r"|abandoned|backed out)"
            r"|was rejected (?:because|since|due to|for))\b"
            r"|^\W*failed(?: approach(?:es)?| attempts?)?\W{0,3}:|^\W*(?:(?:i|we) )?(?:tried"
            r"|attempted)\b.{3,200}(?:\bbut\b|[:;])"
            r"|^\W*\w+ing\b[^.:;]{0,80} (?:failed|(?:does(?:n'?t| not)|won'?t) work)\b",
        ),
        (
            "decision",
            (
                *("decided", "we'll", "we will", "going with", "chose", "opted", "settled", "decision is", "choice is"),
                *("agreed", "because", "since", "due to", "so that", "as it", "as the"),
            ),
            r"(?i)\b(?:decided (?:to|on|against|that)|we(?:'ll| will) (?:go with|use|keep)|going with|chose|chosen"
            r"|opted (?:for|to)|settled on|the (?:decision|choice) is|agreed (?:to|on|that))\b"
            r"|\b(?:i|we|let)(?:'?s|'?ll|'?m|'?re| will| am| are)? (?:going to |plan to )?(?:use|us(?:ing|ed)"
            r"|keep|store|stay with"
            r"|stick with|go with|went with|pick(?:ed)?|choos(?:e|ing)|adopt(?:ed)?|switch(?:ed)? to)\b.{3,200}"
            + _WHY
            + r"|\b(?:instead of|rather than|(?:the )?plan is to)\b.{2,160}"
            + _WHY,
        ),
    )
)
_PASTED = re.compile(
    r"^\s*(?:[>\u276f\u23fa\u23bf\u25cf|+$#]|\d+[:\u2192]|at \w|```)|^\s{4,}\S|^[-+] {2,}"
    r"|^\s*(?:\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b)"
    r"|[\[{]+\s*\"|\"[\w.-]+\"\s*:)"
)
_PRINTED = re.compile(r"\W*(?:\w*(?:[Ee]rror|Exception)|ERROR|fatal|panic)\b\s*[:\[]")
"""An error that the user quotes: "must not be empty" is then no rule of the user's."""


def heard(state: dict[str, Any], prompt: str, answers: str) -> None:
    """Note what a prompt of the user's lays down. `answers`: what the assistant had asked or proposed before it."""
    if answers and _APPROVAL.match(prompt):
        note(state, "approval", f'"{clip(" ".join(prompt.split()), 160)}" (to: "{answers}")', "user")
    long = len(prompt) > LONG_PROMPT
    for sentence in own_sentences(prompt):
        if _PRINTED.match(sentence):
            continue
        kind = next((kind for kind, pattern in _USER if pattern.search(sentence)), "")
        if kind == "correction" and not answers:
            continue  # nothing has been said that could be wrong
        if kind == "constraint" and sentence.endswith("?"):
            continue  # a question lays nothing down
        if not kind or (long and kind not in _NAMED and not (kind == "constraint" and _STRONG.search(sentence))):
            continue
        note(state, kind, sentence, "user")


def is_approval(prompt: str) -> bool:
    """Whether a prompt says yes to what was proposed, and little else."""
    return len(prompt) <= SHORT_ANSWER and bool(_APPROVAL.match(prompt))


def is_answer(prompt: str) -> bool:
    """Whether a prompt makes sense only with what it answers."""
    return len(prompt) <= SHORT_ANSWER or bool(_APPROVAL.match(prompt))


def own_sentences(prompt: str) -> list[str]:
    """The sentences that are the user's own words: neither pasted nor quoted."""
    return authorship.unquoted(prompt, asked_sentences(prompt), pasted=True)


def asked_sentences(prompt: str) -> list[str]:
    """The sentences of a prompt without code and output; what was pasted with it for a purpose is among them."""
    lines = [line for line in authorship.prose(prompt).splitlines() if not _PASTED.match(line)]
    return [text for text in sentences("\n".join(lines)) if len(text) > 3]


def proposal(said: str) -> str:
    """What a short answer to this would answer: its last question, else its last sentence; "" for none."""
    parts = [part for part in (marked(line) for line in sentences(said)) if len(part) > 8]
    questions = [part for part in parts[-12:] if part.endswith("?")]
    return clip((questions or parts or [""])[-1], ASKED_CHARS)


def told(state: dict[str, Any], said: list[str]) -> None:
    """Note what the assistant marks as a decision, lesson, bug or to-do, or calls a failed approach."""
    for sentence, following in zip(said, [*said[1:], ""], strict=False):
        low = sentence.lower()
        fitting = (row for row in MARKED if any(word in low for word in row[1]) and row[2].search(sentence))
        kind = next(fitting, ("",))[0]
        if kind and not sentence.endswith(("?", ":")):
            reason = f" {following}" if _REASON.match(following) else ""
            note(state, kind, sentence + reason, "assistant")


def note(state: dict[str, Any], kind: str, text: str, by: str) -> None:
    """Add a note, or move one of the same words to the end; of each kind the newest KEPT stay."""
    text = clip(text, CHARS)
    rest = [known for known in state["notes"] if (known["kind"], known["text"]) != (kind, text)]
    rest.append({"kind": kind, "text": text, "by": by, "n": state["messages"]})
    same = [known for known in rest if known["kind"] == kind]
    if len(same) > KEPT:
        rest.remove(same[0])
    state["notes"] = rest


def of(work: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    """The notes of these kinds, oldest first."""
    return [known for known in work["notes"] if known["kind"] in kinds]
