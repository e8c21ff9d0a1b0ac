"""`holdfast memory write`: a model that the user names reads a session that left nothing marked."""

import argparse
import os
import time

from holdfast.cli.output import Output, aside
from holdfast.errors import BadInput, Fault
from holdfast.hot import paths
from holdfast.hot.files import read_bytes
from holdfast.llm import ask
from holdfast.memory import capture, hooks, writer
from holdfast.recall import passages
from holdfast.report import prices
from holdfast.session import folders, liveness, worklog
from holdfast.session.context import in_folder
from holdfast.session.event import from_fields
from holdfast.text import tokens
from holdfast.transcript.rows import LARGEST, parse_chunk


def run(args: argparse.Namespace) -> Output:
    """Raises BadInput for a model or a session that is none, or has nothing to read, Fault where the model fails."""
    ask.check(args.model, os.environ)
    state = paths.state_folder()
    folder = liveness.named(state, args.session)
    transcript = str(liveness.noted(folder).get("transcript") or "")
    if not os.path.isfile(transcript):
        raise BadInput("its transcript is gone", args.session, "Nothing can be read any more")
    session = in_folder(state, folder, min(folders.last_used(folder), time.time()))
    if not hooks.is_on(session):
        raise BadInput("the memory is switched off", "memory.mode", "See `holdfast config why memory.mode`")
    event = from_fields({"transcript_path": transcript, "session_id": os.path.basename(folder)}, "Stop")
    work = worklog.fold(event, session)
    rows = parse_chunk(read_bytes(transcript, LARGEST)).rows
    asked = writer.prompt(passages.of_rows(enumerate(rows, 1)))
    if not asked:
        raise BadInput("nobody has said anything in it", args.session, "Name another session")
    cost, bound = _cost(args.model, asked), "at most "
    if not args.yes:
        return Output({"model": args.model, **cost}, f"{_told(args.model, cost, bound)}; --yes asks it")
    seconds = float(session.config["judge.seconds"])
    model = ask.named(args.model, ask.Cap(1, int(cost["input"] or 0) + writer.ANSWER), seconds)
    aside(_told(args.model, cost, bound))
    answer = model.ask(asked, writer.ANSWER)
    spent = _cost(args.model, asked, answer)
    try:
        kept = capture.at_stop(session, writer.work_of(answer, work))
    except OSError as error:
        raise Fault(f"the memory cannot be used ({error.strerror})", state, "See `holdfast doctor`") from error
    told = f"{kept or 'nothing new to keep'}\n{_told(args.model, spent)}"
    return Output({"model": args.model, **spent, "kept": kept}, told)


def _cost(model: str, asked: str, answer: str | None = None) -> dict[str, float | None]:
    """Tokens, estimated, and dollars at list prices, None where they are not known; of no answer yet its bound."""
    sizes = {"input": tokens.estimate(asked), "output": writer.ANSWER if answer is None else tokens.estimate(answer)}
    price = prices.of(model.removeprefix("claude:"))
    return {**sizes, "dollars": prices.cost(price, sizes) if price else None}


def _told(model: str, cost: dict[str, float | None], most: str = "") -> str:
    dollars, by_login = cost["dollars"], "by your login; " * (model.partition(":")[0] == "claude")
    price = "no list price is known by that name"
    if dollars is not None:
        price = f"about ${dollars:.2f} at list prices of {prices.AS_OF}"
    return f"{model} reads about {cost['input']:,} tokens and writes {most}{cost['output']:,} ({by_login}{price})"
