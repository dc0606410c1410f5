"""What a training must restore besides its tensors in order to go on exactly."""

from __future__ import annotations

import random
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple


def random_state() -> Dict[str, Any]:
    """Returns the states of the random numbers of Python, numpy, torch and its GPUs."""
    state: Dict[str, Any] = {"python": random.getstate()}
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        state["numpy"] = numpy.random.get_state()
    if torch is not None:
        state["torch"] = torch.get_rng_state()
        if torch.cuda.is_available():
            state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def set_random_state(state: Mapping[str, Any]) -> None:
    """Lets all random numbers go on where they were."""
    random.setstate(state["python"])
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and "numpy" in state:
        numpy.random.set_state(state["numpy"])
    if torch is not None and "torch" in state:
        torch.set_rng_state(state["torch"])
        if "cuda" in state and torch.cuda.is_available():
            torch.cuda.set_rng_state_all(state["cuda"])


def state_of(parts: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the state_dict() of each part that is there."""
    return {name: part.state_dict() for name, part in parts.items() if part is not None}


def load(parts: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Gives each part its state."""
    for name, part in parts.items():
        if part is not None and name in state:
            part.load_state_dict(state[name])


def place() -> Tuple[int, int]:
    """Returns this process's rank and the number of ranks; (0, 1) without torch.distributed."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()


def of_all(value: Any) -> List[Any]:
    """Returns the values of all ranks, each of which must call this."""
    _, world = place()
    if world == 1:
        return [value]
    import torch.distributed as distributed
    found: List[Any] = [None] * world
    distributed.all_gather_object(found, value, group=_words(distributed))
    return found


_group_of_words: Any = None


def _words(distributed: Any) -> Any:
    """Returns the group for a few words a step: with NCCL one beside it, so that no GPU must be waited for."""
    global _group_of_words
    if _group_of_words is None and distributed.get_backend() == "nccl" and distributed.is_gloo_available():
        _group_of_words = distributed.new_group(backend="gloo")
    return _group_of_words


def of_first(value: Any) -> Any:
    """Returns the value of rank 0 on all ranks, each of which must call this."""
    return of_all(value if place()[0] == 0 else None)[0]


def newest_for_all(client: Any = None, reads: bool = True) -> Any:
    """Returns the newest state, of the same version on all ranks; None when nothing was saved.

    Nobody begins a session, which would fence other ranks. client: one that reads, if there is one.
    reads: whether this rank needs the state; others get None, and so does each if there is none.
    """
    from deepvm import checkpoint
    first = place()[0] == 0
    state = None
    if first:
        state = checkpoint.restore() if client is None else client.restore()
    version = of_first(None if state is None else state.version)
    if version is None or first or not reads:
        return state
    return checkpoint.restore(version=version)


def own_random_state(states: Sequence[Mapping[str, Any]]) -> Optional[Mapping[str, Any]]:
    """Returns this rank's random numbers of those that all ranks saved; None if it had none."""
    rank, _ = place()
    return states[rank] if rank < len(states) else None
