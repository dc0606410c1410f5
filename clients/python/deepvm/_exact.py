"""What a training must restore besides its tensors in order to go on exactly."""

from __future__ import annotations

import random
import sys
from typing import Any, Dict, Mapping


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
