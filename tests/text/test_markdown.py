import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import markdown

REPORT = """Verdict: ship it.

## Findings ##
- [x] the parser is done
- [ ] **flush** the `queue`
  continued
1. numbered
    1. deeper
| file | state |
|------|:-----:|
| a.py | open  |

**Next steps:**
> TODO: of somebody else
```python
# RULE: in code
~~~
```
    RULE: indented
<page>
RULE: in a tag
</page>
RULE: my own
---
"""


def test_each_line_is_what_it_is() -> None:
    kinds = [line.kind for line in markdown.read(REPORT)]
    assert kinds == [
        *("text", "blank", "heading", "item", "item", "text", "item", "item", "row", "row", "row", "blank"),
        *("heading", "quote", "code", "code", "code", "code", "code", "tagged", "tagged", "tagged", "text", "rule"),
    ]


def test_items_headings_and_cells_without_their_marks() -> None:
    lines = list(markdown.read(REPORT))
    assert lines[2] == markdown.Line("heading", "Findings", 2)
    assert lines[3][1:] == ("the parser is done", 0, "x")
    assert lines[4][1:] == ("**flush** the `queue`", 0, " ")
    assert [line.depth for line in lines if line.kind == "item"] == [0, 0, 0, 4]
    assert markdown.plain(lines[4].text) == "flush the queue"
    assert [markdown.cells(line.text) for line in lines if line.kind == "row"] == [
        ["file", "state"],
        [],
        ["a.py", "open"],
    ]


def test_own_lines_are_nobody_elses() -> None:
    """Neither code nor quotations nor what stands in tags; a tag that is never closed hides nothing."""
    own = list(markdown.own_lines(REPORT))
    assert [line for line in own if "RULE" in line or "TODO" in line] == ["RULE: my own"]
    assert list(markdown.own_lines("<T> is a type\nRULE: mine")) == ["<T> is a type", "RULE: mine"]
    assert list(markdown.own_lines("- > quoted\n- ```\n  RULE: x\n  ```\n- mine")) == ["mine"]


@given(st.text(alphabet="`~>-#*|<a/> \n\t1.[x]") | st.text())
def test_any_text_is_read_line_by_line(text: str) -> None:
    assert len(list(markdown.read(text))) == len(markdown.lines_of(text))


@pytest.mark.timeout(60)  # where the time grows with the square it takes hours
@pytest.mark.parametrize(
    "piece", ["<a ", "<a>\n", "[", "**", "`", "> ", "- ", "|", "<a>\n</b>\n", ": \u201c\n", ': "\n']
)
def test_a_long_text_of_open_marks_ends_and_loses_no_line(piece: str) -> None:
    text = piece * 20_000
    assert len(list(markdown.read(text, spoken=True))) == len(markdown.lines_of(text))
    assert markdown.plain(text) is not None


def test_a_text_of_more_lines_than_anybody_writes_is_read_to_a_bound() -> None:
    """Its rest is one line of code: nothing in it is said in anybody's voice."""
    found = list(markdown.read("- a\n" * markdown.MOST + "RULE: x\nRULE: y"))
    assert len(found) == markdown.MOST + 1
    assert markdown.own_paragraphs("Look:\n" + "a\n" * 2 * markdown.MOST)[0].startswith("Look:\na")
    assert found[-1] == markdown.Line("code", "RULE: x\nRULE: y")


PAGES = {
    "nested": "<div>\n<div>\na\n</div>\ntheirs\n</div>\nmine",
    "in one line": "<div><div></div>\ntheirs\n</div>\nmine",
    "one after the other": "<div>\na\n</div><div>\ntheirs\n</div>\nmine",
    "a comment": "<!-- a\ntheirs\n-->\nmine",
    "within a line": "it has <!-- a\ntheirs\n-->\nmine",
    "CDATA": "<![CDATA[a\ntheirs\n]]>\nmine",
    "one that is mentioned": "mine\nIs the <a> there?\n```\n</a>\ntheirs\n```",
    "a mark that is mentioned": 'mine\nIt says "b\n~~~\n"\ntheirs\n~~~',
    "the same above a page": 'mine\nIt says "b\n<a>\n"\ntheirs\n</a>',
    "a page with half a fence": "<a>\n```\n</a>\nmine",
    "a page with half a fence above one": "<a>\n```\n</a>\n```\ntheirs\n```\nmine",
    "one has no end": "<p>\na\n<p>\nb\n</p>\nmine",
    "without contents": "<hr />\nmine\n</hr>",
    "a tag that is mentioned as code": "Is the `<div>` there?\nmine\nIt ends with `</div>`.",
    "French quotations": "Le bouton \u00ab A \u00bb manque.\nmine\nEt \u00ab B \u00bb aussi.",
    "German ones": "Der Knopf \u00bbA\u00ab fehlt.\nmine\nUnd \u00bbB\u00ab auch.",
    "a German one with half another in it": "Es hat \u00bbA \u00abB \u00abC\u00bb\ntheirs\n\u00ab.\nmine",
    "a German one behind another": "It has \u201ca\u201d and \u201eb\ntheirs\n\u201c.\nmine",
    "a French one that is open": "Il dit \u00ab A \u00bb et \u00ab B\ntheirs\nC \u00bb.\nmine",
}


@pytest.mark.parametrize("text", PAGES.values(), ids=PAGES)
def test_a_page_has_no_voice_between_its_tags(text: str) -> None:
    """A tag in one of its name ended both, and the page's next lines were the user's."""
    said = [*markdown.own_lines(text)]
    assert "mine" in said
    assert "theirs" not in said
