"""Checkpoints of a Hugging Face Trainer through DeepVM.

    saver = deepvm.huggingface.Saver()
    trainer = Trainer(..., callbacks=[saver])
    trainer.train(resume_from_checkpoint=saver.folder_to_resume(args.output_dir))

The callback saves model, optimizer, scheduler, scaler, the random numbers of all ranks and the
Trainer's own place as often as costs least, or each `every` steps, and once more when a node of the
training gets a notice. Before train() it writes the newest one as a folder in the Trainer's own
format, from which the Trainer resumes: it passes over the batches that were seen. Every rank calls it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from typing import Any, Dict, Optional

from deepvm import _exact, checkpoint, notices

try:
    from transformers import TrainerCallback as _Base
except ImportError:  # a Trainer accepts what has its methods
    class _Base:  # type: ignore[no-redef]
        """Stands for transformers.TrainerCallback, so that tests need no transformers."""

__all__ = ["Saver"]

_FOLDER = "deepvm-checkpoint-"


class Saver(_Base):  # type: ignore[misc]
    """Saves while a Trainer trains: rank 0 does, and the others hand it their random numbers."""

    def __init__(self, every: int = 0, client: Optional[checkpoint.Client] = None) -> None:
        self.every, self._client = every, client
        self.ticket: Optional[checkpoint.Ticket] = None
        self._rank, self._world = 0, 1
        self._watch: Optional[notices.Watch] = None
        self._in_step = False
        self._asked, self._answered = threading.Event(), threading.Event()
        self._scaler_state: Any = None
        self._at: Any = None

    def _ready(self) -> checkpoint.Client:
        if self._client is None:
            self._client = checkpoint.connect()
        return self._client

    def on_train_begin(self, args: Any, state: Any, control: Any, optimizer: Any = None,
                       **parts: Any) -> None:
        self._rank, self._world = _exact.place()
        scaler = getattr(optimizer, "scaler", None)
        if scaler is not None and self._scaler_state is not None:
            # only later Trainers read the file
            scaler.load_state_dict(self._scaler_state)
        if self._rank == 0:
            self._ready()
        self._at = (state, dict(parts, optimizer=optimizer))
        # SIGTERM ends all ranks when a peer is lost: then no step will end
        alone = (signal.SIGTERM,) if self._world == 1 else ()
        self._watch = notices.on_notice(self._at_notice, signals=alone)

    def on_step_begin(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        if self._watch is not None and self._world == 1 and not self._in_step:
            self._watch.changing().acquire()
            self._in_step = True

    def _leave_step(self) -> None:
        if self._watch is not None and self._in_step:
            self._in_step = False
            self._watch.changing().release()

    def on_step_end(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        self._at = (state, parts)
        step = state.global_step
        if self.every:
            due = step % self.every == 0
        else:
            due = self._rank == 0 and self._ready().should_save(step)
        # one rank's notice has all ranks save
        if any(_exact.of_all(due or self._asked.is_set())):
            self.save(state, **parts)
            self._asked.clear()
            self._answered.set()
        self._leave_step()

    def _at_notice(self, seconds: float) -> Optional[checkpoint.Ticket]:
        """Saves between two steps; with several ranks, the end of this step does it."""
        if self._world == 1:
            state, parts = self._at
            return self.save(state, **parts)
        self._answered.clear()
        self._asked.set()
        self._answered.wait(seconds)
        return self.ticket

    def on_train_end(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        self._leave_step()
        self.save(state, **parts)
        if self._watch is not None:
            self._watch.close()
        if self.ticket is not None:
            self.ticket.wait("DURABLE", 60)

    def save(self, state: Any, model: Any = None, optimizer: Any = None, lr_scheduler: Any = None,
             **_: Any) -> Optional[checkpoint.Ticket]:
        """Saves the present step, which every rank calls; returns rank 0's ticket, else None."""
        random = _exact.of_all(_exact.random_state())
        if self._rank > 0:
            return None
        before = self.ticket
        if before is not None and before.step == state.global_step \
                and before.state in checkpoint.LEVELS:
            return before
        # a Trainer hands out no scaler, but the optimizer that accelerate made has it
        parts = {"model": model, "optimizer": optimizer, "scheduler": lr_scheduler,
                 "scaler": getattr(optimizer, "scaler", None)}
        place = {k: v for k, v in vars(state).items() if not k.startswith("_")
                 and k != "stateful_callbacks"}
        self.ticket = self._ready().save(
            state.global_step, dict(_exact.state_of(parts), random=random,
                                    trainer=json.dumps(place, default=str)))
        return self.ticket

    def folder_to_resume(self, output: str) -> Optional[str]:
        """Writes the newest checkpoint as the Trainer's folder; None when there is none.

        Every rank calls this. One rank of each node writes, and all get the same folder.
        """
        rank, world = _exact.place()
        writes = rank == 0 or os.environ.get("LOCAL_RANK", "0") == "0"
        state = _exact.newest_for_all(self._client, reads=writes)
        version = _exact.of_first(None if state is None else state.version)
        if version is None:
            return None
        folder = os.path.join(output, _FOLDER + "%d-%d" % tuple(version))
        if writes and not os.path.isdir(folder):
            _write(state, folder)
        # also waits until the folder is there
        self._scaler_state = _exact.of_first(None if state is None else state.get("scaler"))
        if rank == 0:
            for name in os.listdir(output):
                old = os.path.join(output, name)
                if name.startswith(_FOLDER) and old != folder:
                    shutil.rmtree(old, ignore_errors=True)
        return folder


def _write(state: checkpoint.State, folder: str) -> None:
    """Writes a folder that is there as a whole or not at all."""
    import torch
    part = "%s.%d.part" % (folder, os.getpid())
    os.makedirs(part)
    for name, file in (("model", "pytorch_model.bin"), ("optimizer", "optimizer.pt"),
                       ("scheduler", "scheduler.pt"), ("scaler", "scaler.pt")):
        if name in state:
            torch.save(state[name], os.path.join(part, file))
    for rank, random in enumerate(state["random"]):
        numbers: Dict[str, Any] = {"python": random.get("python"), "numpy": random.get("numpy"),
                                   "cpu": random.get("torch")}
        if "cuda" in random:
            numbers["cuda"] = random["cuda"]
        alone = len(state["random"]) == 1
        torch.save(numbers, os.path.join(part, "rng_state.pth" if alone else "rng_state_%d.pth" % rank))
    with open(os.path.join(part, "trainer_state.json"), "w") as file:
        file.write(state["trainer"])
    try:
        os.rename(part, folder)
    except OSError:
        # another node that shares the disk was first
        shutil.rmtree(part, ignore_errors=True)
        if not os.path.isdir(folder):
            raise
