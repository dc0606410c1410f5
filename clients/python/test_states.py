"""Every state that PyTorch makes comes back as it went in, or is refused with its path."""

import argparse
import array
import collections
import ctypes
import dataclasses
import enum
import math
import struct
import unittest

import numpy
import torch

import deepvm.checkpoint
from deepvm import _tensors


class Colour(enum.Enum):
    RED = "r"


class Level(enum.IntEnum):
    LOW = 1


class Mode(str, enum.Enum):
    FAST = "fast"


class Bits(enum.Flag):
    A = 1
    B = 2


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Settings:
    rate: float
    sizes: list


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: int


noise = torch.Generator().manual_seed(4)


def random(*shape, **how):
    return torch.randn(*shape, generator=noise, **how)


NAN = struct.unpack("<d", bytes.fromhex("0100000000fcff7f")[:8])[0]


def states():
    """Returns values by name, each of which must come back the same."""
    table = {
        "none": None, "true": True, "int": 5, "long": 1 << 70, "very long": -(1 << 20_000),
        "float": 0.1, "minus zero": -0.0, "infinity": -math.inf, "nan": NAN, "text": "ä\n\0",
        "complex": complex(-0.0, 2.5), "range": range(1, 9, 2), "slice": slice(None, 3),
        "ellipsis": ...,
        "bytes": b"\0\1", "no bytes": b"", "bytearray": bytearray(b"ab"),
        "array": array.array("d", [1.5, -2]), "list": [1, [2.5, None]], "tuple": ((), (1, "a")),
        "set": {1, "a", (2, 3)}, "frozenset": frozenset({1}),
        "deque": collections.deque([1, 2], maxlen=3),
        "dict": {1: "a", "1": "b", None: 3, 2.5: 4, True and "t": 5, (1, "k"): 6, Level.LOW: 7},
        "ordered": collections.OrderedDict([("b", 1), ("a", random(2))]),
        "default": collections.defaultdict(list, a=[1]),
        "default of none": collections.defaultdict(None, a=1),
        "counter": collections.Counter("abca"),
        "named": Point(1, random(2)), "enum": Colour.RED, "int enum": Level.LOW, "text enum": Mode.FAST,
        "flags": Bits.A | Bits.B,
        "dataclass": Settings(0.1, [1, random(1)]), "frozen": Fixed(3),
        "namespace": argparse.Namespace(lr=0.1, names=["a"]),
        "size": torch.Size([2, 3]), "dtype": torch.bfloat16, "device": torch.device("cuda", 1),
        "layout": torch.sparse_coo, "memory format": torch.channels_last,
        "numpy dtype": numpy.dtype(">i4"),
    }
    for kind in ("f2", "f4", "f8", "i1", "i8", "u2", "u8", "c8", "c16", "b1", ">f4", "M8[s]", "U3", "S2",
                 "longdouble"):
        values = numpy.arange(6).astype(kind).reshape(2, 3)
        table["numpy " + kind] = values
        table["numpy scalar " + kind] = values[1, 1]
    table["numpy turned"] = numpy.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    table["numpy empty"] = numpy.zeros((0, 3), "f4")
    table["numpy of no dimension"] = numpy.array(7)
    table["numpy fields"] = numpy.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    kinds = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32,
             torch.int16, torch.int8, torch.uint8, torch.bool, torch.complex64, torch.complex128]
    for newer in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
                  "float8_e8m0fnu", "uint16", "uint32", "uint64"):
        if hasattr(torch, newer):
            kinds.append(getattr(torch, newer))
    for kind in kinds:
        table["torch %s" % kind] = random(3, 5).abs().to(kind)
    half = getattr(torch, "complex32", None)
    if half is not None:
        table["torch complex32"] = torch.view_as_complex(random(3, 2).half())
    image = random(2, 3, 4, 4)
    table.update({
        "torch nan": torch.tensor([NAN, -0.0]), "torch scalar": torch.tensor(3.5),
        "torch empty": torch.zeros(0, 4), "torch turned": random(3, 5).t(),
        "torch channels last": image.to(memory_format=torch.channels_last),
        "torch channels last 3d": random(1, 2, 3, 4, 4).to(memory_format=torch.channels_last_3d),
        "torch permuted": random(2, 3, 4).permute(1, 2, 0),
        "torch conj": random(3, dtype=torch.complex64).conj(),
        "torch neg": random(3, dtype=torch.complex64).conj().imag,
        "torch parameter": torch.nn.Parameter(random(2)),
        "torch frozen parameter": torch.nn.Parameter(random(2), requires_grad=False),
        "torch leaf": random(2).requires_grad_(),
        "torch quantised": torch.quantize_per_tensor(random(3, 4), 0.1, 2, torch.quint8),
        "torch quantised int32": torch.quantize_per_tensor(random(3), 0.3, 0, torch.qint32),
        "torch quantised by channel": torch.quantize_per_channel(
            random(3, 4), torch.rand(3).double(), torch.tensor([0, 1, 2]), 0, torch.qint8),
        "torch sparse": torch.eye(3).to_sparse(),
        "torch uncoalesced": torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,)),
        "torch hybrid": torch.sparse_coo_tensor([[0, 1]], random(2, 3), (4, 3)),
        "torch csr": torch.eye(3).to_sparse_csr(),
        "torch csc": torch.eye(3).to_sparse_csc(),
        "torch bsr": torch.eye(4).to_sparse_bsr((2, 2)),
        "module": torch.nn.BatchNorm2d(3).state_dict(),
        "generator": torch.Generator().manual_seed(1).get_state(),
    })
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.Adam(model.parameters(), amsgrad=True)
    model(random(1, 2)).sum().backward()
    optimizer.step()
    table["optimizer"] = optimizer.state_dict()
    table["scheduler"] = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9).state_dict()
    table["optimizer of a swapped model"] = torch.optim.swa_utils.AveragedModel(model).state_dict()
    return table


class Odd(dict):
    pass


class OddTensor(torch.Tensor):
    pass


def refused():
    """Returns values by name with a part of the message that refuses each."""
    cycle = []
    cycle.append({"again": cycle})
    deep = 1
    for _ in range(1000):
        deep = [deep]
    return {
        "object": ([object()], "'object.0' is a object"),
        "function": (math.sin, "'function' is a builtin"),
        "key": ({"k": {object(): 1}}, "A key in 'key.k' is a object"),
        "cycle": (cycle, "'cycle.0.again' contains itself"),
        "levels": (deep, "is more than 150 levels deep"),
        "odd dict": (Odd(), "'odd dict' is a Odd, a kind of dict"),
        "default": (collections.defaultdict(lambda: 0), "'default' is a defaultdict"),
        "odd tensor": ([torch.zeros(2).as_subclass(OddTensor)], "'odd tensor.0' is a OddTensor"),
        "meta": (torch.zeros(2, device="meta"), "'meta' is on the device 'meta'"),
        "objects": (numpy.array([object()]), "'objects' is a ndarray of object"),
        "fields": (numpy.zeros(1, dtype=[("o", "O")]), "'fields' is a ndarray"),
        "generator": (torch.Generator(), "'generator' is a Generator"),
        "text": (type("Text", (str,), {})("a"), "'text' is a Text"),
    }


def bits(value):
    """Returns the elements of a dense tensor as bytes, in order."""
    tensor = value.detach().resolve_conj().resolve_neg().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()) \
        if tensor.numel() else b""


def parts(tensor):
    if tensor.layout is torch.sparse_coo:
        return tensor._indices(), tensor._values(), torch.tensor(tensor.is_coalesced())
    if str(tensor.layout) in ("torch.sparse_csr", "torch.sparse_bsr"):
        return tensor.crow_indices(), tensor.col_indices(), tensor.values()
    return tensor.ccol_indices(), tensor.row_indices(), tensor.values()


class States(unittest.TestCase):

    maxDiff = None

    def same(self, a, b, path):
        """Fails unless two values are alike in type, layout and every bit."""
        self.assertIs(type(b), type(a), path)
        if isinstance(a, torch.Tensor):
            self.assertEqual((b.dtype, b.shape, b.layout, b.requires_grad),
                             (a.dtype, a.shape, a.layout, a.requires_grad), path)
            if a.layout is not torch.strided:
                for x, y in zip(parts(a), parts(b)):
                    self.same(x, y, path)
            elif a.is_quantized:
                self.assertTrue(torch.equal(a, b), path)
                self.assertEqual(a.qscheme(), b.qscheme(), path)
                self.same(a.int_repr(), b.int_repr(), path)
            else:
                self.assertEqual((b.is_conj(), b.is_neg()), (a.is_conj(), a.is_neg()), path)
                if _tensors.dense_order(a.shape, a.stride()) is not None:
                    self.assertEqual(b.stride(), a.stride(), path)
                self.assertEqual(bits(b), bits(a), path)
        elif isinstance(a, (numpy.ndarray, numpy.generic)):
            self.assertEqual((b.dtype, b.shape), (a.dtype, a.shape), path)
            self.assertTrue(a.size == 0 or b.strides == a.strides, path)
            self.assertEqual(b.tobytes(), a.tobytes(), path)
        elif isinstance(a, dict):
            self.assertEqual([(type(k), k) for k in b], [(type(k), k) for k in a], path)
            self.same(getattr(a, "default_factory", None), getattr(b, "default_factory", None), path)
            self.same(getattr(a, "_metadata", None), getattr(b, "_metadata", None), path)
            for key in a:
                self.same(a[key], b[key], "%s.%s" % (path, key))
        elif isinstance(a, (list, tuple, collections.deque)):
            self.assertEqual(len(b), len(a), path)
            for i, (x, y) in enumerate(zip(a, b)):
                self.same(x, y, "%s.%d" % (path, i))
        elif isinstance(a, float):
            self.assertEqual(struct.pack("<d", b), struct.pack("<d", a), path)
        elif isinstance(a, complex):
            self.assertEqual(repr(b), repr(a), path)
        elif dataclasses.is_dataclass(a) and not isinstance(a, type):
            self.same(vars(a), vars(b), path)
        elif isinstance(a, argparse.Namespace):
            self.same(vars(a), vars(b), path)
        else:
            self.assertEqual(b, a, path)

    def test_each_state_comes_back_as_it_went_in(self):
        given = states()
        with deepvm.checkpoint.connect() as dc:
            self.assertTrue(dc.save(1, given).wait("DURABLE", 30))
            found = dc.restore()
        self.assertEqual(list(found), list(given))
        for name, value in given.items():
            with self.subTest(name):
                self.same(value, found[name], name)

    def test_what_is_refused_is_named_with_its_path(self):
        with deepvm.checkpoint.connect() as dc:
            for name, (value, words) in refused().items():
                with self.subTest(name):
                    with self.assertRaises(deepvm.Error) as caught:
                        dc.save(1, {name: value})
                    self.assertIn(words, str(caught.exception))
                    self.assertIn("\nMaybe ", str(caught.exception))

    def test_a_strided_view_comes_back_with_its_values(self):
        whole = random(6, 6)
        given = {"strided": whole[:, ::2], "expanded": whole[:1].expand(4, 6)}
        with deepvm.checkpoint.connect() as dc:
            self.assertTrue(dc.save(1, given).wait("DURABLE", 30))
            found = dc.restore()
        for name, value in given.items():
            self.assertTrue(torch.equal(value, found[name]), name)
            self.assertTrue(found[name].is_contiguous(), name)

    def test_steps_may_be_integers_of_numpy_and_torch(self):
        with deepvm.checkpoint.connect() as dc:
            for step in (numpy.int64(3), torch.tensor(4), numpy.uint8(5)):
                self.assertEqual(dc.save(step, {"w": b"1"}).step, int(step))
                dc.should_save(step)
            for odd in (1.0, True, "1", -1, torch.tensor(1.5), torch.tensor(True), numpy.bool_(True),
                        torch.tensor([1, 2]), None):
                with self.assertRaisesRegex(deepvm.Error, "(?s)The step is .*Maybe"):
                    dc.save(odd, {"w": b"1"})

    def test_a_class_that_is_not_loaded_is_named(self):
        kept, found = globals()["Colour"], None
        with deepvm.checkpoint.connect() as dc:
            dc.save(1, {"c": Colour.RED, "p": Point(1, 2), "s": Settings(0.5, [])}).wait("DURABLE", 30)
            try:
                for name in ("Colour", "Point", "Settings"):
                    found = dict(found or {}, **{name: globals().pop(name)})
                with self.assertRaisesRegex(deepvm.Error, "(?s)Colour, which is not loaded.*Maybe import"):
                    dc.restore()
                globals()["Colour"] = kept
                state = dc.restore()
            finally:
                globals().update(found)
        self.assertEqual(state["p"], (1, 2))
        self.assertEqual((type(state["p"]).__name__, state["p"]._fields), ("Point", ("x", "y")))
        self.assertEqual(vars(state["s"]), {"rate": 0.5, "sizes": []})


if __name__ == "__main__":
    unittest.main()
