"""Ranks that lose a peer go on in their processes, and end as if nothing had happened."""

import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy
import torch
from torch import nn

from deepvm import elastic

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "..", "examples", "elastic.py")


class Agents:
    """Does for processes on this machine what the agents and the coordinator of a run do."""

    def __init__(self, folder, arguments):
        self.folder, self.arguments = folder, arguments
        self.changed = threading.Condition()
        self.members, self.ready, self.finished = [], {}, set()
        self.generation, self.count = 0, 0
        self.steps, self.formed, self.printed = [], [], []
        self.exits = {}

    def start(self):
        """Starts a process and returns it; it joins as soon as it is ready."""
        environment = dict(os.environ, PYTHONPATH=HERE, DEEPVM_CHECKPOINT=self.folder,
                           OMP_NUM_THREADS="1", DEEPVM_HOST="127.0.0.1", PYTHONUNBUFFERED="1")
        environment.pop("DEEPVM_AGENT", None)
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", SCRIPT] + self.arguments, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=environment, universal_newlines=True)
        process.name = "n%d" % self.count
        self.count += 1
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return process

    def _listen(self, process):
        for line in process.stdout:
            with self.changed:
                if line.startswith('{"report":'):
                    self._reported(process, json.loads(line))
                else:
                    self.printed.append((process.name, line.strip()))
                self.changed.notify_all()
        code = process.wait()
        with self.changed:
            self.exits[process.name] = code
            if process in self.members:
                self.members.remove(process)
                if self.members and not self.finished:
                    self.form()
            self.changed.notify_all()

    def _reported(self, process, report):
        kind = report["report"]
        if kind == "ready":
            self.ready[process.name] = report["port"]
        elif kind == "step":
            self.steps.append((time.monotonic(), report["generation"], report["step"], report["loss"]))
        elif kind == "formed":
            self.formed.append((process.name, report["generation"], report["step"], report["from"]))
        elif kind == "finished":
            self.finished.add((process.name, report["generation"] if "generation" in report else 0))

    def form(self):
        self.generation += 1
        members = [{"node": p.name, "role": "worker", "host": "127.0.0.1",
                    "port": self.ready[p.name], "place": "", "processes": 1} for p in self.members]
        for rank, process in enumerate(self.members):
            self.tell(process, {"order": "form", "generation": self.generation, "rank": rank,
                                "members": members})

    def admit(self, process):
        """Lets a process join as soon as it is ready; returns once it trains."""
        self.wait(lambda: process.name in self.ready)
        with self.changed:
            self.members.append(process)
            self.form()
        self.wait(lambda: any(f[0] == process.name for f in self.formed))

    @staticmethod
    def tell(process, order):
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        except OSError:
            pass  # it has ended, which its listener reports

    def begin(self, count, spares=0):
        """Starts some processes, lets the first of them train, and returns all."""
        started = [self.start() for _ in range(count + spares)]
        self.wait(lambda: len(self.ready) == count + spares or self.exits)
        with self.changed:
            self.members = started[:count]
            self.form()
        return started

    def wait(self, condition, seconds=120):
        with self.changed:
            if not self.changed.wait_for(condition, seconds):
                raise AssertionError("It did not happen in %d s: %s" % (seconds, self.printed[-5:]))

    def end(self):
        """Waits until all members have finished, stops them, and returns what rank 0 printed last."""
        self.wait(lambda: {p.name for p in self.members} <= {n for n, _ in self.finished})
        with self.changed:
            members = list(self.members)
        for process in members:
            self.tell(process, {"order": "stop", "reason": "done"})
        self.wait(lambda: all(p.name in self.exits for p in members))
        for process in members:
            assert self.exits[process.name] == 0, self.exits
        return [line for _, line in self.printed if line.startswith("done")]


def run(arguments, count, disturb=None, spares=0):
    with tempfile.TemporaryDirectory() as folder:
        agents = Agents(folder, arguments)
        started = agents.begin(count, spares)
        try:
            if disturb is not None:
                disturb(agents, started)
            said = agents.end()
        finally:
            for process in started + list(agents.members):
                if process.poll() is None:
                    process.kill()
                process.wait()
                process.stdin.close()
        return agents, said


def kill_at(agents, process, step):
    """Kills a process once this many steps are done; returns when the next step came after it."""
    agents.wait(lambda: agents.steps and agents.steps[-1][2] >= step)
    with agents.changed:
        before = agents.generation
    killed = time.monotonic()
    os.kill(process.pid, signal.SIGKILL)
    agents.wait(lambda: agents.steps[-1][1] > before)
    return next(t for t, generation, _, _ in agents.steps if generation > before) - killed


class Elastic(unittest.TestCase):

    def test_a_lost_peer_costs_no_step_and_a_joiner_gets_the_state_of_its_peers(self):
        arguments = ["--steps", "150", "--pause", "0.02"]
        _, undisturbed = run(arguments, 1)
        pauses = []

        def disturb(agents, started):
            pauses.append(kill_at(agents, started[2], 15))
            agents.admit(started[3])
            # the first of all, which the others met at
            pauses.append(kill_at(agents, started[0], agents.steps[-1][2] + 5))

        agents, said = run(arguments, 3, disturb, spares=1)
        self.assertEqual(len(set(undisturbed)), 1, undisturbed)
        self.assertEqual(len(set(said)), 1, said)
        # sums over other numbers of ranks differ in their last bits
        loss, other = (float(s[0].split()[-1]) for s in (undisturbed, said))
        self.assertAlmostEqual(loss, other, delta=1e-4 * loss)
        self.assertEqual([s for _, _, s, _ in agents.steps], sorted({s for _, _, s, _ in agents.steps}))
        self.assertEqual(agents.steps[-1][2], 150)
        joined = [f for f in agents.formed if f[0] == "n3"][0]
        self.assertEqual(joined[3], "PEER")
        self.assertGreaterEqual(joined[2], 15)
        survivor = {origin for name, generation, _, origin in agents.formed
                    if name == "n1" and generation > 1}
        self.assertLessEqual(survivor, {"KEPT", "PEER"})
        print("next step after a kill: %s s" % ", ".join("%.3f" % p for p in pauses), file=sys.stderr)

    def test_when_all_are_lost_the_checkpoint_brings_them_back(self):
        with tempfile.TemporaryDirectory() as folder:
            agents = Agents(folder, ["--steps", "400", "--save-every", "10", "--pause", "0.01"])
            agents.begin(2)
            agents.wait(lambda: agents.steps and agents.steps[-1][2] >= 25)
            with agents.changed:
                members, agents.members = list(agents.members), []
            for process in members:
                process.kill()
                process.wait()
                process.stdin.close()
            agents = Agents(folder, ["--steps", "500", "--save-every", "10"])
            agents.begin(2)
            try:
                agents.end()
            finally:
                for process in agents.members:
                    process.kill()
                    process.wait()
                    process.stdin.close()
            self.assertEqual(agents.formed[0][2] % 10, 0)
            self.assertGreaterEqual(agents.formed[0][2], 20)
            self.assertIn("CHECKPOINT", {f[3] for f in agents.formed})


class OneRank(elastic._Fixed):
    """The orders of one rank whose generations follow each other."""

    def next_form(self, after, seconds):
        return {"generation": after + 1, "rank": 0, "members": [{}]}


class Keeper:
    """Notes what is saved."""

    def __init__(self):
        self.saved = []

    def restore(self, team):
        return False

    def save(self, team, force=False, lead=None):
        if force:
            self.saved.append((team.done, lead))


class Steps(unittest.TestCase):
    """One rank, whose agent is the test."""

    def build(self):
        torch.manual_seed(3)
        random.seed(3)
        numpy.random.seed(3)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        orders, keeper = OneRank(0, 1), Keeper()
        team = elastic.Team(model, optimizer, {"scheduler": scheduler}, orders, keeper)
        team._form()
        return team, orders, keeper

    def train(self, dropped=(), each=lambda team, step: None):
        """Trains as the recipe says, and returns all that is left at the end."""
        team, orders, keeper = self.build()
        average, dropped = team._average, list(dropped)

        def average_or_drop(*words):
            if team.done in dropped:
                dropped.remove(team.done)
                raise elastic._Dropped
            return average(*words)

        team._average = average_or_drop
        for step in team.steps(6):
            each(team, step)
            batch = torch.randn(8, 4) * random.random() * numpy.random.rand()
            loss = team.model(team.share(batch)).square().mean()
            team.optimizer.zero_grad()
            loss.backward()
            team.step(loss)
            team._more["scheduler"].step()
        self.assertEqual(dropped, [])
        return team.state(), team.optimizer.param_groups[0]["lr"], team.drops

    def test_a_dropped_step_leaves_no_trace(self):
        state, rate, _ = self.train()
        again, other, drops = self.train(dropped=[0, 2, 2, 5])
        self.assertEqual(drops, 4)
        self.assertEqual(other, rate)
        for name, tensor in state["model"].items():
            self.assertTrue(torch.equal(again["model"][name], tensor), name)
        self.assertEqual(again["more.scheduler"], state["more.scheduler"])
        self.assertEqual(again["random"]["python"], state["random"]["python"])
        self.assertTrue(torch.equal(again["random"]["torch"], state["random"]["torch"]))
        self.assertTrue((again["random"]["numpy"][1] == state["random"]["numpy"][1]).all())

    def test_a_notice_has_the_state_saved_after_the_step(self):
        team, orders, keeper = self.build()
        for step in team.steps(4):
            if step == 2:
                orders.notices.append(30.0)
            team.step(team.model(torch.randn(8, 4)).sum())
        self.assertEqual(keeper.saved[0], (3, 30.0))
        self.assertEqual(orders.notices, [])

    def test_one_rank_that_is_stopped_saves_and_ends(self):
        team, orders, keeper = self.build()
        with self.assertRaises(SystemExit) as ended:
            for step in team.steps(1000):
                team.step(team.model(torch.randn(8, 4)).sum())
                if step == 3:
                    orders.stopped = "enough"
        self.assertEqual(ended.exception.code, 0)
        self.assertEqual(keeper.saved, [(4, None)])


class Restarts(unittest.TestCase):
    """The same script where a launcher starts all ranks again."""

    def start(self, folder, world=2, *arguments):
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            port = door.getsockname()[1]
        environment = dict(os.environ, PYTHONPATH=HERE, DEEPVM_CHECKPOINT=folder, OMP_NUM_THREADS="1",
                           WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        environment.pop("DEEPVM_AGENT", None)
        return [subprocess.Popen(
            [sys.executable, "-W", "ignore", SCRIPT, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, universal_newlines=True, env=dict(environment, RANK=str(rank)))
            for rank in range(world)]

    def test_ranks_end_with_a_sentence_when_one_is_lost_and_go_on_from_a_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            ranks = self.start(folder, 2, "--steps=100000", "--save-every=5", "--pause=0.005")
            end = time.monotonic() + 60
            while not os.path.exists(os.path.join(folder, "elastic.pt")):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            ranks[1].kill()
            ranks[1].communicate()
            _, said = ranks[0].communicate(timeout=60)
            self.assertEqual(ranks[0].returncode, 1, said)
            self.assertIn("all ranks start again from a checkpoint", said)
            self.assertIn("so this process ends and is started again", said)
            kept = torch.load(os.path.join(folder, "elastic.pt"))["done"]
            ranks = self.start(folder, 2, "--steps=%d" % (kept + 5))
            printed = [rank.communicate(timeout=60)[0] for rank in ranks]
            self.assertEqual([rank.returncode for rank in ranks], [0, 0])
            self.assertEqual(printed[0], printed[1])
            self.assertTrue(printed[0].startswith("done: %d steps" % (kept + 5)), printed)

    def test_a_process_whose_agent_has_gone_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, PYTHONPATH=HERE, DEEPVM_CHECKPOINT=folder)
            ended = subprocess.run([sys.executable, "-W", "ignore", SCRIPT], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=60,
                                   universal_newlines=True)
            self.assertEqual(ended.returncode, 1)
            self.assertIn("the agent has gone, so this process ends", ended.stderr)


def measure(kills):
    """Prints the time to the next step after each of some kills of one of four ranks."""
    pauses = []

    with tempfile.TemporaryDirectory() as folder:
        agents = Agents(folder, ["--steps", "1000000", "--pause", "0.01"])
        started = agents.begin(4)
        try:
            for _ in range(kills):
                newcomer = agents.start()
                started.append(newcomer)
                agents.wait(lambda: newcomer.name in agents.ready)
                with agents.changed:
                    victim = agents.members[len(pauses) % len(agents.members)]
                pauses.append(kill_at(agents, victim, agents.steps[-1][2] + 5 if agents.steps else 5))
                agents.admit(newcomer)
        finally:
            with agents.changed:
                agents.members = []
            for process in started:
                process.kill()
                process.wait()
                process.stdin.close()
    print(json.dumps({"kills": len(pauses), "median_seconds": round(statistics.median(pauses), 3),
                      "most_seconds": round(max(pauses), 3),
                      "all": [round(p, 3) for p in pauses]}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(int(sys.argv[2]))
    else:
        unittest.main()
