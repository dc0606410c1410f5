"""Checkpoints of a Hugging Face Trainer through DeepVM.

    saver = deepvm.huggingface.Saver()
    trainer = Trainer(..., callbacks=[saver])
    trainer.train(resume_from_checkpoint=saver.folder_to_resume(args.output_dir))

The callback saves model, optimizer, scheduler, scaler, random numbers and the Trainer's own place as
often as costs least, or each `every` steps, and once more when the node gets a notice. Before train()
it writes the newest one as a folder in the Trainer's own format, from which the Trainer resumes: it
passes over the batches that were seen.
"""

from __future__ import annotations

import json
import os
from typing import Any, Optional

from deepvm import _exact, checkpoint

try:
    from transformers import TrainerCallback as _Base
except ImportError:  # a Trainer accepts what has its methods
    class _Base:  # type: ignore[no-redef]
        """Stands for transformers.TrainerCallback, so that tests need no transformers."""

__all__ = ["Saver"]


class Saver(_Base):  # type: ignore[misc]
    """Saves while a Trainer trains; rank 0 does."""

    def __init__(self, every: int = 0, client: Optional[checkpoint.Client] = None) -> None:
        self.every, self._client = every, client
        self.ticket: Optional[checkpoint.Ticket] = None
        self._scaler: Any = None

    def _ready(self) -> checkpoint.Client:
        if self._client is None:
            self._client = checkpoint.connect()
        return self._client

    def on_train_begin(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        accelerator = getattr(parts.get("trainer"), "accelerator", None) or parts.get("accelerator")
        self._scaler = getattr(accelerator, "scaler", None)
        if getattr(state, "is_world_process_zero", True):
            self._ready()

    def on_step_end(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        step = state.global_step
        if not getattr(state, "is_world_process_zero", True):
            return
        due = step % self.every == 0 if self.every else self._ready().should_save(step)
        if due:
            self.save(state, **parts)

    def on_train_end(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        if getattr(state, "is_world_process_zero", True):
            self.save(state, **parts)
            if self.ticket is not None:
                self.ticket.wait("DURABLE", 60)

    def save(self, state: Any, model: Any = None, optimizer: Any = None, lr_scheduler: Any = None,
             **_: Any) -> checkpoint.Ticket:
        """Saves the present step and returns its ticket."""
        parts = {"model": model, "optimizer": optimizer, "scheduler": lr_scheduler,
                 "scaler": self._scaler}
        place = {k: v for k, v in vars(state).items() if not k.startswith("_")
                 and k != "stateful_callbacks"}
        self.ticket = self._ready().save(
            state.global_step, dict(_exact.state_of(parts), random=_exact.random_state(),
                                    trainer=json.dumps(place, default=str)))
        return self.ticket

    def folder_to_resume(self, output: str) -> Optional[str]:
        """Writes the newest checkpoint as the Trainer's folder; None when there is none."""
        state = self._ready().restore()
        if state is None:
            return None
        import torch
        folder = os.path.join(output, "checkpoint-%d" % state.step)
        os.makedirs(folder, exist_ok=True)
        for name, file in (("model", "pytorch_model.bin"), ("optimizer", "optimizer.pt"),
                           ("scheduler", "scheduler.pt"), ("scaler", "scaler.pt")):
            if name in state:
                torch.save(state[name], os.path.join(folder, file))
        rng = dict(state["random"])
        torch.save({"python": rng.get("python"), "numpy": rng.get("numpy"), "cpu": rng.get("torch"),
                    **({"cuda": rng["cuda"]} if "cuda" in rng else {})},
                   os.path.join(folder, "rng_state.pth"))
        with open(os.path.join(folder, "trainer_state.json"), "w") as file:
            file.write(state["trainer"])
        return folder
