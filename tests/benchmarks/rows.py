"""Rows of a transcript, as bytes: what the tests of the readers' benchmarks share."""

import json


def row(kind: str, content: object, **fields: object) -> bytes:
    """What user or assistant said."""
    return json.dumps({"type": kind, "message": {"role": kind, "content": content}, **fields}).encode() + b"\n"


BOUNDARY = json.dumps({"type": "system", "subtype": "compact_boundary", "content": "Compacted"}).encode() + b"\n"
