"""Data-parallel training that goes on in the same processes when a peer is lost.

    import deepvm.elastic
    team = deepvm.elastic.join(model, optimizer)            # instead of init_process_group and DDP
    for step in team.steps(1000):
        mine = team.share(order[step * batch:][:batch])     # this rank's samples of the batch
        loss = loss_of(model(data[mine]), label[mine])      # the mean over this rank's samples
        optimizer.zero_grad()
        loss.backward()
        team.step(loss)                                     # instead of optimizer.step()

Start it with `deepvm run --in-place --plan PLAN -- python3 train.py`. When a peer is lost the survivors
drop the step, meet again under the coordinator's next generation, and repeat the step: the batch and
the learning rate are those of before. What the dropped step has changed is put back: random numbers,
buffers such as those of BatchNorm, the settings of the optimizer, and what join() got besides. A joiner
gets model, optimizer and random numbers from its peers, each of which sends a part. At a notice the
state is saved. A collective of gloo is abandoned at once; others cannot be. With a GPU, leave --in-place
out: the same script then ends with the lost peer, is started again and restores, which join() says.
"""

from __future__ import annotations

import copy
import datetime
import json
import os
import queue
import sys
import threading
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from deepvm import _exact, _state
from deepvm._errors import Error

__all__ = ["join", "Team"]

_PATIENCE = 120.0
_MEET_SECONDS = 20.0


class _Dropped(Exception):
    """The step cannot be committed by this generation."""


class _Orders:
    """Lines from and to the agent on this node: package io.deepvm.cluster.member has their types."""

    def __init__(self, source: Any, target: Any) -> None:
        self._source, self._target = source, target
        self._lock = threading.Lock()
        self._forms: "queue.Queue[Dict[str, Any]]" = queue.Queue()
        self.newest = 0
        self.stopped: Optional[str] = None
        self.notices: List[float] = []
        self.on_stop: List[Any] = []

    def start(self) -> None:
        threading.Thread(target=self._listen, name="deepvm-orders", daemon=True).start()

    def _listen(self) -> None:
        for line in self._source:
            try:
                order = json.loads(line)
            except ValueError:
                continue
            if order.get("order") == "form":
                self.newest = max(self.newest, int(order["generation"]))
                self._forms.put(order)
            elif order.get("order") == "notice":
                self.notices.append(float(order["leadSeconds"]))
            elif order.get("order") == "stop":
                self.stopped = str(order.get("reason"))
        if self.stopped is None:
            # without its agent, nobody would ever stop this process
            print("deepvm.elastic: the agent has gone, so this process ends.", file=sys.stderr, flush=True)
            os._exit(1)

    def say(self, report: str, **more: Any) -> None:
        """Sends a report as one line."""
        with self._lock:
            self._target.write(json.dumps(dict({"report": report}, **more),
                                          separators=(",", ":")) + "\n")
            self._target.flush()

    def next_form(self, after: int, seconds: float) -> Dict[str, Any]:
        """Returns the newest generation after this one; waits for it."""
        end = time.monotonic() + seconds
        found = None
        while True:
            if self.stopped is not None:
                raise SystemExit(0)
            try:
                form = self._forms.get(timeout=0.05) if found is None else self._forms.get_nowait()
                if form["generation"] > after:
                    found = form
            except queue.Empty:
                if found is not None:
                    return found
                if time.monotonic() > end:
                    raise Error("No generation was formed within %.0f s." % seconds,
                                "Maybe start the script with 'deepvm run --in-place'.") from None


class _Fixed:
    """Stands for the orders of an agent where the ranks never change: a restart brings others."""

    def __init__(self, rank: int, world: int) -> None:
        self.newest, self.stopped = 1, None
        self.notices: List[float] = []
        self._form = {"generation": 1, "rank": rank, "members": [{}] * world}

    def say(self, report: str, **more: Any) -> None:
        """Tells nobody."""

    def next_form(self, after: int, seconds: float) -> Dict[str, Any]:
        return self._form


class Team:
    """The ranks that train together now; join() makes it."""

    def __init__(self, model: Any, optimizer: Any, more: Mapping[str, Any], orders: Any,
                 keeper: "_Keeper", device: str = "cpu") -> None:
        import torch
        import torch.distributed as dist
        self._torch, self._dist, self._device = torch, dist, device
        self.model, self.optimizer, self._more = model, optimizer, dict(more)
        self._orders, self._keeper = orders, keeper
        self._restarts = isinstance(orders, _Fixed)
        self._store: Any = None
        if not self._restarts:
            self._store = dist.TCPStore(os.environ.get("DEEPVM_HOST") or "127.0.0.1", 0, is_master=True,
                                        wait_for_workers=False,
                                        timeout=datetime.timedelta(seconds=_MEET_SECONDS))
        self.generation, self.rank, self.world = 0, 0, 1
        self._group: Any = None
        self.done = -1
        self.samples = 0
        self._weight: Optional[float] = None
        self._batch = 0
        self._began = time.monotonic()
        self.drops = 0
        self._loss = 0.0

    # --- what a script calls

    def steps(self, count: int) -> Iterator[int]:
        """Yields the number of each step from 0; one that was dropped is yielded again."""
        while max(0, self.done) < count:
            if self._orders.stopped is not None:
                self._keeper.save(self, force=True)
                raise SystemExit(0)
            if self._orders.newest > self.generation:
                self._form()
                continue
            before = self._before_step()
            self._weight, self._batch = None, 0
            self._began, done = time.monotonic(), self.done
            yield self.done
            if self.done == done:
                # also what the script did after step(), such as scheduler.step()
                self._put_back(before)
                self._form()
        self._finish()

    def _before_step(self) -> Dict[str, Any]:
        """Returns all that a step may change before it is committed, or that follows its commit."""
        return {"random": _exact.random_state(),
                "buffers": [(b, b.detach().clone()) for b in self.model.buffers()],
                "groups": [{k: copy.deepcopy(v) for k, v in group.items() if k != "params"}
                           for group in self.optimizer.param_groups],
                "more": {name: copy.deepcopy(each.state_dict()) for name, each in self._more.items()}}

    def _put_back(self, before: Mapping[str, Any]) -> None:
        """Undoes what a dropped step has changed."""
        _exact.set_random_state(before["random"])
        with self._torch.no_grad():
            for buffer, kept in before["buffers"]:
                buffer.copy_(kept)
        for name, each in self._more.items():
            each.load_state_dict(before["more"][name])
        for group, kept in zip(self.optimizer.param_groups, before["groups"]):
            group.update(kept)

    def _finish(self) -> None:
        """Stays until the agent says that all is done: a peer may still need the state."""
        self._keeper.save(self, force=True)
        told = 0
        while self._orders.stopped is None and not self._restarts:
            if self._orders.newest > self.generation:
                self._form()
            if told < self.generation:
                told = self.generation
                self._orders.say("finished", step=self.done, samples=self.samples, loss=self._loss)
            time.sleep(0.01)
        self._group = None

    def share(self, samples: Sequence[Any]) -> Any:
        """Returns this rank's part of the samples of a step; all ranks give the same ones."""
        mine = samples[self.rank::self.world]
        self._batch = len(samples)
        self._weight = len(mine) / max(1, len(samples))
        return mine

    def step(self, loss: Any = None) -> bool:
        """Averages the gradients over all samples of the step and lets the optimizer step.

        Returns False when a peer was lost: then the step is repeated, and what the script does after
        this call is undone, as far as join() knows it.
        """
        weight = 1.0 / self.world if self._weight is None else self._weight
        value = float(loss.detach()) if loss is not None else 0.0
        if value != value and self._weight == 0:
            value = 0.0  # the mean over no samples
        leads = list(self._orders.notices)
        try:
            self._loss, noticed = self._average(weight, value, bool(leads))
        except _Dropped:
            self.drops += 1
            return False
        self.optimizer.step()
        self.done += 1
        self.samples += self._batch
        if self.rank == 0:
            self._orders.say(
                "step", generation=self.generation, step=self.done, samples=self.samples,
                loss=self._loss, computeSeconds=round(time.monotonic() - self._began, 6),
                communicationSeconds=0.0, waitSeconds=0.0, checkpointSeconds=0.0)
            self._keeper.save(self, force=noticed, lead=min(leads, default=None))
        del self._orders.notices[:len(leads)]
        return True

    # --- averaging

    def _average(self, weight: float, loss: float, noticed: bool) -> Tuple[float, bool]:
        """Replaces gradients by their weighted sum over all ranks.

        Returns the sum of the losses, and whether any rank's node has got a notice.
        """
        torch = self._torch
        with_grad = [p for g in self.optimizer.param_groups for p in g["params"] if p.requires_grad]
        kinds: Dict[Any, List[Any]] = {}
        for p in with_grad:
            if p.grad is None or weight == 0:
                p.grad = torch.zeros_like(p)
            kinds.setdefault(p.dtype, []).append(p)
        # copies: a collective that is abandoned may write into its memory later
        flats = [torch.cat([p.grad.detach().reshape(-1) for p in each]).mul_(weight)
                 for each in kinds.values()]
        flats.append(torch.tensor([loss * weight, float(noticed)], dtype=torch.float64,
                                  device=self._device))
        for flat in flats:
            self._wait(lambda flat=flat: self._group.allreduce([flat]) if self.world > 1 else None)
        if self._orders.newest > self.generation:
            raise _Dropped
        for each, flat in zip(kinds.values(), flats):
            at = 0
            for p in each:
                p.grad.copy_(flat[at:at + p.numel()].view_as(p))
                at += p.numel()
        return float(flats[-1][0]), bool(flats[-1][1] > 0)

    def _wait(self, begin: Any) -> None:
        """Waits for a collective, or gives it up as soon as a peer is lost."""
        try:
            work = begin()
            if work is None:
                return
            pause = 0.00005
            while not work.is_completed():
                if self._orders.newest > self.generation or self._orders.stopped is not None:
                    raise _Dropped
                time.sleep(pause)
                pause = min(0.001, pause * 1.5)
            work.wait()
        except RuntimeError as problem:
            if self._restarts:
                print("deepvm.elastic: a peer was lost (%s), so this process ends and is started again."
                      % str(problem).split("\n")[0], file=sys.stderr, flush=True)
                raise SystemExit(1) from None
            # gloo: the connection of a peer was closed
            self._problem = str(problem)
            raise _Dropped from None

    # --- generations

    def _form(self) -> None:
        """Meets the members of the next generation; joiners get the state from the others."""
        while True:
            form = self._orders.next_form(self.generation, _PATIENCE)
            self.generation, self.rank = form["generation"], form["rank"]
            self.world = len(form["members"])
            self._group = None
            self._orders.say("forming", generation=self.generation)
            try:
                self._meet(form["members"])
                origin = self._agree()
                break
            except _Dropped:
                continue
            except RuntimeError:
                if self._restarts:
                    raise
                # a member has gone before it came: the next generation is on its way
                continue
        self._orders.say("formed", generation=self.generation, step=self.done,
                         **{"from": origin})

    def _meet(self, members: List[Dict[str, Any]]) -> None:
        if self.world == 1:
            return
        if self._restarts:
            backend = "gloo" if self._device == "cpu" else "nccl"
            if not self._dist.is_initialized():
                self._dist.init_process_group(backend)
            self._group = self._dist.distributed_c10d._get_default_group()
            return
        dist, patience = self._dist, datetime.timedelta(seconds=_MEET_SECONDS)
        first = members[0]
        store = self._store if self.rank == 0 else dist.TCPStore(
            first["host"], first["port"], is_master=False, wait_for_workers=False, timeout=patience)
        found: List[Any] = []
        scope = dist.PrefixStore("deepvm-%d" % self.generation, store)

        def make() -> None:
            try:
                found.append(dist.ProcessGroupGloo(scope, self.rank, self.world, patience))
            except Exception as problem:  # noqa: B902 - handed to the waiting thread
                found.append(problem)

        # beside: a peer that dies while it connects must not hold the others up
        threading.Thread(target=make, daemon=True).start()
        while not found:
            if self._orders.newest > self.generation or self._orders.stopped is not None:
                raise _Dropped
            time.sleep(0.001)
        if isinstance(found[0], Exception):
            raise _Dropped from found[0]
        self._group, self._scope = found[0], scope

    def _agree(self) -> str:
        """Lets all ranks have the newest state that any of them has; returns where it came from."""
        torch = self._torch
        steps = torch.full((self.world,), -1, dtype=torch.int64, device=self._device)
        steps[self.rank] = self.done
        self._wait(lambda: self._group.allreduce([steps], self._most()) if self.world > 1 else None)
        newest = int(steps.max())
        fresh = newest < 0
        if fresh:
            # nobody has trained: the first restores or begins, and the others get its state
            origin = "FRESH"
            if self.rank == 0:
                origin = "CHECKPOINT" if self._keeper.restore(self) else "FRESH"
                self.done = max(0, self.done)
            sources = [0]
        else:
            sources = [r for r in range(self.world) if int(steps[r]) == newest]
            origin = "KEPT" if self.done == newest else "PEER"
        if self.world > 1 and (fresh or len(sources) < self.world):
            self._share_state(sources)
            if fresh and self.rank > 0:
                origin = "PEER" if self.done > 0 else "FRESH"
        return origin

    def _most(self) -> Any:
        options = self._dist.AllreduceOptions()
        options.reduceOp = self._dist.ReduceOp.MAX
        return options

    def state(self) -> Dict[str, Any]:
        """Returns all that a joiner needs."""
        state: Dict[str, Any] = {name: each.state_dict() for name, each in self._parts()}
        return dict(state, random=_exact.random_state(), done=self.done, samples=self.samples)

    def load(self, state: Mapping[str, Any]) -> None:
        """Takes what another rank or a checkpoint had."""
        for name, each in self._parts():
            each.load_state_dict(state[name])
        _exact.set_random_state(state["random"])
        self.done, self.samples = int(state["done"]), int(state["samples"])

    def _parts(self) -> List[Tuple[str, Any]]:
        parts = [("model", self.model), ("optimizer", self.optimizer)]
        return parts + [("more." + name, each) for name, each in self._more.items()]

    def _share_state(self, sources: List[int]) -> None:
        """Sends the state from all ranks that have it, each some tensors, to those that lack it."""
        torch, has = self._torch, self.rank in sources
        kept: List[Any] = []
        tensors: List[Any] = []
        head = torch.empty(0, dtype=torch.uint8)
        if has:
            structure, found = _state.encode(self.state())
            kept = list(found.values())
            about = [structure, [[s.name, s.dtype, s.shape, s.nbytes] for s in kept]]
            head = torch.frombuffer(bytearray(json.dumps(about).encode()), dtype=torch.uint8)
            tensors = [_bytes_of(torch, s) for s in kept]
        length = torch.tensor([len(head)])
        self._broadcast(length, sources[0])
        if not has:
            head = torch.empty(int(length), dtype=torch.uint8)
        self._broadcast(head, sources[0])
        structure, about = json.loads(bytes(head.tolist()).decode())
        if not has:
            tensors = [torch.empty(nbytes, dtype=torch.uint8) for _, _, _, nbytes in about]
        for i, tensor in enumerate(tensors):
            if tensor.numel():
                self._broadcast(tensor, sources[i % len(sources)])
        if not has:
            stored = _Received({a[0]: (a[1], a[2], t) for a, t in zip(about, tensors)})
            self.load(_state.Decoder(stored).decode(structure))  # type: ignore[arg-type]

    def _broadcast(self, tensor: Any, source: int) -> None:
        options = self._dist.BroadcastOptions()
        options.rootRank = source
        there = tensor.to(self._device)
        self._wait(lambda: self._group.broadcast([there], options))
        if there is not tensor:
            tensor.copy_(there)


def _bytes_of(torch: Any, source: Any) -> Any:
    """Returns the bytes of a source as a tensor."""
    if source.keep is not None:
        flat = source.keep.reshape(-1)
        return flat.view(torch.uint8) if flat.numel() else torch.empty(0, dtype=torch.uint8)
    data = bytearray(source.view or b"")
    return torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


class _Received:
    """Tensors that peers have sent, for a decoder."""

    def __init__(self, parts: Dict[str, Any]) -> None:
        self.parts = parts

    def raw(self, name: str) -> memoryview:
        return memoryview(self.parts[name][2].numpy())

    def torch(self, name: str, dtype: Optional[str] = None) -> Any:
        from deepvm import _tensors
        import torch
        kept, shape, data = self.parts[name]
        if dtype is None:
            (dtype,) = [t for t, ours in _tensors.KNOWN.items() if ours == kept]
        element = _tensors.torch_type(name, dtype)
        if dtype not in _tensors.KNOWN:
            shape = shape[:-1]
        return data.view(element).reshape(shape) if data.numel() else torch.empty(shape, dtype=element)

    def numpy(self, name: str, dtype: Optional[str] = None) -> Any:
        import numpy
        kept, shape, data = self.parts[name]
        if dtype is not None:
            return numpy.frombuffer(self.raw(name), dtype=dtype)
        element = "?" if kept == "BOOL" else "%s%d" % (kept[0].lower(), int(kept[1:]) // 8)
        return numpy.frombuffer(self.raw(name), dtype=element).reshape(shape)

    def view(self, name: str) -> memoryview:
        return self.raw(name)


class _Keeper:
    """Saves the state of rank 0 now and then, for the loss of all ranks."""

    def __init__(self, every: int) -> None:
        self.every = every
        self._client: Any = None
        self._saved = -1

    def _file(self) -> Optional[str]:
        folder = os.environ.get("DEEPVM_CHECKPOINT")
        return os.path.join(folder, "elastic.pt") if folder else None

    def restore(self, team: Team) -> bool:
        """Loads the newest checkpoint; returns False when there is none."""
        if os.environ.get("DEEPVM_AGENT"):
            from deepvm import checkpoint
            state: Any = checkpoint.restore()
        else:
            file = self._file()
            # our own file, which has more than tensors
            state = team._torch.load(file, map_location="cpu", weights_only=False) \
                if file and os.path.exists(file) else None
        if state is None:
            return False
        team.load(state)
        return True

    def save(self, team: Team, force: bool = False, lead: Optional[float] = None) -> None:
        """Saves if it is time, or in any case; waits then, within the lead of a notice if there is one."""
        if team.rank > 0 or self._saved == team.done or team.done <= 0:
            return
        if not force and (self.every <= 0 or team.done % self.every):
            return
        self._saved = team.done
        if os.environ.get("DEEPVM_AGENT"):
            from deepvm import checkpoint
            if self._client is None:
                self._client = checkpoint.connect()
            ticket = self._client.save(team.done, team.state())
            if force:
                if lead is None:
                    ticket.wait("DURABLE", 60)
                else:
                    self._client.notice(max(0.1, lead))
            team._orders.say("saved", step=team.done, state=ticket.state,
                             reason="; ".join(ticket.reasons))
            return
        file = self._file()
        if file is not None:
            team._torch.save(team.state(), file + ".new")
            os.replace(file + ".new", file)
            team._orders.say("saved", step=team.done, state="DURABLE", reason="")


def join(model: Any, optimizer: Any, save_every: int = 100, **more: Any) -> Team:
    """Joins the other ranks of this run; returns when the first generation has been met.

    save_every: how many steps apart rank 0 saves, through the agent if $DEEPVM_AGENT names one, else
    into $DEEPVM_CHECKPOINT; 0: only at the end. more: what else has a state_dict(), by name, such as
    scheduler=scheduler.
    """
    devices = {p.device.type for g in optimizer.param_groups for p in g["params"]}
    keeper = _Keeper(save_every)
    if "RANK" in os.environ or not os.environ.get("DEEPVM_CHECKPOINT"):
        return _join_restarted(model, optimizer, more, keeper, devices)
    if devices - {"cpu"}:
        raise Error("The parameters are on %s, whose collectives cannot be abandoned."
                    % ", ".join(sorted(devices)),
                    "Maybe use 'deepvm run' without --in-place: it starts all ranks again.")
    # what the script prints goes on to its output; the agent understands whole lines only
    orders = _Orders(sys.stdin, sys.stdout)
    team = Team(model, optimizer, more, orders, keeper)
    orders.start()
    orders.say("ready", port=team._store.port)
    team._form()
    return team


def _join_restarted(model: Any, optimizer: Any, more: Mapping[str, Any], keeper: _Keeper,
                    devices: Set[str]) -> Team:
    """Joins ranks that a launcher such as plain 'deepvm run' starts again when one is lost."""
    from deepvm import notices
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if rank == 0 and world > 1:
        print("deepvm.elastic: when a peer is lost, all ranks start again from a checkpoint. On the CPU,"
              " 'deepvm run --in-place' keeps the others.", file=sys.stderr, flush=True)
    orders = _Fixed(rank, world)
    team = Team(model, optimizer, more, orders, keeper, "cuda" if "cuda" in devices else "cpu")
    team._form()
    if os.environ.get("DEEPVM_NOTICE_FILE"):
        notices.on_notice(orders.notices.append, signals=())
    return team
