"""Sixty kinds of secrets, planted wherever a session holds text, and looked for in all that leaves it.

Each is made up anew and put together from parts, so that no file of this repository holds what a scanner would find.
"""

import random
import string
from collections.abc import Iterator

from hostile.clone import disturbed
from hostile.place import LATER, Place

CHANCE = random.Random(7)  # noqa: S311 - made-up secrets, the same each time
ALNUM, HEX, LOWER = string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits


def some(count: int, signs: str = ALNUM) -> str:
    """So many signs by chance, with a letter and a digit at least."""
    while True:
        text = "".join(CHANCE.choice(signs) for _ in range(count))
        if any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text):
            return text


def kinds() -> dict[str, tuple[str, str]]:
    """Kind -> (what stands in a text, the part of it that is secret)."""
    found: dict[str, tuple[str, str]] = {}
    for name, before, count, signs in FORMATS:
        secret = before + some(count, signs)
        found[name] = secret, secret
    for name, (frame, count, signs) in TOLD.items():
        secret = some(count, signs)
        found[name] = frame.replace("§", secret), secret
    key = "\n".join(some(64) for _ in range(4))
    for name in ("RSA ", "OPENSSH ", "EC ", ""):
        frame = f"-----BEGIN {name}PRIVATE" + f" KEY-----\n{key}\n-----END {name}PRIVATE" + " KEY-----"
        found[f"{name}private key"] = frame, key.splitlines()[2]
    head = "eyJ" + some(30)
    found["JWT"] = f"{head}.eyJ{some(60)}.{some(43)}", head
    return found


FORMATS = (
    ("AWS key id", "AK" + "IA", 16, UPPER),
    ("AWS session key id", "AS" + "IA", 16, UPPER),
    ("GitHub token", "gh" + "p_", 36, ALNUM),
    ("GitHub OAuth", "gh" + "o_", 36, ALNUM),
    ("GitHub app", "gh" + "s_", 36, ALNUM),
    ("GitHub refresh", "gh" + "r_", 36, ALNUM),
    ("GitHub fine-grained", "github" + "_pat_", 82, ALNUM),
    ("GitLab token", "gl" + "pat-", 20, ALNUM),
    ("Slack bot", "xo" + "xb-1234567890-1234567890123-", 24, ALNUM),
    ("Slack user", "xo" + "xp-1234567890-1234567890-1234567890-", 32, HEX),
    ("Slack webhook", "https://hooks.slack" + ".com/services/T0AAAAAAA/B0BBBBBBB/", 24, ALNUM),
    ("Stripe live", "sk" + "_live_", 24, ALNUM),
    ("Stripe restricted", "rk" + "_live_", 24, ALNUM),
    ("Anthropic", "sk" + "-ant-api03-", 93, ALNUM),
    ("OpenAI project", "sk" + "-proj-", 48, ALNUM),
    ("Google API", "AI" + "zaSy", 33, ALNUM),
    ("Google OAuth secret", "GOC" + "SPX-", 28, ALNUM),
    ("npm", "np" + "m_", 36, ALNUM),
    ("PyPI", "pypi" + "-AgEIcHlwaS5vcmc", 70, ALNUM),
    ("Twilio key", "S" + "K", 32, HEX),
    ("DigitalOcean", "dop" + "_v1_", 64, HEX),
    ("Shopify", "shp" + "at_", 32, HEX),
    ("Hugging Face", "hf" + "_", 34, ALNUM),
    ("Notion", "nt" + "n_12345678901", 35, ALNUM),
    ("Doppler", "dp" + ".pt.", 43, ALNUM),
    ("HashiCorp Vault", "hv" + "s.", 95, ALNUM),
    ("Terraform", some(14) + "." + "atlas" + "v1.", 67, ALNUM),
    ("age key", "AGE-SECRET" + "-KEY-1", 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
)
"""(name, beginning, how many signs follow, of which)."""
TOLD = {
    "password=": ("password=§", 14, ALNUM),
    "PASSWORD:": ("DB_PASSWORD: §", 16, ALNUM),
    "secret key": ("AWS_SECRET_ACCESS_KEY=§", 40, ALNUM),
    "api key": ('{"api_key": "§"}', 32, ALNUM),
    "token": ("export DEPLOY_TOKEN='§'", 30, ALNUM),
    "client secret": ("client_secret=§", 32, ALNUM),
    "bearer": ("curl -H 'Authorization: Bearer §' https://x.example", 40, ALNUM),
    "basic": ("Authorization: Basic §", 32, ALNUM),
    "x-api-key": ("x-api-key: §", 32, ALNUM),
    "cookie": ("Set-Cookie: session=§; HttpOnly", 40, ALNUM),
    "url": ("postgres://app:§@db.example:5432/app", 18, ALNUM),
    "mongo url": ("mongodb+srv://app:§@c0.example.net/db", 18, ALNUM),
    "connection string": ("Server=db;Database=a;User Id=sa;Password=§;", 16, ALNUM),
    "azure": ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§==;EndpointSuffix=x", 86, ALNUM),
    "jdbc": ("jdbc:postgresql://db.example/app?user=a&password=§", 16, ALNUM),
    "pgpass": ("db.example:5432:app:admin:§", 16, ALNUM),
    "kubeconfig": ("client-key-data: §", 120, ALNUM),
    "wifi": ("psk=§", 16, ALNUM),
    "redis-cli": ("redis-cli -h cache.example -a § ping", 18, ALNUM),
    "mysql -p": ("mysql -u root -p§ app", 16, ALNUM),
    "curl -u": ("curl -u admin:§ https://x.example", 16, ALNUM),
    "sshpass": ("sshpass -p § ssh host", 16, ALNUM),
    "said": ("the password is §", 14, ALNUM),
    "said in German": ("Das Passwort ist §", 14, ALNUM),
    "netrc": ("machine x.example login me password §", 16, ALNUM),
    "docker login": ("docker login -u me -p § registry.example", 18, ALNUM),
    "query": ("GET /v1/rows?access_token=§&n=1", 40, ALNUM),
}
"""Name -> (text with § in the place of the secret, how many signs, of which)."""


def planted() -> Iterator[tuple[str, str, str]]:
    """(kind, text, secret)."""
    for name, (text, secret) in kinds().items():
        yield name, text, secret


def session(place: Place) -> list[tuple[str, str, str]]:
    """A session that has one of each in every place that a session can hold text."""
    found = list(planted())
    place.user("Set up the deployment.\n" + "\n".join(text for _, text, _ in found))
    for name, text, secret in found:
        flat = text.replace("\n", " ")
        place.user(f"Use this: {text}")
        place.did("Write", file_path=str(place.project / ".env"), content=f"{text}\n")
        place.did("Edit", file_path=str(place.project / "conf.py"), old_string="x", new_string=f"def set_up(): {text}")
        if text == secret:  # it tells by itself what it is
            place.did("Edit", file_path=str(place.project / f"{secret}.py"), old_string="x", new_string="y")
        place.did("Bash", f"error: refused {text}", failed=True, command=flat)
        place.did("Bash", f"[main 1a2b3c4] {flat}", command=f"git commit -m '{flat}'")
        place.did("TaskCreate", "Task created", subject=flat, description=text)
        place.did("Agent", f"Decision: PROCEED\n{text}", description=flat, prompt=text, subagent_type="general-purpose")
        place.did("AskUserQuestion", f'User has answered: "{text}"', questions=[{"question": flat, "options": []}])
        for mark in ("DECISION", "RULE", "TODO", "Lesson", "FAILED", "BUG-7"):
            place.says(f"{mark}: use {flat} because {name} is wanted.")
    place.says("Half done.", 150_000)
    return found


def told(found: list[tuple[str, str, str]], text: str) -> list[str]:
    """The kinds whose secret stands in a text, whole or a beginning of it that is worth having."""
    flat = "".join(text.split())
    return [name for name, _, secret in found if secret[: max(12, len(secret) // 2)].replace("\n", "") in flat]


def nowhere(place: Place) -> str:
    """One of each in prompt, input, output, file name, commit, task, answer: in nothing that is committable or sent."""
    found = session(place)
    place.session()
    place.fire("SubagentStop.first", last_assistant_message="\n".join(text for _, text, _ in found) * 3)
    place.fire("SessionStart.startup", session_id=LATER)
    place.fire("UserPromptSubmit", session_id=LATER, prompt="what of the deployment?")
    for command in (("status",), ("packet",), ("checkpoint", "save", "--note", found[0][1]), ("report",), ("stats",)):
        place.holdfast(*command)
    sent: dict[str, str] = {}
    for ran in place.ran:
        if ran.what != "SubagentStop.first":  # it sends an agent its own words back
            sent |= dict.fromkeys(told(found, ran.out), f"told by {ran.what}")
    for path in place.committable():
        sent |= dict.fromkeys(told(found, path.read_text(errors="replace")), f"in {path.relative_to(place.project)}")
    if sent:
        kind, where = next(iter(sent.items()))
        return f"{len(sent)} of {len(found)} kinds, e.g. {kind} {where}: {', '.join(list(sent)[:12])}"
    return disturbed(place)


def progress(place: Place) -> str:
    """progress.md and a record are committed with secrets in them: they are not told again."""
    found = list(planted())
    memory = place.state / "memory" / "learnings"
    memory.mkdir(parents=True)
    (place.state / "progress.md").write_text("# Progress\n" + "\n".join(f"- {text}" for _, text, _ in found))
    for number, (name, text, _) in enumerate(found):
        fields = f'id: "1a2b3c4d-1111-4111-8111-1111111{number:05}"\nkind: "learning"\ntime: "2026-11-20T10:00:00Z"'
        head = f'---\nholdfast: 1\n{fields}\ntitle: "{name}"\nimportance: 9\n---\n'
        (memory / f"2026-11-20-x-{number:08x}.md").write_text(f"{head}### Lesson\n\n{text}\n")
    place.user("go on")
    place.session("SessionStart.startup", "PreCompact.auto", "SessionStart.compact")
    place.fire("SessionStart.resume")
    sent = {kind for ran in place.ran for kind in told(found, ran.out)}
    return f"{len(sent)} of {len(found)} kinds are told: {', '.join(sorted(sent)[:6])}" if sent else disturbed(place)
