"""A trainer that calls its plugin and callbacks as Lightning's does."""

import types

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import common
from deepvm.lightning import DeepVMCheckpointIO, Saver


class Trainer:
    """The part of Lightning's Trainer that a checkpoint meets."""

    def __init__(self, args, plugins, callbacks):
        self.args, self.callbacks, self.global_step = args, callbacks, 0
        self.strategy = types.SimpleNamespace(checkpoint_io=plugins[0])
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def call(self, event, *more):
        for callback in self.callbacks:
            getattr(callback, event)(self, self.module, *more)

    def save_checkpoint(self, path):
        """All ranks make the checkpoint, and the first hands it to the plugin."""
        checkpoint = {"global_step": self.global_step, "state_dict": self.module.state_dict(),
                      "optimizer_states": [self.optimizer.state_dict()],
                      "lr_schedulers": [self.schedule.state_dict()],
                      "loops": {"fit_loop": {"batches": self.global_step}}}
        self.call("on_save_checkpoint", checkpoint)
        if self.rank == 0:
            self.strategy.checkpoint_io.save_checkpoint(checkpoint, path)
        dist.barrier()

    def fit(self, module, optimizer, schedule, ckpt_path=None):
        self.module, self.optimizer, self.schedule = module, optimizer, schedule
        if ckpt_path is not None:
            saved = self.strategy.checkpoint_io.load_checkpoint(ckpt_path)
            self.global_step = saved["loops"]["fit_loop"]["batches"]
            module.load_state_dict(saved["state_dict"])
            optimizer.load_state_dict(saved["optimizer_states"][0])
            schedule.load_state_dict(saved["lr_schedulers"][0])
            self.call("on_load_checkpoint", saved)
        parallel, log, args = DistributedDataParallel(module), common.Log(self.args, self.rank), self.args
        self.call("on_train_start")
        torch.rand(3)  # a DataLoader that begins takes some, too
        while self.global_step < args.steps:
            samples = common.share(self.global_step, args.batch, self.rank, self.world)
            self.call("on_train_batch_start", samples, self.global_step)
            loss = common.loss_of(parallel, samples, args.batch, self.world)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            self.global_step += 1
            log.step(self.global_step, loss)
            self.call("on_train_batch_end", loss, samples, self.global_step - 1)
        self.call("on_train_end")
        self.strategy.checkpoint_io.teardown()


args = common.arguments()
dist.init_process_group("gloo")
model = common.network(args.dropout)
torch.manual_seed(100 + dist.get_rank())
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, max(1, args.steps // 3), 0.5)
io = DeepVMCheckpointIO()
trainer = Trainer(args, plugins=[io], callbacks=[Saver(every=args.every)])
trainer.fit(model, optimizer, schedule, ckpt_path=None if args.fresh else io.newest())
common.done(model, dist.get_rank())
dist.destroy_process_group()
