"""Each rank keeps the optimizer's state of its share of the parameters, and saves that share.

torch 1.13's own FSDP needs a GPU, so the shares are cut by hand, as ZeRO does.
"""

import torch
import torch.distributed as dist
from torch.nn.utils import parameters_to_vector, vector_to_parameters

import common
import deepvm.sharded

args = common.arguments()
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
model = common.network()
flat = parameters_to_vector(model.parameters()).detach()
size = -(-len(flat) // world)
begin = min(len(flat), size * rank)
mine = torch.nn.Parameter(flat[begin:begin + size].clone())
optimizer = torch.optim.Adam([mine], lr=3e-3)
log = common.Log(args, rank)


def shares():
    """Returns this rank's shares: of the parameters, and of the two moments."""
    state = optimizer.state[mine]
    if not state:
        state.update(step=torch.tensor(0.0), exp_avg=torch.zeros_like(mine), exp_avg_sq=torch.zeros_like(mine))
    parts = {"flat": mine.detach(), "exp_avg": state["exp_avg"], "exp_avg_sq": state["exp_avg_sq"]}
    return dict({name: deepvm.sharded.Part(each, [begin], [len(flat)]) for name, each in parts.items()},
                step=state["step"])


with deepvm.sharded.connect() as dc:
    saved = dc.restore(into=shares())
    step = saved.step if saved is not None else 0
    while step < args.steps:
        # the whole parameters, of all shares
        padded = torch.zeros(size)
        padded[:len(mine)] = mine.detach()
        parts = [torch.empty(size) for _ in range(world)]
        dist.all_gather(parts, padded)
        vector_to_parameters(torch.cat(parts)[:len(flat)], model.parameters())
        loss = common.loss_of(model, common.share(step, args.batch, rank, world), args.batch)
        model.zero_grad()
        loss.backward()
        gradient = parameters_to_vector([p.grad for p in model.parameters()])
        dist.all_reduce(gradient)
        mine.grad = gradient[begin:begin + size].clone()
        optimizer.step()
        step += 1
        log.step(step, loss)
        if step % args.every == 0 if args.every else dc.should_save(step):
            dc.save(step, shares())
padded = torch.zeros(size)
padded[:len(mine)] = mine.detach()
parts = [torch.empty(size) for _ in range(world)]
dist.all_gather(parts, padded)
vector_to_parameters(torch.cat(parts)[:len(flat)], model.parameters())
common.done(model, rank)
dist.destroy_process_group()
