import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.transcript.shell import LONGEST, flat, steps, unquoted


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("make", "make"),
        ("make\ntest", "make; test"),
        ("a &&\nb |\nc", "a && b | c"),
        ("if a; then\nb\nfi", "if a; then b; fi"),
        ("a \\\n  b", "a b"),
        ("# it's\na # b\n\n\nc", "a; c"),
        ("a#b '#c'", "a#b '#c'"),
        ("python - <<'EOF'\nx = 'a'\nif x: y\nEOF\nb", "python - <<< 'x = '\\''a'\\'' if x: y'; b"),
        ("cat <<-END | bash\n\tpytest\n\tEND", "cat <<< 'pytest' | bash"),
        ("a <<X <<Y; b\n1\nX\n2\nY\nc", "a <<< '1' <<< '2'; b; c"),
        ("cat <<EOF\nno end", "cat <<< 'no end'"),
        ("cat <<EOF\n# no comment; b\nEOF", "cat <<< '# no comment; b'"),
        *(
            (f"{one}\nb", f"{one}; b")
            for one in ("x=$((1<<8))", "echo '<<EOF'", 'echo "1 << b"', "((x<<2))", "a <<<EOF")
        ),
        ("a # cout << x\nb", "a; b"),
    ],
)
def test_a_script_on_one_line(script: str, line: str) -> None:
    """As the shell reads it: a document is one only where one is opened, and is told as a string for its command."""
    assert " ".join(flat(script).split()).replace(" ;", ";") == line


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a 'b c' | d", [("a|'b c'", "|"), ("d", "")]),
        ("a 2>&1 >x &>y 2>/dev/null <z", [("a|<z", "")]),
        ("(a; b) & c", [("", "("), ("a", ";"), ("b", ")"), ("", "&"), ("c", "")]),
        ("x=$(a | b) && c", [("x=$(a | b)", "&&"), ("c", "")]),
        ('git commit -m "$(cat <<\'E\'\nIt\'s "5 inch"; so\nE\n)" && b', None),
        ("diff <(a; b) >(c)", [("diff|<(a; b)|>(c)", "")]),
        ("a `b; c` $'it\\'s; d'", [("a|`b; c`|$'it\\'s; d'", "")]),
        ('echo "a `b "c; d"` e"; f', [('echo|"a `b "c; d"` e"', ";"), ("f", "")]),
        ("a 'not ended; b", [("a|'not ended; b", "")]),
        ('a "$(not ended; b', [('a|"$(not ended; b', "")]),
    ],
)
def test_the_steps_of_a_script(script: str, expected: list[tuple[str, str]] | None) -> None:
    """Without where output goes; what stands in quotations and in what they substitute links nothing."""
    found = [("|".join(words), link) for words, link in steps(flat(script))]
    if expected is None:
        expected = [("|".join(("git", "commit", "-m", script[14:-5])), "&&"), ("b", "")]
    assert found == expected


@given(st.text(st.sampled_from("ab $(){}<>|&;\"'`\\\n#-E\t"), max_size=200))
def test_no_script_stops_it_and_what_is_flat_stays_so(script: str) -> None:
    line = flat(script)
    assert all(word for words, _ in steps(line) for word in words)
    assert steps(flat(line)) == steps(line) or "\n" in line


@pytest.mark.parametrize("part", ["$(", '"$(', "<<E\n", "$((", "`", "((", "${", "<<\n", "a <(", "$'", "<<'E'\nE\n"])
def test_what_opens_without_an_end_is_read_once(part: str) -> None:
    """Deep ones as they stand: no script takes a hook's stack or its time."""
    assert steps(flat(part * LONGEST)[:LONGEST])


def test_a_word_as_a_program_gets_it() -> None:
    assert unquoted('a\'b c\'"d\\"e"\\ f') == 'ab cd"e f'
