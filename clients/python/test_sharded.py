"""States that are split among ranks: saved together or not at all, restored on other numbers of ranks.

Ranks are threads here. DTensor and ShardedTensor are small stand-ins of their public interfaces where
this torch has none.
"""

import collections
import json
import threading
import unittest

import torch

import deepvm.checkpoint
import test_states
from deepvm import sharded

torch.manual_seed(0)
ROWS, COLUMNS = torch.randn(13, 7), torch.randn(6, 8)
LARGE, SMALL = torch.randn(900, 700), torch.randn(5)


class Group:
    """What sharded clients exchange words through, for ranks that are threads."""

    def __init__(self, rank, world, slots, barrier):
        self.rank, self.world, self.slots, self.barrier = rank, world, slots, barrier

    def gather(self, value):
        self.slots[self.rank] = json.dumps(value)
        self.barrier.wait(60)
        found = [json.loads(slot) for slot in self.slots]
        self.barrier.wait(60)
        return found


def on_ranks(world, task):
    """Runs a task on each rank and returns what each returned."""
    slots, barrier, results, problems = [None] * world, threading.Barrier(world), [None] * world, []

    def run(rank):
        try:
            with sharded.connect(group=Group(rank, world, slots, barrier)) as dc:
                results[rank] = task(dc, rank)
                barrier.wait(60)
        except BaseException as problem:
            problems.append(problem)
            barrier.abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(world)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    real = [p for p in problems if not isinstance(p, threading.BrokenBarrierError)]
    for problem in real or problems:
        raise problem
    return results


class Mesh:
    """A stand-in of torch.distributed.device_mesh.DeviceMesh."""

    def __init__(self, sizes, rank):
        self.sizes, self.rank = sizes, rank

    def size(self, dimension):
        return self.sizes[dimension]

    def get_coordinate(self):
        inner = self.sizes[-1]
        return [self.rank // inner, self.rank % inner] if len(self.sizes) > 1 else [self.rank]


class Shard:
    """A stand-in of torch.distributed.tensor.Shard."""

    def __init__(self, dim):
        self.dim = dim

    def is_shard(self):
        return True

    def is_replicate(self):
        return False


class Replicate(Shard):

    def __init__(self):
        super().__init__(None)

    def is_shard(self):
        return False

    def is_replicate(self):
        return True


class DTensor:
    """A stand-in of torch.distributed.tensor.DTensor, cut as torch.chunk cuts."""

    def __init__(self, whole, mesh, placements):
        self.shape, self.dtype, self.device_mesh, self.placements = whole.shape, whole.dtype, mesh, placements
        for dimension, placement in enumerate(placements):
            if placement.is_shard():
                chunks = whole.chunk(mesh.size(dimension), placement.dim)
                at = mesh.get_coordinate()[dimension]
                whole = chunks[at] if at < len(chunks) else whole.narrow(placement.dim, 0, 0)
        self.local = whole.clone()

    def to_local(self):
        return self.local


class ShardedTensor:
    """A stand-in of the ShardedTensor that FSDP's sharded state dict holds."""

    def __init__(self, whole, rank, world):
        begin, end = whole.shape[0] * rank // world, whole.shape[0] * (rank + 1) // world
        self.whole, self.dtype = whole, whole.dtype
        metadata = type("Metadata", (), {"shard_offsets": [begin] + [0] * (whole.dim() - 1)})
        self.shard = type("Shard", (), {"tensor": whole[begin:end].clone(), "metadata": metadata})

    def size(self):
        return self.whole.size()

    def local_shards(self):
        return [self.shard]


def state(rank, world, zeros=False):
    """Returns a state of every kind of share; zeros: with other numbers, to be filled."""
    def of(tensor):
        return torch.zeros_like(tensor) if zeros else tensor.clone()

    begin, end = 13 * rank // world, 13 * (rank + 1) // world
    first, last = 8 * rank // world, 8 * (rank + 1) // world
    mesh = Mesh([world], rank)
    grid = Mesh([world // 2, 2], rank) if world % 2 == 0 else Mesh([world, 1], rank)
    return {
        "rows": sharded.Part(of(ROWS)[begin:end].clone(), [begin, 0], ROWS.shape),
        "columns": sharded.Part(of(COLUMNS)[:, first:last].clone(), [0, first], COLUMNS.shape),
        "dtensor": DTensor(of(ROWS), mesh, [Shard(0)]),
        "dtensor of columns": DTensor(of(ROWS), mesh, [Shard(1)]),
        "copied dtensor": DTensor(of(ROWS), mesh, [Replicate()]),
        "dtensor of a grid": DTensor(of(LARGE), grid, [Shard(0), Shard(1)]),
        "hybrid dtensor": DTensor(of(LARGE), grid, [Replicate(), Shard(0)]),
        "sharded": ShardedTensor(of(LARGE), rank, world),
        "large": of(LARGE), "parameter": torch.nn.Parameter(of(LARGE)), "small": of(SMALL),
        "half": of(LARGE.half()), "turned": of(LARGE).t(), "complex": torch.complex(of(SMALL), of(SMALL)),
        "nested": {"list": [of(SMALL) * 2, 3, "text", None], "a.b": {"c": of(SMALL)}, "a": {"b.c": of(SMALL) + 1}},
        "own": {"state": sharded.Own({rank: {"m": torch.full((3,), float(rank)), "step": 4}})},
        "bytes": b"abc",
    }


def tensors(value):
    """Returns the tensors that this rank holds, by path."""
    if isinstance(value, sharded.Part):
        return {"": value.tensor}
    if isinstance(value, (DTensor, ShardedTensor)):
        return {"": value.to_local() if isinstance(value, DTensor) else value.shard.tensor}
    if isinstance(value, torch.Tensor):
        return {"": value.detach()}
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return {"%s/%s" % (k, n): t for k, v in pairs for n, t in tensors(v).items()}
    return {}


def zeros(given):
    """Returns a state with tensors of the same shapes and other numbers."""
    def of(value):
        if not isinstance(value, torch.Tensor) or isinstance(value, torch.nn.Parameter):
            return None
        if value.layout is torch.sparse_coo:
            return torch.sparse_coo_tensor(value.shape, dtype=value.dtype)
        if value.is_quantized:
            return torch.quantize_per_tensor(torch.zeros(value.shape), 7.0, 0, value.dtype)
        plain = value.layout is torch.strided and not value.requires_grad
        return torch.zeros_like(value) if plain and not value.is_conj() and not value.is_neg() else None
    return {name: of(value) for name, value in given.items()}


class Sharded(unittest.TestCase):

    def save(self, world):
        tickets = on_ranks(world, lambda dc, rank: self.saved(dc, rank, world))
        self.assertEqual([t.state for t in tickets], ["DURABLE"] * world, tickets)

    @staticmethod
    def saved(dc, rank, world):
        ticket = dc.save(7, state(rank, world), meta={"epoch": 2}, mine={"rng": [rank]})
        ticket.wait("DURABLE", 60)
        return ticket

    def check(self, dc, rank, world, before):
        into = state(rank, world, zeros=True)
        found = dc.restore(into)
        wanted, filled = tensors(state(rank, world)), tensors(into)
        for name, tensor in wanted.items():
            if not name.startswith("own"):
                self.assertTrue(torch.equal(filled[name], tensor), "%s on %d of %d" % (name, rank, world))
        self.assertEqual((found.step, found.meta), (7, {"epoch": 2}))
        self.assertEqual(found.mine, {"rng": [rank]} if rank < before else None)
        self.assertEqual(found["bytes"], b"abc")
        self.assertEqual(sorted(found["own"]["state"]), list(range(before)))
        return found

    def test_any_number_of_ranks_restores_what_four_have_saved(self):
        self.save(4)
        for world in (1, 2, 3, 8):
            on_ranks(world, lambda dc, rank: self.check(dc, rank, world, 4))

    def test_without_a_state_to_fill_each_rank_gets_whole_tensors(self):
        self.save(3)
        whole = deepvm.checkpoint.restore()
        for found in on_ranks(2, lambda dc, rank: dc.restore()) + [whole]:
            for name, wanted in (("rows", ROWS), ("columns", COLUMNS), ("dtensor of a grid", LARGE),
                                 ("sharded", LARGE), ("parameter", LARGE), ("small", SMALL),
                                 ("turned", LARGE.t()), ("half", LARGE.half())):
                self.assertTrue(torch.equal(found[name], wanted), name)
            self.assertIsInstance(found["parameter"], torch.nn.Parameter)
            self.assertEqual(found["turned"].stride(), LARGE.t().stride())
            self.assertTrue(torch.equal(found["own"]["state"][2]["m"], torch.full((3,), 2.0)))
            self.assertTrue(torch.equal(found["nested"]["a"]["b.c"], SMALL + 1))

    def test_each_kind_of_state_comes_back_from_ranks_as_it_went_in(self):
        given = test_states.states()

        def save(dc, rank):
            # the order of a set is another in each process
            colours = ["red", "green", "blue", "white", b"bytes"]
            ticket = dc.save(7, dict(given, colours=set(colours[rank:] + colours[:rank])))
            ticket.wait("DURABLE", 60)
            return ticket

        same = test_states.States().same
        for savers in (2, 3):
            self.assertEqual([t.state for t in on_ranks(savers, save)], ["DURABLE"] * savers)
            whole = on_ranks(2, lambda dc, rank: dc.restore())
            into = on_ranks(2, lambda dc, rank: dc.restore(dict.fromkeys(given)))
            into += on_ranks(2, lambda dc, rank: dc.restore(zeros(given)))
            for found in whole + into + [deepvm.checkpoint.restore()]:
                self.assertEqual(list(found), list(given) + ["colours"])
                for name, value in given.items():
                    with self.subTest(name, savers=savers):
                        same(value, found[name], name)
                self.assertEqual(found["colours"], {"red", "green", "blue", "white", b"bytes"})

    def test_what_is_refused_is_refused_on_every_rank(self):
        def task(dc, rank):
            for name, (value, words) in test_states.refused().items():
                with self.subTest(name), self.assertRaises(deepvm.Error) as caught:
                    dc.save(1, {"small": SMALL, name: value})
                self.assertIn(words, str(caught.exception))
        on_ranks(3, task)

    def test_shares_inside_other_values_are_filled_in_place(self):
        def of(rank, world, zeros):
            rows = state(rank, world, zeros)["rows"]
            return {"named": test_states.Point(rows, SMALL * (not zeros)),
                    "ordered": collections.OrderedDict(a=rows, b=1),
                    "settings": test_states.Settings(0.5, [rows])}

        on_ranks(2, lambda dc, rank: dc.save(7, of(rank, 2, False)).wait("DURABLE", 60))

        def check(dc, rank):
            into = of(rank, 3, True)
            rows = into["named"].x
            found = dc.restore(into)
            self.assertTrue(torch.equal(rows.tensor, of(rank, 3, False)["named"].x.tensor))
            self.assertIs(type(found["ordered"]), collections.OrderedDict)
            self.assertIs(type(found["settings"]), test_states.Settings)
            self.assertIs(found["settings"].sizes[0], rows)
            self.assertTrue(torch.equal(found["named"].y, SMALL))
        on_ranks(3, check)

    def test_ranks_with_different_states_commit_nothing(self):
        self.save(2)

        def task(dc, rank):
            ticket = dc.save(9, {"losses": [SMALL] * (rank + 1), "small": SMALL})
            ticket.wait("DURABLE", 30)
            return ticket
        for ticket in on_ranks(2, task):
            self.assertEqual(ticket.state, "FAILED", ticket)
            self.assertRegex(repr(ticket), "the-same-on-all-ranks")
        self.assertEqual(deepvm.checkpoint.restore().step, 7)

    def test_each_rank_saves_about_its_part_of_plain_tensors(self):
        sizes = []
        for rank in range(4):
            encoder = sharded._Encoder(rank, 4, None)
            encoder.encode_all({"large": LARGE, "small": [SMALL + i for i in range(8)]})
            sizes.append(sum(s.nbytes for s in encoder.sources.values()))
        self.assertEqual(sum(sizes), 4 * (LARGE.numel() + 8 * SMALL.numel()))
        self.assertLess(max(sizes) - min(sizes), 100)

    def test_a_rank_that_has_gone_fails_the_save_of_the_others_soon(self):
        self.save(2)
        gone = threading.Event()

        def task(dc, rank):
            if rank == 1:
                dc._lose(dc._line)
                dc._dead = "gone"
                gone.set()
                return None
            gone.wait(30)
            ticket = dc.save(9, state(rank, 2))
            ticket.wait("DURABLE", 30)
            return ticket

        ticket = on_ranks(2, task)[0]
        self.assertEqual(ticket.state, "FAILED", ticket)
        self.assertRegex(repr(ticket), "rank has gone")
        self.assertEqual(deepvm.checkpoint.restore().step, 7)

    def test_when_one_rank_has_no_agent_all_ranks_say_so(self):
        for without in (0, 1):
            slots, barrier, said = [None] * 3, threading.Barrier(3), {}

            def connect(rank):
                try:
                    sharded.connect("/nowhere/a" if rank == without else None,
                                    group=Group(rank, 3, slots, barrier)).close()
                except deepvm.Error as problem:
                    said[rank] = str(problem)

            threads = [threading.Thread(target=connect, args=(rank,)) for rank in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(70)
            self.assertEqual(sorted(said), [0, 1, 2])
            self.assertRegex(said[without], "(?s)no agent on /nowhere/a.*Maybe")
            self.assertRegex(said[2], "(?s)Another rank has no agent.*Maybe")

    def test_all_ranks_restore_the_newest_that_one_of_them_has_found(self):
        self.save(2)
        on_ranks(2, lambda dc, rank: dc.save(8, state(rank, 2)).wait("DURABLE", 60))
        newest = deepvm.checkpoint.restore().version

        def restore(dc, rank):
            line, plain = dc._line, dc._line.ask
            if rank == 1:
                # this rank's tiers do not know the newest
                line.ask = lambda *words, **more: plain(*words, **(
                    more if "version" in more or more["do"] != "restore" else dict(more, before=newest)))
            return dc.restore().step
        self.assertEqual(on_ranks(2, restore), [8, 8])

    def test_ranks_with_different_agents_and_no_anchor_are_refused(self):
        def task(dc, rank):
            if rank == 1:
                dc._home = "elsewhere"
                dc._lose(dc._line)
                with self.assertRaisesRegex(deepvm.Error, "(?s)another agent.*Maybe"):
                    dc._open(dc._generation)
        on_ranks(2, task)

    def test_shares_that_cannot_be_are_refused(self):
        with self.assertRaisesRegex(deepvm.Error, "(?s)not inside.*Maybe"):
            sharded.Part(torch.zeros(3), [2], [4])
        odd = DTensor(ROWS, Mesh([2], 0), [Shard(0)])
        odd.placements = [type("Partial", (Replicate,), {"is_replicate": lambda self: False})()]
        with self.assertRaisesRegex(deepvm.Error, "(?s)not yet summed up.*Maybe"):
            sharded._Encoder(0, 2, None).encode_all({"w": odd})


if __name__ == "__main__":
    unittest.main()
