"""DistributedDataParallel: rank 0 saves, all ranks restore.

A notice at any rank has rank 0 save at the end of the step. The rank whose node will be taken ends then,
so that no step is done that would be lost; the others wait to be started again without it.
"""

import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import common
import deepvm
import deepvm.checkpoint

args = common.arguments()
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
model = common.network()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
dc = deepvm.checkpoint.connect() if rank == 0 else None
saved = dc.restore() if rank == 0 else deepvm.checkpoint.restore()
step = 0
if saved is not None:
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    step = saved.step
parallel, log = DistributedDataParallel(model), common.Log(args, rank)
noticed = torch.zeros(1)
watch = deepvm.on_notice(lambda seconds: noticed.fill_(1), signals=())
while step < args.steps:
    try:
        loss = common.loss_of(parallel, common.share(step, args.batch, rank, world), args.batch, world)
        optimizer.zero_grad()
        loss.backward()
        now = noticed.clone()
        mine = bool(now)
        dist.all_reduce(now)
    except RuntimeError as problem:
        print("rank %d lost a peer: %s" % (rank, str(problem).split("\n")[0]), flush=True)
        time.sleep(60)  # the launcher ends this process as soon as it knows
        sys.exit(1)
    optimizer.step()
    step += 1
    log.step(step, loss)
    if now.item() or step == args.steps or (args.every and step % args.every == 0):
        if rank == 0:
            ticket = dc.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})
            ticket.wait("REPLICATED" if now.item() else "STAGED", 30)
        if now.item():
            dist.barrier()
            if mine:
                print("rank %d leaves after step %d" % (rank, step), flush=True)
                sys.exit(0)
if rank == 0:
    dc.close()
common.done(model, rank)
dist.destroy_process_group()
