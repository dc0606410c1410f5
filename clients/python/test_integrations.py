"""Notices, and what other frameworks call. torch's own planner and storage interface are real here;
Hugging Face, accelerate, Lightning and StatefulDataLoader are small stand-ins of the calls they make."""

import dataclasses
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import types
import unittest
import unittest.mock

import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import deepvm
import deepvm.checkpoint
from deepvm import _gpu, sharded

HERE = os.path.dirname(os.path.abspath(__file__))


def build():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    return model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)


def train(model, optimizer, scheduler, batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    scheduler.step()
    return loss.item()


class Notices(unittest.TestCase):

    SCRIPT = """
        import signal, sys, time
        import deepvm, deepvm.checkpoint
        dc = deepvm.checkpoint.connect()
        state = {"w": bytearray(1000)}
        def save_now(seconds):
            return dc.save(3, state)
        watch = deepvm.on_notice(save_now)
        print("READY", flush=True)
        # one call of C that returns to Python only at its end, as a long kernel does
        import ctypes
        if sys.argv[1] == "term":
            ctypes.PyDLL(None).sleep(0)
            ctypes.CDLL(None).usleep(0)
            sum(range(10))
            time.sleep(60)
        watch.saved.wait(30)
        print(watch.ticket.state, watch.confirmed, flush=True)
    """

    def script(self, mode, **more):
        return subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(self.SCRIPT), mode], stdout=subprocess.PIPE,
            env=dict(os.environ, PYTHONPATH=HERE, **more), universal_newlines=True)

    def test_the_notice_file_has_the_state_saved_and_confirmed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "notice.json")
            process = self.script("file", DEEPVM_NOTICE_FILE=file)
            with process, process.stdout:
                self.assertEqual(process.stdout.readline(), "READY\n")
                with open(file + ".new", "w") as notice:
                    json.dump({"action": "terminate", "leadSeconds": 30.0, "atMs": 0}, notice)
                os.replace(file + ".new", file)
                state, confirmed = process.stdout.readline().split()
                self.assertEqual(confirmed, "True")
                self.assertIn(state, ("DURABLE", "ARCHIVED"))

    def test_sigterm_saves_inside_a_long_call_and_then_ends_the_process(self):
        process = self.script("term")
        with process, process.stdout:
            self.assertEqual(process.stdout.readline(), "READY\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30), 128 + signal.SIGTERM)
        self.assertEqual(deepvm.checkpoint.restore().step, 3)

    def test_an_earlier_handler_of_the_signal_runs_in_the_main_thread_after_the_save(self):
        script = """
            import os, signal, sys, threading, time
            import deepvm
            def earlier(number, frame):
                print("earlier", threading.current_thread() is threading.main_thread(), watch.saved.is_set(),
                      flush=True)
                sys.exit(7)
            signal.signal(signal.SIGTERM, earlier)
            watch = deepvm.on_notice(lambda seconds: None)
            print("READY", flush=True)
            time.sleep(60)
        """
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE,
            env=dict(os.environ, PYTHONPATH=HERE), universal_newlines=True)
        with process, process.stdout:
            self.assertEqual(process.stdout.readline(), "READY\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.stdout.readline(), "earlier True True\n")
            self.assertEqual(process.wait(30), 7)

    def test_a_notice_that_cannot_be_read_has_the_state_saved_all_the_same(self):
        for text in ("{", "[]", '{"leadSeconds": "soon"}', '{"leadSeconds": NaN}', '{"leadSeconds": -1}', "7"):
            leads = []
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "notice")
                with deepvm.on_notice(leads.append, file=file, signals=(), lead=9.0) as watch:
                    with open(file, "w") as notice:
                        notice.write(text)
                    self.assertTrue(watch.saved.wait(10), text)
                    self.assertTrue(watch._thread.is_alive(), text)
            self.assertTrue(8.0 < leads[0] <= 9.0, text)

    def test_a_save_that_is_late_says_so_in_its_ticket(self):
        with deepvm.checkpoint.connect() as dc:
            taken = []

            def save_now(seconds):
                taken.append(dc.save(4, {"w": b"1"}))
                time.sleep(max(0.0, seconds))
                return taken[0]
            with deepvm.on_notice(save_now, signals=()) as watch:
                watch._take(0.05)
                self.assertIs(watch.confirmed, False)
            taken[0].wait("DURABLE", 30)
            self.assertIn("not confirmed before", repr(taken[0]))

    def test_the_state_is_not_saved_while_it_changes(self):
        order = []

        def save_now(seconds):
            order.append("saved")
        with deepvm.on_notice(save_now, signals=()) as watch:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                watch._file = None
                with watch.changing():
                    json.dump({"leadSeconds": 10.0}, file)
                    file.flush()
                    watch._file = file.name
                    self.assertTrue(watch.noticed.wait(10))
                    order.append("changed")
                self.assertTrue(watch.saved.wait(10))
        self.assertEqual(order, ["changed", "saved"])


class Loaders(unittest.TestCase):

    def batches(self, loader, stop=None):
        found = []
        for batch in loader:
            found.append((batch[0].tolist(), torch.rand(1).item()))
            if len(found) == stop:
                break
        return found

    def build(self, own=True):
        torch.manual_seed(3)
        generator = torch.Generator().manual_seed(5) if own else None
        data = TensorDataset(torch.arange(20))
        return deepvm.dataloader.Resumable(DataLoader(data, 3, shuffle=True, generator=generator))

    def test_a_loader_goes_on_in_mid_epoch_with_the_same_batches(self):
        for own in (True, False):
            loader = self.build(own)
            whole = [self.batches(loader) for _ in range(3)]
            loader = self.build(own)
            first = self.batches(loader)
            begun = self.batches(loader, 4)
            state, numbers = loader.state_dict(), torch.get_rng_state()
            self.assertEqual((first, begun), (whole[0], whole[1][:4]))
            with deepvm.checkpoint.connect() as dc:
                self.assertTrue(dc.save(1, {"loader": state, "rng": numbers}).wait("DURABLE", 30))
                saved = dc.restore()
            loader = self.build(own)
            torch.set_rng_state(saved["rng"])
            loader.load_state_dict(saved["loader"])
            self.assertEqual((loader.epoch, loader.seen), (1, 4))
            self.assertEqual(self.batches(loader), whole[1][4:])
            self.assertEqual(loader.epoch, 2)

    def test_a_loader_saved_between_two_epochs_goes_on_with_the_next_order(self):
        for own in (True, False):
            loader = self.build(own)
            whole = [self.batches(loader) for _ in range(3)]
            self.assertNotEqual(whole[0], whole[1])
            for epochs in (0, 1, 2):
                loader = self.build(own)
                for _ in range(epochs):
                    self.batches(loader)
                state, numbers = loader.state_dict(), torch.get_rng_state()
                loader = self.build(own)
                torch.set_rng_state(numbers)
                loader.load_state_dict(state)
                self.assertEqual(self.batches(loader), whole[epochs])
                self.assertEqual(loader.epoch, epochs + 1)

    def test_a_loader_with_a_state_of_its_own_keeps_it(self):
        class Stateful:
            at = 0

            def __iter__(self):
                while self.at < 5:
                    self.at += 1
                    yield self.at
                self.at = 0

            def state_dict(self):
                return {"at": self.at}

            def load_state_dict(self, state):
                self.at = state["at"]
        loader = deepvm.dataloader.Resumable(Stateful())
        next(iter(loader))
        other = deepvm.dataloader.Resumable(Stateful())
        other.load_state_dict(loader.state_dict())
        self.assertEqual(list(other), [2, 3, 4, 5])


class Frameworks(unittest.TestCase):

    def run_trainer(self, steps, start=0, stop=None, resume=False):
        """Trains as transformers' Trainer calls its callbacks; returns the losses."""
        from deepvm.huggingface import Saver
        model, optimizer, scheduler = build()
        saver = Saver(every=2)
        state = types.SimpleNamespace(global_step=0, epoch=0.0, is_world_process_zero=True, log_history=[])
        losses = {}
        torch.manual_seed(9)
        with tempfile.TemporaryDirectory() as folder:
            if resume:
                found = saver.folder_to_resume(folder)
                with open(os.path.join(found, "trainer_state.json")) as file:
                    state.__dict__.update(json.load(file))
                model.load_state_dict(torch.load(os.path.join(found, "pytorch_model.bin")))
                optimizer.load_state_dict(torch.load(os.path.join(found, "optimizer.pt")))
                scheduler.load_state_dict(torch.load(os.path.join(found, "scheduler.pt")))
                kept = torch.load(os.path.join(found, "rng_state.pth"))
                torch.set_rng_state(kept["cpu"])
                random.setstate(kept["python"])
                numpy.random.set_state(kept["numpy"])
        parts = {"model": model, "optimizer": optimizer, "lr_scheduler": scheduler}
        saver.on_train_begin(None, state, None, **parts)
        while state.global_step < steps and state.global_step != stop:
            losses[state.global_step] = train(model, optimizer, scheduler, torch.randn(5, 4))
            state.global_step += 1
            saver.on_step_end(None, state, None, **parts)
        if stop is None:
            saver.on_train_end(None, state, None, **parts)
        else:
            saver.ticket.wait("DURABLE", 30)
        saver._client.close(10)
        return losses

    def test_a_hugging_face_trainer_goes_on_exactly(self):
        undisturbed = self.run_trainer(9)
        first = self.run_trainer(9, stop=5)
        second = self.run_trainer(9, resume=True)
        self.assertEqual(min(second), 4)
        self.assertEqual({**first, **second}, undisturbed)

    def test_an_accelerate_script_goes_on_exactly(self):
        from deepvm.accelerate import Saver

        def run(stop):
            model, optimizer, scheduler = build()
            torch.manual_seed(9)
            saver = Saver(types.SimpleNamespace(is_main_process=True), model, optimizer, scheduler, every=2)
            losses, step = {}, saver.restore()
            while step < stop:
                losses[step] = train(model, optimizer, scheduler, torch.randn(5, 4))
                step += 1
                saver.step(step)
            if saver.ticket is not None:
                saver.ticket.wait("DURABLE", 30)
            saver._client.close(10)
            return losses

        def forget():
            with deepvm.checkpoint.connect() as dc:
                model, optimizer, scheduler = build()
                torch.manual_seed(9)
                Saver(types.SimpleNamespace(), model, optimizer, scheduler, client=dc).save(0).wait("DURABLE", 30)
        forget()
        undisturbed = run(9)
        forget()
        first, second = run(5), run(9)
        self.assertEqual(min(second), 4)
        self.assertEqual({**first, **second}, undisturbed)

    def test_lightning_goes_on_exactly(self):
        from deepvm.lightning import DeepVMCheckpointIO, Saver

        def fit(stop, path=None):
            model, optimizer, scheduler = build()
            torch.manual_seed(9)
            io = DeepVMCheckpointIO()
            trainer = types.SimpleNamespace(global_step=0)
            trainer.save_checkpoint = lambda name: io.save_checkpoint(
                {"global_step": trainer.global_step, "state_dict": model.state_dict(),
                 "optimizer_states": [optimizer.state_dict()], "lr_schedulers": [scheduler.state_dict()],
                 "loops": {"fit_loop": {"batches": trainer.global_step}}}, name)
            if path is not None:
                saved = io.load_checkpoint(path)
                trainer.global_step = saved["loops"]["fit_loop"]["batches"]
                model.load_state_dict(saved["state_dict"])
                optimizer.load_state_dict(saved["optimizer_states"][0])
                scheduler.load_state_dict(saved["lr_schedulers"][0])
            saver, losses = Saver(every=2), {}
            while trainer.global_step < stop:
                losses[trainer.global_step] = train(model, optimizer, scheduler, torch.randn(5, 4))
                trainer.global_step += 1
                saver.on_train_batch_end(trainer, model)
            io.teardown()
            newest = io.newest()
            io._client.close(10)
            return losses, newest

        undisturbed, _ = fit(9)
        first, newest = fit(5)
        second, _ = fit(9, newest)
        self.assertEqual(min(second), 4)
        self.assertEqual({**first, **second}, undisturbed)


class Ranks(unittest.TestCase):
    """The framework shapes as processes over gloo, with other random numbers on each rank."""

    WORLD, STEPS = 2, 12

    def start(self, shape, folder, *arguments, **of_the_second):
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            port = door.getsockname()[1]
        command = [sys.executable, "-W", "ignore", os.path.join(HERE, "shapes", shape + ".py"), "--dropout=0.3",
                   "--steps=%d" % self.STEPS, "--log=" + os.path.join(folder, "log"), "--output=" + folder]
        return [subprocess.Popen(
            command + list(arguments), stdout=subprocess.DEVNULL,
            env=dict(os.environ, PYTHONPATH=HERE, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(self.WORLD),
                     MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), **(of_the_second if rank else {})))
            for rank in range(self.WORLD)]

    def losses(self, folder):
        """Returns the lines of each rank's log, as step and loss."""
        found = []
        for rank in range(self.WORLD):
            path = os.path.join(folder, "log.%d" % rank)
            with open(path) as file:
                found.append([tuple(line.split()[:2]) for line in file])
        return found

    def ended(self, ranks):
        codes = []
        for process in ranks:
            try:
                codes.append(process.wait(60))
            finally:
                process.kill()
                process.wait()
        return codes

    def check(self, shape):
        with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as folder:
            # every=0 asks before each step's end whether to save, and only the first rank may
            self.assertEqual(self.ended(self.start(shape, whole, "--fresh", "--every=0")), [0, 0])
            undisturbed = [dict(each) for each in self.losses(whole)]
            self.assertEqual([len(each) for each in undisturbed], [self.STEPS] * 2)
            self.assertNotEqual(*undisturbed)
            # a notice at the second rank, and nothing else, has the first one save
            notice = os.path.join(folder, "notice")
            ranks = self.start(shape, folder, "--fresh", "--every=1000", "--pause=0.2",
                               DEEPVM_NOTICE_FILE=notice)
            self.wait_for_lines(os.path.join(folder, "log.1"), 4)
            before = deepvm.checkpoint.restore()
            with open(notice + ".new", "w") as file:
                json.dump({"leadSeconds": 30.0}, file)
            os.replace(notice + ".new", notice)
            self.wait_for_save(before)
            for process in ranks:
                process.kill()
            self.ended(ranks)
            self.assertEqual(self.ended(self.start(shape, folder, "--every=1000")), [0, 0])
            for found, right in zip(self.losses(folder), undisturbed):
                self.assertEqual({step: loss for step, loss in found if right[step] != loss}, {})
                self.assertEqual(set(dict(found)), set(right))
                # it went on after the save, and did not begin anew
                self.assertEqual([step for step, _ in found].count("1"), 1, found)

    def wait_for_lines(self, path, count):
        end = time.monotonic() + 60
        while not os.path.exists(path) or len(open(path).readlines()) < count:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def wait_for_save(self, before):
        end = time.monotonic() + 60
        while True:
            self.assertLess(time.monotonic(), end)
            state = deepvm.checkpoint.restore()
            if state is not None and (before is None or state.version != before.version):
                return
            time.sleep(0.02)

    def test_each_rank_of_a_hugging_face_trainer_goes_on_exactly(self):
        self.check("hf_like")

    def test_each_rank_of_a_lightning_trainer_goes_on_exactly(self):
        self.check("lightning_like")


class Alone:
    rank, world = 0, 1

    def gather(self, value):
        return [json.loads(json.dumps(value))]


def torchs_own():
    """Returns torch's functions; 1.13 has them elsewhere, and needs help on Python 3.11."""
    plain = dataclasses.dataclass

    def hashable(cls=None, **how):
        if cls is None:
            return lambda each: hashable(each, **how)
        if not how.get("frozen") and "__hash__" not in vars(cls):
            how.setdefault("unsafe_hash", True)
        return plain(cls, **how)

    try:
        from torch.distributed.checkpoint import load_state_dict, save_state_dict
    except ImportError:
        with unittest.mock.patch("dataclasses.dataclass", hashable):
            from torch.distributed._shard.checkpoint import load_state_dict, save_state_dict
    return load_state_dict, save_state_dict


class DistributedCheckpoint(unittest.TestCase):

    def test_torchs_own_planner_saves_and_loads(self):
        load_state_dict, save_state_dict = torchs_own()
        from deepvm import dcp
        model, _, _ = build()
        state = {"model.w": model[0].weight.detach().clone(), "b": torch.arange(6).reshape(2, 3),
                 "half": torch.randn(3).half(), "complex": torch.randn(3, dtype=torch.complex64),
                 "step": 5, "text": {"a": [1, 2]}}
        with sharded.connect(group=Alone()) as dc:
            writer = dcp.Writer(dc, 8, wait="DURABLE")
            save_state_dict(state, writer, no_dist=True)
            self.assertEqual(writer.ticket.step, 8)
            into = {k: torch.zeros_like(v) if isinstance(v, torch.Tensor) else None for k, v in state.items()}
            reader = dcp.Reader(dc)
            load_state_dict(into, reader, no_dist=True)
        self.assertEqual(reader.step, 8)
        for name, value in state.items():
            if isinstance(value, torch.Tensor):
                self.assertTrue(torch.equal(into[name], value), name)
            else:
                self.assertEqual(into[name], value, name)

    def test_all_ranks_read_the_version_that_one_of_them_has_found(self):
        load_state_dict, save_state_dict = torchs_own()
        from deepvm import dcp
        from test_sharded import on_ranks

        def save(dc, rank):
            for step in (8, 9):
                writer = dcp.Writer(dc, step, wait="DURABLE")
                # a planner of no process group saves all; each rank has its own part here
                save_state_dict({"w%d" % rank: torch.full((3,), float(step))}, writer, no_dist=True)

        def load(dc, rank):
            line, plain = dc._line, dc._line.ask
            if rank == 1:
                # this rank's tiers do not know the newest
                line.ask = lambda *words, **more: plain(*words, **(
                    more if "version" in more or more["do"] != "restore" else dict(more, before=newest)))
            reader = dcp.Reader(dc)
            reader.read_metadata()
            return reader.step

        on_ranks(2, save)
        newest = deepvm.checkpoint.restore().version
        self.assertEqual(on_ranks(2, load), [9, 9])

    def test_a_save_that_fails_raises_as_torch_expects(self):
        torchs_own()
        from deepvm import dcp
        with sharded.connect(group=Alone()) as dc:
            writer = dcp.Writer(dc, 8)
            writer.ticket = dc._failed(8, "The disk is full.")
            with self.assertRaisesRegex(deepvm.Error, "(?s)disk is full.*Maybe"):
                writer.finish(None, [])


class FakeGpu:
    """A device with two streams, whose work is done only when somebody waits for an event.

    The side stream sees the work of the main one as far as it was queued when follow() was called.
    """

    def __init__(self):
        self.main, self.side, self.log = [], [], []

    def dense(self, tensor):
        self.log.append("kernel")
        result = torch.full(tuple(tensor.shape), -2.0)
        self.main.append(lambda: result.copy_(tensor))
        return result

    def pinned(self, like):
        self.log.append("pinned")
        return torch.full_like(like, -1)

    def follow(self):
        self.log.append("follow")
        seen = len(self.main)
        self.side.append(lambda: [work() for work in self.main[:seen]])

    def copy(self, target, source):
        self.log.append("copy")
        self.side.append(lambda: target.copy_(source))

    def event(self):
        self.log.append("event")
        return self

    def synchronize(self):
        for work in self.side:
            work()
        self.main, self.side = [], []
        self.log.append("waited")


class OnDevice:
    """A tensor on a device that is not here."""

    def __init__(self, values, device):
        self.values, self.device, self.shape = values, device, values.shape


class Gpu(unittest.TestCase):

    def stager(self, *devices):
        gpus = {device: FakeGpu() for device in devices}
        for gpu in gpus.values():
            plain = gpu.dense
            gpu.dense = lambda tensor, plain=plain: plain(tensor.values)
        return _gpu.Stager(gpus.__getitem__), gpus

    def test_copies_follow_the_last_kernel_and_are_waited_for_by_one_event_of_each_device(self):
        stager, gpus = self.stager("cuda:0", "cuda:1")
        given = [torch.randn(3, 4), torch.randn(4, 3).t(), torch.randn(3, 4), torch.randn(2)]
        staged = [stager.stage(OnDevice(t, "cuda:%d" % (i % 2))) for i, t in enumerate(given)]
        stager.finish()
        for one, other in zip(staged, given):
            self.assertTrue(torch.equal(one, other))
        for gpu in gpus.values():
            self.assertEqual(
                gpu.log, ["kernel", "pinned"] * 2 + ["follow", "copy", "copy", "event", "waited"])

    def test_a_second_save_follows_the_kernels_that_came_between(self):
        stager, gpus = self.stager("cuda:0")
        for value in (1.0, 2.0):
            stager.recycle()
            weights = torch.zeros(3)
            gpus["cuda:0"].main.append(lambda: weights.fill_(value))
            staged = stager.stage(OnDevice(weights, "cuda:0"))
            stager.finish()
            self.assertEqual(staged.tolist(), [value] * 3)

    def test_pinned_memory_is_used_again_by_the_next_save_only(self):
        stager, gpus = self.stager("cuda:0", "cuda:1")
        first, other = [stager.stage(OnDevice(torch.ones(5), "cuda:0")) for _ in range(2)]
        self.assertIsNot(first, other)
        stager.finish()
        stager.recycle()
        again = {id(stager.stage(OnDevice(torch.zeros(5), "cuda:0"))) for _ in range(2)}
        self.assertEqual(again, {id(first), id(other)})
        self.assertEqual(gpus["cuda:0"].log.count("pinned"), 2)
        stager.stage(OnDevice(torch.zeros(6), "cuda:0"))
        self.assertEqual(gpus["cuda:0"].log.count("pinned"), 3)
        stager.stage(OnDevice(torch.zeros(5), "cuda:1"))
        self.assertEqual(gpus["cuda:1"].log.count("pinned"), 1)


if __name__ == "__main__":
    unittest.main()
