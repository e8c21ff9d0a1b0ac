"""What does the agent itself let go?

Rule: requests on lines of their own in the newest answer (engine/assembly/disclosure.py reads them), by a block's id,
by what it is about ("Read src/api.py") or by that argument alone. They are granted at once, however full the window
is, as an eviction: archive first, placeholder in place, the call's long inputs with their result. Never: what eviction
protects; only a result that the newest answer has answered may go though it is fresh, since the agent says that its
step is over. Source: requirement N (PRUNE requests).
"""

from holdfast.engine import eviction
from holdfast.engine.assembly import disclosure
from holdfast.engine.blocks import ASSISTANT, CALL, RESULT, Block
from holdfast.engine.eviction import Moment
from holdfast.engine.plan import Plan
from holdfast.engine.strategy import Scene

BY = "prune"


def prune(scene: Scene) -> Plan:
    """What the newest answer asks to let go; no changes and no note when it asks for nothing.

    Raises OSError when a whole text cannot be stored.
    """
    moment = scene.moment
    newest = [block for block in scene.blocks if block.kind == ASSISTANT and block.turn == moment.turn]
    asked = disclosure.prunes(newest)
    if not asked:
        return Plan(BY)
    found = disclosure.pruned(asked, [block._replace(keep=_stays(block, moment)) for block in scene.blocks])
    reasons = {one.id: one.reason for one in found.gone}
    ids = _with_calls(scene, reasons)
    plan = eviction.planned(scene.blocks, ids, 0, scene.standing, scene.count)
    changes = tuple(change._replace(why=f"asked: {reasons.get(change.id) or 'its result'}") for change in plan.changes)
    refused = [f"{one.id} ({one.reason})" for one in found.refused if one.reason != disclosure.GONE]
    return plan._replace(by=BY, changes=changes, note=f"not let go: {', '.join(refused)}" if refused else "")


def _stays(block: Block, moment: Moment) -> bool:
    if block.kind == RESULT:
        return block.keep or block.turn > moment.turn
    return eviction.protected(block, moment)


def _with_calls(scene: Scene, reasons: dict[str, str]) -> list[str]:
    """The ids, and beside each result its call where that has long inputs."""
    pairs = {block.pair for block in scene.blocks if block.id in reasons and block.kind == RESULT}
    calls = [block for block in scene.blocks if block.kind == CALL and block.pair in pairs and not block.keep]
    return [*reasons, *(call.id for call in calls if eviction.gain(call) > 0)]
