"""DistributedDataParallel: rank 0 saves, all ranks restore, and a notice at any rank has rank 0 save."""

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
    loss = common.loss_of(parallel, common.share(step, args.batch, rank, world), args.batch, world)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    log.step(step, loss)
    now = noticed.clone()
    dist.all_reduce(now)
    if now.item() or step == args.steps or (args.every and step % args.every == 0):
        noticed.zero_()
        if rank == 0:
            ticket = dc.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})
            if now.item():
                ticket.wait("REPLICATED", 30)
if rank == 0:
    dc.close()
common.done(model, rank)
dist.destroy_process_group()
