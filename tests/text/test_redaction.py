import base64
import hashlib
import json
import random
import re
import uuid
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.text import encoded, redaction, secret_table
from holdfast.text.redaction import redacted, redacted_end, redacted_in, secrets
from tests.memory.memories import TEXTS
from tests.text.secret_kinds import HEX, KEYS, MAKERS, NAMED

LANGUAGES = ("Kennwort", "contraseña", "senha", "wachtwoord", "Hasło", "heslo", "lösenord", "şifre", "Пароль", "密碼",
             "パスワード", "비밀번호")  # fmt: skip
SHA = hashlib.sha1(b"x", usedforsecurity=False).hexdigest()
INTEGRITY = "sha512-" + base64.b64encode(hashlib.sha512(b"x").digest()).decode()
HARMLESS = (
    *(f"commit {SHA}", f"the token bucket of {SHA}", f"actions/cache-key-{SHA[:32]}"),
    *("sk-fading-circle-spinner-with-a-long-name", f'"integrity": "{INTEGRITY}"'),
    *(f"pkg==1.0 --hash=sha256:{hashlib.sha256(b'x').hexdigest()}", "token = get_token()"),
    *("connect(password=password, token=self.token)", "the password: must be 8 characters at least"),
    *("secret = os.environ['X']", "JWT_SECRET=${JWT_SECRET}", "password: <your password>"),
    "max_tokens=4096, tokens: 500",
    *("password:\n  - at least 8\n  type1\nsecret:\n  secretName: db1\ntoken:\n  0a1b2c:\n", "password: required"),
    *("password: str | None", "password: min_length=8", "token: int", "password: bob@example.org"),
    *("--- PASS: TestTokenUsage_StartOffset/offset_2_-_skips_first", "bypass: feature2", "{'pad_token': '[PAD]'}"),
    *("export GITHUB_TOKEN=ghp_xxxxxxxxxxxx", "we pass checkpointTranscriptStart=0, as before"),
    r"the token usage.\n\u003c!-- END --\u003e of it",
    *("the header PuTTY-User-Key-File-2 and the field Private-Lines: 14 are of PuTTY", "tests pass=412 fail=1"),
    *("PWD=/home/me/x1", "the password is argon2id hashed", "Auth token: base64url"),
    *("private_key_path: /etc/ssl/key1.pem", "http://localhost:3000/@scope/x", "git@github.com:owner/name.git"),
    *("Tests pass: test_login2", "pass: v1.2.3", "password=passwordEncoder", "passwd=/etc/passwd", f"token: {SHA}"),
    *("access key: 550e8400-e29b-41d4-a716-446655440000", "the bearer authentication-scheme-v2 was chosen"),
    *("Set token = bucket in the limiter", "secret = kubernetes/prod-db", "api key: rotate every 90d"),
    *("| token | identifiers2 |", "docker run -u 1000:1000 curlimages/curl", "Cookie: SameSite=Lax; Secure"),
    *("master key: ctrl+shift+p2", '"auth": "authenticated_users"', "basic_auth = true"),
    *("- name: DB_HOST\n  value: db.internal2", "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}"),
    *('{"name": "token", "type": "a"}, {"n": 1, "value": "Summer2024!"}', '"value": "Summer24", "name": "token2"'),
    *("password=%DB_PW%", "password=$PREFIX/x1", "password = *flagPassword", 'password="%s:%s"'),
    *("password=$(cat x1)", "password: *****", 'password="%(pw)s"', "password=$this->db.pw1;"),
    *("password = {{ pw1 }}", "token: *tokenRef1", "token: **bold1**"),
    *("user=$USER&password=$PASS&grant_type=password", "?token=%s&page=2", '"password=%1$s"'),
    *("secret: '%env(APP_SECRET)%'", "pw = $ARGV[0]; password = $m[$i];", "DB_PASSWORD=$DB_PASS@$HOST"),
    *(r'"PASSWORD=$DB_PW\nUSER=$DB_USER\n"', "ALTER USER bob WITH PASSWORD '$PGPASS'"),
    *("the user: a new password 'reset-mail' page", 'PASS="\\033[32mPASS\\033[0m"', '"token": "\\\\b(if|else)\\\\b"'),
    *('"pwd": "C:\\\\Users\\\\bob\\\\project1"', "object_key=backups/db-2024-01-05T03-00-00Z.tar.gz"),
    *('password="\\${DB_PASSWORD}"', "sed 's/password=\\(.*\\)/x/'", "if password1==password2"),
    *('token1 = "identifier"', 'Invalid password "user42"', "default_password_plugin: caching_sha2_password"),
    *("echo ls | sudo -s", 'echo "net.ipv4.ip_forward=1" | sudo -s tee /etc/x; echo $PW | sudo -S ls'),
    *("printf '%s\\n' \"$PW1\" | docker login --password-stdin", "echo x11=y | sudo tee -S"),
    *("curl x; git switch -b a=b", "it costs $2b$ or $6$ a day"),
    *("- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: db2", "APP_KEY=base64:"),
    *("sqlplus @scripts/setup/create.sql", "connect with token bucket2 limits"),
    *("  privateKey: Uint8Array;  // 32 bytes", "let private_key = vec![0u8; 32];"),
    *("secret=[REDACTED] [4718 characters truncated]", "users with password resets2 in a day"),
    *("docker run --name mongo -p 27017:27017 mongo", "mkdir -p /var/lib/mysql/data"),
    *("| Email + Password | Web3Auth verifies it |", '"refreshToken": "abc123..."', "  --api-key    v2beta1"),
    *("Token:      '#f8f8f2'", "  password:     String2,"),
    *('{"key":"forgot_password","context":"login","value":"Forgot"}', '{"name": "API_KEY", "value": "VALUE"}'),
    *('"forgot_password": {"lang": "en", "value": "Forgot"}', '"token": {"value": "#f8f8f2"}'),
    *('"primaryKey": "order_id2"', '{"value":"Reset","lang":"en","key":"reset_password"}'),
    '{"name":"a_token","type":"int","value":"0x1234abcd"}',
    *("docker build -b FOO=abcdefghijkl1234 . && curl https://h", '<Foo key="token" value="Token2Kind" />'),
    *('{"label": "Token", "value": "bearerV2"}', "PASS src/utils/Foo2Bar.test.ts"),
    *("    Token        AccessToken2   `json:x`", '"token": { "kind": "Identifier", "value": "fooBar2Baz" }'),
    *("--password=PW    Password2 to use", "pass    TestFoo2Bar", "Unexpected token 'foo2Bar' in JSON"),
    *('an invalid token "max2", and so on', '"pattern": "token \\\\d{8} of"'),
    "INSERT INTO users (name, password) VALUES (@Name, @PasswordHash2), ('a', hashPassword2(pw))",
    *("PUBLIC_KEY=MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE", "SORT_KEY=customerOrderLineV2Column"),
    *("echo abc123 | grep passwd", "echo x1y2z3 | prettier --stdin", "password_hash_algorithm: pbkdf2_sha256"),
    *("password_reset_url: https://example.com/reset2Me", "token = self.client2.session.accessToken"),
    *("Cookie: lang=de; theme=dark", '~ password_policy = "a" -> "Strict2Policy"', "│ token │ fooBar2 │"),
    '"primaryKey": "customerOrderLineItemIdentifierV2Column"',
    "curl 'https://h/?a=1&b=2' | docker run -u 1000:1000abc; echo 'it; is' && docker run -u 1000:1000abc x",
    "Derive shared key: HKDF-SHA256(ikm=a, salt=b2)",
    "the token has expired, request_id: req_011CXDHYUQQVSexQUbzFUaA3",
    *("Credential Provider (D6886603-9D2F-4EB2-B667-1971041FA96B) of Windows", "main.go:12:5: undefined: token"),
    *("a.py:1234:test:name:failed2 times", "the list-us12 of the app"),
    *("redis://cache:6379/0 and mail to bob@example.org", "session token valid until 2026-11-26T09:17:00Z"),
    *("token = get()\n2026-01-02T03:04:05.678+02:00 INFO ok", "password_changed at=20261126T091700Z by bob"),
    *("token\n2026-01-02T03:04:05,1Z a\n2026-01-02T03:04:06Z b\n", "pw: 12px", '"pw": "playwright test a2"'),
    *("kpw = 12kW", "pw = PlotWidget(1)", "secret2 = secret1 + 1", '"password2": "Wiederholen"'),
    *("token2: Identifier2", 'TOKEN = "GITHUB_TOKEN"', "f(auth_token=environment_key)", "password=hashed_password"),
    *('ok ? "PASS" : "FAIL"', '{"pass": "green"}', "credentials: 'include'", 'credentials: "same-origin"'),
    *("GIT_ASKPASS=echo git fetch", '"minipass": "^7.1.3"', 'compass = "0.1.1"'),
    *('No item with password "shop-db-2" in vault', "test('rejects password \"abc-12\"', () =>"),
    *("set option password 'scram-sha-256'", "<h1>Password Reset</h1>"),
    *('<h3 id="token-behavior">Token Behavior</h3>', "FILE_KEY=9Kq2mLp0ZaB7xxQKx.gz", "cursor_key=eyJpZCI6MTIzfQ=="),
    *("partition_key=tenant-9Kq2mLp0ZaB7xxQK", "SSH_KEY=AAAAC3NzaC1lZDI1NTE5AAAAIK0w", "Token - OAuth2Bearer"),
    *("secret - HmacSHA256", "password - at least 8 of them", "S3_KEY=uploads/2024/01/05/a1b2c3d4"),
    *("cat a1b2c3 | env -i sort", "headers['x-token'] = imdsv2_session_token"),
    *("_token = r'(?:[%s]+|%s)' % (_punct, _core2)", "vocab[token]=idx1", "if (token === 'int32') {"),
    *("type == 'password' || 'text'", "token = f'token_{i}1'", 'secret = f"s3-{uuid4()}"'),
    *('TOKEN = r"[A-Za-z_]\\w*[0-9]"', 'x ? t("password") : "Code 2"', "pw = width2", "kh, kw, ph, pw: int64_t"),
    *("password = r'^[a-z0-9]{8,}$'", "password = 'pw-{user}'", 'token = $"t{name}9x"', 'SECRET="${APP}x9-${ENV}"'),
    *('secret: "s3#{id}"', "pass2 = several words2", "token2: Token2Kind, pass1: Pass1Result", "renderPass: shadow4"),
    *("pass2: src/a1/b2.py", '{"pw": "1280px"}', "pw: 1280x720", "token1: float64"),
    *("loss=0.231 pass1=1200ms pass2=34567us", "pass1=1m23.5s", "pass2: 1234kb/s", "pass1=4096KiB pass2=12.3sec"),
    *("lowPass: 1000Hz", "bandPass: 3khz12", "colorPass: rgba16float", "pw = (x1-x0)", "var pw=c1.w*72,ph=c1.h*72;"),
    *("pw = k2*sigma", "pw = 1e-3*w2", "pw = img.w1//2", "const pw = 0x7f8a10"),
    *("pw=1920pt, pw=12.5rem, pw=80vmin, pw=1000us", "pw=17.5dBm", "pw=vlan100", "pw=x86_64", "pass1 = RenderPass1"),
    *("pass1 = conv2d", "pass1 = sum1/len1", "pass1=libx264", "cc -DPASS1=build/pass1.bin", "token1: 选择专家1和专家2"),
    *("token1 = WETH9addr", "token1=t1+t2+t3", '"token2": "python3"', "credentials1 = creds1", "testPass: 12of14 ok"),
    *("firstPass: pass1done2", " * @APSK_16:\t16-APSK modulation", "PSK_8 = psk8x4", "TOKEN_1 = 0x0005"),
    *("pass1 = (conv2d)", "the Pass: a1b2c3", "a bypass: a1b2c3", "password: 'pre-${x}'", 'token: "g7#{name}"'),
    *("SET PASSWORD \\\"'{pw}'\\\"", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"),
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
)


@pytest.mark.parametrize(("kind", "key"), KEYS.items(), ids=list(KEYS))
@pytest.mark.parametrize(
    "form", ["{}", "the key is {}.", "KEY={}\nnext", '{{"key": "{}"}}', "curl -H 'X: {}' https://x"]
)
def test_a_key_is_taken_out_and_named(kind: str, key: str, form: str) -> None:
    before, _, after = form.format("\0").partition("\0")
    text = redacted(form.format(key))
    assert key not in text
    assert key.rsplit("\n", maxsplit=1)[-1][-12:] not in text
    assert text.startswith(before)
    assert "torn" in kind or text.endswith(after)
    assert "[redacted: " in text


def test_the_marks_name_the_kind() -> None:
    assert redacted(KEYS["AWS key"]) == "[redacted: AWS key]"
    assert secrets(f"{KEYS['AWS key']} {KEYS['npm token']} {KEYS['AWS key']}") == ["AWS key", "NPM Token"]
    assert secrets("[redacted: AWS key] and nothing else") == []


@pytest.mark.parametrize(("text", "secret"), NAMED.items(), ids=list(NAMED))
def test_what_stands_after_a_telling_name(text: str, secret: str) -> None:
    found = redacted(text)
    before, _, after = text.partition(secret)
    assert found.startswith(before)
    assert found.endswith(f"]{after}")
    assert secret not in found


@pytest.mark.parametrize("text", HARMLESS)
def test_no_false_alarm(text: str) -> None:
    assert redacted(text) == text


@given(data=st.binary(min_size=16, max_size=64), number=st.uuids())
def test_hashes_uuids_and_integrity_values_stay(data: bytes, number: uuid.UUID) -> None:
    sha1, sha256 = hashlib.sha1(data, usedforsecurity=False).hexdigest(), hashlib.sha256(data).hexdigest()
    sri = f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"
    lock = json.dumps(
        {"version": "1.2.3", "resolved": f"https://r.example/x.tgz#{sha1}", "integrity": sri, "id": str(number)}
    )
    for text in (f"fixed in {sha1[:12]}, {sha1} and {sha256}", lock, f"record {number}", f"x v1 h1:{sri[7:51]}"):
        assert redacted(text) == text


@given(seed=st.integers(0, 10_000))
def test_base64_images_stay(seed: int) -> None:
    image = base64.b64encode(random.Random(seed).randbytes(3_000)).decode()  # noqa: S311 - no secret is made here
    for text in (f"![x](data:image/png;base64,{image})", f'{{"type": "image", "data": "{image}"}}'):
        assert redacted(text) == text


def test_long_words_stay_in_which_many_beginnings_stand_and_no_key() -> None:
    """A file's JSON without blanks, an image: beginnings of three letters come up hundreds of times in them."""
    rows = [{"path": f"src/a.b/M.N/task-{number}", "M.id": f"risk-{number}"} for number in range(300)]
    image = base64.b64encode(random.Random(1).randbytes(300_000)).decode()  # noqa: S311 - no secret is made here
    for text in (json.dumps(rows, separators=(",", ":")), image):
        assert redacted(text) == text


def test_no_format_is_shorter_than_the_words_that_are_looked_at() -> None:
    """But for those of several words, whose beginnings are looked for in the whole text."""
    tables = redaction._tables()
    several = {place for places in tables.blocks.values() for place in places}
    rows = [row for place, row in enumerate(tables.formats) if place not in several]
    shortest = {pattern: re._parser.parse(pattern).getwidth()[0] for _, pattern, _ in rows}
    assert min(shortest.values()) == redaction.SHORTEST
    assert not [pattern for pattern in shortest if " " in pattern or "\\s" in pattern]


@given(before=st.lists(TEXTS), lines=st.integers(1, 6), more=st.lists(TEXTS, max_size=4))
@pytest.mark.parametrize(
    "start", ["password:", "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA\n" * 40, "it is"]
)
def test_the_end_of_a_text_is_redacted_as_in_the_whole(
    start: str, before: list[str], lines: int, more: list[str]
) -> None:
    """Whatever stands above it: a name at the end of a line, a key of many lines that has not ended."""
    text = "\n".join([*before, start, "secret Ab3dE5gH7kL9", *more, "ghp_" + "aB3dE5gH7k" * 4])
    assert redacted_end(text, lines).split("\n")[-lines:] == redacted(text).split("\n")[-lines:]


@given(text=st.one_of(TEXTS, st.sampled_from([*NAMED, *KEYS.values()])), more=TEXTS)
@example(text="Bearer <token> Ab3dE5gH7", more="")
@example(text="curl -u b:pass Yq8Zt1aB", more="")
def test_twice_is_once(text: str, more: str) -> None:
    """Redacting at recall what was redacted at write changes nothing more."""
    once = redacted(f"{text}{more}")
    assert redacted(once) == once


@pytest.mark.parametrize("filled", ["", "aB3" * 20])
def test_twice_is_once_where_values_stand_far_from_their_name(filled: str) -> None:
    """A mark is shorter than a value, and a name itself."""
    once = redacted(f"the token of all is Xk3jd8fKq29fjQ{filled} {'and so on ' * 3}Yk4jd8fKq29fjQ\n  Zk5jd8fKq29fjQ ok")
    assert once.endswith(f" {'and so on ' * 3}[redacted: secret]\n  Zk5jd8fKq29fjQ ok")
    assert redacted(once) == once


@pytest.mark.parametrize(
    "line", ["API_TOKEN=0123456789abcdef0123456789abcd\n", "curl -u a:Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9\n"]
)
def test_twice_is_once_where_marks_stand_closer_than_the_values_did(line: str) -> None:
    once = redacted(line * 500)
    assert (
        once.count("[redacted: ") == once.count("[redacted: secret]\n") + once.count(":[redacted: password]\n") == 500
    )
    assert redacted(once) == once


def test_twice_is_once_where_beginnings_are_all_that_stands() -> None:
    """Every word that a row waits for, over and over, with what may follow it."""
    hints = {hint for row in secret_table.load()[0]["told"] for hint in row[1] or secret_table.NAMES}
    for piece in (f"{hint}{end}" for hint in hints for end in ("", " ", ": ", " (a) ", "=\n", "='a", " is a1b2c ")):
        once = redacted(piece * (9_000 // len(piece)))
        assert redacted(once) == once


def test_values_that_stand_closer_than_anybody_writes_them_go_unseen() -> None:
    """With their names, each to the end of its line; in a file of passwords each is still looked at."""
    crowded = redacted("first\n" + "my password x1Yz9 or so\n" * 900)
    assert crowded == "first\n" + "my [redacted: secret]\n" * 900
    file = "".join(f"TOKEN_{number:02}=example{number} # {'x' * 40}\n" for number in range(900))
    assert redacted(file) == file
    assert redacted("\n".join(HARMLESS)) == "\n".join(HARMLESS)


@pytest.mark.parametrize("key", MAKERS.values(), ids=list(MAKERS))
def test_a_makers_token_is_known_as_a_word(key: str) -> None:
    text = redacted(f"it is {key} of ops")
    assert text.startswith("it is ")
    assert text.endswith("] of ops")
    assert key[-20:] not in text


@pytest.mark.parametrize(
    "frame",
    [
        *("out-{}.txt", "out_{}", "git checkout -b feature/x-{}", "login -u{} now", "\x1b[01;31m\x1b[K{}\x1b[m\x1b[K"),
        *("+{}", "++{}", '{{"diff": "@@\\n+{}\\n"}}', '{{"out": "\\u001b[31m{}\\u001b[0m"}}', r"'\x1b[1;31m{}\x1b[0m'"),
        *(r"\033[31m{}\033[0m", "[0m{}[0m"),
    ],
)
@pytest.mark.parametrize(
    "key",
    ["ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "AKIAQ3EGV5TZ7XKLMNOP", "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"],
)
def test_a_key_in_a_name_an_option_or_colours_is_one(key: str, frame: str) -> None:
    """A file, a branch, `-uKEY`, what `grep --color` has found: its first letters tell it."""
    told = redacted(frame.format(key))
    assert key not in told
    assert "[redacted: " in told


STEERING = ("\x1b[200~", "\x1b[1 q", "\x1b[1@", "\x9b1m", "\x1b=", "\x1bM", "\0")


@pytest.mark.parametrize(
    "sign",
    [
        *"\u200b\xad\u202a\u2069\u034f\ufe0f\U000e0041",
        "\x1b[m\x1b[K",
        "\x1b[38:5:1m",
        "\x1b]8;;http://x\x07",
        *("\\u001b]8;;http://x\\u0007", "\\\\u001b]0;C:\\\\a\\\\u001b\\\\"),
        *STEERING,
    ],
    ids=ascii,
)
def test_what_a_screen_shows_nothing_of_parts_no_key(sign: str) -> None:
    """`grep --color ghp_` colours the first letters alone. A text without a key keeps its colours."""
    assert redacted(f"a ghp_{sign}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 b") == "a [redacted: Github Classic Token] b"
    assert redacted(f"a{sign}b") == f"a{sign}b"
    assert redacted(f"list[0]{sign}b") == f"list[0]{sign}b"


@pytest.mark.parametrize("sign", ["\x1b[0m", "\x1b[K", "\u200b", "\\u001b[1m", "\x1b(B\x1b[m", *STEERING], ids=ascii)
@pytest.mark.parametrize("key", list(map(KEYS.__getitem__, ("GitHub token", "Slack token", "Anthropic key"))))
def test_no_part_of_a_key_stays_behind_what_a_screen_shows_nothing_of(key: str, sign: str) -> None:
    """The first part is a key by itself where its length is open; and another key beside it is one in either way."""
    for at in (len(key) // 2, len(key) - 9):
        told = redacted(f"user\x1b[0m{KEYS['AWS key']} a {key[:at]}{sign}{key[at:]} b\n\x1b[32mgreen\x1b[0m")
        assert key[at:] not in told
        assert KEYS["AWS key"] not in told
        assert told.endswith((" b\ngreen", " b\n\x1b[32mgreen\x1b[0m"))
        assert redacted(told) == told
        twice = f"{KEYS['AWS key']} is the token of b {key[:at]}{sign}{key[at:]}"
        assert key[at:] not in redacted(twice)


@pytest.mark.parametrize("line", ["MIIEvQIBADANBgkq" * 4, "MIIEvQIBADANBgkq" * 100], ids=["lines", "one long line"])
def test_the_end_of_a_key_whose_beginning_is_cut_off_is_one(line: str) -> None:
    assert redacted(f"it is:\n{line}\n{line}\n-----END PRIVATE KEY-----\nok") == "it is:\n[redacted: private key]\nok"
    public = f"{line}\n{line}\n-----END PUBLIC KEY-----"
    assert redacted(public) == public


def test_names_and_hashes_are_no_tokens() -> None:
    for text in ("SKU-1", "dapi-doc", "M.method.call", "xai-org/grok", "sig=off", "pul-request", HEX[:40]):
        assert redacted(text) == text


def test_a_value_is_secret_also_where_only_its_key_says_so() -> None:
    """A password of JSON alone has no format; what merely stands under such a key stays."""
    given: dict[str, object] = {
        "user": "bob",
        "login": [{"password": "Tr0ub4dor&3xyz"}],
        "key": "the name of the map",
        "token": "15000",
        "Passwords": ["Tr0ub4dor&3xyz", "at_least_8"],
        "db_password": {"prod": {"x": "Sommer2024!"}, "type": "str"},
        "max_tokens": {"model": "claude-opus-4-5-20251101"},
    }
    told = {**given, "login": [{"password": "[redacted: password]"}], "Passwords": ["[redacted: secret]", "at_least_8"]}
    told["db_password"] = {"prod": {"x": "[redacted: secret]"}, "type": "str"}
    assert redacted_in(given) == told
    assert redacted_in(told) == told


@pytest.mark.parametrize(
    "sign",
    [
        *("%3D", "%3d", "\\u003d", "\uff1a", "\uff1d", "\x1b[0m=", "\x1b[0m: ", " \x1b[36m= ", "\xa0=\xa0"),
        *(":\r", ":\f", ":\v"),
    ],
    ids=ascii,
)
def test_the_sign_between_a_name_and_its_secret_may_be_written_otherwise(sign: str) -> None:
    assert "Tr0ub4dor" not in redacted(f"DB_PASSWORD{sign}Tr0ub4dor3xyzAB and more")


@pytest.mark.parametrize(
    "text",
    [
        r'{"url":"postgres:\/\/alice:{}@db\/x"}',
        r'{"DB\u005fPASSWORD":"{}"}',
        'variable "db_password" {\n  type = string\n  default = "{}"\n}',
        *map("{}: {{}}".format, LANGUAGES),
        "mot de passe : {}",
        "db_password_1: >-\n  {}\n",
        "密码\uff1a{}",
    ],
)
def test_a_password_is_told_in_json_that_escapes_in_terraform_and_in_other_languages(text: str) -> None:
    """Where JSON needs no escape the text stays as it was."""
    assert "xK9mQ2vLp8Zr" not in redacted(text.replace("{}", "xK9mQ2vLp8Zr"))
    assert redacted(r"a\/b \u0041: Passwort") == r"a\/b \u0041: Passwort"


BELOW = (
    *("{}:\n```\n$\n```", "the {} of the mail server:\n\n    $\n", "{}\n--------\n$", "DB_{}\r\n$\r\n"),
    *("- {}\n  - `$`", "> **{}**\n>\n> $\nok"),
)


@pytest.mark.parametrize("name", ["PASSWORD", "token"])
@pytest.mark.parametrize("text", [*BELOW, "<dt>{}</dt><dd>$</dd>", "<b>{}</b><br>$"], ids=ascii)
def test_a_value_alone_in_its_line_below_its_name_is_one(text: str, name: str) -> None:
    clean = redacted(text.format(name).replace("$", "Xk3jd8fKq29fjQ"))
    assert re.sub(r"\[redacted: \w+\]", "$", clean) == text.format(name)
    assert redacted(clean) == clean
    for harmless in (SHA, "at_least_8", "TestTokenV2", "API_ID=A1b2C3d4", "2026-11-26T09:17:00Z", "src/a1/B2.py"):
        assert redacted(text.format(name).replace("$", harmless)) == text.format(name).replace("$", harmless)


TABLES = (
    "| service | password | user |\n|---|:-:|---|\n| db | $ | root |\n| web | `$` | www |\n\nand so on",
    "user,password\r\nroot,$\r\nwww,$\r\n",
    'user\t"API token"\nroot\t"$"\nwww\t$',
    " name | db_secret \n------+-----------\n root | $\n www  | $\n(2 rows)",
    "┌─────┬───────┐\n│ svc │ token │\n├─────┼───────┤\n│ a   │ $ │\n└─────┴───────┘",
    "┏━━━━━┳━━━━━━━┓\n┃ svc ┃ token ┃\n┡━━━━━╇━━━━━━━┩\n┃ a   ┃ $ ┃",
    "┏━━━━━┳━━━━━━━┓\n┃ svc ┃ token ┃\n┡━━━━━╇━━━━━━━┩\n│ a   │ $ │\n│ b   │ $ │\n└─────┴───────┘",
    "NAME   API TOKEN   AGE\nweb    $   3d\nnew db    $   4d",
    "TOKEN   AGE\n$   3d",
    "|token|\n|$|",
    'name,api_key,"a ""b"", c"\n"Smith, John",$,"1, 2"\nBob,$,\nonly,two cells\n"Ann\'s, own",$,x',
    'name\tnote\tapi_key\nbob\t\t"$"\n"ann" \t "" \t$',
    "| a | token |\n|---|---|\n| x \\| y | $ |\n| one | cell | more |\n| b | $ (prod) |\n| b | prod: `$` |",
    *map("| svc | {} |\n|---|---|\n| a | $ |".format, ("API key (prod)", "Token/Key", "Token?", "Token \u2013 prod")),
)


@pytest.mark.parametrize("text", TABLES, ids=range(len(TABLES)))
def test_a_value_in_a_column_whose_header_names_it_is_one(text: str) -> None:
    clean = redacted(text.replace("$", "Xk3jd8fKq29fjQ"))
    assert re.sub(r"\[redacted: \w+\]", "$", clean) == text
    assert redacted(clean) == clean
    assert "Xk3" not in redacted_end(text.replace("$", "Xk3jd8fKq29fjQ"), 1)
    for harmless in (SHA, "identifiers2", "RS256", "2026-11-26T09:17:00Z", "auth-v2-login", "max_tokens=4096"):
        assert redacted(text.replace("$", harmless)) == text.replace("$", harmless)


@pytest.mark.parametrize("table", ['user;password\nbob;"hunter;2Secret!"', "|user|password|\n|bob|ab1!cdEf\\|gh2|"])
def test_a_sign_in_quotes_or_behind_a_backslash_is_one_of_the_password(table: str) -> None:
    assert re.search(r"[;|]\"?\[redacted: secret\][\"|]\Z", redacted(table))


@pytest.mark.parametrize(
    "place", ["keys/web4_prod.pem", "C:\\Users\\Bob\\key2.pem", "https://example.com/reset2", "STRING_LITERAL_UTF16_LE"]
)
def test_a_path_an_address_or_a_constant_is_no_secret_of_its_column(place: str) -> None:
    for table in ("host;private_key\nweb;$\n", "| rule | password |\n|---|---|\n| one | $ |\n"):
        assert redacted(table.replace("$", place)) == table.replace("$", place)
        for secret in ("https://ann:hunter2Secret@example.com/a", "aB3/xK9.qL2/mP7rT4vYz", "ab12-Cd34-eF56-gH78"):
            assert redacted(table.replace("$", secret)) != table.replace("$", secret)


def test_a_header_in_colours_is_one_though_it_stands_far_above() -> None:
    table = "\x1b[1mname\x1b[0m | \x1b[1mapi_key\x1b[0m\n" + f"web | {HEX[:32]}\n" * 60
    assert HEX[:9] not in redacted_end(table, 3)
    assert redacted_end("\x1b[1mname\x1b[0m", 3) == "\x1b[1mname\x1b[0m"


@pytest.mark.parametrize("word", ["TestTokenV2", "colorBlue500", "spacingLarge2", "Python3.12", "ShortLivedV2"])
@pytest.mark.parametrize("name", ["Token", "Pass", "Access token"])
def test_tokens_of_a_language_or_a_theme_stay_in_their_table(word: str, name: str) -> None:
    table = f"| a | {name} |\n|---|---|\n| 1 | {word} |\n"
    assert redacted(table) == table


SAID = (
    "user,{}\nann,$\n",
    "| user | {} |\n|---|---|\n| ann | `$` |\n",
    "Report, made 2026\nuser,{}\nann,$\n",
    "# a,b,c\nuser,{}\nann,$\n",
    "USER   {}   AGE\nann    $   3d\nbob   old   4d\n",
    "   user  {}\n0   ann  $\n",
    '["user","{}"]\n["ann","$"]\n',
    "[log] user,{}\n[log] ann,$\n",
    "[user],[{}]\nann,$\n",
    "user:,{}:\nann,$\n",
    "║ user │ {} ║\n╠══════╪════╣\n║ ann │ $ ║\n",
    "║ user ║ {} ║\n╠══════╬════╣\n║ ann ║ $ ║\n",
    'user,note,{}\n"ann","one\n\ntwo ""2\nlast"" three",$\nbob,24" x,$\ncy,"say \\"hi, you\\"",$\n',
    'user\tnote\t{}\nann\t24" monitor\t$\nbob\t27" monitor\t"$"\n',
    "COPY public.users (id, {}) FROM stdin;\n1\t$\n2\t\\N\n\\.\n",
    "INSERT INTO `users` (`name`, `{}`) VALUES\n  ('ann', '$'),\n  ('bob', '$');\n",
    "INSERT IGNORE INTO users\n  (\n    name,\n    {}\n  )\nVALUES\n  (\n    'ann',\n    '$'\n  ),\n  ('bob', '$');\n",
    "INSERT OR REPLACE INTO users (name, {})\n            VALUES ('ann', '$');",
    "REPLACE INTO users (name, {}) VALUES (1, '$');",
    "insert into users(name,{}) values('ann',NULL),('bob','$');\nSELECT 1",
    "INSERT INTO u (a, b, {}) VALUES (1, NOW(), '$'), (2, 'Smith, (Bob)', '$'),\n(3, f(g('a; b'), 2), '$');",
    "INSERT INTO u (a, b, {}) VALUES (1, 'it''s; so', '$'),\n(2, \"b)\", crypt('$', salt('bf')));",
    "INSERT [dbo].[Users] ([Id], [{}])\nOVERRIDING USER VALUE VALUES (1, N'$')",
    "INSERT  INTO  u (a, {})  VALUES (@A, '$')",
    "COPY u (id, {}) FROM stdin WITH (FORMAT csv);\n1,$\n2,x\n\\.\n",
)


@pytest.mark.parametrize("value", [HEX[:32], HEX[:64], "winter4holiday5garden6castle7x9q", "Sommer2024!"])
def test_a_cell_is_judged_as_behind_a_sign_below_the_first_row_of_a_table_alone(value: str) -> None:
    """Rows of words and commas, as in code, may tell a name anywhere."""
    names = ("token", "password") if len(value) >= 20 else ("password",)  # a short word may be a token of a language
    for table in SAID:
        for below in map(table.format, names):
            clean = below.replace("$", "[redacted: secret]")
            assert redacted(below.replace("$", value)) == clean
            said = json.dumps([below.replace("$", value)], ensure_ascii=False)
            assert redacted(said) == json.dumps([clean], ensure_ascii=False)
    for words in (
        "one, two, three\nread_token, write\n$, pass\nand, so, $",
        "see =  the token  so\n1 =  $  2",
        "keys: [user, token]\nvalues: [one, $]",
    ):
        assert redacted(words.replace("$", value)) == words.replace("$", value)


@pytest.mark.parametrize(
    "text", ["\u5bc6\u7801\u662f$", "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f$\u3067\u3059", "token\u306f$"]
)
def test_letters_of_a_script_without_blanks_part_a_name_from_its_value(text: str) -> None:
    assert redacted(text.replace("$", "Xk3jd8fKq29fjQ")).startswith(text.replace("$", "[redacted: secret]"))
    assert redacted(text.replace("$", "2026")) == text.replace("$", "2026")


@pytest.mark.parametrize("name", ["name", "Key"])
def test_a_value_is_secret_also_where_a_key_beside_its_own_says_so(name: str) -> None:
    given = [{name: "DB_PASSWORD", "value": "correcthorse"}, {name: "DB_HOST", "value": "db.internal"}, {"value": 1}]
    told = [{name: "DB_PASSWORD", "value": "[redacted: password]"}, *given[1:]]
    assert redacted_in(given) == told
    assert "correcthorse" not in redacted(json.dumps(given))


@pytest.mark.parametrize("parted", ["\n", "\\\n", "\n> ", '" +\n    "', "' . '"], ids=ascii)
@pytest.mark.parametrize("parts", [2, 3])
def test_no_part_of_a_key_of_open_length_stays_in_the_next_lines(parted: str, parts: int) -> None:
    more = ["Zb3dE5gH7jK9mN1pQ3sT5vW7yZ9"] * (parts - 1)
    parted_key = parted.join(["sk-ant-api03-" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9", *more])
    clean = redacted(f"it is {parted_key}\nexport the next line\nand so on")
    assert clean.endswith("[redacted: secret]\nexport the next line\nand so on")
    assert "gH7jK9" not in clean
    assert redacted(clean) == clean


def test_a_letter_by_its_number_hides_no_key() -> None:
    assert redacted(r'{"key":"\u0041KIA' + 'IOSFODNN7EXAMPLD"}') == '{"key":"[redacted: AWS key]"}'


PIECES = st.sampled_from(
    ("a", "A", "f0", "9", "-", "_", ".", "=", "%3D", "/", "+", " ", '"', "a1B2" * 9, "x" * 30, "0" * 80)
)


@given(st.integers(0, 10_000), st.lists(PIECES, max_size=12), st.lists(PIECES, max_size=4))
def test_what_gives_nothing_back_matches_what_gave(number: int, after: list[str], before: list[str]) -> None:
    """Repetitions that keep what they have are for speed alone: the same matches as without."""
    own, public = secret_table.load()
    rows = [*own["formats"], *public]
    _, hints, pattern = rows[number % len(rows)]
    text = "".join([*before, hints[number % len(hints)], *after, " ", hints[0], *after])
    greedy = re.sub(r"(\{\d+,\d+\})\+", r"\1", pattern)
    spans = [[found.span() for found in re.finditer(one, text, re.DOTALL)] for one in (pattern, greedy)]
    assert spans[0] == spans[1]


@pytest.mark.parametrize("far", range(0, 120, 7))
def test_a_value_behind_a_value_is_found(far: int) -> None:
    """Also where its name stands at the end of the value before."""
    said = f"token={'aB3' * far}x1password = hunter2x9Y; secret = Zz9Yx8Ww7"
    assert "hunter2x9Y" not in redacted(said)
    assert "Zz9Yx8Ww7" not in redacted(said)


ENCODED = (
    f"ghp_{'aB3dE5gH7jK9' * 3}",
    "sk-ant-api03-" + "aB3d_" * 20,
    "npm_" + "aB3dE5gH7jK9" * 3,
    "xoxb-123456789012-123456789012-aB3dE5gH7jK9mN1pQ3rS5tU7",
    "postgres://u:hunter2x9Y@db.example.com:5432/app",
)


@pytest.mark.parametrize("frame", ["{}", "TOKEN_B64={}", '"{}"', "data: {}\n", "echo {} | base64 -d", "/{}"])
@pytest.mark.parametrize("key", ENCODED, ids=lambda key: key[:8])
def test_a_key_that_is_encoded_as_a_whole_is_one(key: str, frame: str) -> None:
    forms = [
        encode((key + end).encode()).decode()
        for encode in (base64.b64encode, base64.urlsafe_b64encode)
        for end in ("", "\n")
    ]
    for form in [*forms, quote(key, safe="")] if "://" in key else forms:
        clean = redacted(frame.format(form))
        assert form not in clean
        assert redacted(clean) == clean
        assert secret_table.may_speak(form)


def test_what_only_begins_like_an_encoded_key_stays() -> None:
    """It is decoded first; where very many begin like one, they are taken out unseen, in bounded time."""
    word = base64.b64encode(b"ghp, you see, is no beginning of a key at all here").decode()
    link = "https%3A%2F%2Fexample.com%2Fa%2Fb%3Fx%3D1%26y%3D2%26long%3Dverylongstringindeedhere"
    assert redacted(f"{word} {link}") == f"{word} {link}"
    many = "\n".join(base64.b64encode(f"ghp, {n:09} {'you see ' * 6}".encode()).decode() for n in range(300))
    assert redacted(many).count("[redacted: encoded]") == 300 - encoded.MOST


@pytest.mark.parametrize("text", ["\\" * 20_000 + "/", "\x1b[" * 20_000 + "m" * 20_000, "\\u" * 9_000 + "0030" * 9_000])
def test_what_hides_in_what_hides_is_peeled_off_a_few_times(text: str) -> None:
    """Each peeling laid the next one bare: 2,000 signs met Python's depth of calls, and 150 KB took 43 s."""
    assert redacted(f"{text} password=hunter2Xq9") == f"{text} password=[redacted: password]"


def test_a_key_is_known_in_json_within_json() -> None:
    text = "".join(f"\\u{ord(sign):04x}" if sign.isalnum() else sign for sign in KEYS["GitHub token"])
    for _ in range(3):
        assert "[redacted: " in redacted(text)
        text = text.replace("\\", "\\\\")


@pytest.mark.parametrize("line", ["11-26 token {:08} user{:04}", "id{:06} password hash{:04} salt"])
def test_an_ordinary_log_full_of_names_comes_to_its_end(line: str) -> None:
    """Where very many stand close each line is taken out from its name on."""
    clean = redacted("\n".join(line.format(n, n) for n in range(200)))
    assert clean.count("[redacted: secret]") == 200
    assert clean.count("\n") == 199
    assert "user0199" not in clean
    assert "hash0199" not in clean
