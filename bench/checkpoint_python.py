"""Measures what saving costs a PyTorch script: deepvm beside torch.save, a plain copy and, where torch
has it, the blocking part of torch.distributed.checkpoint's async_save, in one run.

Run by bench/checkpoint-python, which starts the agent; the machine should be otherwise idle.
"""

import argparse
import os
import statistics
import time

import torch
from torch import nn

from deepvm import checkpoint

TENSOR = 4 << 20  # floats: 16 MiB


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def async_save_of(folder):
    """Returns what begins torch's own save in the background, and what waits for it; None where torch is too old."""
    try:
        from torch.distributed.checkpoint import async_save
    except ImportError:
        return None
    import torch.distributed as dist
    if not dist.is_initialized():
        dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=0, world_size=1)
    return lambda state: async_save(state, checkpoint_id=os.path.join(folder, "dcp"))


def stalls(dc, folder, megabytes, repetitions):
    """Returns the bytes, and the median seconds that training waits: for each way of saving."""
    state = {}
    for i in range(max(1, megabytes * 1_000_000 // (TENSOR * 4))):
        state["w%d" % i] = torch.randn(TENSOR)
    bytes_ = sum(t.numel() * t.element_size() for t in state.values())
    path = os.path.join(folder, "plain.pt")
    copies = {name: torch.empty_like(tensor) for name, tensor in state.items()}
    in_background = async_save_of(folder)

    def plain():
        with open(path + ".part", "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(path + ".part", path)

    def copy():
        for name, tensor in state.items():
            copies[name].copy_(tensor)

    found = {"deepvm": [], "copy": [], "torch.save": [], "async_save": []}
    step = time.time_ns() // 1_000_000
    for repetition in range(repetitions + 1):
        tickets, begun = [], []
        times = {"deepvm": seconds(lambda: tickets.append(dc.save(step + repetition, state)))}
        if not tickets[0].wait("DURABLE", 600):
            raise SystemExit("Not saved: %r" % tickets[0])
        times["copy"] = seconds(copy)
        times["torch.save"] = seconds(plain)
        if in_background is not None:
            times["async_save"] = seconds(lambda: begun.append(in_background(state)))
            begun[0].result()
        if repetition:  # the first warms up
            for way, taken in times.items():
                found[way].append(taken)
    os.remove(path)
    return bytes_, {way: statistics.median(times) for way, times in found.items() if times}


def every_step(dc, megabytes, pause, rounds, steps):
    """Returns the bytes, and the shares that saving every step adds to steps in which an accelerator computes."""
    state = {"w%d" % i: torch.randn(1 << 18) for i in range(max(1, megabytes * 1_000_000 // (4 << 18)))}
    first, ratios = time.time_ns() // 1_000_000, []

    def train(saves):
        nonlocal first
        for _ in range(steps):
            time.sleep(pause)
            if saves:
                first += 1
                dc.save(first, state)

    for _ in range(rounds):
        alone = seconds(lambda: train(False))
        ratios.append(seconds(lambda: train(True)) / alone - 1)
    return sum(t.numel() * t.element_size() for t in state.values()), ratios


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
    parser.add_argument("--every-step", type=int, default=48, help="megabytes that are saved every step; 0: none")
    parser.add_argument("--step-seconds", type=float, default=0.25)
    args = parser.parse_args()
    with checkpoint.connect() as dc:
        for megabytes in args.megabytes:
            bytes_, found = stalls(dc, args.folder, megabytes, args.repetitions)
            ours = found["deepvm"]
            print("%.0f MB: training waits %.1f ms" % (bytes_ / 1e6, ours * 1e3)
                  + "".join("; %s %.1f ms (%.2f times ours)" % (way, taken * 1e3, taken / ours)
                            for way, taken in found.items() if way != "deepvm")
                  + ("" if "async_save" in found else "; this torch has no async_save"), flush=True)
        if args.every_step:
            bytes_, ratios = every_step(dc, args.every_step, args.step_seconds, 5, 40)
            print("Steps of %.0f ms, state %.0f MB, saved every step: %.2f %% longer (median of 5 rounds, "
                  "%.2f to %.2f %%)" % (args.step_seconds * 1e3, bytes_ / 1e6, statistics.median(ratios) * 100,
                                        min(ratios) * 100, max(ratios) * 100), flush=True)
        if args.rounds:
            bytes_, step, share, ratios = overhead(dc, args.width, args.rounds, args.steps)
            print("A training of %.0f ms a step, state %.0f MB, saved every 10 steps: %.2f %% longer"
                  " (median of %d rounds, %.2f to %.2f %%)" % (
                      step * 1e3, bytes_ / 1e6, share * 100, len(ratios), min(ratios) * 100,
                      max(ratios) * 100))


main()
