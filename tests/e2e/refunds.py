"""A scripted session about refunds in a payment service, and what somebody who goes on with it has to know.

Two windows. Rules, decisions, failures, errors, plan and numbers are planted in the words of the user, in what the
assistant says and in what its calls do, among talk that nobody needs again.
"""

import textwrap

from client import Sandbox
from loopback import call
from stories import Planted, Turn, bash, chatter, file, plant, repository, script, status, task, turn, write

FAILING = "AssertionError: expected 1250 cents, got 1249 in test_partial_refund_rounds_down"
SCHEMA_ERROR = "TypeError: RefundEntry.__init__() missing 1 required argument: currency"
GATEWAY_ERROR = "ConnectionError: gateway sandbox refused port 8443"


def prepare(sandbox: Sandbox) -> None:
    """The project before the session."""
    repository(sandbox)
    file(sandbox, "src/ledger/legacy_export.py", "ROWS = 500\n")
    file(sandbox, "src/refunds/gateway.py", "RETRIES = 3\nPORT = 8443\n")
    fails = f"echo 'tests/test_refunds.py F'; echo 'E   {FAILING}'; echo '1 failed, 41 passed'; exit 1"
    script(sandbox, "scripts/test", f"if grep -q floor src/refunds/engine.py; then echo '42 passed'; else {fails}; fi")
    script(sandbox, "scripts/check", f"echo '{SCHEMA_ERROR}'; exit 1")
    script(sandbox, "scripts/probe", f"echo '{GATEWAY_ERROR}'; exit 2")


def first_window(sandbox: Sandbox) -> list[Turn]:
    """Seven prompts; the window is full at the end of the last."""
    engine, plan = sandbox.project / "src/refunds/engine.py", sandbox.project / "docs/plans/refunds.md"
    gateway = sandbox.project / "src/refunds/gateway.py"
    return [
        turn(
            "Add partial refunds to the payment service: POST /v2/refunds. Amounts are integers in cents, never floats."
            " Always write the changelog entry in the same commit. It must stay compatible with mobile client 4.1.7.",
            (
                "I'll look at the service first.\n" + chatter("ledger", 30),
                call("Read", file_path=str(sandbox.project / "src/ledger/legacy_export.py")),
            ),
            ("The export reads 500 rows at a time.", call("Read", file_path=str(gateway))),
            (
                task("Write the refund engine"),
                task("Add the migration 0042 for refund_entries"),
                task("Wire POST /v2/refunds into the router"),
                task("Load-test the endpoint at 120 requests per second"),
                task("Port the refund widget to the old admin panel"),
            ),
            "DECISION: refunds get a table refund_entries of their own instead of columns in payments, because one "
            "payment may have up to 25 refunds.\nShall I start with the engine?",
        ),
        turn(
            "yes, go ahead. Don't touch src/ledger/legacy_export.py, the auditors have signed it off.",
            status(1, "in_progress"),
            write(engine, "def refund(cents: int) -> int:\n    return round(cents)\n"),
            write(sandbox.project / "migrations/0042_refund_entries.sql", "CREATE TABLE refund_entries (id INT);\n"),
            status(1, "completed"),
            status(2, "completed"),
            bash("git add -A src migrations && git commit -qm 'Add the refund engine and its table'"),
            "The engine and the migration stand.\n"
            + chatter("engine", 40)
            + "\n\nDECISION: idempotency keys of 128 bits because the gateway replays its webhooks.\n"
            "The retry limit of the gateway is 3 now.",
        ),
        turn(
            "No, that's wrong: the retry limit has to be 7, the gateway's contract says so.",
            call("Edit", file_path=str(gateway), old_string="RETRIES = 3", new_string="RETRIES = 7"),
            "Corrected: RETRIES is 7 in src/refunds/gateway.py.",
        ),
        turn(
            "From now on use httpie instead of curl when you try the endpoint, curl is blocked by our proxy.",
            status(3, "in_progress"),
            bash("scripts/probe https://sandbox.gateway.example:8443"),
            "The sandbox refuses the connection, so I go on without it.\n"
            "DECISION: optimistic locking over row locks since the ledger is read from a replica.\n"
            + chatter("router", 40),
        ),
        turn(
            "How is the rounding done?",
            "FAILED: rounding with Decimal.quantize, because the gateway truncates at the second place.\n"
            "FAILED: caching the exchange rates in Redis, the cluster evicts them after 90 seconds.\n"
            "FAILED: a database trigger for the totals, rolled back because replication lagged by 12 seconds.",
        ),
        turn(
            "Forget about the admin panel widget, we no longer need it. Write the plan down.",
            status(5, "deleted"),
            write(plan, "# Refunds\n\n- [x] engine\n- [ ] router\n- [ ] load test\n- [ ] announce to mobile team\n"),
            "The plan stands in docs/plans/refunds.md.\n"
            "Lesson: the staging database resets at 04:30 UTC, so seed it again.",
        ),
        turn(
            "Run the tests and go on with the router. Please keep the p95 latency under 180 ms.",
            bash("scripts/check types"),
            (
                "TODO: tell the mobile team about the new error code REFUND_LIMIT_REACHED.\n" + chatter("check", 20),
                bash("scripts/test"),
            ),
            "One test fails: the engine rounds up. Next I'll floor the amount in engine.py and run the tests again.",
            fills=True,
        ),
    ]


FIRST: dict[str, list[Planted]] = {
    "rules": [
        plant("Amounts are integers in cents, never floats"),
        plant("Always write the changelog entry in the same commit"),
        plant("must stay compatible with mobile client 4.1.7"),
        plant("Don't touch src/ledger/legacy_export.py"),
        plant("use httpie instead of curl"),
        plant("p95 latency under 180 ms"),
        plant("the retry limit has to be 7"),
        plant("Forget about the admin panel widget"),
    ],
    "decisions": [
        plant("refund_entries of their own", "because one payment may have up to 25 refunds"),
        plant("idempotency keys of 128 bits", "because the gateway replays"),
        plant("optimistic locking over row locks", "since the ledger is read from a replica"),
    ],
    "failed approaches": [
        plant("rounding with Decimal.quantize", "gateway truncates"),
        plant("exchange rates in Redis", "evicts them after 90 seconds"),
        plant("database trigger", "rolled back", "12 seconds"),
    ],
    "lessons": [
        plant("resets at 04:30 UTC"),
        plant("REFUND_LIMIT_REACHED"),
    ],
    "goal": [plant("Add partial refunds to the payment service: POST /v2/refunds")],
    "files": [
        plant("src/refunds/", "engine.py"),
        plant("gateway.py"),
        plant("0042_refund_entries.sql"),
        plant("docs/plans/refunds.md"),
        plant("Add the refund engine and its table"),
    ],
}
"""What holds to the end of the session, once it has been said."""

FIRST_STATE = {
    "errors": [
        plant("scripts/test", FAILING),
        plant("scripts/check types", SCHEMA_ERROR),
        plant("scripts/probe", GATEWAY_ERROR),
    ],
    "plan": [
        plant("done:", "Write the refund engine"),
        plant("done:", "Add the migration 0042 for refund_entries"),
        plant("in progress: Wire POST /v2/refunds into the router"),
        plant("planned: Load-test the endpoint at 120 requests per second"),
        plant("dropped:", "Port the refund widget to the old admin panel"),
    ],
    "step": [
        plant("Next I'll floor the amount in engine.py"),
        plant("Run the tests and go on with the router"),
    ],
}
"""How things stand at the first compaction."""


def second_window(sandbox: Sandbox) -> list[Turn]:
    """Five prompts more, and the window is full again."""
    engine = sandbox.project / "src/refunds/engine.py"
    return [
        turn(
            "go on",
            call("Read", file_path=str(engine)),
            call("Edit", file_path=str(engine), old_string="round(cents)", new_string="math.floor(cents)"),
            bash("scripts/test"),
            status(3, "completed"),
            status(4, "in_progress"),
            write(sandbox.project / "bench/refund_load.js", "export const RATE = 120;\n"),
            "All 42 tests pass and the router is wired.\n" + chatter("load", 40),
        ),
        turn(
            "Never log card numbers, not even masked. And you must ask me before any migration is run on staging.",
            "Understood.\nDECISION: no queue for the payouts because ordering per customer would be lost.",
        ),
        turn(
            "What about currencies?",
            (task("Add currency to RefundEntry"), task("Translate the refund mails")),
            "DECISION: amounts carry an ISO 4217 code, because 3 of 14 merchants sell in two currencies.\n"
            "FAILED: inferring the currency from the merchant's country, because Swiss merchants bill in euros.\n"
            + chatter("currency", 40),
        ),
        turn(
            "That's not right: the limit is 40 refunds per payment, not 25.",
            write(sandbox.project / "src/refunds/limits.py", "MAX_REFUNDS = 40\n"),
            "MAX_REFUNDS is 40 now.",
        ),
        turn(
            "Skip the translation of the mails. Then go on with the load test.",
            status(7, "deleted"),
            ("The load test is next: I'll start with 60 requests per second.", bash("k6 run bench/refund_load.js")),
            fills=True,
        ),
    ]


SECOND = {
    "rules": [
        plant("Never log card numbers"),
        plant("you must ask me before any migration is run on staging"),
        plant("the limit is 40 refunds per payment, not 25"),
        plant("Skip the translation of the mails"),
    ],
    "decisions": [
        plant("no queue for the payouts", "because ordering per customer"),
        plant("ISO 4217", "because 3 of 14 merchants"),
    ],
    "failed approaches": [plant("Inferring the currency", "because Swiss merchants bill in euros")],
    "files": [
        plant("src/refunds/", "limits.py"),
        plant("bench/refund_load.js"),
    ],
    "errors": [
        plant("scripts/test", "42 passed"),
        plant("scripts/check types", SCHEMA_ERROR),
        plant("scripts/probe", GATEWAY_ERROR),
        plant("k6 run bench/refund_load.js", "not found"),
    ],
    "plan": [
        plant("done:", "Write the refund engine"),
        plant("done:", "Add the migration 0042 for refund_entries"),
        plant("done:", "Wire POST /v2/refunds into the router"),
        plant("in progress: Load-test the endpoint at 120 requests per second"),
        plant("planned: Add currency to RefundEntry"),
        plant("dropped:", "Port the refund widget to the old admin panel"),
        plant("dropped:", "Translate the refund mails"),
    ],
    "step": [
        plant("start with 60 requests per second"),
        plant("Then go on with the load test"),
    ],
}
"""What the second window adds, and how things stand at its end."""

MARKS = ("DECISION: ", "FAILED: ", "Lesson: ", "TODO: ")


def faithful(turns: list[Turn]) -> str:
    """A summary of the first window that leaves nothing out: requests and marked lines, wrapped, then the rest."""
    texts = [part for told in turns for step in told.steps for part in step if isinstance(part, str)]
    lines = [line for text in texts for line in text.splitlines() if line.startswith(MARKS)]
    said = textwrap.fill(
        " ".join([*(told.prompt for told in turns), *(line.partition(": ")[2] for line in lines)]), 120
    )
    return f"""<summary>
1. Primary Request, rules, decisions, failed approaches, lessons:
{said}
2. Files: src/refunds/engine.py, src/refunds/gateway.py (RETRIES is 7), migrations/0042_refund_entries.sql,
docs/plans/refunds.md; committed as "Add the refund engine and its table".
3. Errors, still open: scripts/test: {FAILING}; scripts/check types: {SCHEMA_ERROR}; scripts/probe: {GATEWAY_ERROR}
4. Plan. done: Write the refund engine; Add the migration 0042 for refund_entries
in progress: Wire POST /v2/refunds into the router
planned: Load-test the endpoint at 120 requests per second
dropped: Port the refund widget to the old admin panel
5. Current Work: One test fails: the engine rounds up. Next I'll floor the amount in engine.py and run the tests again.
</summary>"""
