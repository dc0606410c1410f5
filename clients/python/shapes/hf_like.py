"""A trainer that calls its callbacks, and resumes from a folder, as the Trainer of transformers does."""

import json
import os
import random
import types

import numpy
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import common
from deepvm.huggingface import Saver


class Trainer:
    """The part of transformers.Trainer that a checkpoint meets."""

    def __init__(self, args, model, optimizer, lr_scheduler, callbacks):
        self.args, self.model, self.optimizer, self.lr_scheduler = args, model, optimizer, lr_scheduler
        self.callbacks, self.world, self.rank = callbacks, dist.get_world_size(), dist.get_rank()
        self.state = types.SimpleNamespace(global_step=0, epoch=0.0, is_world_process_zero=self.rank == 0,
                                           log_history=[], stateful_callbacks={})

    def call(self, event):
        for callback in self.callbacks:
            getattr(callback, event)(
                self.args, self.state, None, model=self.model, processing_class=None,
                optimizer=self.optimizer, lr_scheduler=self.lr_scheduler, train_dataloader=None,
                eval_dataloader=None)

    def resume(self, folder):
        def load(name):
            return torch.load(os.path.join(folder, name), map_location="cpu")

        self.model.load_state_dict(load("pytorch_model.bin"))
        self.optimizer.load_state_dict(load("optimizer.pt"))
        self.lr_scheduler.load_state_dict(load("scheduler.pt"))
        with open(os.path.join(folder, "trainer_state.json")) as file:
            self.state.__dict__.update(json.load(file), is_world_process_zero=self.rank == 0)
        name = "rng_state.pth" if self.world == 1 else "rng_state_%d.pth" % self.rank
        if os.path.isfile(os.path.join(folder, name)):
            numbers = load(name)
            random.setstate(numbers["python"])
            numpy.random.set_state(numbers["numpy"])
            torch.set_rng_state(numbers["cpu"])

    def train(self, resume_from_checkpoint=None):
        if resume_from_checkpoint is not None:
            self.resume(resume_from_checkpoint)
        parallel, log, args = DistributedDataParallel(self.model), common.Log(self.args, self.rank), self.args
        self.call("on_train_begin")
        while self.state.global_step < args.steps:
            self.call("on_step_begin")
            samples = common.share(self.state.global_step, args.batch, self.rank, self.world)
            loss = common.loss_of(parallel, samples, args.batch, self.world)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.lr_scheduler.step()
            self.state.global_step += 1
            log.step(self.state.global_step, loss)
            self.call("on_step_end")
        self.call("on_train_end")


args = common.arguments()
dist.init_process_group("gloo")
model = common.network(args.dropout)
torch.manual_seed(100 + dist.get_rank())
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / (2 * args.steps))
saver = Saver(every=args.every)
trainer = Trainer(args, model, optimizer, schedule, [saver])
trainer.train(resume_from_checkpoint=None if args.fresh else saver.folder_to_resume(args.output))
common.done(model, dist.get_rank())
dist.destroy_process_group()
