"""Data-parallel training that goes on in the same processes when a node is lost.

    PYTHONPATH=clients/python ./deepvm run --in-place --plan plan.json --speed 600x -- python3 examples/elastic.py

Lines that differ from an ordinary script have a mark: five of them.
"""

import argparse
import time

import torch
from torch import nn

import deepvm.elastic  # 1

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--batch", type=int, default=96, help="samples in a step, over all ranks")
parser.add_argument("--save-every", type=int, default=100)
parser.add_argument("--pause", type=float, default=0.0, help="seconds to add to a step, as a larger model would")
args = parser.parse_args()

generator = torch.Generator().manual_seed(0)
angle = torch.rand(6000, generator=generator) * 4
label = torch.arange(6000) % 3
turn = angle * 2 + label * 2.1
points = torch.stack([angle * torch.cos(turn), angle * torch.sin(turn)], 1)
points += torch.randn(6000, 2, generator=generator) * 0.1

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
team = deepvm.elastic.join(model, optimizer, save_every=args.save_every)  # 2

for step in team.steps(args.steps):  # 3
    order = torch.Generator().manual_seed(1000 + step)
    batch = team.share(torch.randperm(len(points), generator=order)[:args.batch])  # 4
    loss = nn.functional.cross_entropy(model(points[batch]), label[batch])
    optimizer.zero_grad()
    loss.backward()
    time.sleep(args.pause)
    team.step(loss)  # 5

with torch.no_grad():
    final = nn.functional.cross_entropy(model(points), label)
print("done: %d steps, loss %.6f" % (team.done, final.item()), flush=True)
