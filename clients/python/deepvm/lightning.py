"""Checkpoints of Lightning through DeepVM.

    io = deepvm.lightning.DeepVMCheckpointIO()
    trainer = Trainer(plugins=[io], callbacks=[deepvm.lightning.Saver(every=100)])
    trainer.fit(model, ckpt_path=io.newest())

The plugin keeps what Lightning calls a checkpoint: model, optimizers, schedulers, scaler, loops and so
the place in the data; and the random numbers besides.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from deepvm import _exact, checkpoint
from deepvm._errors import Error

try:
    from lightning.pytorch import Callback as _Callback
    from lightning.pytorch.plugins.io import CheckpointIO as _CheckpointIO
except ImportError:
    try:
        from pytorch_lightning import Callback as _Callback
        from pytorch_lightning.plugins.io import CheckpointIO as _CheckpointIO
    except ImportError:
        class _Callback:  # type: ignore[no-redef]
            """Stands for Lightning's Callback, so that tests need no Lightning."""

        class _CheckpointIO:  # type: ignore[no-redef]
            """Stands for Lightning's CheckpointIO, so that tests need no Lightning."""

__all__ = ["DeepVMCheckpointIO", "Saver"]

_NEWEST = "deepvm://newest"


class DeepVMCheckpointIO(_CheckpointIO):  # type: ignore[misc]
    """Saves and loads Lightning's checkpoints; paths are names only."""

    def __init__(self, client: Optional[checkpoint.Client] = None) -> None:
        super().__init__()
        self._client = client
        self.ticket: Optional[checkpoint.Ticket] = None

    def _ready(self) -> checkpoint.Client:
        if self._client is None:
            self._client = checkpoint.connect()
        return self._client

    def newest(self) -> Optional[str]:
        """Returns the path for ckpt_path; None when nothing was saved yet."""
        return None if self._ready().restore() is None else _NEWEST

    def save_checkpoint(self, checkpoint: Dict[str, Any], path: Any,  # noqa: A002 - Lightning's name
                        storage_options: Optional[Any] = None) -> None:
        self.ticket = self._ready().save(
            checkpoint["global_step"], {"lightning": checkpoint, "random": _exact.random_state()})

    def load_checkpoint(self, path: Any, map_location: Optional[Any] = None,
                        **_: Any) -> Dict[str, Any]:
        state = self._ready().restore()
        if state is None or str(path) != _NEWEST:
            raise Error("There is no checkpoint '%s'." % path, "Maybe give newest() as ckpt_path.")
        _exact.set_random_state(state["random"])
        found: Dict[str, Any] = state["lightning"]
        return found

    def remove_checkpoint(self, path: Any) -> None:
        """Leaves it to the agent, which keeps as many as it was told to."""

    def teardown(self) -> None:
        if self.ticket is not None:
            self.ticket.wait("DURABLE", 60)


class Saver(_Callback):  # type: ignore[misc]
    """Has Lightning save each so many steps, or as often as costs least."""

    def __init__(self, every: int = 0, client: Optional[checkpoint.Client] = None) -> None:
        super().__init__()
        self.every, self._client = every, client
        self._last = -1

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any = None, batch: Any = None,
                           batch_idx: int = 0) -> None:
        step = trainer.global_step
        if step == self._last:
            return
        self._last = step
        if self.every == 0 and self._client is None:
            plugin = getattr(getattr(trainer, "strategy", None), "checkpoint_io", None)
            self._client = plugin._ready() if hasattr(plugin, "_ready") else checkpoint.connect()
        if step % self.every == 0 if self.every else self._client.should_save(step):
            trainer.save_checkpoint("deepvm://step-%d" % step)
