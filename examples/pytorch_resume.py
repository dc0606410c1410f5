"""Trains a small network, and after any kill goes on where the newest checkpoint was.

    ./deepvm checkpoint agent --to checkpoints &
    PYTHONPATH=clients/python python3 examples/pytorch_resume.py

Kill it at any time (kill -9) and start it again: it ends with the same loss, bit by bit, as a run
that nobody disturbed. What that takes is what is saved: the model, the optimizer, the order of the
samples in this epoch, the random numbers, and the position.
"""

import argparse

import torch
from torch import nn

import deepcheck

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--save-every", type=int, default=10, help="steps; 0: as often as costs least")
args = parser.parse_args()

torch.manual_seed(1)
torch.set_num_threads(1)
images = torch.randn(1024, 1, 12, 12)
labels = (images.mean(dim=(1, 2, 3)) > 0).long() + 2 * (images[:, 0, 0, 0] > 0).long()
model = nn.Sequential(
    nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
    nn.Dropout(0.2), nn.Linear(200, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
batch, batches = 32, 1024 // 32
order = torch.randperm(1024)
step, total = 0, 0.0

with deepcheck.connect() as dc:
    state = dc.restore()
    if state is not None:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        order, total, step = state["order"], state["total"], state.step
        torch.set_rng_state(state["rng"])
        print("resumed at step %d" % step, flush=True)
    while step < args.epochs * batches:
        if step % batches == 0:
            order, total = torch.randperm(1024), 0.0
        at = order[step % batches * batch:][:batch]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[at]), labels[at])
        loss.backward()
        optimizer.step()
        total += loss.item()
        step += 1
        print("step %d loss %s" % (step, loss.item().hex()), flush=True)
        if step % args.save_every == 0 if args.save_every else dc.should_save(step):
            dc.save(step, {
                "model": model.state_dict(), "optimizer": optimizer.state_dict(),
                "order": order, "total": total, "rng": torch.get_rng_state()})
print("final loss %s" % (total / batches).hex())
