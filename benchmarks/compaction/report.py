"""The part of `holdfast bench duel` on sessions that were compacted more than once."""

from typing import Any

from benchmarks.compaction import chain
from holdfast.cli.output import emit_table
from holdfast.compaction import fidelity


def figures(sessions: list[list[chain.Link]]) -> dict[str, Any]:
    """{pairs, facts, rows, prompts} of the sessions with two compactions or more; {} when there is none."""
    chains = [session for session in sessions if len(session) > 1]
    if not chains:
        return {}
    found = chain.tallies(chains)
    return {
        "pairs": sum(len(session) - 1 for session in chains),
        "facts": sum(found[0].counts.values()),
        "rows": [{"name": one.name, "after": one.after, **one.counts} for one in found],
        "prompts": [{"name": one.name, **_rounded(one)} for one in chain.prompts(chains)],
    }


def _rounded(kept: chain.Prompts) -> dict[str, float | None]:
    shares = {"first": kept.first, "later": kept.later, "earlier": kept.earlier}
    return {name: None if share is None else round(share, 3) for name, share in shares.items()}


def show(found: dict[str, Any]) -> None:
    """Print both tables."""
    print(
        f"\n{found['facts']} facts that stood before each of {found['pairs']} pairs of compactions, after one and both"
    )
    rows = [(row["name"], str(row["after"]), *(str(row[name]) for name in fidelity.VERDICTS)) for row in found["rows"]]
    emit_table([("", "after", *fidelity.VERDICTS), *rows])
    print("\nprompts kept in these sessions")
    shares = [(row["name"], *(_cell(row[key]) for key in ("first", "later", "earlier"))) for row in found["prompts"]]
    emit_table([("", "first compaction", "later ones", "of windows before"), *shares])


def _cell(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"
