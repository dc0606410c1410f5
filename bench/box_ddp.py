"""Trains over gloo until a file appears, with a checkpoint every few steps on a disk that all share."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--checkpoint", required=True)
parser.add_argument("--until", required=True, help="a file; the work is done when it is there")
args = parser.parse_args()

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
model = DistributedDataParallel(nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
step = 0
if os.path.exists(args.checkpoint):
    saved = torch.load(args.checkpoint, map_location="cpu")
    model.module.load_state_dict(saved["model"])
    step = saved["step"]
print(f"rank {rank} of {world} begins at step {step}", flush=True)
enough = torch.zeros(1)
while enough.item() == 0:
    loss = model(torch.ones(4, 64)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if rank == 0:
        enough.fill_(float(os.path.exists(args.until)))
        if step % 20 == 0 or enough.item():
            torch.save({"model": model.module.state_dict(), "step": step}, args.checkpoint + ".new")
            os.replace(args.checkpoint + ".new", args.checkpoint)
    dist.broadcast(enough, 0)
    time.sleep(0.05)
print(f"rank {rank} is done after {step} steps", flush=True)
dist.destroy_process_group()
