"""Runs a script under 'deepvm run' on this machine, with a market that takes nodes at given times."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time

PLACE = {"cloud": "aws", "region": "us-east-1", "zone": "us-east-1a", "instanceType": "g4dn.xlarge"}
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = os.path.join(HERE, "..", "clients", "python", "shapes")


def plan(workers):
    return {"schema": "deepvm/plans/v1", "plans": [{"rank": 1, "architecture": "tiering", "run": {
        "workers": [dict(PLACE, market="spot", count=workers, anchor=False, usdPerHour=0.2,
                         onDemandUsdPerHour=0.526)],
        "anchors": 1, "anchorsUsdPerHour": 0.085, "speeds": [(n + 1) / workers for n in range(workers)],
        "seconds": 7200,
        "checkpoint": {"bytes": 1000000, "stallSeconds": 0.1, "shipSeconds": 1, "restoreSeconds": 1,
                       "justInTime": True, "objectStore": False, "intervalSeconds": 600}}}]}


def market(workers, losses, away, minutes=6000):
    """Returns a trace in which one node is missing from each of these minutes on, for some minutes."""
    lines = ["# deepvm market v1", "# name: nodes come and go", "# tick-seconds: 60",
             "time,place,instance_type,available,asked,spot_usd_per_hour,on_demand_usd_per_hour"]
    for minute in range(minutes):
        missing = any(at <= minute < at + away for at in losses)
        lines.append("%d,aws/us-east-1/us-east-1a,g4dn.xlarge,%d,%d,0.2,0.526"
                     % (minute * 60, workers - missing, workers))
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def agent(folder):
    """Starts a checkpoint agent in a folder, and yields the environment of scripts that use it."""
    path = os.path.join(folder, "own", "a.sock")
    command = os.environ.get("DEEPVM", os.path.join(HERE, "..", "deepvm")).split()
    process = subprocess.Popen(
        command + ["checkpoint", "agent", "--to", os.path.join(folder, "kept"), "--memory", "64MiB", "--socket", path,
                   "--attached"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        if not process.stdout.readline().startswith(b"Agent on"):
            raise SystemExit("The agent did not start.")
        yield dict(os.environ, DEEPVM_AGENT=path, PYTHONPATH=os.path.join(HERE, "..", "clients", "python"),
                   PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    finally:
        process.stdin.close()
        process.wait(60)


def alone(script, world, folder, arguments):
    """Runs a script on some ranks without DeepVM's run, and returns what the first one printed last."""
    with agent(folder) as environment, socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
        door.close()
        ranks = [subprocess.Popen(
            [PYTHON, "-W", "ignore", script] + arguments, stdout=subprocess.PIPE, universal_newlines=True,
            env=dict(environment, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world),
                     MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))) for rank in range(world)]
        said = [rank.communicate()[0] for rank in ranks]
        if any(rank.returncode for rank in ranks):
            raise SystemExit("%s ended with %s." % (script, [rank.returncode for rank in ranks]))
        return said[0]


class Run:
    """What a run under 'deepvm run' was like."""

    def __init__(self, said, events, steps, seconds):
        self.said, self.events, self.steps, self.seconds = said, events, steps, seconds

    def warned(self):
        return [e for e in self.events if e["event"] == "warned"]

    def losses(self):
        return [e for e in self.events if e["event"] == "node" and e["to"] == "LOST"]

    def pauses(self):
        """Returns the seconds from each loss to the next step that a new first rank did; none after the last step."""
        found = []
        for when in [event["atMs"] / 1000 for event in self.losses()]:
            before = {process for _, at, process in self.steps if at <= when}
            after = [at for _, at, process in self.steps if at > when and process not in before]
            found += [round(min(after) - when, 2)] if after else []
        return found

    def wasted(self):
        """Returns how many steps were done again."""
        return len(self.steps) - len({step for step, _, _ in self.steps})


def under_deepvm(script, workers, losses, away, folder, arguments, speed=60):
    """Runs a script with losses at these seconds, each for some seconds; returns the Run."""
    minute = 60 / speed
    losses, away = [round(at / minute) for at in losses], round(away / minute)
    with open(os.path.join(folder, "plan.json"), "w") as file:
        json.dump(plan(workers), file)
    with open(os.path.join(folder, "market.csv"), "w") as file:
        file.write(market(workers, losses, away))
    log = os.path.join(folder, "steps")
    command = os.environ.get("DEEPVM", os.path.join(HERE, "..", "deepvm")).split()
    begun = time.time()
    with agent(folder) as environment:
        ended = subprocess.run(
            command + ["run", "--plan", os.path.join(folder, "plan.json"), "--trace",
                       os.path.join(folder, "market.csv"), "--speed", "%dx" % speed, "--folder",
                       os.path.join(folder, "run"), "--", PYTHON, "-W", "ignore", script,
                       "--log", log] + arguments,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if ended.returncode:
        print(ended.stdout[-3000:], file=sys.stderr)
        raise SystemExit("The run of %s ended with %d." % (script, ended.returncode))
    with open(os.path.join(folder, "run", "events.jsonl")) as file:
        events = [json.loads(line) for line in file]
    with open(log + ".0") as file:
        steps = [(int(line.split()[0]), float(line.split()[2]), int(line.split()[3])) for line in file]
    return Run(ended.stdout, events, steps, time.time() - begun)


def final_loss(said):
    return float(re.findall(r"final loss ([0-9.]+)", said)[-1])
