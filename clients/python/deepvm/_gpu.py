"""Copies from GPUs through pinned memory on streams of their own. Not measured on a GPU yet.

Copies of all tensors are queued behind the work that makes them, on a side stream of each device;
training's own streams are never drained. One event a device says when its last copy has arrived.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple


class CudaBackend:
    """The calls of torch.cuda that staging needs on one device; a test gives others."""

    def __init__(self, device: Any) -> None:
        import torch
        self.torch, self.device = torch, device
        self.side = torch.cuda.Stream(device=device)

    def dense(self, tensor: Any) -> Any:
        """Returns the tensor laid out as it will be saved; may queue a kernel on the current stream."""
        return tensor.contiguous()

    def pinned(self, like: Any) -> Any:
        """Returns a new dense tensor in pinned memory."""
        return self.torch.empty(like.shape, dtype=like.dtype, pin_memory=True)

    def follow(self) -> None:
        """Lets the side stream wait for all work that the current stream has now."""
        queued = self.torch.cuda.Event()
        queued.record(self.torch.cuda.current_stream(self.device))
        self.side.wait_event(queued)

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


class _Device:
    """The copies of one save from one device, and the memory that they go to."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.waiting: List[Tuple[Any, Any]] = []
        self.free: Dict[Any, List[Any]] = {}
        self.used: List[Tuple[Any, Any]] = []


class Stager:
    """Brings the tensors of one save into pinned memory; keeps that memory for the next save."""

    def __init__(self, backend_of: Callable[[Any], Any]) -> None:
        self._backend_of = backend_of
        self._devices: Dict[Any, _Device] = {}

    def stage(self, tensor: Any) -> Any:
        """Returns where a tensor will be; finish() copies it."""
        device = self._devices.get(tensor.device)
        if device is None:
            device = self._devices[tensor.device] = _Device(self._backend_of(tensor.device))
        # laid out as the tensor will be saved, so that nothing copies it once more
        source = device.backend.dense(tensor)
        key = (source.dtype, tuple(source.shape))
        spare = device.free.get(key)
        target = spare.pop() if spare else device.backend.pinned(source)
        device.waiting.append((target, source))
        device.used.append((key, target))
        return target

    def finish(self) -> None:
        """Copies all, each device behind its last kernel, and waits for one event of each."""
        events = []
        for device in self._devices.values():
            if not device.waiting:
                continue
            device.backend.follow()
            for target, source in device.waiting:
                device.backend.copy(target, source)
            events.append(device.backend.event())
        for event in events:
            event.synchronize()
        for device in self._devices.values():
            device.waiting = []

    def recycle(self) -> None:
        """Takes the memory back, once the agent has it all."""
        for device in self._devices.values():
            for key, target in device.used:
                device.free.setdefault(key, []).append(target)
            device.used, device.waiting = [], []


# each thread has its own, since a save takes the memory of the one before
_own = threading.local()


def new_stager() -> Optional[Stager]:
    """Returns this thread's stager for a new save; None where torch has no GPU."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda") or not torch.cuda.is_available():
        return None
    stager: Optional[Stager] = getattr(_own, "stager", None)
    if stager is None:
        stager = _own.stager = Stager(CudaBackend)
    stager.recycle()
    return stager
