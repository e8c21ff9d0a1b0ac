import base64
import hashlib
import json
import random
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.redaction import redacted, secrets
from tests.memory.memories import TEXTS

A36 = "abcDEF0123456789abcDEF0123456789abcd"
KEYS = {
    "AWS key": "AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub token": "ghp_" + A36,
    "GitHub token fine": "github_pat_" + "11ABCDEFG0abcdefghij_" + A36 + A36,
    "GitLab token": "glpat-" + "abcDEF0123456789abcd",
    "Slack token": "xoxb-" + "123456789012-abcdefABCDEF",
    "Slack webhook": "https://hooks.slack.com/services/" + "T00000000/B00000000/abcdefABCDEF0123456789ab",
    "Stripe key": "sk_live_" + "abcDEF0123456789abcDEF01",
    "Google key": "AIza" + "SyA-abcdefghijklmnopqrstuvwxyz01234",
    "Anthropic key": "sk-ant-" + "api03-abcDEF0123456789_-abcDEF",
    "OpenAI key": "sk-proj-" + "abcDEF0123456789abcDEF0123456789",
    "OpenAI key old": "sk-" + "abcDEF0123456789abcDEF0123456789abcDEF0123456789",
    "npm token": "npm_" + A36,
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmcC" + A36 * 4,
    "Hugging Face token": "hf_" + "abcdefghijABCDEFGHIJabcdefghijABCD",
    "JWT": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "abcDEF-_0123456789",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJB\nAKj34GkxFhD9\n-----END RSA PRIVATE KEY-----",
    "private key torn": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk",
    "private key torn, another": (
        "-----BEGIN EC PRIVATE KEY-----\nb3BlbnNz\n-----BEGIN EC PRIVATE KEY-----\nb3Blb\n-----END EC PRIVATE KEY-----"
    ),
    "private key PuTTY": (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1NTE5\nx1=\n"
        "Private-Lines: 1\nAAAAIEx5bWFuU2VjcmV0S2V5\nPrivate-MAC: 8f14e45fceea467f8f14e45fceea467f"
    ),
    "private key PuTTY old": (
        "PuTTY-User-Key-File-2: ssh-rsa\r\nEncryption: aes256-cbc\r\nComment: k\r\nPublic-Lines: 1\r\nAAAAB3Nz\r\n"
        "Private-Lines: 2\r\nAAAAIEx5bWFuU2VjcmV0\r\nZZZZ\r\nPrivate-MAC: 8f14e45fceea467f8f14e45fceea467f8f14e45f"
    ),
    "private key PuTTY, in JSON": (
        "PuTTY-User-Key-File-2: ssh-rsa\\r\\nEncryption: none\\r\\nPrivate-Lines: 1\\r\\nAAAAIEx5bWFuU2VjcmV0\\r\\n"
        "Private-MAC: 8f14e45fceea467f8f14e45fceea467f8f14e45f"
    ),
    "private key torn, PuTTY": "Private-Lines: 14\nAAAAIEx5bWFuU2VjcmV0S2V5\nb3BlbnNzaC1rZXk",
    "private key pgp": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----",
}
NAMED = {
    "password=hunter2": "hunter2",
    "password=correcthorse": "correcthorse",
    'password: "hunter2"': "hunter2",
    "DB_PASSWORD='s3cr3t!x'": "s3cr3t!x",
    '{"api_key": "abcd1234efgh"}': "abcd1234efgh",
    '{\\"password\\": \\"hunter2x\\"}': "hunter2x",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "postgres://bob:hunter2@db.example/x": "hunter2",
    "redis://:p4ssw0rd@localhost:6379": "p4ssw0rd",
    "Authorization: Bearer abcdef0123456789abcd": "abcdef0123456789abcd",
    "mysql --password hunter2x -u bob": "hunter2x",
    "The password is hunter2.": "hunter2",
    "client_secret: 8f14e45fceea467f": "8f14e45fceea467f",
    "AWS Secret Access Key: wJalrXUtnFEMI/K7MDENG/bPxRfiCYq8Zt1aB": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYq8Zt1aB",
    "API key: 8f3kd93jfk20dkf93kdm2": "8f3kd93jfk20dkf93kdm2",
    "the api key 8f3kd93jfk20dkf93kdm2 of ops": "8f3kd93jfk20dkf93kdm2",
    "**Password**: Tr0ub4dor33": "Tr0ub4dor33",
    "**Password:** Tr0ub4dor33": "Tr0ub4dor33",
    "| password | Tr0ub4dor33 |": "Tr0ub4dor33",
    "password: `Tr0ub4dor33`": "Tr0ub4dor33",
    "password (staging): Tr0ub4dor33": "Tr0ub4dor33",
    "password for staging is Tr0ub4dor33": "Tr0ub4dor33",
    "the password is `Tr0ub4dor33` and the user is bob": "Tr0ub4dor33",
    "set the password to Tr0ub4dor33, please": "Tr0ub4dor33",
    "DB_PW=Tr0ub4dor33": "Tr0ub4dor33",
    "<password>Tr0ub4dor33</password>": "Tr0ub4dor33",
    "  password: hunter2  # staging": "hunter2",
    "log in with password: hunter2 as bob": "hunter2",
    "smtp:\n  pass: hunter2\n": "hunter2",
    "- db_pass: hunter2": "hunter2",
    "user: bob, pass: hunter2": "hunter2",
    "DB_PASS: hunter2": "hunter2",
    "password: p@ssword": "p@ssword",
    "password: 84720193": "84720193",
    "postgres://app:S3cr/etP@ss@db:5432/x": "S3cr/etP@ss",
    "curl -s -u admin:Tr0ub4dor3xx https://h": "Tr0ub4dor3xx",
    "mysql -uroot -pTr0ub4dor33 db": "Tr0ub4dor33",
    "sshpass -p Tr0ub4dor33 ssh h": "Tr0ub4dor33",
    "Cookie: session=bi7iN2elKq44kdR3vuPrDEjV5h; a=b": "session=bi7iN2elKq44kdR3vuPrDEjV5h; a=b",
    '"auths": {"h": {"auth": "Ym9iOlRyMHViNGRvcjMzeHg="}}': "Ym9iOlRyMHViNGRvcjMzeHg=",
    "//registry.example/:_auth=Ym9iOlRyMHViNGRvcjMzeHg=": "Ym9iOlRyMHViNGRvcjMzeHg=",
    "secret_key_base: 8f14e45fceea467f8f14e45fceea467f": "8f14e45fceea467f8f14e45fceea467f",
    "APP_KEY=base64:8f3kd93jfk20dkf93kdm28f3kd93jfk20=": "base64:8f3kd93jfk20dkf93kdm28f3kd93jfk20=",
    "- name: DB_PASSWORD\n  value: correcthorse": "correcthorse",
    '{"name": "API_TOKEN", "value": "correcthorse"}': "correcthorse",
    "admin:$apr1$Wjq8Zt1a$gGMLNl0ybuRbNtGyGEITSz": "$apr1$Wjq8Zt1a$gGMLNl0ybuRbNtGyGEITSz",
    "SSWS 00Wjq8Zt1abPxRfiCYq8Zt1aB": "00Wjq8Zt1abPxRfiCYq8Zt1aB",
    "jdbc:oracle:thin:scott/tiger@//h:1521/x": "tiger",
    "sqlplus -s scott/tiger@prod": "tiger",
    "log in as bob with password hunter2hunter": "hunter2hunter",
    "login with password hunter2hunter, please": "hunter2hunter",
    "db.example.org:5432:shop:bob:Tr0ub4dor33": "Tr0ub4dor33",
    "localhost:5432:shop:bob:correct-horse": "correct-horse",
    "    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt": "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt",
    "psk=correcthorse": "correcthorse",
    'psk="correct horse"': "correct horse",
    "redis-cli -h h -a correcthorse ping": "correcthorse",
    "Server=db;Database=shop;User Id=sa;Password=Tr0ub4dor33;Encrypt=True": "Tr0ub4dor33",
    "Server=db;Uid=sa;Pwd=correcthorse;": "correcthorse",
    "AccountName=a;AccountKey=LS0tLS1CRUdJTiBSU0EgUFJJ==;Suffix=core": "LS0tLS1CRUdJTiBSU0EgUFJJ==",
    "Endpoint=sb://x.example/;SharedAccessKey=LS0tLS1CRUdJTiBSU0Eg=": "LS0tLS1CRUdJTiBSU0Eg=",
    "bob:Tr0ub4dor33@tcp(db:3306)/shop": "Tr0ub4dor33",
    "mongodb+srv://bob:Tr0ub4dor33@h.example/x": "Tr0ub4dor33",
    "machine h login bob password Tr0ub4dor33": "Tr0ub4dor33",
    "das Passwort lautet Tr0ub4dor33": "Tr0ub4dor33",
    "the new password for staging, as of today: Tr0ub4dor33": "Tr0ub4dor33",
    "docker login -u bob -p correcthorse r.example": "correcthorse",
    "ldapsearch -x -D cn=a -w correcthorse": "correcthorse",
    "openssl rsa -in k -passin pass:correcthorse": "correcthorse",
    "echo root:correcthorse | chpasswd": "correcthorse",
    "CREATE USER bob IDENTIFIED BY 'correcthorse'": "correcthorse",
    "smbclient //h/s -U bob%correcthorse": "correcthorse",
    "API_KEY_PROD=LS0tLS1CRUdJTiBSU0Eg": "LS0tLS1CRUdJTiBSU0Eg",
    "MYSQL_PWD=correcthorse": "correcthorse",
    "7z a -pcorrecthorse x.7z": "correcthorse",
    "htpasswd -b f bob Tr0ub4dor33": "Tr0ub4dor33",
    "HEROKU_API_KEY=01234567-89ab-cdef-0123-456789abcdef": "01234567-89ab-cdef-0123-456789abcdef",
}
SHA = hashlib.sha1(b"x", usedforsecurity=False).hexdigest()
INTEGRITY = "sha512-" + base64.b64encode(hashlib.sha512(b"x").digest()).decode()
HARMLESS = (
    f"commit {SHA}",
    f"the token bucket of {SHA}",
    "sk-fading-circle-spinner-with-a-long-name",
    f'"integrity": "{INTEGRITY}"',
    f"pkg==1.0 --hash=sha256:{hashlib.sha256(b'x').hexdigest()}",
    "token = get_token()",
    "connect(password=password, token=self.token)",
    "password: str",
    "the password: must be 8 characters at least",
    "secret = os.environ['X']",
    "JWT_SECRET=${JWT_SECRET}",
    "password: <your password>",
    "max_tokens=4096, tokens: 500",
    "password: required",
    "password: str | None",
    "password: min_length=8",
    "token: int",
    "secret: ${VAR}",
    "password: bob@example.org",
    "--- PASS: TestTokenUsage_StartOffset/offset_2_-_skips_first",
    "bypass: feature2",
    "{'pad_token': '[PAD]'}",
    "export GITHUB_TOKEN=ghp_xxxxxxxxxxxx",
    "we pass checkpointTranscriptStart=0, as before",
    r"the token usage.\n\u003c!-- END --\u003e of it",
    "the header PuTTY-User-Key-File-2 and the field Private-Lines: 14 are of PuTTY",
    "tests pass=412 fail=1",
    "PWD=/home/me/x1",
    "the password is argon2id hashed",
    "Auth token: base64url",
    "private_key_path: /etc/ssl/key1.pem",
    "http://localhost:3000/@scope/x",
    "git@github.com:owner/name.git",
    "Tests pass: test_login2",
    "pass: v1.2.3",
    "password=passwordEncoder",
    "passwd=/etc/passwd",
    f"token: {SHA}",
    "access key: 550e8400-e29b-41d4-a716-446655440000",
    "the bearer authentication-scheme-v2 was chosen",
    "Set token = bucket in the limiter",
    "secret = kubernetes/prod-db",
    "api key: rotate every 90d",
    "| token | identifiers2 |",
    "the token count2 is logged",
    "the password bcrypt2b hash",
    "docker run -u 1000:1000 curlimages/curl",
    "Cookie: SameSite=Lax; Secure",
    "master key: ctrl+shift+p2",
    '"auth": "authenticated_users"',
    '"auth": "bearer", "author": "bob"',
    "basic_auth = true",
    "- name: DB_HOST\n  value: db.internal2",
    "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: db2",
    "APP_KEY=base64:",
    "sqlplus @scripts/setup/create.sql",
    "connect with token bucket2 limits",
    "  privateKey: Uint8Array;  // 32 bytes",
    "let private_key = vec![0u8; 32];",
    "secret=[REDACTED] [4718 characters truncated]",
    "users with password resets2 in a day",
    "docker run --name mongo -p 27017:27017 mongo",
    "mkdir -p /var/lib/mysql/data",
    "| Email + Password | Web3Auth verifies it |",
    '"refreshToken": "abc123..."',
    "Derive shared key: HKDF-SHA256(ikm=a, salt=b2)",
    "the token has expired, request_id: req_011CXDHYUQQVSexQUbzFUaA3",
    "Credential Provider (D6886603-9D2F-4EB2-B667-1971041FA96B) of Windows",
    "main.go:12:5: undefined: token",
    "a.py:1234:test:name:failed2 times",
    "the list-us12 of the app",
    "redis://cache:6379/0 and mail to bob@example.org",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
)


@pytest.mark.parametrize(("kind", "key"), KEYS.items(), ids=list(KEYS))
@pytest.mark.parametrize(
    "form", ["{}", "the key is {}.", "KEY={}\nnext", '{{"key": "{}"}}', "curl -H 'X: {}' https://x"]
)
def test_a_key_is_taken_out_and_named(kind: str, key: str, form: str) -> None:
    """Nothing of it is left, what it was is said, and what stands around it stays."""
    before, _, after = form.format("\0").partition("\0")
    text = redacted(form.format(key))
    assert key not in text
    assert key.rsplit("\n", maxsplit=1)[-1][-12:] not in text
    assert text.startswith(before)
    assert "torn" in kind or text.endswith(after)
    assert "[redacted: " in text


def test_the_marks_name_the_kind() -> None:
    """As requirement J10 shows it."""
    assert redacted(KEYS["AWS key"]) == "[redacted: AWS key]"
    assert secrets(f"{KEYS['AWS key']} {KEYS['npm token']} {KEYS['AWS key']}") == ["AWS key", "NPM Token"]
    assert secrets("[redacted: AWS key] and nothing else") == []


@pytest.mark.parametrize(("text", "secret"), NAMED.items(), ids=list(NAMED))
def test_what_stands_after_a_telling_name(text: str, secret: str) -> None:
    """The value goes; the name, the quotes and the rest of a URL stay."""
    found = redacted(text)
    before, _, after = text.partition(secret)
    assert found.startswith(before)
    assert found.endswith(f"]{after}")
    assert secret not in found


@pytest.mark.parametrize("text", HARMLESS)
def test_no_false_alarm(text: str) -> None:
    """Hashes, names, expressions, placeholders and prose stay as they are."""
    assert redacted(text) == text


@given(data=st.binary(min_size=16, max_size=64), number=st.uuids())
def test_hashes_uuids_and_integrity_values_stay(data: bytes, number: uuid.UUID) -> None:
    """Whatever they are of, in prose and in the files where they stand."""
    sha1, sha256 = hashlib.sha1(data, usedforsecurity=False).hexdigest(), hashlib.sha256(data).hexdigest()
    sri = f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"
    lock = json.dumps(
        {"version": "1.2.3", "resolved": f"https://r.example/x.tgz#{sha1}", "integrity": sri, "id": str(number)}
    )
    for text in (
        f"fixed in {sha1[:12]}, {sha1} and {sha256}",
        lock,
        f"record {number}",
        f"golang.org/x v1 h1:{sri[7:51]}",
    ):
        assert redacted(text) == text


@given(seed=st.integers(0, 10_000))
def test_base64_images_stay(seed: int) -> None:
    """Long runs of letters that happen to hold beginnings of keys."""
    image = base64.b64encode(random.Random(seed).randbytes(3_000)).decode()  # noqa: S311 - no secret is made here
    for text in (f"![x](data:image/png;base64,{image})", f'{{"type": "image", "data": "{image}"}}'):
        assert redacted(text) == text


@given(text=st.one_of(TEXTS, st.sampled_from([*NAMED, *KEYS.values()])), more=TEXTS)
def test_twice_is_once(text: str, more: str) -> None:
    """Redacting at recall what was redacted at write changes nothing more."""
    once = redacted(f"{text}{more}")
    assert redacted(once) == once


@pytest.mark.parametrize(
    "piece",
    [
        "a.a-a_",
        "password",
        "-----BEGIN PRIVATE KEY-----",
        "eyJa",
        "token: ",
        "a://b:",
        "--a-",
        "ghp_",
        '"',
        "pass is ",
        "curl -u ",
        "token (a) ",
        "sqlplus ",
        "sqlplus a",
        "name: token ",
        "name: token\n",
        "\\",
        "'auth': '",
        "log in with ",
    ],
)
def test_long_hostile_texts_are_read_in_linear_time(piece: str) -> None:
    """200,000 characters made of beginnings, which a pattern that looks back would not get through."""
    text = piece * (200_000 // len(piece))
    once = redacted(text)
    assert redacted(once) == once


HEX = "0123456789abcdef" * 4
MIXED = "abcDEF0123456789" * 6
MAKERS = {
    "Atlassian": "ATATT" + "3xFfGF0" + MIXED + "=" + "0A1B2C3D",
    "Azure client secret": "abc8Q" + "~" + MIXED[:34],
    "Azure signature": "sig=" + MIXED[:40] + "%3D",
    "Databricks": "dapi" + HEX[:32],
    "Discord bot": "M" + MIXED[:25] + "." + "GabcDE" + "." + MIXED[:27],
    "Discord webhook": "https://discord.com/api/webhooks/" + "123456789012345678/" + MIXED[:68],
    "Docker": "dckr_" + "pat_" + MIXED[:27],
    "Fly": "FlyV1 " + "fm2_" + MIXED[:80],
    "Grafana": "glsa_" + MIXED[:32] + "_" + HEX[:8],
    "Groq": "gsk_" + MIXED[:20] + "WGdyb3FY" + MIXED[:20],
    "Heroku": "HRKU-" + MIXED[:60],
    "Linear": "lin_" + "api_" + MIXED[:40],
    "Mailchimp": HEX[:32] + "-us12",
    "Mailgun": "key-" + HEX[:32],
    "New Relic": "NRAK-" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0",
    "Notion": "ntn_" + "123456789" + MIXED[:36],
    "Notion, old": "secret_" + MIXED[:43],
    "OpenRouter": "sk-or-" + "v1-" + HEX,
    "PlanetScale": "pscale_" + "tkn_" + MIXED[:43],
    "Postman": "PMAK-" + HEX[:24] + "-" + HEX[:34],
    "Pulumi": "pul-" + HEX[:40],
    "Replicate": "r8_" + MIXED[:37],
    "RubyGems": "rubygems_" + HEX[:48],
    "SendGrid": "SG." + MIXED[:22] + "." + MIXED[:43],
    "Sentry": "sntrys_" + "eyJ" + MIXED,
    "Shopify": "shpat_" + HEX[:32],
    "Square": "sq0" + "atp-" + MIXED[:22],
    "Supabase": "sbp_" + HEX[:40],
    "Telegram": "1234567890:" + "AA" + MIXED[:33],
    "Terraform": "abcDEF01234567.atlasv1" + "." + MIXED[:67],
    "Twilio": "SK" + HEX[:32],
    "Vault": "hvs." + MIXED,
    "age": "AGE-SECRET-" + "KEY-1" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "xAI": "xai-" + MIXED[:80],
}


@pytest.mark.parametrize("key", MAKERS.values(), ids=list(MAKERS))
def test_a_makers_token_is_known_as_a_word(key: str) -> None:
    """By the public table or by our own; the words around it stay."""
    text = redacted(f"it is {key} of ops")
    assert text.startswith("it is ")
    assert text.endswith("] of ops")
    assert key[-20:] not in text


def test_names_and_hashes_are_no_tokens() -> None:
    """What shares a beginning with a token."""
    for text in ("SKU-1", "dapi-doc", "M.method.call", "xai-org/grok", "sig=off", "pul-request", HEX[:40]):
        assert redacted(text) == text
