"""Measures what saving costs a PyTorch script: deepcheck beside torch.save, in one run.

Run by bench/checkpoint-python, which starts the agent; the machine should be otherwise idle.
"""

import argparse
import os
import statistics
import time

import torch
from torch import nn

import deepcheck

TENSOR = 4 << 20  # floats: 16 MiB


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def stalls(dc, folder, megabytes, repetitions):
    """Returns the seconds that training waits: for deepcheck, and for torch.save with fsync."""
    state = {}
    for i in range(max(1, megabytes * 1_000_000 // (TENSOR * 4))):
        state["w%d" % i] = torch.randn(TENSOR)
    bytes_ = sum(t.numel() * t.element_size() for t in state.values())
    path = os.path.join(folder, "plain.pt")

    def plain():
        with open(path + ".part", "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(path + ".part", path)

    ours, theirs, step = [], [], time.time_ns() // 1_000_000
    for repetition in range(repetitions + 1):
        tickets = []
        stall = seconds(lambda: tickets.append(dc.save(step + repetition, state)))
        written = tickets[0].wait("DURABLE", 600)
        if not written:
            raise SystemExit("Not saved: %r" % tickets[0])
        other = seconds(plain)
        if repetition:  # the first warms up
            ours.append(stall)
            theirs.append(other)
    os.remove(path)
    return bytes_, statistics.median(ours), statistics.median(theirs)


class Training:
    """A training on the CPU: 16 MB of weights and Adam, 512 samples a step."""

    def __init__(self, width):
        torch.manual_seed(1)
        self.model = nn.Sequential(
            nn.Linear(256, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, 10))
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.inputs = torch.randn(512, 256)
        self.labels = torch.randint(10, (512,))
        self.step = 0

    def steps(self, number, dc=None):
        for _ in range(number):
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(self.inputs), self.labels)
            loss.backward()
            self.optimizer.step()
            self.step += 1
            if dc is not None and self.step % 10 == 0:
                dc.save(self.step, {
                    "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()})


def overhead(dc, width, rounds, steps):
    """Returns the bytes of the state, the seconds of a step, and the share that saving adds."""
    training = Training(width)
    training.steps(5)
    without, with_ = [], []
    for _ in range(rounds):
        without.append(seconds(lambda: training.steps(steps)))
        with_.append(seconds(lambda: training.steps(steps, dc)))
    bytes_ = 3 * sum(p.numel() * p.element_size() for p in training.model.parameters())
    ratios = [b / a - 1 for a, b in zip(without, with_)]
    return bytes_, statistics.median(without) / steps, statistics.median(ratios), ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--megabytes", type=int, nargs="*", default=[100, 1000, 4000])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=50)
    args = parser.parse_args()
    with deepcheck.connect() as dc:
        if args.megabytes:
            print("%10s  %16s  %22s  %6s" % ("STATE", "DEEPCHECK STALL", "TORCH.SAVE + FSYNC", "RATIO"))
        for megabytes in args.megabytes:
            bytes_, ours, theirs = stalls(dc, args.folder, megabytes, args.repetitions)
            print("%7.0f MB  %13.1f ms  %19.1f ms  %5.1fx" % (
                bytes_ / 1e6, ours * 1e3, theirs * 1e3, theirs / ours), flush=True)
        if args.rounds:
            bytes_, step, share, ratios = overhead(dc, args.width, args.rounds, args.steps)
            print("A training of %.0f ms a step, state %.0f MB, saved every 10 steps: %.2f %% longer"
                  " (median of %d rounds, %.2f to %.2f %%)" % (
                      step * 1e3, bytes_ / 1e6, share * 100, len(ratios), min(ratios) * 100,
                      max(ratios) * 100))


main()
