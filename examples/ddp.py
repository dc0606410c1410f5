"""An ordinary PyTorch script: data-parallel training over gloo, with a checkpoint every few steps.

It knows nothing of DeepVM. Any launcher that sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT can start it:

    ./deepvm run --plan plan.json --speed 600x -- python3 examples/ddp.py --checkpoint checkpoint.pt
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--batch", type=int, default=96, help="samples in a step, over all ranks")
parser.add_argument("--save-every", type=int, default=10)
parser.add_argument("--checkpoint", default="checkpoint.pt")
parser.add_argument("--pause", type=float, default=0.0, help="seconds to add to a step, as a larger model would")
args = parser.parse_args()

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()

# A data set that needs no download: points of three spirals.
generator = torch.Generator().manual_seed(0)
angle = torch.rand(6000, generator=generator) * 4
label = torch.arange(6000) % 3
noise = torch.randn(6000, 2, generator=generator) * 0.1
turn = angle * 2 + label * 2.1
points = torch.stack([angle * torch.cos(turn), angle * torch.sin(turn)], 1) + noise

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
model = DistributedDataParallel(model)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

step = 0
if os.path.exists(args.checkpoint):
    saved = torch.load(args.checkpoint, map_location="cpu")
    model.module.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    step = saved["step"]
    if rank == 0:
        print(f"resumed from step {step} with {world} ranks", flush=True)

while step < args.steps:
    # The same samples whatever the number of ranks: the batch is drawn from the step, then shared out.
    order = torch.Generator().manual_seed(1000 + step)
    batch = torch.randperm(len(points), generator=order)[: args.batch]
    mine = batch[rank::world]
    # Ranks may have one sample more or less; gradients are averaged over ranks, so weigh them.
    loss = nn.functional.cross_entropy(model(points[mine]), label[mine], reduction="sum")
    loss = loss * world / args.batch
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    time.sleep(args.pause)
    if step % args.save_every == 0 or step == args.steps:
        if rank == 0:
            state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            torch.save(state, args.checkpoint + ".new")
            os.replace(args.checkpoint + ".new", args.checkpoint)
        dist.barrier()

with torch.no_grad():
    final = nn.functional.cross_entropy(model.module(points), label)
if rank == 0:
    print(f"done: {step} steps, loss {final.item():.6f}", flush=True)
dist.destroy_process_group()
