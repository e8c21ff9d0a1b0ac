"""When a decision replaces an older one, and when it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.memory.conflicts import Choice, replaces

REPLACED = {
    "another choice for the same purpose": ("use SQLite for the session store", "use Postgres for the session store"),
    "the old choice is put aside": (
        "we will use SQLite for the session store",
        "switch to Postgres instead of SQLite, the session store outgrew it",
    ),
    "no longer": ("chose JWT for the login cookie", "the login cookie is no longer a JWT; it is an opaque id"),
    "another number": ("Sessions expire after 30 minutes", "Sessions expire after 15 minutes"),
    "the old choice had no purpose": ("We will use MongoDB", "We will use PostgreSQL instead of MongoDB"),
    "from one to another": ("Use React for the UI", "Switch the UI from React to Svelte"),
    "not any more": ("Use Postgres for orders", "Do not use Postgres for orders any more; MySQL it is"),
    "another place": ("Store sessions in Redis", "Store sessions in Postgres instead of Redis"),
    "a name with a dot": ("Use Node.js for the gateway", "Use Go instead of Node.js for the gateway"),
    "another count": ("Retry 3 times on timeouts of the mailer", "Retry 5 times on timeouts of the mailer"),
    "it lives elsewhere": ("Sessions live in Redis", "Sessions live in PostgreSQL now instead of Redis"),
    "it is kept elsewhere": ("Secrets are kept in Vault", "Secrets are kept in SOPS, no longer in Vault"),
    "it is replaced": ("Use MongoDB for orders", "MongoDB is replaced by PostgreSQL for orders"),
    "it is replaced, said later": ("Use MongoDB for orders", "Too slow, the MongoDB is replaced by MySQL for orders"),
    "doubt in another sentence": (
        "use SQLite for the session store",
        "It would lock if load grew. Use Postgres for the session store",
    ),
    "another verb": ("going with Redis for the job queue", "settled on RabbitMQ for the job queue"),
}
BESIDE = {
    "another purpose": ("use SQLite for the session store", "use Postgres for the order history"),
    "another subject": ("sessions expire after 30 minutes", "tokens expire after 15 minutes"),
    "the same again": ("use SQLite for the session store", "Use SQLite for the session store."),
    "a detail of it": ("use SQLite for the session store", "use SQLite with WAL for the session store"),
    "the thing put aside was never chosen": ("use Redis for the queue", "use Postgres instead of MySQL for the ledger"),
    "the same of another thing": ("shard0 gets 3 replicas of the ledger", "shard1 gets 3 replicas of the ledger"),
    "two numbers": ("service 1 listens on port 8080 here", "service 2 listens on port 9090 here"),
    "two things in one place": ("Store sessions in Redis", "Store rate limits in Redis"),
    "two things kept": ("Keep secrets in Vault", "Keep certificates in Vault"),
    "two tools": ("Use pytest for Python code", "Use ruff for Python code"),
    "two parts of a stack": ("Use TypeScript in the frontend", "Use Tailwind in the frontend"),
    "two conventions": ("Use ISO dates in the API", "Use snake case in the API"),
    "two helps": ("We use Docker for local development", "We use Makefile targets for local development"),
    "two stages": ("Stage 1 runs on spot machines", "Stage 2 runs on spot machines"),
    "two properties": ("Use HTTP/2 for the gateway", "Use gzip for the gateway"),
    "a part of it": ("We will use MongoDB", "Use SQLite instead of MongoDB for the tests"),
    "an old refusal": ("Do not use Redis for the queue", "Use Postgres for the queue, instead of Redis"),
    "put aside elsewhere": ("Use Redis for the queue", "Use Memcached instead of Redis for the cache"),
    "two ways": ("Use nightly dumps and a replica for the database", "Use Postgres for the database"),
    "two rules": ("never edit the generated files", "never touch the public API"),
    "if": ("Use sqlite as the database", "If load grows, use MySQL as the database"),
    "would": ("Use sqlite as the database", "It would be wrong to use MySQL as the database"),
    "against": ("Use Kafka as the queue", "We decided against: use RabbitMQ as the queue"),
    "considered": ("Use Kafka as the event bus", "We considered moving from Kafka, but keep Kafka as the event bus"),
    "a question": ("Use Kafka as the queue", "Should we use RabbitMQ as the queue?"),
    "the older was in doubt": ("If load grows, use MySQL as the database", "Use sqlite as the database"),
    "one word of the purpose": ("Use mocks for the payment API", "Use fakes rather than mocks for the mail API"),
    "another spelling": ("Use Postgres as the database", "Use PostgreSQL as the database"),
    "a part is replaced": ("Use MongoDB for orders", "The MongoDB driver for orders is replaced by motor"),
    "a part of it is replaced": ("Use MongoDB for orders", "The MongoDB driver is replaced by motor for orders"),
    "another thing lives elsewhere": ("Sessions live in Redis", "Carts live in PostgreSQL now instead of Redis"),
    "a mention without a word of replacing": ("retry five times on timeouts", "retries are logged with their count"),
}


@pytest.mark.parametrize(("old", "new"), REPLACED.values(), ids=list(REPLACED))
def test_a_newer_decision_replaces(old: str, new: str) -> None:
    """And only in this direction of time: the caller says which is newer."""
    assert replaces(Choice(new), Choice(old))


@pytest.mark.parametrize(("old", "new"), BESIDE.values(), ids=list(BESIDE))
def test_two_decisions_stand_side_by_side(old: str, new: str) -> None:
    """Where nothing says that one replaces the other."""
    assert not replaces(Choice(new), Choice(old))


def test_naming_the_id_is_enough() -> None:
    """With a word of replacing; a mere reference is none."""
    old = Choice("Cache for an hour", "DEC-2026-11-04-003")
    assert replaces(Choice("Cache nothing; this supersedes DEC-2026-11-04-003"), old)
    assert not replaces(Choice("The header follows from DEC-2026-11-04-003"), old)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_are_compared(one: str, other: str) -> None:
    """And nothing replaces itself."""
    assert replaces(Choice(one), Choice(other)) in (True, False)
    assert not replaces(Choice(one), Choice(one))
