#!/usr/bin/env python3
"""Measure the token gate: how many texts over the limit pass, how many within it are stopped.

usage: bench_gate.py [FOLDER ...] [--limit N] [--most N] [--json]

Texts of 300 to 900 tokens are cut from the Markdown and prose files of this repository and of the folders given.
The truth is `ctok`, a reconstruction of Claude's tokenizer (Python 3.12 or later: `pip install ctok`). The gate is
judged as the hooks use it: with the vendored ranks near the limit, and by the estimate alone.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "hooks"))

from holdfast.text import tokenizer, tokens  # noqa: E402 - it is found only now

ENDINGS = (".md", ".markdown", ".rst", ".txt")
OWN = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "protocols", "subagents", "skills", "examples")
PIECES = 12  # of one file, so that no long file stands for all
SMALLEST, LARGEST = 300, 900
SIZES = (900, 1_300, 1_500, 1_700, 2_100)  # characters; about 330 to 850 tokens
FRAME = 6  # tokens that ctok counts for the message around a text


def main(argv: list[str] | None = None) -> int:
    """Print the shares; 2 when the reference is missing, 1 when too many pass."""
    options = _options(argv)
    try:
        import ctok
    except ImportError:
        print(
            "bench_gate: the package ctok is missing; it needs Python 3.12 or later: pip install ctok", file=sys.stderr
        )
        return 2

    def truth(text: str) -> int:
        return int(ctok.token_count(text, "5")) - FRAME

    texts = list(_sized(_texts([*(ROOT / name for name in OWN), *options.folders], options.most), truth))
    gates = {
        "counted near the limit": tokenizer.counter(),
        "estimated": None,
    }
    rows: list[dict[str, Any]] = [
        {"gate": name, **_judge(texts, options.limit, count)} for name, count in gates.items()
    ]
    if options.json:
        print(json.dumps({"texts": len(texts), "limit": options.limit, "gates": rows}, indent=2))
    else:
        for row in rows:
            print(
                f"{row['gate']}: {row['passed_though_over']} of {row['over']} over {options.limit} pass "
                f"({row['share_passed']:.1%}), {row['stopped_though_within']} of {row['within']} within it are "
                f"stopped ({row['share_stopped']:.1%})"
            )
    return 0 if texts and rows[0]["share_passed"] <= 0.05 else 1


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the token gate against ctok.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="more texts to take")
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--most", type=int, default=400, help="files to take texts from (default 400)")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(argv)


def _texts(places: list[Path], most: int) -> Iterator[str]:
    """Pieces of files, cut at paragraphs, their sizes going round."""
    files = [file for place in places for file in sorted(place.rglob("*") if place.is_dir() else [place])]
    turn = 0
    for file in [file for file in files if file.suffix in ENDINGS and file.is_file()][:most]:
        for piece in _pieces(file.read_text(encoding="utf-8", errors="replace"), SIZES[turn % len(SIZES)]):
            turn += 1
            yield piece


def _pieces(text: str, size: int) -> Iterator[str]:
    """Runs of whole paragraphs of about `size` characters, at most PIECES."""
    piece, made = "", 0
    for paragraph in text.split("\n\n"):
        piece = f"{piece}\n\n{paragraph}".strip()
        if len(piece) >= size:
            yield piece[: 2 * size]
            piece, made = "", made + 1
            if made == PIECES:
                return


def _sized(texts: Iterator[str], truth: Callable[[str], int]) -> Iterator[tuple[str, int]]:
    for text in texts:
        size = truth(text)
        if SMALLEST <= size <= LARGEST:
            yield text, size


def _judge(texts: list[tuple[str, int]], limit: int, count: Callable[[str], int] | None) -> dict[str, float]:
    passed = [(size, tokens.within(text, limit, count)) for text, size in texts]
    over, within = [ok for size, ok in passed if size > limit], [ok for size, ok in passed if size <= limit]
    return {
        "over": len(over),
        "passed_though_over": sum(over),
        "share_passed": sum(over) / max(1, len(over)),
        "within": len(within),
        "stopped_though_within": len(within) - sum(within),
        "share_stopped": 1 - sum(within) / max(1, len(within)),
    }


if __name__ == "__main__":
    sys.exit(main())
