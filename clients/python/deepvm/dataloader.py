"""A DataLoader whose place in the data is saved: the one of torchdata, or a plain one.

    loader = deepvm.dataloader.Resumable(DataLoader(data, shuffle=True, generator=generator))
    for batch in loader: ...
    dc.save(step, {"loader": loader.state_dict(), ...})

An object that has state_dict() already, such as torchdata's StatefulDataLoader, is used as it is. For
others the order of an epoch is drawn again from the generator's state at its begin, and batches that
were seen are passed over. Restore before you iterate.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional

from deepvm._errors import Error

__all__ = ["Resumable"]


class Resumable:
    """Iterates over a loader, and goes on in mid-epoch after a restore."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.epoch, self.seen = 0, 0
        self._inner = hasattr(loader, "state_dict") and hasattr(loader, "load_state_dict")
        self._generator = getattr(loader, "generator", None)
        if self._generator is None and not self._inner:
            self._generator = getattr(getattr(loader, "sampler", None), "generator", None)
        self._began: Optional[Any] = None
        self._resumed = False

    def __len__(self) -> int:
        return len(self.loader)

    def _state(self) -> Any:
        import torch
        return torch.get_rng_state() if self._generator is None else self._generator.get_state()

    def _set_state(self, state: Any) -> None:
        import torch
        if self._generator is None:
            torch.set_rng_state(state)
        else:
            self._generator.set_state(state)

    def __iter__(self) -> Iterator[Any]:
        sampler = getattr(self.loader, "sampler", None)
        if hasattr(sampler, "set_epoch"):
            sampler.set_epoch(self.epoch)
        skip, after = 0, None
        if self._resumed and not self._inner:
            skip, after = self.seen, self._state()
            if self._began is not None:
                self._set_state(self._began)
        elif not self._inner:
            self._began = self._state()
        if not self._resumed:
            self.seen = 0
        self._resumed = False
        batches = iter(self.loader)
        for _ in range(skip):
            next(batches, None)
        if after is not None and self._generator is None:
            # the passed batches took random numbers that training must not miss
            self._set_state(after)
        for batch in batches:
            self.seen += 1
            yield batch
        self.epoch, self.seen, self._began = self.epoch + 1, 0, None

    def state_dict(self) -> Dict[str, Any]:
        """Returns the place in the data."""
        state: Dict[str, Any] = {"epoch": self.epoch, "seen": self.seen}
        if self._inner:
            state["loader"] = self.loader.state_dict()
        else:
            state["began"] = self._began
            if self._generator is not None and self._began is None:
                # between two epochs: the next one's order is drawn from this
                state["next"] = self._generator.get_state()
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on at a place; the next iteration begins there."""
        if "loader" in state and not self._inner:
            raise Error("The place was saved by a loader that has a state of its own.",
                        "Maybe use the same kind of loader.")
        self.epoch, self.seen = state["epoch"], state["seen"]
        self._resumed = self.seen > 0
        if self._inner:
            self.loader.load_state_dict(state["loader"])
        else:
            self._began = state["began"]
            if self._generator is not None and state.get("next") is not None:
                self._generator.set_state(state["next"])
