"""Copies from a GPU through pinned memory on a stream of their own. Not measured on a GPU yet.

Copies of all tensors are queued behind the work that makes them, on a side stream; training's own
stream is never drained. One event says when the last copy has arrived.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Dict, List, Mapping, Optional


class CudaBackend:
    """The calls of torch.cuda that staging needs; a test gives others."""

    def __init__(self, device: Any) -> None:
        import torch
        self.torch, self.device = torch, device
        self.side = torch.cuda.Stream(device=device)

    def pinned(self, like: Any) -> Any:
        """Returns a new dense tensor in pinned memory."""
        return self.torch.empty(like.shape, dtype=like.dtype, pin_memory=True)

    def begin(self) -> None:
        """Lets the side stream wait for all work that is queued now."""
        self.side.wait_stream(self.torch.cuda.current_stream(self.device))

    def copy(self, target: Any, source: Any) -> None:
        """Queues a copy on the side stream."""
        with self.torch.cuda.stream(self.side):
            target.copy_(source, non_blocking=True)
        # the caching allocator must not hand the source out before the copy has read it
        source.record_stream(self.side)

    def event(self) -> Any:
        """Returns an event that is reached when all copies queued so far have arrived."""
        event = self.torch.cuda.Event()
        event.record(self.side)
        return event


class Stager:
    """Brings the tensors of one save into pinned memory; keeps that memory for the next save."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self._free: Dict[Any, List[Any]] = {}
        self._used: List[Any] = []
        self._begun = False

    def stage(self, tensor: Any) -> Any:
        """Queues the copy of a tensor and returns where it will be; finish() waits for it."""
        if not self._begun:
            self._begun = True
            self.backend.begin()
        # laid out as the tensor will be saved, so that nothing copies it once more
        source = tensor.contiguous()
        key = (source.dtype, tuple(source.shape))
        spare = self._free.get(key)
        target = spare.pop() if spare else self.backend.pinned(source)
        self.backend.copy(target, source)
        self._used.append((key, target))
        return target

    def finish(self) -> None:
        """Waits until all copies have arrived, by an event and not for the whole device."""
        if self._begun:
            self._begun = False
            self.backend.event().synchronize()

    def recycle(self) -> None:
        """Takes the memory back, once the agent has it all."""
        for key, target in self._used:
            self._free.setdefault(key, []).append(target)
        self._used = []


# each thread has its own, since a save takes the memory of the one before
_own = threading.local()


def _device_of(value: Any) -> Optional[Any]:
    """Returns the device of the first tensor that is on a GPU."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            found = _device_of(each)
            if found is not None:
                return found
        return None
    device = getattr(value, "device", None)
    return device if getattr(device, "type", None) == "cuda" else None


def stager_for(state: Any) -> Optional[Stager]:
    """Returns the stager of the GPU that holds a state; None when it is in ordinary memory."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda") or not torch.cuda.is_available():
        return None
    device = _device_of(state)
    if device is None:
        return None
    stagers: Dict[Any, Stager] = _own.__dict__.setdefault("stagers", {})
    if device not in stagers:
        stagers[device] = Stager(CudaBackend(device))
    stager = stagers[device]
    stager.recycle()
    return stager
