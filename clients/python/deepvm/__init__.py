"""DeepVM in a PyTorch script: checkpoints, notices, and training that survives lost peers.

Needs only the standard library. Each part is imported when it is first used:

    deepvm.checkpoint     saves and restores through the agent on this node
    deepvm.sharded        saves and restores of states that are split among ranks
    deepvm.on_notice      calls a function when this node will be taken
    deepvm.elastic        data-parallel training that goes on without lost peers
    deepvm.dcp, deepvm.huggingface, deepvm.accelerate, deepvm.lightning, deepvm.dataloader
"""

from __future__ import annotations

import importlib
from typing import Any

from deepvm._errors import Error

__version__ = "0.1.0"
__all__ = ["Error", "on_notice", "checkpoint", "sharded", "elastic", "dcp", "huggingface",
           "accelerate", "lightning", "dataloader", "notices"]


def __getattr__(name: str) -> Any:
    if name == "on_notice":
        return importlib.import_module("deepvm.notices").on_notice
    if name in __all__:
        return importlib.import_module("deepvm." + name)
    raise AttributeError("module 'deepvm' has no attribute '%s'" % name)
