from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff import prose

REPORT = """## Summary
Done mostly.

## Open issues
- login fails with E42 in `auth.py`
- typo, fixed already

**Files changed:**
- `src/a.py` - new
1. src/b.py

Blocked: no write access to docs/

Modified files: x/c.py, x/d.py

## Notes
- not an error
"""


def test_open_errors_come_from_their_heading_and_from_labels() -> None:
    """Items under a heading of open errors and labelled lines; resolved ones and other lists stay out."""
    assert prose.open_errors(REPORT) == ("login fails with E42 in `auth.py`", "no write access to docs/")


def test_files_changed_come_from_lists_and_lines() -> None:
    """Both ways of saying it count, in order, once."""
    assert prose.files_changed(REPORT) == ("src/a.py", "src/b.py", "x/c.py", "x/d.py")


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    """Never a crash, never more errors than the bound."""
    assert len(prose.open_errors(text)) <= prose.MOST
    assert isinstance(prose.files_changed(text), tuple)
