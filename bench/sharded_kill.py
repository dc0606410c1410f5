"""Four ranks save shares of a state to two anchors; nodes, an anchor or all nodes are killed with SIGKILL.

A node is a rank and its agent, each a process, and both are killed. An anchor comes back with its disk
or, every other time, without it; then, and when all nodes are lost, the store behind the anchors is
removed, so that anchors alone must have the state. The state of a step is random numbers of that step.
After each kill all ranks restore: the step must be at least the newest that any rank saw as REPLICATED
or above, or once the store is removed as kept by the anchors, too (0 lost), and every bit must be of that step (0 torn). Then the ranks go on from it. Every
tenth round it is also restored on 1, 2, 3 and 8 ranks, filled into shares and as whole tensors.
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


def state(step, rank, world, zeros=False):
    """Returns one rank's state of a step; zeros: the same shapes, to be filled."""
    dice = torch.Generator().manual_seed(step)

    def some(*shape):
        made = torch.randn(*shape, generator=dice)
        return torch.zeros_like(made) if zeros else made

    begin, end = ROWS * rank // world, ROWS * (rank + 1) // world
    whole, plain, small = some(ROWS, 1024), some(700, 500), [some(10) for _ in range(6)]
    mine = torch.Generator().manual_seed(1000 * step + rank)
    return {"share": sharded.Part(whole[begin:end].clone(), [begin, 0], whole.shape),
            "plain": plain, "small": {"list": small, "sparse": small[0].to_sparse()}, "step": step,
            "own": sharded.Own({rank: torch.randn(50, generator=mine)})}


def check(found, rank, world):
    """Returns the step if every bit of what this rank has is of it."""
    step = found.step
    wanted, whole = state(step, rank, world), state(step, 0, 1)
    share = found["share"]
    pairs = [("share", share.tensor, wanted["share"].tensor) if isinstance(share, sharded.Part)
             else ("share", share, whole["share"].tensor),
             ("plain", found["plain"], wanted["plain"]),
             ("sparse", found["small"]["sparse"].to_dense(), wanted["small"]["list"][0])]
    pairs += [("small", a, b) for a, b in zip(found["small"]["list"], wanted["small"]["list"])]
    pairs += [("own %d" % r, tensor, state(step, r, RANKS)["own"].value[r])
              for r, tensor in found["own"].items()]
    for name, got, right in pairs:
        if not torch.equal(got, right):
            raise AssertionError("step %d is torn in %s on rank %d of %d" % (step, name, rank, world))
    assert found["step"] == step
    return step


def train(folder, rank, world, saves):
    """One rank: restores, then saves each step until it is killed."""
    with sharded.connect(group=FileGroup(folder, rank, world)) as dc:
        step = 0
        for into in (state(0, rank, world, zeros=True), None):
            found = dc.restore(into)
            step = check(found, rank, world) if found is not None else 0
        problems = found.problems if found is not None else []
        print(json.dumps({"restored": step, "problems": problems}), flush=True)
        tickets, told = [], set()
        while True:
            if not saves:
                time.sleep(0.1)
                continue
            step += 1
            tickets.append(dc.save(step, state(step, rank, world)))
            for ticket in list(tickets):
                kept = ticket.state in checkpoint.LEVELS[1:]
                if kept and ticket.step not in told:
                    told.add(ticket.step)
                    print(json.dumps({"safe": ticket.step}), flush=True)
                if ticket.settled:
                    if kept and not ticket.reasons:
                        # no tier has passed it over, so the anchors have it, too
                        print(json.dumps({"anchored": ticket.step}), flush=True)
                    tickets.remove(ticket)
            time.sleep(0.02)


class Process:
    """A child whose lines are read."""

    def __init__(self, command, **environment):
        self.lines, self.changed, self.ended = [], threading.Condition(), False
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      env=dict(os.environ, **environment), universal_newlines=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            with self.changed:
                self.lines.append(line.strip())
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait(self, text, seconds=180):
        with self.changed:
            self.changed.wait_for(lambda: self.ended or any(text in line for line in self.lines), seconds)
            if not any(text in line for line in self.lines):
                raise AssertionError("no '%s' in %s" % (text, self.lines[-3:]))
            return next(line for line in self.lines if text in line)

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self.child.stdin.close()


class Scene:
    """Two anchors, nodes with an agent each, and a store that all agents share."""

    def __init__(self, folder, deepvm):
        self.folder, self.deepvm, self.count = folder, deepvm, 0
        self.ports = [self.port() for _ in range(2)]
        self.anchors = [self.anchor(i) for i in range(2)]
        self.agents = {}

    @staticmethod
    def port():
        import socket
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            return door.getsockname()[1]

    def disk(self, i):
        return os.path.join(self.folder, "anchor%d" % i)

    def anchor(self, i):
        process = Process(self.deepvm + ["checkpoint", "anchor", "--listen", "127.0.0.1:%d" % self.ports[i],
                                         "--disk", self.disk(i), "--memory", "256MiB"])
        process.wait("127.0.0.1")
        return process

    def socket(self, i):
        return os.path.join(self.folder, "own%d" % i, "a.sock")

    def agent(self, i):
        return Process(self.deepvm + [
            "checkpoint", "agent", "--to", os.path.join(self.folder, "store"), "--memory", "16MiB",
            "--socket", self.socket(i), "--anchor", "127.0.0.1:%d" % self.ports[0],
            "--anchor", "127.0.0.1:%d" % self.ports[1], "--attached"])

    def start(self, world=RANKS, saves=True):
        """Starts the agents that are not there, and a rank on each node."""
        for i in range(world):
            if i not in self.agents:
                self.agents[i] = self.agent(i)
        for i in range(world):
            self.agents[i].wait("Agent on")
        self.count += 1
        meeting = os.path.join(self.folder, "meet%d" % self.count)
        os.mkdir(meeting)
        more = ["--saves"] if saves else []
        return [Process([sys.executable, __file__, "--rank", str(r), "--world", str(world), "--folder", meeting]
                        + more, DEEPVM_AGENT=self.socket(r)) for r in range(world)]

    def kill_agents(self, which):
        gone = [self.agents.pop(i) for i in which]
        for agent in gone:
            agent.child.send_signal(signal.SIGKILL)
        for agent in gone:
            agent.kill()

    def remove_store(self):
        """Ends all agents, which have it open, and removes the store behind the anchors."""
        self.kill_agents(list(self.agents))
        shutil.rmtree(os.path.join(self.folder, "store"), ignore_errors=True)


def newest(word, ranks):
    """Returns the newest step that any rank saw as this word says: it is of all parts."""
    told = [json.loads(line) for r in ranks for line in r.lines if word in line]
    return max((each.get(word, 0) for each in told), default=0)


def kill_all(processes):
    for process in processes:
        process.child.send_signal(signal.SIGKILL)
    for process in processes:
        process.kill()


class Rounds:
    """What the rounds have found."""

    def __init__(self, scene, dice):
        self.scene, self.dice = scene, dice
        self.kinds = {"node": 0, "anchor": 0, "anchor and its disk": 0, "all nodes": 0}
        self.safe = self.anchored = self.lost = self.restored = 0
        self.last = "nothing"

    def restart(self, world=RANKS, saves=True):
        """Starts ranks and counts those that restored too little."""
        ranks = self.scene.start(world, saves)
        for rank in ranks:
            told = json.loads(rank.wait("restored"))
            found = told["restored"]
            self.restored += 1
            if found < self.safe:
                self.lost += 1
                print("lost: step %d was safe, and step %d came back after the loss of %s: %s"
                      % (self.safe, found, self.last, told["problems"]), file=sys.stderr, flush=True)
        return ranks

    def kill(self, ranks):
        """Kills something while the ranks save, then the ranks that are left."""
        kind = self.dice.choice(sorted(self.kinds))
        self.kinds[kind] += 1
        if kind == "node":
            victim = self.dice.randrange(RANKS)
            ranks[victim].child.send_signal(signal.SIGKILL)
            self.scene.kill_agents([victim])
            time.sleep(0.3)
        elif kind == "all nodes":
            for rank in ranks:
                rank.child.send_signal(signal.SIGKILL)
            self.scene.remove_store()
        else:
            victim = self.dice.randrange(2)
            self.scene.anchors[victim].kill()
            time.sleep(0.3)
        kill_all(ranks)
        if kind.startswith("anchor"):
            if kind != "anchor":
                shutil.rmtree(self.scene.disk(victim))
                self.scene.remove_store()
            self.scene.anchors[victim] = self.scene.anchor(victim)
        time.sleep(0.1)
        # what they said to the last moment is what counts as safe
        self.safe = max(self.safe, newest("safe", ranks))
        self.anchored = max(self.anchored, newest("anchored", ranks))
        if kind in ("all nodes", "anchor and its disk"):
            # some saves had gone into the store alone, which is gone
            self.safe = self.anchored
        self.last = kind

    def run(self, count):
        for number in range(count):
            ranks = self.restart()
            # of this session, so that both anchors have it
            ranks[0].wait("anchored")
            time.sleep(self.dice.random())
            self.kill(ranks)
            if number % 10 == 9:
                for world in (1, 2, 3, 8):
                    kill_all(self.restart(world, saves=False))
                print("%d rounds, %s" % (number + 1, self.kinds), file=sys.stderr, flush=True)


def measure(count, deepvm, seed):
    folder = tempfile.mkdtemp(prefix="deepvm-shards-")
    scene = Scene(folder, deepvm)
    rounds = Rounds(scene, random.Random(seed))
    try:
        rounds.run(count)
    finally:
        kill_all(list(scene.agents.values()) + scene.anchors)
        shutil.rmtree(folder, ignore_errors=True)
    # a torn step would have ended its rank, and so the run
    print(json.dumps({"rounds": count, "kills": rounds.kinds, "restores": rounds.restored, "lost": rounds.lost,
                      "torn": 0, "last_safe_step": rounds.safe}))
    return 1 if rounds.lost else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deepvm", default="./deepvm", help="the command, in words")
    parser.add_argument("--rank", type=int)
    parser.add_argument("--world", type=int)
    parser.add_argument("--folder")
    parser.add_argument("--saves", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.rank is not None:
        train(args.folder, args.rank, args.world, args.saves)
    else:
        sys.exit(measure(args.rounds, args.deepvm.split(), args.seed))
