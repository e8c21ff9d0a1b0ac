"""The log of what went wrong in hooks: `logs/faults.log`, which `holdfast doctor` shows."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from holdfast import errors
from holdfast.hot import paths, provenance
from holdfast.hot.files import append_capped, make_folder
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InState
from holdfast.session import compiled
from holdfast.text.lines import one_line

KEPT = 200  # lines


@contextlib.contextmanager
def logged(name: str) -> Iterator[None]:
    """A fault in here goes into the log of faults; the event goes on."""
    try:
        yield
    except Exception:  # noqa: BLE001 - see above
        log_current_fault(name)


def log_current_fault(name: str, raw: bytes = b"") -> None:
    """Write the exception being handled to the fault log; silent when even that fails. A torn compiled file goes."""
    kind, value, trace = sys.exc_info()
    compiled.drop_torn(trace)
    try:
        cwd = loads_object(raw).get("cwd")
        cwd = cwd if isinstance(cwd, str) else ""
        folder, project = paths.state_folder(cwd), paths.project_folder(cwd)
        if provenance.has_gone(project, folder) or provenance.leads_out(project, folder):
            return
        make_folder(folder)
        provenance.private_folder(f"{folder}/logs")
        line = f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {name} {_describe(kind, value, trace)}"
        append_capped(f"{folder}/{InState.FAULTS}", line, KEPT)
    except Exception:  # noqa: BLE001, S110 - a full disk or a read-only folder: nowhere left to tell it
        pass


def _describe(kind: Any, value: Any, trace: Any) -> str:
    """One line: what, and for our own faults the innermost place in our code and the interpreter."""
    from holdfast.text.redaction import redacted  # only a fault pays for it

    what = one_line(redacted(str(value)), 500)
    if isinstance(value, errors.BadInput):
        return f"bad input: {what}"
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place, trace = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} {code.co_name}", trace.tb_next
    return f"{getattr(kind, '__name__', 'fault')}: {what} at {place} (Python {sys.version.split()[0]})"
