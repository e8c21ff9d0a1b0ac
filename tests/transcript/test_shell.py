import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.transcript.commands import has_own_exit, plainly, runs_tests
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
        ("python - <<'EOF'\nx = 'a'\nif x: y\nEOF\nb", r"python - <<< $'x = \'a\'\nif x: y'; b"),
        ("cat <<-END | bash\n\tpytest\n\tEND", r"cat <<< $'\tpytest' | bash"),
        ("a <<X <<Y; b\n1\nX\n2\nY\nc", "a <<< $'1' <<< $'2'; b; c"),
        ("cat <<EOF\nno end", "cat <<< $'no end'"),
        ("cat <<EOF\n# no comment; b\nEOF", "cat <<< $'# no comment; b'"),
        ('a "$(cat <<E\nit\'s 5" long\nE\n)" && c', "a \"$(cat <<< $'it\\'s 5\" long')\" && c"),
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
        ("a \"$(cat <<'E'\nIt's \"5; in\"\nE\n)\"; b", [("a|\"$(cat <<< $'It\\'s \"5; in\"')\"", ";"), ("b", "")]),
        ("diff <(a; b) >(c)", [("diff|<(a; b)|>(c)", "")]),
        ("a `b; c` $'it\\'s; d'", [("a|`b; c`|$'it\\'s; d'", "")]),
        ('echo "a `b "c; d"` e"; f', [('echo|"a `b "c; d"` e"', ";"), ("f", "")]),
        ("a 'not ended; b", [("a|'not ended; b", "")]),
        ('a "$(not ended; b', [('a|"$(not ended; b', "")]),
    ],
)  # fmt: skip
def test_the_steps_of_a_script(script: str, expected: list[tuple[str, str]]) -> None:
    """Without where output goes; what stands in quotations and in what they substitute links nothing."""
    assert [("|".join(step.words), step.link) for step in steps(flat(script))] == expected


@pytest.mark.parametrize(
    ("script", "file", "is_silent"),
    [
        *(("a > x", "x", False), ("a >>'x y' 2>&1", "x y", True), ("a &> x", "x", True)),
        *(("a 2> x", "", False), ("a >&2", "", False), ("a", "", False)),
    ],
)
def test_the_file_that_a_steps_output_goes_to(script: str, file: str, is_silent: bool) -> None:
    assert [(step.file, step.is_silent) for step in steps(script)] == [(file, is_silent)]


@given(st.text(st.sampled_from("ab $(){}<>|&;\"'`\\\n#-E\t"), max_size=200))
def test_no_script_stops_it(script: str) -> None:
    line = flat(script)
    assert steps(line)[-1].end == len(line)
    assert all(step.link for step in steps(line)[:-1])
    assert sum(len(unquoted(word)) for step in steps(line) for word in step.words) <= len(line)


@pytest.mark.parametrize(
    "part",
    [*("$(", '"$(', "<<E\n", "$((", "`", "((", "${", "<<\n", "a <(", "$'", '\\"'), *('$(<<"', "$(<<'", "<<'E'\nE\n")],
)
def test_what_opens_without_an_end_is_read_once(part: str) -> None:
    """Deep ones as they stand: no script takes a hook's stack or its time."""
    words = [word for step in steps(flat(part * LONGEST)[:LONGEST]) for word in step.words]
    assert sum(len(unquoted(word)) for word in words) <= LONGEST


@pytest.mark.parametrize("end", ["", " | bash"])
def test_documents_within_each_other_are_looked_at_to_a_depth(end: str) -> None:
    script = "echo pytest commit"
    for level in range(200):
        script = f"bash <<E{level}{end}\n{script}\nE{level}"
    assert not runs_tests(script)
    assert not has_own_exit(script)


def test_many_cuts_behind_a_command_are_taken_off_at_once() -> None:
    assert plainly("pytest " + "| tail " * 2_800) == "pytest"


def test_a_word_as_a_program_gets_it() -> None:
    assert unquoted("""a'b c'"d\\"e"\\ f""") == 'ab cd"e f'
    document = 'it\'s\n\tC:\\x\n  and "so"'
    (step,) = steps(flat(f"cat <<'E'\n{document}\nE"))
    assert unquoted(step.words[1]) == f"<<< {document}"
