import pytest

from holdfast.text import secret_patterns

HEX = "0123456789abcdef" * 4
MIXED = "abcDEF0123456789" * 6
KEYS = {
    "Databricks token": "dapi" + HEX[:32],
    "Atlassian token": "ATATT" + "3x" + MIXED[:60],
    "Grafana token": "glsa_" + MIXED[:32] + "_" + HEX[:8],
    "Supabase token": "sbp_" + HEX[:40],
    "OpenRouter key": "sk-or-" + "v1-" + HEX,
    "Groq key": "gsk_" + MIXED[:52],
    "xAI key": "xai-" + MIXED[:80],
    "Replicate token": "r8_" + MIXED[:37],
    "Docker token": "dckr_" + "pat_" + MIXED[:27],
    "Mailgun key": "key-" + HEX[:32],
    "Mailchimp key": HEX[:32] + "-us12",
    "Discord webhook": "https://discord.com/api/webhooks/" + "123456789012345678/" + MIXED[:68],
    "Discord token": "M" + MIXED[:25] + "." + "GabcDE" + "." + MIXED[:27],
    "Azure client secret": "abc8Q" + "~" + MIXED[:34],
    "Azure signature": "sig=" + MIXED[:40] + "%3D",
    "Twilio key": "SK" + HEX[:32],
    "Square token": "sq0" + "atp-" + MIXED[:22],
    "Notion token": "ntn_" + MIXED[:46],
    "Linear key": "lin_" + "api_" + MIXED[:40],
    "Postman key": "PMAK-" + HEX[:24] + "-" + HEX[:34],
    "New Relic key": "NRAK-" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0",
    "Terraform token": "abcDEF01234567.atlasv1" + "." + MIXED[:60],
    "RubyGems key": "rubygems_" + HEX[:48],
    "Pulumi token": "pul-" + HEX[:40],
    "PlanetScale token": "pscale_" + "tkn_" + MIXED[:43],
    "Heroku key": "HRKU-" + MIXED[:36],
    "Fly token": "FlyV1 " + "fm2_" + MIXED[:80],
    "Sentry token": "sntrys_" + MIXED[:60],
    "Sentry key": HEX[:32],
}


def found(text: str) -> list[str]:
    """The names of the rows that find something."""
    hinted = (row for row in secret_patterns.ROWS if any(hint in text for hint in row[1]))
    return [name for name, _, pattern in hinted if secret_patterns.compiled(pattern).search(text)]


@pytest.mark.parametrize(("name", "key"), KEYS.items(), ids=list(KEYS))
def test_a_makers_token_is_known_as_a_word(name: str, key: str) -> None:
    """By its row alone; in the middle of a longer word it is none."""
    text = f"https://{key}@o1.ingest.sentry.io/1" if name == "Sentry key" else f"it is {key} of ops"
    assert found(text) == [name]
    assert name not in found(f"it is abc{key}")


def test_each_maker_has_its_example() -> None:
    """So that no row stands untried."""
    assert {name for name, _, _ in secret_patterns.MAKERS} == set(KEYS)


def test_names_and_hashes_are_no_tokens() -> None:
    """What shares a beginning with a token."""
    for text in ("SKU-1", "key-value", "dapi-doc", "M.method.call", "xai-org/grok", "sig=off", "pul-request", HEX[:40]):
        assert found(text) == []
