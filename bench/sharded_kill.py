"""Four ranks save shares of a state to two anchors; ranks, an anchor or all ranks are killed.

Each rank is a process with an agent of its own, as on a node of its own. After each kill a checker
restores: the step must be at least the newest that all ranks saw as REPLICATED or above (0 lost), and
every share must be of that step (0 torn). Then the ranks start again from it. Every tenth round it is
also restored on 1, 2, 3 and 8 ranks.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import torch

from deepvm import checkpoint, sharded

RANKS = 4
ROWS = 64


class FileGroup:
    """Lets ranks exchange words through files of one folder."""

    def __init__(self, folder, rank, world):
        self.folder, self.rank, self.world, self.turn = folder, rank, world, 0

    def gather(self, value):
        self.turn += 1
        name = os.path.join(self.folder, "%d-%d" % (self.turn, self.rank))
        with open(name + ".new", "w") as file:
            json.dump(value, file)
        os.replace(name + ".new", name)
        found, end = [], time.monotonic() + 120
        for rank in range(self.world):
            name = os.path.join(self.folder, "%d-%d" % (self.turn, rank))
            while not os.path.exists(name):
                if time.monotonic() > end:
                    raise RuntimeError("rank %d did not come" % rank)
                time.sleep(0.002)
            with open(name) as file:
                found.append(json.load(file))
        return found


def state(step, rank, world):
    begin, end = ROWS * rank // world, ROWS * (rank + 1) // world
    whole = torch.full((ROWS, 1024), float(step))
    return {"share": sharded.Part(whole[begin:end].clone(), [begin, 0], whole.shape),
            "plain": torch.full((700, 500), float(step)), "step": step}


def check(found):
    """Returns the step if every number of a whole state is of it."""
    step = found.step
    for name in ("share", "plain"):
        if not bool((found[name] == float(step)).all()):
            raise AssertionError("step %d is torn in %s: %s" % (step, name, found[name].unique()))
    assert found["step"] == step
    return step


def train(folder, rank, world):
    """One rank: restores, then saves each step until it is killed."""
    with sharded.connect(group=FileGroup(folder, rank, world)) as dc:
        found = dc.restore()
        step = check(found) if found is not None else 0
        print(json.dumps({"restored": step}), flush=True)
        tickets = []
        while True:
            step += 1
            tickets.append(dc.save(step, state(step, rank, world)))
            for ticket in list(tickets):
                if ticket.state in checkpoint.LEVELS[1:]:
                    print(json.dumps({"safe": ticket.step}), flush=True)
                    tickets.remove(ticket)
                elif ticket.settled:
                    tickets.remove(ticket)
            time.sleep(0.02)


class Process:
    """A child whose lines are read."""

    def __init__(self, command, **environment):
        self.lines, self.changed = [], threading.Condition()
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      env=dict(os.environ, **environment), universal_newlines=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            with self.changed:
                self.lines.append(line.strip())
                self.changed.notify_all()

    def wait(self, text, seconds=180):
        with self.changed:
            if not self.changed.wait_for(lambda: any(text in line for line in self.lines), seconds):
                raise AssertionError("no '%s' in %s" % (text, self.lines[-3:]))
            return next(line for line in self.lines if text in line)

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self.child.stdin.close()


class Scene:
    def __init__(self, folder, deepvm):
        self.folder, self.deepvm, self.count = folder, deepvm, 0
        self.ports = [self.port() for _ in range(2)]
        self.anchors = [self.anchor(i) for i in range(2)]
        self.agents = [self.agent(i) for i in range(8)][:8]

    @staticmethod
    def port():
        import socket
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            return door.getsockname()[1]

    def anchor(self, i):
        process = Process(self.deepvm + ["checkpoint", "anchor", "--listen", "127.0.0.1:%d" % self.ports[i],
                                         "--disk", os.path.join(self.folder, "anchor%d" % i), "--memory", "256MiB"])
        process.wait("127.0.0.1")
        return process

    def socket(self, i):
        return os.path.join(self.folder, "own%d" % i, "a.sock")

    def agent(self, i):
        process = Process(self.deepvm + [
            "checkpoint", "agent", "--to", os.path.join(self.folder, "store"), "--memory", "16MiB",
            "--socket", self.socket(i), "--anchor", "127.0.0.1:%d" % self.ports[0],
            "--anchor", "127.0.0.1:%d" % self.ports[1], "--attached"])
        process.wait("Agent on")
        return process

    def start(self, world=RANKS):
        self.count += 1
        meeting = os.path.join(self.folder, "meet%d" % self.count)
        os.mkdir(meeting)
        return [Process([sys.executable, __file__, "--rank", str(r), "--world", str(world), "--folder", meeting],
                        DEEPVM_AGENT=self.socket(r)) for r in range(world)]


def newest_safe(ranks):
    """Returns the newest step that any rank saw committed: it is of all parts."""
    steps = [json.loads(line)["safe"] for r in ranks for line in r.lines if "safe" in line]
    return max(steps, default=0)


def measure(rounds, deepvm, seed):
    dice = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="deepvm-shards-")
    kinds = {"rank": 0, "anchor": 0, "all": 0}
    lost = torn = 0
    safe = 0
    scene = Scene(folder, deepvm)
    try:
        for round_ in range(rounds):
            ranks = scene.start()
            for rank in ranks:
                restored = json.loads(rank.wait("restored"))["restored"]
                lost += restored < safe
            ranks[0].wait("safe")
            time.sleep(dice.random())
            kind = dice.choice(sorted(kinds))
            kinds[kind] += 1
            if kind == "anchor":
                victim = dice.randrange(2)
                scene.anchors[victim].kill()
                time.sleep(0.3)
                scene.anchors[victim] = scene.anchor(victim)
            elif kind == "rank":
                dice.choice(ranks).kill()
                time.sleep(0.3)
            for rank in ranks:
                if rank.child.poll() is None:
                    rank.kill()
            # what they said to the last moment is what counts as safe
            time.sleep(0.1)
            safe = max(safe, newest_safe(ranks))
            if round_ % 10 == 9:
                for world in (1, 2, 3, 8):
                    again = scene.start(world)
                    for rank in again:
                        lost += json.loads(rank.wait("restored"))["restored"] < safe
                    for rank in again:
                        rank.kill()
                    time.sleep(0.1)
                    safe = max(safe, newest_safe(again))
    except AssertionError as problem:
        torn += "torn" in str(problem)
        print(problem, file=sys.stderr)
        raise
    finally:
        for process in scene.agents + scene.anchors:
            process.kill()
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"rounds": rounds, "kills": kinds, "lost": lost, "torn": torn, "last_safe_step": safe}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deepvm", default="./deepvm", help="the command, in words")
    parser.add_argument("--rank", type=int)
    parser.add_argument("--world", type=int)
    parser.add_argument("--folder")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.rank is not None:
        train(args.folder, args.rank, args.world)
    else:
        measure(args.rounds, args.deepvm.split(), args.seed)
