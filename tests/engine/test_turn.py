from holdfast.engine.manager import ContextWindowManager
from holdfast.engine.turn import Turn


def test_a_first_turn_tells_all_there_is() -> None:
    """What to send as it is, how full the window is, and that nothing was done."""
    messages = [{"role": "user", "content": "Start the server."}]
    turn = ContextWindowManager(50_000).on_turn_start(messages)
    assert isinstance(turn, Turn)
    assert (turn.messages, turn.plans, turn.cost, turn.hand_over) == (messages, (), None, False)
    assert turn.used == turn.reading.tokens > 0
