"""What the six shapes of script share: data that needs no download, a small network, and a log of steps."""

import argparse
import os
import time

import torch
from torch import nn

torch.set_num_threads(1)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=96, help="samples in a step, over all ranks")
    parser.add_argument("--every", type=int, default=10, help="steps between saves; 0: as often as costs least")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds to add to a step")
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--log", help="a file that gets a line for each step that is done")
    parser.add_argument("--fresh", action="store_true", help="begin anew, whatever was saved")
    parser.add_argument("--output", default=".", help="a folder for what a framework writes")
    return parser.parse_args()


def spirals():
    """Returns points of three spirals, and their labels."""
    dice = torch.Generator().manual_seed(0)
    angle = torch.rand(6000, generator=dice) * 4
    label = torch.arange(6000) % 3
    turn = angle * 2 + label * 2.1
    points = torch.stack([angle * torch.cos(turn), angle * torch.sin(turn)], 1)
    return points + torch.randn(6000, 2, generator=dice) * 0.1, label


POINTS, LABELS = spirals()


def network(dropout=0.0):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Dropout(dropout), nn.Linear(64, 64), nn.Tanh(),
                         nn.Linear(64, 3))


def share(step, batch, rank=0, world=1):
    """Returns this rank's samples of a step: the same samples in all, whatever the number of ranks."""
    order = torch.Generator().manual_seed(1000 + step)
    return torch.randperm(len(POINTS), generator=order)[:batch][rank::world]


def loss_of(model, samples, batch, world=1):
    """Returns a loss whose gradients, averaged over the ranks, are those of the whole batch."""
    loss = nn.functional.cross_entropy(model(POINTS[samples]), LABELS[samples], reduction="sum")
    return loss * world / batch


class Log:
    """Notes each step that is done; steps that were done again are there twice."""

    def __init__(self, args, rank=0):
        self.file = None if args.log is None else "%s.%d" % (args.log, rank)
        self.pause = args.pause

    def step(self, step, loss):
        time.sleep(self.pause)
        if self.file is not None:
            with open(self.file, "a") as file:
                file.write("%d %s %.6f %d\n" % (step, float(loss).hex(), time.time(), os.getpid()))


def done(model, rank=0):
    """Prints the loss over all data, as the last line of the first rank."""
    if rank == 0:
        model.eval()
        with torch.no_grad():
            print("final loss %.9f" % nn.functional.cross_entropy(model(POINTS), LABELS).item(), flush=True)
