"""Checkpoints of an accelerate script through DeepVM.

    saver = deepvm.accelerate.Saver(accelerator, model, optimizer, scheduler, loader=loader)
    step = saver.restore()                     # 0 when nothing was saved
    ...
    saver.step(step)                           # after each optimizer step; saves when it is time

Every process calls all of these; the main one saves, with the random numbers of each. Objects are those that accelerator.prepare() returned. Anything with a state_dict() may be given by name.
"""

from __future__ import annotations

from typing import Any, Optional

from deepvm import _exact, checkpoint

__all__ = ["Saver"]


class Saver:
    """Saves what accelerate prepared: the main process does, all processes restore."""

    def __init__(self, accelerator: Any, *objects: Any, every: int = 0,
                 client: Optional[checkpoint.Client] = None, **named: Any) -> None:
        self.accelerator, self.every = accelerator, every
        self.parts = {"object%d" % i: each for i, each in enumerate(objects)}
        self.parts.update(named)
        self._main = bool(getattr(accelerator, "is_main_process", True))
        self._client = client
        if self._main and client is None:
            self._client = checkpoint.connect()
        self.ticket: Optional[checkpoint.Ticket] = None

    def _unwrapped(self) -> Any:
        unwrap = getattr(self.accelerator, "unwrap_model", lambda each: each)
        parts = {name: unwrap(each) if hasattr(each, "forward") else each
                 for name, each in self.parts.items()}
        return dict(parts, scaler=getattr(self.accelerator, "scaler", None))

    def restore(self) -> int:
        """Gives all objects the newest state and returns its step; 0 when there is none."""
        state = _exact.newest_for_all(self._client)
        if state is None:
            return 0
        _exact.load(self._unwrapped(), state)
        random = _exact.own_random_state(state["random"])
        if random is not None:
            _exact.set_random_state(random)
        step: int = state.step
        return step

    def step(self, step: int) -> Optional[checkpoint.Ticket]:
        """Saves if it is time; to be called after each step."""
        if self.every:
            due = step % self.every == 0
        else:
            due = _exact.of_first(self._client is not None and self._client.should_save(step))
        return self.save(step) if due else None

    def save(self, step: int) -> Optional[checkpoint.Ticket]:
        """Saves now and returns the ticket of the main process; every process calls this."""
        random = _exact.of_all(_exact.random_state())
        if not self._main or self._client is None:
            return None
        self.ticket = self._client.save(
            step, dict(_exact.state_of(self._unwrapped()), random=random))
        return self.ticket
