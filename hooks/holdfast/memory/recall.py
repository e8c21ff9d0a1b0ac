"""Which memories does a prompt call up?

Rule: a memory comes up when the prompt shares several of its telling words with it: words that few memories hold, of
which a name, a path or a code counts double. No list says which words are common: a word that more than a third of the
memories hold tells nothing. At least two of weight are needed, and more for a long prompt, which shares words with
anything. Up to three memories, within 300 tokens together, the best first; otherwise nothing is
said. The thresholds are set for silence: a memory that was not asked for costs more than one that must be searched.
Source: requirement H9.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from holdfast.hot import prompt_match
from holdfast.memory.record import Record, texts
from holdfast.text import identifiers
from holdfast.text.tokens import estimate

T = TypeVar("T")
MOST, TOKENS = 3, 300
FEW, SHARE, RAREST = 3, 50, 20
"""A word tells when at most FEW memories hold it, or one in SHARE, but never more than a third of them or RAREST."""
PLAIN, NAME = 1, 2
WORDS_EACH, NEED_MOST = 5, 6
"""Words of a prompt for each of which one of weight is needed, and the most that is needed."""


Table = Mapping[bytes, tuple[int, tuple[str, ...]]]
"""What is compiled of the memory for prompts: word -> (weight, ids of the memories that hold it)."""


def compiled(records: Iterable[Record]) -> Table:
    """The telling words of these records."""
    words = cache(prompt_match.words)  # most words stand in many records
    holders: dict[bytes, list[str]] = {}
    names: set[bytes] = set()
    records = list(records)
    for record in records:
        said = _said(record)
        own = set[bytes]().union(*map(words, map(_bytes, identifiers.identifiers(said))))
        names |= own
        for word in own.union(*map(words, prompt_match.tokens(_bytes(said)))):
            holders.setdefault(word, []).append(record.id)
    most = min(RAREST, max(FEW, len(records) // SHARE), max(1, len(records) // 3))
    names.update(word for word in holders if b"-" in word)  # bug-12
    rare = {word: tuple(ids) for word, ids in holders.items() if len(ids) <= most}
    return {word: (NAME if word in names else PLAIN, ids) for word, ids in rare.items()}


def _said(record: Record) -> str:
    told = texts(record._replace(content={**record.content, "context": ""}))  # what was worked on then says little
    return "\n".join([record.title, *told, *record.paths, record.code])


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def fitting(table: Table, prompt: str) -> list[str]:
    """Ids of the memories that this prompt matches well, the best first; `table`: the rows of its words at least."""
    asked = prompt_match.words(_bytes(prompt))
    need = min(NEED_MOST, max(prompt_match.ENOUGH, -(-len(asked) // WORDS_EACH)))
    shared: Counter[str] = Counter()
    for word in asked:
        weight, ids = table.get(word, (0, ()))
        for name in ids:
            shared[name] += weight
    return sorted((name for name, weight in shared.items() if weight >= need), key=lambda name: (-shared[name], name))


def within(found: Sequence[T], whole: Callable[[list[T]], str]) -> list[T]:
    """The first of what was found that go together within the tokens. whole: the text in which they are told."""
    kept: list[T] = []
    for one in found[:MOST]:
        if estimate(whole([*kept, one])) > TOKENS:
            break
        kept.append(one)
    return kept


_NAMES = b"#"  # begins the line of the ids; in no word


def render(table: Table) -> bytes:
    """The table as a file: a line of ids, then `word TAB weight TAB places in the ids` for each word."""
    ids = list(dict.fromkeys(name for _, names in table.values() for name in names))
    places = {name: str(place) for place, name in enumerate(ids)}
    rows = [b"%s\t%s" % (_NAMES, " ".join(ids).encode())]
    for word, (weight, names) in table.items():
        rows.append(b"%s\t%d\t%s" % (word, weight, " ".join(map(places.__getitem__, names)).encode()))
    return b"\n" + b"\n".join(rows) + b"\n"


def rows(data: bytes, prompt: str) -> Table:
    """Of a file of `render` the rows of a prompt's words. What is torn is passed over."""
    found, ids = {}, "".join(_line(data, _NAMES)[1:2]).split()
    for word in prompt_match.words(_bytes(prompt)):
        parts = _line(data, word)
        if len(parts) == 3 and parts[1] in ("1", "2"):
            places = [int(place) for place in parts[2].split() if place.isdecimal()]
            found[word] = (int(parts[1]), tuple(ids[place] for place in places if place < len(ids)))
    return found


def _line(data: bytes, first: bytes) -> list[str]:
    """The parts of the line that begins with this; [] for none."""
    start = data.find(b"\n%s\t" % first)
    return data[start + 1 : data.find(b"\n", start + 1)].decode("utf-8", "replace").split("\t") if start >= 0 else []
