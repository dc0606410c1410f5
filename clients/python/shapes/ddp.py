"""DistributedDataParallel: rank 0 saves, all ranks restore.

Rank 0 has the whole state, so it saves once more when it is asked to end (SIGTERM), which is what happens to
it when another node is lost or a new one joins. When its own node will be taken it saves and ends early, so
that no step is done that would be lost.
"""

import signal
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
step, ticket = 0, None
if saved is not None:
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    step = saved.step
parallel, log = DistributedDataParallel(model), common.Log(args, rank)


def save(seconds=0.0):
    """Saves this step, unless that was done or there is none; returns the ticket."""
    global ticket
    if step > (saved.step if saved is not None else 0) and (ticket is None or ticket.step != step):
        ticket = dc.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})
    return ticket


watch = deepvm.on_notice(save if rank == 0 else lambda seconds: None,
                         signals=(signal.SIGTERM,) if rank == 0 else ())
while step < args.steps:
    try:
        loss = common.loss_of(parallel, common.share(step, args.batch, rank, world), args.batch, world)
        optimizer.zero_grad()
        loss.backward()
    except RuntimeError as problem:
        print("rank %d lost a peer: %s" % (rank, str(problem).split("\n")[0]), flush=True)
        time.sleep(60)  # the launcher ends this process as soon as it knows
        sys.exit(1)
    with watch.changing():
        optimizer.step()
        step += 1
    log.step(step, loss)
    if rank == 0 and (watch.noticed.is_set() or (args.every and step % args.every == 0)):
        with watch.changing():
            save()
        if watch.noticed.is_set():
            ticket.wait("REPLICATED", 30)
            print("rank 0 leaves after step %d" % step, flush=True)
            sys.exit(0)
watch.close()
if rank == 0:
    save()
    dc.close()
common.done(model, rank)
dist.destroy_process_group()
