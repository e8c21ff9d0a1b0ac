"""Which words of a text are secrets, and what stands in their place?

Rule: the formats that their makers gave them (a fixed beginning, alphabet and length) anywhere, and the value after a
name such as `password=` where it is no placeholder, no expression and no plain word. What is taken out leaves a
visible mark, `[redacted: AWS key]`. Hashes, UUIDs, base64 images and integrity values of lock files have no such
beginning and no such name, and stay. Applied at write and at recall; twice gives the same as once. Source:
requirement J10; the formats are those that the makers document.
"""

import functools
import re

from holdfast.core.record import TITLE_CHARS, Record, mapped

_MARK = "[redacted: {}]"
_EDGE = r"(?<![A-Za-z0-9_])"
_END = r"(?![A-Za-z0-9_])"
FORMATS = (
    (
        "private key",
        "PRIVATE",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----BEGIN).)*?(?:-----END[^-\n]{0,60}-----|(?=-----BEGIN)|\Z)",
    ),
    ("age key", "AGE-SECRET", rf"{_EDGE}AGE-SECRET-KEY-1[0-9A-Z]{{58}}"),
    ("AWS key", "AKIA ASIA ABIA ACCA", rf"{_EDGE}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}"),
    (
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_EDGE}(?:gh[pousr]_[A-Za-z0-9]{{36,255}}|github_pat_[A-Za-z0-9_]{{22,255}})",
    ),
    (
        "GitLab token",
        "glpat- gldt- glrt- glft- glptt- glsoat- glcbt- glimt- glagent- gloas- glffct-",
        rf"{_EDGE}gl(?:pat|dt|rt|ft|ptt|soat|cbt|imt|agent|oas|ffct)-[A-Za-z0-9_-]{{20,300}}",
    ),
    ("Slack token", "xox xapp-", rf"{_EDGE}(?:xox[abeoprs]-[A-Za-z0-9-]{{10,250}}|xapp-\d-[A-Za-z0-9-]{{10,250}})"),
    ("Slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{20,120}"),
    (
        "Stripe key",
        "k_live_ k_test_ whsec_",
        rf"{_EDGE}(?:[sr]k_(?:live|test)_[A-Za-z0-9]{{10,250}}|whsec_[A-Za-z0-9+/=]{{24,250}})",
    ),
    ("Google key", "AIza GOCSPX ya29.", rf"{_EDGE}(?:AIza[\w-]{{35}}|GOCSPX-[\w-]{{20,60}}|ya29\.[\w-]{{20,400}})"),
    ("Anthropic key", "sk-ant-", rf"{_EDGE}sk-ant-[\w-]{{20,250}}"),
    ("OpenAI key", "sk-", rf"{_EDGE}sk-(?:(?:proj|svcacct|admin|None)-[\w-]{{20,250}}|[A-Za-z0-9]{{32,64}}{_END})"),
    ("npm token", "npm_", rf"{_EDGE}npm_[A-Za-z0-9]{{36}}{_END}"),
    ("PyPI token", "pypi-", rf"{_EDGE}pypi-AgEI[\w-]{{30,300}}"),
    ("Hugging Face token", "hf_", rf"{_EDGE}hf_[A-Za-z0-9]{{30,60}}{_END}"),
    ("SendGrid key", "SG.", rf"{_EDGE}SG\.[\w-]{{16,40}}\.[\w-]{{20,80}}"),
    ("Vault token", "hvs. hvb. hvr.", rf"{_EDGE}hv[sbr]\.[\w-]{{24,300}}"),
    ("DigitalOcean token", "_v1_", rf"{_EDGE}do[opr]_v1_[a-f0-9]{{64}}{_END}"),
    ("Shopify token", "shpat_ shpss_ shpca_ shppa_", rf"{_EDGE}shp(?:at|ss|ca|pa)_[a-fA-F0-9]{{32}}{_END}"),
    ("Telegram token", ":AA", rf"{_EDGE}\d{{8,10}}:AA[\w-]{{33}}{_END}"),
    ("JWT", "eyJ", rf"{_EDGE}eyJ[\w-]{{8,4000}}\.eyJ[\w-]{{4,4000}}\.[\w-]{{8,1000}}"),
)
"""What it is, what cannot be missing from it, and how it looks."""

_NAMED = (
    r"(?i:pass(?:word|wd|phrase)?|(?-i:[Pp]wd|[_-]PWD)|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret"
    r"|(?:api|access|account|auth|encryption|signing|private|master|shared[_-]?access)[_-]?key"
    r"|(?:access|auth|api|refresh|bearer|session)?[_-]?token|credentials?)"
)
_NAMED_HINTS = ("pass", "pwd", "secret", "key", "token", "credential", "bearer", "basic", "authorization")
_SIGN = r"(?:\\*[\"'])?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}(?:\\+(?=[\"']))?"
_ASSIGNED = re.compile(
    rf"{_NAMED}(?P<sign>{_SIGN})"
    r"(?:\"(?P<double>[^\"\n\\]{4,400})(?=\\*\")|'(?P<single>[^'\n\\]{4,400})(?=\\*')|(?P<bare>[^\s\"'`,;)\]}<>|]{4,400}))"
)
_COMPILED_BARE = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (
            rf"(?P<name>--?(?:[a-z]{{1,20}}-){{0,3}}{_NAMED}[ \t]{{1,3}})(?P<bare>[^\s\"'`,;-][^\s\"'`,;]{{5,400}})",
            "secret",
        ),
        (rf"(?P<name>{_NAMED} is )(?P<bare>[^\s\"'`,;]{{5,100}}?)(?=[.!]?[ \t]*(?:\n|\Z))", "secret"),
        (
            r"(?P<name>(?i:\b(?:bearer|basic|authorization:\s{0,3}\w{1,20})\s{1,3}))(?P<bare>[\w+/=.~-]{16,4000})",
            "credentials",
        ),
    )
)
_URL = re.compile(r"(?P<name>\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:)(?P<bare>[^\s/@\"'<>]{1,200})(?=@)")
_COMPILED = tuple((name, hints.split(), re.compile(pattern, re.DOTALL)) for name, hints, pattern in FORMATS)

_HOLLOW = re.compile(
    r"\[redacted|[$%{<*]|(?i:x{3,}|\.{3}|your|my[_-]|example|changeme|placeholder|redacted"
    r"|(?:none|null|true|false|undefined|string|str|required|optional)\b"
    r"|(?:os|env|process|self|this|config|settings|args|request|req)\."
    r"|base\d\d|sha-?\d|md5|oauth|argon2|aes-?\d|[hre]s\d{3}\b|ed25519|utf-?\d)"
    rf"|{_NAMED}\Z"
)
"""How a value looks that stands for a secret, or tells of one, and is none."""
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[)|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")


def redacted(text: str) -> str:
    """`text` with a mark in the place of each secret."""
    for name, hints, pattern in _COMPILED:
        if any(hint in text for hint in hints):  # looking for these takes a tenth of the time
            text = pattern.sub(_MARK.format(name), text)
    if "://" in text:
        text = _URL.sub(lambda found: found["name"] + _unless_hollow(found["bare"], "password"), text)
    low = text.lower()
    if any(hint in low for hint in _NAMED_HINTS):
        text = _ASSIGNED.sub(_assigned, text)
        for pattern, kind in _COMPILED_BARE:
            text = pattern.sub(functools.partial(_told, kind), text)
    return text


def secrets(text: str) -> list[str]:
    """What kinds of secrets a text holds, each once; [] for none."""
    marks = re.findall(r"\[redacted: ([^\]\n]{1,40})\]", redacted(text))
    known = re.findall(r"\[redacted: ([^\]\n]{1,40})\]", text)
    return list(dict.fromkeys(mark for mark in marks if mark not in known))


def record(given: Record) -> Record:
    """The record without secrets; a title that grows by that is cut."""
    cleaned = mapped(given, redacted)
    tags = tuple(tag for tag in cleaned.tags if "[" not in tag)
    return cleaned._replace(title=cleaned.title[:TITLE_CHARS], tags=tags)


def _told(kind: str, found: re.Match[str]) -> str:
    return found["name"] + _if_random(found["bare"], kind)


def _assigned(found: re.Match[str]) -> str:
    group = next(name for name in ("double", "single", "bare") if found[name])
    before = found[0][: found.start(group) - found.start()]
    form = _unless_hollow if group != "bare" or found["sign"] == "=" else _if_random
    return before + form(found[group], "password" if before.lower().startswith(("passw", "passp")) else "secret")


def _unless_hollow(value: str, kind: str) -> str:
    """For places where a value is meant as it stands: anything but a placeholder, an expression, a sentence."""
    hollow = (
        _HOLLOW.match(value)
        or _EXPRESSION.match(value)
        or " " in value.strip()
        or (value.isdecimal() and kind != "password")
    )
    return value if hollow else _MARK.format(kind)


def _if_random(value: str, kind: str) -> str:
    """For places where prose stands as well: only what has letters and digits or signs mixed, and is no path."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and len(value) >= 6
    return _unless_hollow(value, kind) if mixed and not value.startswith(("/", "./", "~/")) else value
