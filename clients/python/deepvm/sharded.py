"""Saves and restores of a state that is split among ranks: together or not at all.

    import deepvm.sharded
    with deepvm.sharded.connect() as dc:                  # on every rank, after init_process_group
        state = dc.restore(into={"model": model.state_dict(), "optimizer": optimizer.state_dict()})
        for step in range(state.step + 1 if state else 1, steps + 1):
            train()
            if step % 100 == 0:
                dc.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
                        mine={"rng": torch.get_rng_state()})

Every rank calls save() with the same step. A plain tensor is the same on all ranks, and each saves a
part of it. A DTensor or ShardedTensor is saved by the ranks that hold it, without gathering. `Part`
marks any other share of a tensor, `Own` what only this rank has, such as a share of ZeRO's state.
The checkpoint can be restored on another number of ranks, split in another way.
"""

from __future__ import annotations

import collections
import json
import os
import zlib
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from deepvm import _state, _tensors, checkpoint
from deepvm._agent_line import socket_path
from deepvm._errors import Error
from deepvm._gpu import new_stager
from deepvm._tensors import STRUCTURE, Source, Stored

__all__ = ["connect", "Client", "Part", "Own", "zero_state", "load_zero_state"]

class Part:
    """A share of a larger tensor: where it begins in it, and the shape of the whole."""

    def __init__(self, tensor: Any, offsets: Sequence[int], shape: Sequence[int]) -> None:
        self.tensor, self.offsets, self.shape = tensor, list(offsets), list(shape)
        inside = len(self.offsets) == len(self.shape) == len(tensor.shape) and all(
            0 <= o <= n - m for o, n, m in zip(self.offsets, self.shape, tensor.shape))
        if not inside:
            raise Error("A share of shape %s from %s is not inside a tensor of shape %s." % (
                list(tensor.shape), self.offsets, self.shape), "Maybe count offsets from zero.")


class Own:
    """A part of the state that only this rank has; what several ranks have is put together."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Parts:
    """The shares of one tensor that this rank holds, such as those of a ShardedTensor."""

    def __init__(self, shape: Sequence[int], dtype: Any, parts: List[Part], saves: bool) -> None:
        self.shape, self.dtype, self.parts, self.saves = list(shape), dtype, parts, saves


def _shares(value: Any) -> Optional[_Parts]:
    """Returns the shares of a tensor that is split; None for any other value."""
    if isinstance(value, Part):
        return _Parts(value.shape, value.tensor.dtype, [value], True)
    if hasattr(value, "device_mesh") and hasattr(value, "placements"):
        return _of_dtensor(value)
    if hasattr(value, "local_shards") and callable(value.local_shards):
        parts = [Part(s.tensor, s.metadata.shard_offsets, value.size())
                 for s in value.local_shards()]
        return _Parts(value.size(), value.dtype, parts, True)
    return None


def _of_dtensor(value: Any) -> _Parts:
    """Returns this rank's share of a DTensor; of its copies, the first of the mesh saves."""
    local, mesh = value.to_local(), value.device_mesh
    if hasattr(local, "wait"):
        local = local.wait()
    shape, offsets = list(value.shape), [0] * len(value.shape)
    size, saves = list(value.shape), True
    coordinate = mesh.get_coordinate()
    if coordinate is None:
        return _Parts(shape, value.dtype, [], False)
    for dimension, placement in enumerate(value.placements):
        ranks, at = mesh.size(dimension), coordinate[dimension]
        if placement.is_shard():
            if type(placement).__name__ != "Shard":
                raise Error("A DTensor is placed as %s." % placement,
                            "Maybe redistribute it to Shard or Replicate before it is saved.")
            # as torch.chunk cuts: all shares but the last are equally long
            length = size[placement.dim]
            share = -(-length // ranks)
            begin = min(length, share * at)
            offsets[placement.dim] += begin
            size[placement.dim] = min(length, begin + share) - begin
        elif placement.is_replicate():
            saves = saves and at == 0
        else:
            raise Error("A DTensor is placed as %s, not yet summed up." % placement,
                        "Maybe redistribute it to Replicate before it is saved.")
    if list(local.shape) != size:
        raise Error("The share of a DTensor has the shape %s, not %s." % (list(local.shape), size),
                    "Maybe this torch splits tensors in another way; mark it with Part.")
    return _Parts(shape, value.dtype, [Part(local, offsets, shape)] if local.numel() else [], saves)


class _Encoder(_state.Encoder):
    """Turns the state of one rank into JSON; a tensor of many ranks becomes a list of boxes.

    Every rank walks the whole state, since all must agree on the rank that saves each value.
    """

    def __init__(self, rank: int, world: int, stager: Any) -> None:
        super().__init__(stager)
        self.rank, self.world = rank, world
        self.loads = [0] * world
        self.own = False
        # a sum of all that the ranks must agree on
        self.agreed = 0

    def encode(self, value: Any, path: _state.Path) -> Any:
        if isinstance(value, Own):
            return self._alone(lambda: self.encode(value.value, path))
        shares = _shares(value)
        if shares is not None:
            boxes = []
            for i, part in enumerate(shares.parts if shares.saves else []):
                boxes.append(self._box(part.tensor, part.offsets, path + ("part%d" % i,)))
            return _global(shares.shape, shares.dtype, boxes)
        return super().encode(value, path)

    def key(self, value: Any, path: _state.Path) -> Any:
        return self._alone(lambda: super(_Encoder, self).key(value, path))

    def _alone(self, encode: Callable[[], Any]) -> Any:
        """Returns a node all of which this rank saves."""
        outer, self.own = self.own, True
        try:
            return encode()
        finally:
            self.own = outer

    def _by(self, saver: int, path: _state.Path, about: Any, encode: Callable[[], Any]) -> Any:
        """Returns the node of a value that one rank saves; the others check that it can be saved."""
        self._agree(path, saver, about)
        outer, self.probing = self.probing, self.probing or saver != self.rank
        try:
            node = self._alone(encode)
        finally:
            self.probing = outer
        return node if saver == self.rank else {"elsewhere": saver}

    def _agree(self, *about: Any) -> None:
        self.agreed = zlib.crc32(repr(about).encode(), self.agreed)

    def agreement(self) -> Source:
        """Returns an empty tensor of a shape that the ranks must agree on, or no save is committed."""
        return Source(_AGREEMENT, "U8", [0, self.agreed], 0, view=memoryview(b""))

    def _box(self, tensor: Any, offsets: Sequence[int], path: _state.Path) -> Any:
        name = self.add(path, tensor.detach(), _tensors.of_torch, self.stager)
        return [list(offsets), list(tensor.shape), name]

    def _is_shared(self) -> bool:
        return not self.own and self.world > 1

    def tensor(self, value: Any, path: _state.Path) -> Any:
        if not self._is_shared() or not hasattr(value, "stride"):
            return super().tensor(value, path)
        return self._split(value, path) or self._by_one(value, path)

    def _split(self, value: Any, path: _state.Path) -> Any:
        """Returns the rows of a large plain tensor that this rank saves; None if it is not worth it."""
        import torch
        plain = type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout is torch.strided \
            and not value.is_quantized and not value.is_conj() and not value.is_neg() \
            and value.device.type != "meta" and value.is_contiguous()
        size = value.numel() * value.element_size() if plain else 0
        if not plain or value.dim() == 0 or value.shape[0] < self.world or size < _WORTH_SPLITTING:
            return None
        self._agree(path, list(value.shape), str(value.dtype))
        begin = value.shape[0] * self.rank // self.world
        end = value.shape[0] * (self.rank + 1) // self.world
        box = self._box(value.detach()[begin:end], [begin] + [0] * (value.dim() - 1), path)
        extra = {}
        if isinstance(value, torch.nn.Parameter):
            extra["parameter"] = bool(value.requires_grad)
        return _global(list(value.shape), value.dtype, [box], **extra)

    def _by_one(self, value: Any, path: _state.Path) -> Any:
        """Returns the node of a small tensor, which the rank with the least to save has."""
        saver = self.loads.index(min(self.loads))
        size = max(1, value.numel() * value.element_size())
        self.loads[saver] += 1 if getattr(value, "is_sparse", False) else size
        return self._by(saver, path, [list(value.shape), str(value.dtype)],
                        lambda: super(_Encoder, self).tensor(value, path))

    def _nested(self, value: Any, path: _state.Path) -> Any:
        if self._is_shared() and type(value) in (set, frozenset):
            # its order is another on each rank, so one saves all of it
            return self._by(0, path, len(value), lambda: super(_Encoder, self)._nested(value, path))
        return super()._nested(value, path)

    def _leaf(self, value: Any, path: _state.Path) -> Any:
        if not self._is_shared() or _state.is_torch(value):
            return super()._leaf(value, path)
        return self._by(0, path, type(value).__name__,
                        lambda: super(_Encoder, self)._leaf(value, path))

    def add(self, path: _state.Path, value: Any, source: Callable[..., Source], *more: Any,
            given: Any = None) -> str:
        if self.world > 1:
            # a checkpoint has one tensor of a name, so those of each rank carry its number
            path = path + ("rank%d" % self.rank,)
        return super().add(path, value, source, *more, given=given)


def _not_yet(known: List[str], more: Sequence[str]) -> List[str]:
    """Returns each text once that is not among the known ones: ranks report the same problems."""
    return [text for text in dict.fromkeys(more) if text not in known]


# smaller tensors go to one rank as a whole
_WORTH_SPLITTING = 1 << 20
_AGREEMENT = STRUCTURE + ".the-same-on-all-ranks"


def _global(shape: Sequence[int], dtype: Any, boxes: List[Any], **extra: Any) -> Any:
    return {"global": dict(extra, shape=list(shape), dtype=str(dtype), boxes=boxes)}


def joined_values(stored: Stored) -> Tuple[Any, Dict[str, Any]]:
    """Returns the state of all ranks, its tensors whole, and the tensors by name."""
    trees = []
    while STRUCTURE + ".%d" % len(trees) in stored.entries:
        trees.append(stored.structure(STRUCTURE + ".%d" % len(trees))["shared"])
    decoder = _Decoder(stored)
    return decoder.decode(_join(trees)), decoder.found


# where the parts of a node are: as they are, or at this index of a list
_PAIRS = {"d": None, "counter": None, "argparse": None, "simple": None, "ordered": 0, "default": 1,
          "dataclass": 2}
_ITEMS = {"l": None, "u": None, "deque": 1, "named": 3}


def _parts(kind: str, value: Any) -> Optional[List[Any]]:
    """Returns the keys and nodes of what a node has inside; None if it is not made of nodes."""
    if kind in _PAIRS:
        at = _PAIRS[kind]
        found: List[Any] = value if at is None else value[at]
        return found
    if kind in _ITEMS:
        at = _ITEMS[kind]
        items = value if at is None else value[at]
        return [[i, each] for i, each in enumerate(items)]
    return None


def _with_parts(kind: str, value: Any, parts: List[Any]) -> Any:
    """Returns the node with other nodes inside."""
    inside = parts if kind in _PAIRS else [each for _, each in parts]
    at = (_PAIRS if kind in _PAIRS else _ITEMS)[kind]
    return {kind: inside if at is None else value[:at] + [inside] + value[at + 1:]}


def _part_of(like: Any, kind: str, key: Any) -> Any:
    """Returns the part of a value that a key of its node stands for; None if there is none."""
    if isinstance(key, dict):
        return None
    if kind in ("argparse", "simple", "dataclass"):
        return getattr(like, key, None)
    if isinstance(like, Mapping):
        return like.get(key)
    items = isinstance(like, (list, tuple, collections.deque)) and kind in _ITEMS
    return like[key] if items and key < len(like) else None


def _join(nodes: List[Any], path: str = "") -> Any:
    """Puts the structures of all ranks together: boxes are collected, dicts united."""
    known = [n for n in nodes if not (isinstance(n, dict) and "elsewhere" in n)]
    if not known:
        raise Error("No rank has saved '%s'." % path, "Maybe the ranks had different states.")
    first = known[0]
    if not isinstance(first, dict):
        return first
    ((kind, value),) = first.items()
    alike = [n[kind] for n in known if isinstance(n, dict) and kind in n]
    if len(alike) < len(known):
        raise Error("The ranks that saved disagree about '%s'." % path, "Maybe see 'Own'.")
    if kind == "global":
        boxes = [box for each in alike for box in each["boxes"]]
        return {kind: dict(value, boxes=boxes)}
    found: Dict[str, Any] = {}
    for each in alike:
        inside = _parts(kind, each)
        if inside is None or (kind in _ITEMS and len(inside) != len(_parts(kind, value) or ())):
            return first
        for key, node in inside:
            found.setdefault(json.dumps(key), (key, []))[1].append(node)
    return _with_parts(kind, value, [[key, _join(parts, ("%s.%s" % (path, key)).lstrip("."))]
                                     for key, parts in found.values()])


class _Decoder(_state.Decoder):
    """Makes values of a joined structure; shares of tensors are filled with what they cover."""

    def kind_global(self, value: Any) -> Any:
        import torch
        dtype = _tensors.torch_type("a tensor", value["dtype"])
        made = torch.empty(value["shape"], dtype=dtype)
        fill(made, [0] * made.dim(), value, self.stored)
        return torch.nn.Parameter(made, value["parameter"]) if "parameter" in value else made


def fill(target: Any, offsets: Sequence[int], value: Any, stored: Stored) -> None:
    """Copies into a share of a tensor, from all stored boxes that overlap it; all must be covered."""
    covered = 0
    for begins, sizes, name in value["boxes"]:
        both = _tensors.overlap(begins, sizes, offsets, list(target.shape))
        if both is None:
            continue
        there, here = stored.torch(name, value["dtype"]), target
        for dim, (first, length) in enumerate(zip(*both)):
            there = there.narrow(dim, first - begins[dim], length)
            here = here.narrow(dim, first - offsets[dim], length)
        here.copy_(there)
        covered += there.numel()
    if covered != target.numel():
        raise Error("The checkpoint has %d of %d elements of a tensor." % (covered, target.numel()),
                    "Maybe a rank did not save its share.")


def _needed(node: Any, like: Any, whole: bool, names: List[str]) -> None:
    """Collects the stored tensors that are needed to fill the values of `like`."""
    if not isinstance(node, dict):
        return
    ((kind, value),) = node.items()
    if kind == "global":
        shares = None if whole else _shares(like)
        for begins, sizes, name in value["boxes"]:
            if shares is None or any(
                    _tensors.overlap(begins, sizes, p.offsets, list(p.tensor.shape)) is not None
                    or not p.tensor.dim() for p in shares.parts):
                names.append(name)
    elif kind in _PAIRS or kind in _ITEMS:
        for key, each in _parts(kind, value) or ():
            _needed(each, _part_of(like, kind, key), whole, names)
        if kind == "ordered" and len(value) > 1:
            _needed(value[1], None, True, names)
    else:
        _names(value, names)


def _names(value: Any, names: List[str]) -> None:
    """Collects every text of a node, of which some are names of tensors."""
    if isinstance(value, str):
        names.append(value)
    elif isinstance(value, dict):
        for each in value.values():
            _names(each, names)
    elif isinstance(value, list):
        for each in value:
            _names(each, names)


class _Group:
    """The few words that ranks exchange: through torch.distributed, or what a test gives."""

    def __init__(self, group: Any = None) -> None:
        import torch.distributed as dist
        self.dist, self.group = dist, group
        self.rank, self.world = dist.get_rank(group), dist.get_world_size(group)

    def gather(self, value: Any) -> List[Any]:
        """Returns the values of all ranks, which are plain JSON."""
        import torch
        if self.world == 1:
            return [value]
        backend = self.dist.get_backend(self.group)
        device = torch.device("cuda", torch.cuda.current_device()) if backend == "nccl" else "cpu"
        data = json.dumps(value).encode()
        mine = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        sizes = [torch.zeros(1, dtype=torch.int64, device=device) for _ in range(self.world)]
        self.dist.all_gather(sizes, torch.tensor([len(data)], device=device), group=self.group)
        most = max(int(s) for s in sizes)
        padded = torch.zeros(most, dtype=torch.uint8)
        padded[:len(data)] = mine
        found = [torch.zeros(most, dtype=torch.uint8, device=device) for _ in range(self.world)]
        self.dist.all_gather(found, padded.to(device), group=self.group)
        return [json.loads(bytes(f.cpu()[:int(s)].tolist()).decode()) for f, s in zip(found, sizes)]


class Client(checkpoint.Client):
    """One rank's session with its agent; the sessions of all ranks save as one."""

    def __init__(self, path: str, timeout: float, group: Any) -> None:
        self._group = group
        self._claim: Optional[str] = None
        self._home: Optional[str] = None
        problem = None
        if group.rank == 0:
            problem = self._begin(path, timeout)
            if problem is None:
                line = self._line
                assert line is not None
                self._claim, self._home = line.claim, line.home
        told = group.gather([self._claim, self._home])[0]
        if group.rank > 0 and told[0] is not None:
            self._claim, self._home = told
            problem = self._begin(path, timeout)
        problems = [p for p in group.gather(None if problem is None else str(problem)) if p]
        if problem is not None:
            raise problem
        if problems:
            raise Error("Another rank has no agent: %s" % problems[0].split("\n")[0],
                        "Maybe start one on every node.")

    def _begin(self, path: str, timeout: float) -> Optional[Exception]:
        """Begins this rank's session; returns the problem, of which other ranks must hear first."""
        try:
            super().__init__(path, None, timeout)
        except (Error, OSError) as problem:
            return problem
        return None

    def _greeting(self, after: Optional[int]) -> Dict[str, Any]:
        words: Dict[str, Any] = {"worker": self._group.rank, "workers": self._group.world}
        if self._claim is not None:
            words.update(claim=self._claim, home=self._home)
        elif after is not None:
            words["after"] = after
        return words

    def save(self, step: Any, state: Mapping[str, Any], meta: Any = None,
             mine: Any = None) -> checkpoint.Ticket:
        """Takes this rank's part of the state; the ticket says how far all parts together are.

        Every rank calls this with the same step. mine: what belongs to this rank alone and is not
        put together, such as its random numbers; a restore gives it to the same rank again.
        """
        rank, world = self._group.rank, self._group.world
        stager = new_stager()
        encoder = _Encoder(rank, world, stager)
        structure = {"shared": encoder.encode_all(dict(state))}
        if world > 1:
            agreement = encoder.agreement()
            encoder.sources[agreement.name] = agreement
        encoder.own = True
        structure["mine"] = encoder.encode(mine, ("mine",))
        encoder.sources[STRUCTURE + ".%d" % rank] = _state.structure_source(
            structure, STRUCTURE + ".%d" % rank)
        step = _state.check_step(step)
        _state.check_meta(meta)
        checkpoint._note_step(step)
        if stager is not None:
            stager.finish()
        return self._send(step, list(encoder.sources.values()), meta)

    def should_save(self, step: Any) -> bool:
        """Whether now is a good time to save, as rank 0's agent says; all ranks must call this."""
        own = super().should_save(step) if self._group.rank == 0 else None
        return bool(self._group.gather(own)[0])

    def restore(self, into: Optional[Mapping[str, Any]] = None) -> Optional[checkpoint.State]:
        """Returns the newest checkpoint that is whole; None when nothing was saved yet.

        All ranks must call this. into: a state as save() takes it, whose shares of tensors are
        filled in place, each rank reading what it needs; without it, each rank gets all tensors
        whole. The state that is returned has `mine`, as this rank saved it, or None.
        """
        before: Optional[List[int]] = None
        problems: List[str] = []
        while True:
            found, problem, passed_over = self._look_for(before)
            answers = self._group.gather([found, problem, passed_over])
            problems += _not_yet(problems, [p for a in answers for p in a[2]])
            versions = [tuple(a[0]) for a in answers if a[0] is not None]
            if not versions:
                failed = [a[1] for a in answers if a[1]]
                if failed:
                    raise Error(failed[0].split("\n")[0], "Maybe see 'deepvm checkpoint verify'.")
                return None
            # a rank whose tiers did not answer just now may have found less: it asks for this one by number
            version = list(max(versions))
            state, problem = None, None
            try:
                state = self._read(version, into)
            except (Error, OSError, ValueError, KeyError) as failure:
                problem = str(failure).split("\n")[0] or repr(failure)
            failed = [p for p in self._group.gather(problem) if p]
            if not failed and state is not None:
                state.problems = problems + _not_yet(problems, state.problems)
                return state
            problems += _not_yet(problems, failed)
            before = version

    def _look_for(self, before: Optional[List[int]]
                  ) -> Tuple[Optional[List[int]], Optional[str], List[str]]:
        """Returns the newest version that this rank finds, why there is none, and the problems."""
        more: Dict[str, Any] = {} if before is None else {"before": before}
        try:
            with self._lock:
                line = self._present()
                answer = line.ask(3600.0, do="restore", prefix=STRUCTURE, **more)
                if "file" not in answer:
                    return None, None, []
                line.ask(do="restored")
            version = [int(answer["generation"]), int(answer["step"])]
            return version, None, [str(p) for p in answer.get("problems", ())]
        except (Error, OSError, ValueError) as problem:
            return None, str(problem), []

    def _read(self, version: List[int], into: Optional[Mapping[str, Any]]) -> checkpoint.State:
        """Reads what this rank needs of a version."""
        with self._lock:
            line = self._present()
            answer = line.ask(3600.0, do="restore", prefix=STRUCTURE, version=version)
            index = line.stored(answer["file"])
            line.ask(do="restored")
        ranks = int(answer["ranks"])
        trees = [index.structure(STRUCTURE + ".%d" % rank) for rank in range(ranks)] \
            if STRUCTURE not in index.entries else [{"shared": index.structure(), "mine": None}]
        joined = _join([tree["shared"] for tree in trees])
        own = trees[self._group.rank]["mine"] if self._group.rank < len(trees) else None
        names: List[str] = []
        _needed(joined, into, into is None, names)
        _needed({"l": [own]}, None, True, names)
        with self._lock:
            line = self._present()
            answer = line.ask(3600.0, do="restore", tensors=sorted(set(names)), version=version)
            stored = line.stored(answer["file"])
            line.ask(do="restored")
        decoder = _Decoder(stored) if into is None else _Filler(stored)
        values = decoder.decode(joined) if into is None else decoder.fill_all(joined, into)
        state = checkpoint.State(values, answer["step"], json.loads(answer["meta"]),
                                 decoder.found, answer.get("problems", ()))
        state.mine = decoder.decode(own)  # type: ignore[attr-defined]
        return state


def _is_dense(tensor: Any) -> bool:
    """Returns whether a tensor is all in its elements, and so can be filled in place."""
    import torch
    return tensor.layout is torch.strided and not tensor.is_quantized


class _Filler(_Decoder):
    """Fills the shares of tensors of a state in place, and makes all other values."""

    def kind_ready(self, value: Any) -> Any:
        return value

    def fill_all(self, node: Any, like: Any) -> Any:
        if not isinstance(node, dict):
            return node
        ((kind, value),) = node.items()
        shares = _shares(like)
        if kind == "global" and shares is not None:
            if shares.shape != value["shape"]:
                raise Error("The checkpoint has a tensor of shape %s, not %s." % (
                    value["shape"], shares.shape), "Maybe it is of another model.")
            for part in shares.parts:
                fill(part.tensor.detach(), part.offsets, value, self.stored)
            return like
        parts = _parts(kind, value)
        if parts is not None and like is not None:
            made = [[key, {"ready": self.fill_all(each, _part_of(like, kind, key))}]
                    for key, each in parts]
            return self.decode(_with_parts(kind, value, made))
        made = self.decode(node)
        if _state.is_torch(like) and _state.is_torch(made) and shares is None \
                and like.shape == made.shape and _is_dense(like) and _is_dense(made):
            like.detach().copy_(made)
            return like
        if shares is not None and _state.is_torch(made):
            for part in shares.parts:
                box = tuple(slice(o, o + n) for o, n in zip(part.offsets, part.tensor.shape))
                part.tensor.detach().copy_(made[box])
            return like
        return made


def connect(socket: Optional[str] = None, timeout: float = 120.0, group: Any = None) -> Client:
    """Begins a session of all ranks; every rank calls this, after init_process_group.

    group: the ranks that save together, all by default.
    """
    path = os.path.abspath(socket_path(socket))
    exchange = group if hasattr(group, "gather") else _Group(group)
    try:
        return Client(path, timeout, exchange)
    except OSError as problem:
        raise checkpoint.no_agent(path, problem) from None


def zero_state(optimizer: Any) -> Dict[str, Any]:
    """Returns the state of a ZeroRedundancyOptimizer: the settings, and this rank's own share."""
    mine = optimizer.optim.state
    state = {i: mine[p] for i, p in enumerate(_parameters(optimizer)) if p in mine}
    groups = [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups]
    return {"state": Own(state), "param_groups": groups}


def load_zero_state(optimizer: Any, saved: Mapping[str, Any]) -> None:
    """Gives a ZeroRedundancyOptimizer its share of what all ranks have saved."""
    ours = {id(p) for g in optimizer.optim.param_groups for p in g["params"]}
    for i, p in enumerate(_parameters(optimizer)):
        if id(p) in ours and i in saved["state"]:
            optimizer.optim.state[p] = dict(saved["state"][i])
    for groups in (optimizer.param_groups, optimizer.optim.param_groups):
        for group, values in zip(groups, saved["param_groups"]):
            group.update(values)


def _parameters(optimizer: Any) -> List[Any]:
    return [p for g in optimizer.param_groups for p in g["params"]]
