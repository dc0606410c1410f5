"""Rank 0 keeps the parameters and saves them; the others send gradients. Alone, it computes them itself."""

import torch
import torch.distributed as dist
from torch.nn.utils import parameters_to_vector, vector_to_parameters

import common
import deepvm
import deepvm.checkpoint

args = common.arguments()
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
workers = max(1, world - 1)
model, log = common.network(), common.Log(args, rank)
flat = parameters_to_vector(model.parameters()).detach().clone()


def gradient_of(step, worker):
    """Returns a worker's part of the gradient of a step, and of its loss."""
    vector_to_parameters(flat, model.parameters())
    loss = common.loss_of(model, common.share(step, args.batch, worker, workers), args.batch)
    model.zero_grad()
    loss.backward()
    return torch.cat([parameters_to_vector([p.grad for p in model.parameters()]), loss.detach().reshape(1)])


def work():
    """Fetches the parameters of each step and sends a gradient, until the server says that all is done."""
    message = torch.empty(len(flat) + 1)
    while True:
        dist.recv(message, 0)
        if message[-1] < 0:
            return
        flat.copy_(message[:-1])
        dist.send(gradient_of(int(message[-1]), rank - 1), 0)


def serve():
    global flat
    optimizer = torch.optim.Adam([flat], lr=3e-3)
    with deepvm.checkpoint.connect() as dc:
        saved = dc.restore()
        step = 0
        if saved is not None:
            flat.copy_(saved["flat"])
            optimizer.load_state_dict(saved["optimizer"])
            step = saved.step
        while step < args.steps:
            message = torch.cat([flat, torch.tensor([float(step)])])
            for worker in range(1, world):
                dist.send(message, worker)
            total = gradient_of(step, 0) if world == 1 else torch.zeros(len(flat) + 1)
            for worker in range(1, world):
                part = torch.empty(len(flat) + 1)
                dist.recv(part, worker)
                total += part
            flat.grad = total[:-1]
            optimizer.step()
            step += 1
            log.step(step, total[-1])
            if step % args.every == 0 if args.every else dc.should_save(step):
                dc.save(step, {"flat": flat, "optimizer": optimizer.state_dict()})
        for worker in range(1, world):
            dist.send(torch.full((len(flat) + 1,), -1.0), worker)
        if args.every == 0 or step % args.every:
            dc.save(step, {"flat": flat, "optimizer": optimizer.state_dict()})
    vector_to_parameters(flat, model.parameters())
    common.done(model)


if rank == 0:
    serve()
else:
    work()
dist.barrier()
dist.destroy_process_group()
