"""Tests of deepcheck.py against a running agent, whose socket is in $DEEPVM_AGENT."""

import array
import math
import os
import random
import tempfile
import threading
import unittest
import unittest.mock

import deepcheck

try:
    import torch
except ImportError:
    torch = None
try:
    import numpy
except ImportError:
    numpy = None


class Buffers(unittest.TestCase):
    """With the standard library alone."""

    def saved(self, state, meta=None):
        """Returns the state after a save and a restore by another client."""
        with deepcheck.connect() as dc:
            ticket = dc.save(1, state, meta)
            self.assertTrue(ticket.wait("DURABLE", 30), ticket)
        with deepcheck.connect() as dc:
            return dc.restore()

    def test_every_kind_of_buffer_comes_back(self):
        given = {code: array.array(code, range(7)) for code in "bBhHiIlLqQfd"}
        given["bytes"] = b"\0\1\2"
        given["empty"] = b""
        given["matrix"] = memoryview(bytearray(range(24))).cast("i", [2, 3])
        given["strided"] = memoryview(bytearray(range(10)))[::3]
        found = self.saved(given)
        self.assertEqual(list(found), list(given))
        for name, value in given.items():
            self.assertEqual(bytes(memoryview(found[name])), memoryview(value).tobytes(), name)
            if memoryview(value).nbytes:
                self.assertEqual(memoryview(found[name]).shape, memoryview(value).shape, name)

    def test_nested_state_comes_back_as_it_was(self):
        generator = random.Random(5)
        given = {
            "state": {0: {"m": b"abc", "t": 3}, 1: {"m": b"x"}, "0": None},
            "groups": [{"lr": 1e-3, "betas": (0.9, 0.999), "params": [0, 1]}],
            "odd": [math.inf, -0.0, 1 << 70, True, "\u00e4\n"],
            "random": generator.getstate(),
            "a.b": {"c": b"1"}, "a": {"b.c": b"2"},
        }
        found = self.saved(given)
        self.assertEqual(found["groups"], given["groups"])
        self.assertEqual(found["odd"], given["odd"])
        self.assertEqual(math.copysign(1, found["odd"][1]), -1)
        self.assertEqual(found["state"][0]["t"], 3)
        self.assertEqual(bytes(found["state"][1]["m"]), b"x")
        self.assertEqual((bytes(found["a.b"]["c"]), bytes(found["a"]["b.c"])), (b"1", b"2"))
        again = random.Random()
        again.setstate(found["random"])
        self.assertEqual(again.random(), generator.random())

    def test_step_and_meta_come_back(self):
        found = self.saved({"w": b"1"}, {"epoch": 3, "data": ["a", 1.5], "ü": None})
        self.assertEqual(found.step, 1)
        self.assertEqual(found.meta, {"epoch": 3, "data": ["a", 1.5], "ü": None})

    def test_what_changes_after_save_is_not_saved(self):
        weights = bytearray(b"\1" * 3_000_000)
        with deepcheck.connect() as dc:
            ticket = dc.save(1, {"w": weights})
            weights[:] = b"\2" * len(weights)
            self.assertTrue(ticket.wait("DURABLE", 30), ticket)
            self.assertEqual(bytes(dc.restore()["w"]), b"\1" * len(weights))

    def test_writing_into_what_was_restored_changes_no_checkpoint(self):
        found = self.saved({"w": bytearray(b"abc")})
        found["w"][0] = 0
        self.assertEqual(bytes(deepcheck.restore()["w"]), b"abc")

    def test_restoring_in_place(self):
        self.saved({"w": bytearray(b"abc"), "n": {"x": array.array("d", [1, 2])}})
        target = {"w": bytearray(3), "n": {"x": array.array("d", [0, 0])}}
        with deepcheck.connect() as dc:
            self.assertEqual(dc.restore_into(target).step, 1)
            self.assertEqual((target["w"], list(target["n"]["x"])), (b"abc", [1.0, 2.0]))
            with self.assertRaisesRegex(deepcheck.Error, "differ in n.x"):
                dc.restore_into({"w": bytearray(3)})
            with self.assertRaisesRegex(deepcheck.Error, "(?s)'w' as U8.*Maybe"):
                dc.restore_into({"w": bytearray(4), "n": {"x": array.array("d", [0, 0])}})

    def test_mistakes_are_explained(self):
        with deepcheck.connect() as dc:
            for state, words in [
                    ({"w": object()}, "'w' is a object.*Maybe"),
                    ({(object(),): b"1"}, "key.*tuple.*Maybe"),
                    ({"w" * 2000: b"1"}, "cannot be called.*Maybe")]:
                with self.assertRaisesRegex(deepcheck.Error, "(?s)" + words):
                    dc.save(1, state)
            with self.assertRaisesRegex(deepcheck.Error, "(?s)step is -1.*Maybe"):
                dc.save(-1, {"w": b"1"})
            for meta in [{"x": object()}, {"x": math.nan}]:
                with self.assertRaisesRegex(deepcheck.Error, "(?s)not JSON.*Maybe"):
                    dc.save(1, {"w": b"1"}, meta)
            with self.assertRaisesRegex(deepcheck.Error, "(?s)characters of metadata.*Maybe"):
                dc.save(1, {"w": b"1"}, {"x": "y" * 2_000_000})
            with self.assertRaisesRegex(deepcheck.Error, "(?s)no level 'SAFE'.*Maybe"):
                dc.save(1, {"w": b"1"}).wait("SAFE")
            ticket = dc.save(2, {"w": bytes(100_000_000)})
            self.assertEqual(ticket.state, "FAILED")
            self.assertRegex(ticket.reasons[0], "larger than the arena")
            self.assertTrue(dc.save(3, {"w": b"1"}).wait("DURABLE", 30))
        with self.assertRaisesRegex(deepcheck.Error, "(?s)no agent on /nowhere/a.*Maybe start one"):
            deepcheck.connect("/nowhere/a")

    def test_a_closed_client_saves_nothing(self):
        with deepcheck.connect() as dc:
            self.assertIsInstance(dc.should_save(1), bool)
        self.assertFalse(dc.should_save(2))
        self.assertEqual(dc.save(2, {"w": b"1"}).state, "FAILED")

    def test_steps_are_noted_while_a_script_is_profiled(self):
        with tempfile.TemporaryDirectory() as folder, deepcheck.connect() as dc:
            steps = os.path.join(folder, "steps")
            with unittest.mock.patch.dict(os.environ, DEEPVM_PROFILE=steps):
                dc.should_save(7)
                dc.save(8, {"w": b"1"})
            dc.should_save(9)
            with open(steps) as file:
                lines = [line.split() for line in file]
        self.assertEqual([step for step, _ in lines], ["7", "8"])
        self.assertLessEqual(float(lines[0][1]), float(lines[1][1]))

    def test_a_notice_says_whether_the_newest_save_has_left_the_node(self):
        with deepcheck.connect() as dc:
            self.assertIs(dc.notice(30), False)
            dc.save(1, {"w": bytes(1_000_000)})
            self.assertIs(dc.notice(30), True)
            for odd in (0, -1, math.nan, math.inf, "120", True, None):
                with self.assertRaisesRegex(deepcheck.Error, "(?s)cannot be lost in .*Maybe"):
                    dc.notice(odd)
        self.assertIs(dc.notice(30), False)

    def test_a_newer_session_fences_the_older_for_good(self):
        with deepcheck.connect() as old, deepcheck.connect() as new:
            self.assertGreater(new.generation, old.generation)
            self.assertEqual(old.save(9, {"w": b"old"}).state, "FAILED")
            while old._dead is None:
                old._ready()
                threading.Event().wait(0.01)
            self.assertRegex(old.save(9, {"w": b"old"}).reasons[0], "taken over")
            self.assertTrue(new.save(4, {"w": b"new"}).wait("DURABLE", 30))
            self.assertEqual(bytes(new.restore()["w"]), b"new")

    def test_a_child_process_does_not_speak_for_its_parent(self):
        with deepcheck.connect() as dc:
            child = os.fork()
            if child == 0:
                ticket = dc.save(5, {"w": b"child"})
                os._exit(0 if ticket.state == "FAILED" else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertTrue(dc.save(5, {"w": b"parent"}).wait("DURABLE", 30))

    def test_a_save_that_is_interrupted_harms_no_other(self):
        with deepcheck.connect() as dc:
            first = dc._line

            def interrupted(pieces, done):
                raise KeyboardInterrupt
            first._copy = interrupted
            with self.assertRaises(KeyboardInterrupt):
                dc.save(1, {"w": b"one"})
            step = 2
            while not dc.save(step, {"w": b"two"}).wait("DURABLE", 30):
                threading.Event().wait(0.01)
                step += 1
            self.assertIsNot(dc._line, first)
            self.assertEqual(bytes(dc.restore()["w"]), b"two")

    def test_threads_share_a_client(self):
        tickets = []
        with deepcheck.connect() as dc:
            def saves(first):
                for step in range(first, first + 5):
                    tickets.append(dc.save(step, {"w": bytes([step]) * 1000}))
            threads = [threading.Thread(target=saves, args=(10 * i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(tickets), 20)
            for ticket in tickets:
                self.assertTrue(ticket.wait("DURABLE", 30), ticket)
            found = dc.restore()
            self.assertEqual(bytes(found["w"]), bytes([found.step]) * 1000)

    def test_saving_over_and_over_leaks_no_room(self):
        with deepcheck.connect() as dc:
            for step in range(60):
                state = {"a": os.urandom(3_000_000), "b": os.urandom(70_001)}
                ticket = dc.save(step, state)
                self.assertTrue(ticket.wait("DURABLE", 30), ticket)
            found = dc.restore()
            self.assertEqual({k: bytes(v) for k, v in found.items()}, state)


@unittest.skipIf(numpy is None, "there is no numpy")
class Arrays(unittest.TestCase):

    def test_arrays_come_back_as_arrays(self):
        given = {
            "f": numpy.arange(6, dtype="f4").reshape(2, 3).T,
            "h": numpy.array([1.5, 2.5], dtype="f2"),
            "scalar": numpy.array(7, dtype="i8"),
            "none": numpy.zeros((0, 3)),
            "flag": numpy.array([True, False]),
        }
        with deepcheck.connect() as dc:
            dc.save(1, given).wait("DURABLE", 30)
            found = dc.restore()
        for name, value in given.items():
            self.assertEqual(found[name].dtype, value.dtype, name)
            numpy.testing.assert_array_equal(found[name], value)


@unittest.skipIf(torch is None, "there is no torch")
class Tensors(unittest.TestCase):

    def test_every_kind_of_tensor_comes_back(self):
        torch.manual_seed(3)
        noise = torch.randn(5, 7)
        given = {str(kind): noise.to(kind) for kind in [
            torch.float64, torch.float32, torch.float16, torch.bfloat16,
            torch.int64, torch.int32, torch.int16, torch.int8]}
        given.update({
            "uint8": torch.arange(256, dtype=torch.uint8),
            "bool": noise > 0,
            "scalar": torch.tensor(3.5, dtype=torch.bfloat16),
            "empty": torch.zeros(0, 4),
            "turned": noise.t(),
            "strided": noise[:, ::2],
            "parameter": torch.nn.Parameter(noise.clone()),
        })
        with deepcheck.connect() as dc:
            self.assertTrue(dc.save(1, given).wait("DURABLE", 30))
            found = dc.restore()
        for name, value in given.items():
            self.assertEqual((found[name].dtype, found[name].shape), (value.dtype, value.shape))
            self.assertTrue(torch.equal(found[name], value), name)

    def test_a_tensor_that_changes_after_save_is_saved_as_it_was(self):
        weights = torch.ones(3_000_000)
        with deepcheck.connect() as dc:
            ticket = dc.save(1, {"w": weights})
            weights.zero_()
            self.assertTrue(ticket.wait("DURABLE", 30))
            self.assertTrue(torch.equal(dc.restore()["w"], torch.ones(3_000_000)))

    def test_restoring_in_place_keeps_the_tensors(self):
        model = torch.nn.Linear(3, 2)
        with deepcheck.connect() as dc:
            dc.save(1, model.state_dict()).wait("DURABLE", 30)
            before = {name: value.clone() for name, value in model.state_dict().items()}
            pointer = model.weight.data_ptr()
            torch.nn.init.zeros_(model.weight)
            dc.restore_into(model.state_dict())
        self.assertEqual(model.weight.data_ptr(), pointer)
        for name, value in model.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)

    def test_a_restored_optimizer_goes_on_exactly(self):
        def build():
            torch.manual_seed(1)
            model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
            return model, torch.optim.AdamW(model.parameters(), amsgrad=True)

        def train(model, optimizer):
            optimizer.zero_grad()
            loss = model(torch.randn(8, 4)).square().sum()
            loss.backward()
            optimizer.step()

        model, optimizer = build()
        train(model, optimizer)
        with deepcheck.connect() as dc:
            dc.save(1, {"m": model.state_dict(), "o": optimizer.state_dict(),
                        "r": torch.get_rng_state()}).wait("DURABLE", 30)
            train(model, optimizer)
            other, others = build()
            state = dc.restore()
        other.load_state_dict(state["m"])
        others.load_state_dict(state["o"])
        torch.set_rng_state(state["r"])
        train(other, others)
        for ours, theirs in zip(model.parameters(), other.parameters()):
            self.assertTrue(torch.equal(ours, theirs))


if __name__ == "__main__":
    unittest.main()
