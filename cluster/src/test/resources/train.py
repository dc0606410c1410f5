"""An ordinary PyTorch script: it knows torchrun's environment and saves where it is told."""
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
saved = os.path.join(os.environ["DEEPVM_CHECKPOINT"], "state.pt")

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
step = 0
if os.path.exists(saved):
    state = torch.load(saved)
    step = state["step"]
    model.load_state_dict(state["model"])
model = torch.nn.parallel.DistributedDataParallel(model)

while step < 60:
    torch.manual_seed(step * size + rank)
    x = torch.randn(16, 4)
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if rank == 0:
        torch.save({"step": step, "model": model.module.state_dict()}, saved + ".new")
        os.replace(saved + ".new", saved)
        samples = step * 16 * size
        print(
            '{"report":"step","generation":%s,"step":%d,"samples":%d,"loss":%f,"computeSeconds":0,'
            '"communicationSeconds":0,"waitSeconds":0,"checkpointSeconds":0}'
            % (os.environ["DEEPVM_GENERATION"], step, samples, loss.item()),
            flush=True,
        )
    time.sleep(0.05)
dist.destroy_process_group()
