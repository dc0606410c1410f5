"""Checkpoints of Lightning through DeepVM.

    io = deepvm.lightning.DeepVMCheckpointIO()
    trainer = Trainer(plugins=[io], callbacks=[deepvm.lightning.Saver(every=100)])
    trainer.fit(model, ckpt_path=io.newest())

The plugin keeps what Lightning calls a checkpoint: model, optimizers, schedulers, scaler, loops and so
the place in the data. The callback adds the random numbers of each rank, and has Lightning save once
more when a node of the training gets a notice.
"""

from __future__ import annotations

import threading
from typing import Any, Dict, Optional

from deepvm import _exact, checkpoint, notices
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
_RANDOM = "deepvm_random"


class DeepVMCheckpointIO(_CheckpointIO):  # type: ignore[misc]
    """Saves and loads Lightning's checkpoints; paths are names only."""

    def __init__(self, client: Optional[checkpoint.Client] = None) -> None:
        super().__init__()
        self._client = client
        self.ticket: Optional[checkpoint.Ticket] = None

    def _ready(self) -> checkpoint.Client:
        """Begins a session, which only the rank that saves does."""
        if self._client is None:
            self._client = checkpoint.connect()
        return self._client

    def newest(self) -> Optional[str]:
        """Returns the path for ckpt_path; None when nothing was saved yet."""
        state = checkpoint.restore() if self._client is None else self._client.restore()
        return None if state is None else _NEWEST

    def save_checkpoint(self, checkpoint: Dict[str, Any], path: Any,  # noqa: A002 - Lightning's name
                        storage_options: Optional[Any] = None) -> None:
        """Saves; Lightning calls this on rank 0 alone."""
        checkpoint = dict(checkpoint)
        random = checkpoint.pop(_RANDOM, None) or [_exact.random_state()]
        self.ticket = self._ready().save(
            checkpoint["global_step"], {"lightning": checkpoint, "random": random})

    def load_checkpoint(self, path: Any, map_location: Optional[Any] = None,
                        **_: Any) -> Dict[str, Any]:
        """Returns the newest checkpoint, the same on all ranks, each of which calls this."""
        state = _exact.newest_for_all(self._client)
        if state is None or str(path) != _NEWEST:
            raise Error("There is no checkpoint '%s'." % path, "Maybe give newest() as ckpt_path.")
        random = _exact.own_random_state(state["random"])
        if random is not None:
            _exact.set_random_state(random)
        return dict(state["lightning"], **{_RANDOM: state["random"]})

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
        self._asked, self._answered = threading.Event(), threading.Event()
        self._watch: Optional[notices.Watch] = None
        self._random: Any = None
        self._plugin: Any = None

    def on_train_start(self, trainer: Any, module: Any) -> None:
        self._plugin = getattr(getattr(trainer, "strategy", None), "checkpoint_io", None)
        # SIGTERM is Lightning's, and ends all ranks when a peer is lost
        self._watch = notices.on_notice(self._at_notice, signals=())

    def on_train_end(self, trainer: Any, module: Any) -> None:
        if self._watch is not None:
            self._watch.close()

    def _at_notice(self, seconds: float) -> Optional[checkpoint.Ticket]:
        """Waits until the end of this step has saved."""
        self._answered.clear()
        self._asked.set()
        self._answered.wait(seconds)
        ticket: Optional[checkpoint.Ticket] = getattr(self._plugin, "ticket", None)
        return ticket

    def _should_save(self, step: int) -> bool:
        """Asks the agent, on rank 0 alone: a session of another rank would fence this one's."""
        if self._client is None:
            plugin = self._plugin
            self._client = plugin._ready() if hasattr(plugin, "_ready") else checkpoint.connect()
        return self._client.should_save(step)

    def on_train_batch_start(self, trainer: Any, module: Any, batch: Any = None,
                             batch_idx: int = 0) -> None:
        if self._random is not None:
            # what Lightning does between loading and the first batch takes random numbers
            _exact.set_random_state(self._random)
            self._random = None

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any = None, batch: Any = None,
                           batch_idx: int = 0) -> None:
        step = trainer.global_step
        if step == self._last:
            return
        self._last = step
        if self.every:
            due = step % self.every == 0
        else:
            due = _exact.place()[0] == 0 and self._should_save(step)
        # Lightning's save is for all ranks, so all must know
        if any(_exact.of_all(due or self._asked.is_set())):
            trainer.save_checkpoint("deepvm://step-%d" % step)
            self._asked.clear()
            self._answered.set()

    def on_save_checkpoint(self, trainer: Any, module: Any, checkpoint: Dict[str, Any]) -> None:
        checkpoint[_RANDOM] = _exact.of_all(_exact.random_state())

    def on_load_checkpoint(self, trainer: Any, module: Any, checkpoint: Dict[str, Any]) -> None:
        self._random = _exact.own_random_state(checkpoint.get(_RANDOM, ()))
