"""By which formats are the tokens and keys of their makers known?

Rule: the fixed beginning, alphabet and length that a maker documents, as a word of its own; what has no such form
(a password, a key of 32 hex digits) is known by its name, or by the program, header or setting that it stands behind
(text/redaction.py decides how such a value must look). Source: requirement J10; the formats are those that the
makers document.
"""

import functools
import re

EDGE = r"(?<![A-Za-z0-9_])"
END = r"(?![A-Za-z0-9_])"
FORMATS = (
    (
        "private key",
        "PRIVATE",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----BEGIN).)*?(?:-----END[^-\n]{0,60}-----|(?=-----BEGIN)|\Z)",
    ),
    (
        "private key",
        "PuTTY-User Private-Lines",
        r"(?:PuTTY-User-Key-File-\d:[^\\\n]{1,60}(?:\s|\\[rn])+Encryption:"
        r"|Private-Lines:\s?\d+(?:\s|\\[rn])+(?=[A-Za-z0-9+/]{20}))"
        r"(?:(?!PuTTY-User-Key).)*?(?:Private-(?:MAC|Hash):\s?[0-9a-f]{1,128}|(?=PuTTY-User-Key)|\Z)",
    ),
    ("age key", "AGE-SECRET", rf"{EDGE}AGE-SECRET-KEY-1[0-9A-Z]{{58}}"),
    ("AWS key", "AKIA ASIA ABIA ACCA", rf"{EDGE}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{END}"),
    (
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{EDGE}(?:gh[pousr]_[A-Za-z0-9]{{30,255}}|github_pat_[A-Za-z0-9_]{{22,255}})",
    ),
    (
        "GitLab token",
        "glpat- gldt- glrt- glft- glptt- glsoat- glcbt- glimt- glagent- gloas- glffct-",
        rf"{EDGE}gl(?:pat|dt|rt|ft|ptt|soat|cbt|imt|agent|oas|ffct)-[A-Za-z0-9_-]{{20,300}}",
    ),
    ("Slack token", "xox xapp-", rf"{EDGE}(?:xox[abeoprs]-[A-Za-z0-9-]{{10,250}}|xapp-\d-[A-Za-z0-9-]{{10,250}})"),
    ("Slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{20,120}"),
    (
        "Stripe key",
        "k_live_ k_test_ whsec_",
        rf"{EDGE}(?:[sr]k_(?:live|test)_[A-Za-z0-9]{{10,250}}|whsec_[A-Za-z0-9+/=]{{24,250}})",
    ),
    ("Google key", "AIza GOCSPX ya29.", rf"{EDGE}(?:AIza[\w-]{{35}}|GOCSPX-[\w-]{{20,60}}|ya29\.[\w-]{{20,400}})"),
    ("Anthropic key", "sk-ant-", rf"{EDGE}sk-ant-[\w-]{{20,250}}"),
    ("OpenAI key", "sk-", rf"{EDGE}sk-(?:(?:proj|svcacct|admin|None)-[\w-]{{20,250}}|[A-Za-z0-9]{{32,64}}{END})"),
    ("npm token", "npm_", rf"{EDGE}npm_[A-Za-z0-9]{{36}}{END}"),
    ("PyPI token", "pypi-", rf"{EDGE}pypi-AgEI[\w-]{{30,300}}"),
    ("Hugging Face token", "hf_", rf"{EDGE}hf_[A-Za-z0-9]{{30,60}}{END}"),
    ("SendGrid key", "SG.", rf"{EDGE}SG\.[\w-]{{16,40}}\.[\w-]{{20,80}}"),
    ("Vault token", "hvs. hvb. hvr.", rf"{EDGE}hv[sbr]\.[\w-]{{24,300}}"),
    ("DigitalOcean token", "_v1_", rf"{EDGE}do[opr]_v1_[a-f0-9]{{64}}{END}"),
    ("Shopify token", "shpat_ shpss_ shpca_ shppa_", rf"{EDGE}shp(?:at|ss|ca|pa)_[a-fA-F0-9]{{32}}{END}"),
    ("password hash", "$apr1$", r"\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    ("Telegram token", ":AA", rf"{EDGE}\d{{8,10}}:AA[\w-]{{33}}{END}"),
    ("JWT", "eyJ", rf"{EDGE}eyJ[\w-]{{8,4000}}\.eyJ[\w-]{{4,4000}}\.[\w-]{{8,1000}}"),
)
"""What it is, what cannot be missing from it (one of these), and how it looks."""

MAKERS = (
    ("Databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    ("Atlassian token", "ATATT", r"ATATT[\w=-]{20,400}"),
    ("Grafana token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    ("Supabase token", "sbp_", r"sbp_[a-f0-9]{40}"),
    ("OpenRouter key", "sk-or-", r"sk-or-v1-[a-f0-9]{64}"),
    ("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,80}"),
    ("xAI key", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    ("Replicate token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    ("Docker token", "dckr_", r"dckr_[po]at_[\w-]{20,60}"),
    ("Mailgun key", "key-", r"key-[a-f0-9]{32}"),
    ("Mailchimp key", "-us", r"[a-f0-9]{32}-us\d{1,2}"),
    ("Discord webhook", "/api/webhooks/", r"https://discord(?:app)?\.com/api/webhooks/\d{10,25}/[\w-]{40,100}"),
    ("Discord token", ".", r"[MNO](?=[\w-]{0,24}\d)[\w-]{22,27}\.[\w-]{6,7}\.(?=[\w-]{0,24}\d)[\w-]{27,40}"),
    ("Azure client secret", "Q~", r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
    ("Azure signature", "sig=", r"sig=(?=[\w%+/-]{0,60}\d)[\w%+/-]{30,100}=?"),
    ("Twilio key", "SK", r"SK[0-9a-f]{32}"),
    ("Square token", "sq0", r"sq0(?:atp|csp)-[\w-]{22,43}"),
    ("Notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,60}"),
    ("Notion token", "secret_", r"secret_[A-Za-z0-9]{43}"),
    ("Linear key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    ("Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}|PMAK-[A-Za-z0-9]{24}-[A-Za-z0-9]{34}"),
    ("New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    ("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}"),
    ("RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    ("Pulumi token", "pul-", r"pul-[a-f0-9]{40}"),
    ("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}"),
    ("Heroku key", "HRKU-", r"HRKU-[\w-]{30,80}"),
    ("Fly token", "FlyV1", r"FlyV1 [\w+/=,-]{40,4000}"),
    ("Sentry token", "sntry", r"sntry[su]_[\w+/=-]{40,300}"),
    ("Sentry key", "@", r"(?<=https://)[a-f0-9]{32}(?=(?::[a-f0-9]{32})?@)"),
)
"""The same of makers whose tokens stand as a word of their own; one beginning each."""


ROWS = (
    *((name, tuple(hints.split()), pattern) for name, hints, pattern in FORMATS),
    *((name, (hint,), f"{EDGE}(?:{pattern}){END}") for name, hint, pattern in MAKERS),
)
"""All of them: what it is, words of which one stands in it, the pattern."""


OWNERS = ("api", "app", "access", "account", "auth", "encryption", "signing", "private", "master")
NAMED = (
    r"(?:(?i:pass(?:wor[dt]|wd|phrase)?|secret(?:[_ -]?(?:access[_ -]?)?key)?(?:[_ ]base)?|token|credentials?"
    rf"|(?:{'|'.join(f'(?<={owner})|(?<={owner}[_ -])' for owner in OWNERS)})key)"
    r"|[Pp]wd|(?<=[_-])(?:PWD|P[Ww]|pw))"
)
"""How a name of a secret ends; what stands before it says nothing more, but for a key."""
TOLD = (
    (
        "credentials",
        ("bearer", "basic", "ssws", "authorization"),
        "random",
        r"(?P<name>(?i:\b(?:bearer|basic|ssws|authorization:\s{0,3}\w{1,20})\s{1,3}))(?P<bare>[\w+/=.~-]{16,4000})",
    ),
    (
        "cookie",
        ("cookie:",),
        "cookie",
        r"(?P<name>(?i:\bcookie:)\s{0,3})(?P<bare>[\w.-]{1,60}=[^\s;\"']{12,2000}(?:;[^\n\"']{0,2000})?)",
    ),
    (
        "password",
        ("curl",),
        "any",
        r"(?P<name>\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[\w.@-]{1,60}:)(?P<bare>[^\s\"'`]{3,200})",
    ),
    (
        "password",
        ("mysql", "mariadb"),
        "any",
        r"(?P<name>\b(?:mysql|mariadb)\w{0,10}\b[^\n|]{0,200}?\s-p[\"']?)(?P<bare>[^\s\"'-][^\s\"']{2,100})",
    ),
    ("password", ("sshpass",), "any", r"(?P<name>\bsshpass\s{1,3}-p\s{0,3}[\"']?)(?P<bare>[^\s\"']{3,100})"),
    (
        "password",
        ("jdbc:oracle", "sqlplus", "sqlldr", "expdp", "impdp"),
        "any",
        r"(?P<name>\b(?:jdbc:oracle:\w{1,10}:|(?:sqlplus|sqlldr|expdp|impdp)\b[^\n@]{0,40}?[\s=])[\w$#.-]{1,30}/)"
        r"(?P<bare>[^\s@\"'/][^\s@\"']{2,100})(?=@)",
    ),
    (
        "credentials",
        ("auth",),
        "random",
        r"(?P<name>[\"']auth\\{0,4}[\"']\s{0,3}:\s{0,3}\\{0,4}[\"']|(?<![A-Za-z0-9])_auth[ \t]{0,3}=[ \t]{0,3}[\"']?)"
        r"(?P<bare>[A-Za-z0-9+/]{12,4000}={0,2})(?![\w+/=])",
    ),
    (
        "secret",
        ("value",),
        "any",
        rf"(?P<name>\bname\\{{0,4}}[\"']?:\s{{0,3}}\\{{0,4}}[\"']?[\w.-]{{0,60}}{NAMED}\\{{0,4}}[\"']?"
        r",?(?:\s|\\n){1,40}\\{0,4}[\"']?value\\{0,4}[\"']?:\s{0,3}\\{0,4}[\"']?)(?P<bare>[^\s\"'\\]{4,400})",
    ),
)
"""What it is, words of which one stands in it (lower case), how the value must look, name and value."""


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a hint of it is seen: most texts hold none, and all of them would take longer than a start has."""
    return re.compile(pattern, re.DOTALL)
