"""Which scripts have words without blanks between them? Thai, Lao, Burmese, Khmer, Japanese and Chinese."""

from holdfast.text import late as re

UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def letters(text: str) -> int:
    """How long a text is, in letters: of a script without blanks a sign is as long as two."""
    return len(text) + len(UNSPACED.findall(text))
