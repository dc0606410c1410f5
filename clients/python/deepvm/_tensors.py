"""The bytes of tensors and buffers: where they are, and how they become tensors again."""

from __future__ import annotations

import json
import struct
import sys
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from deepvm._errors import Error, Untrusted

STRUCTURE = "deepcheck.structure"

# Types that a safetensors file knows. All others are kept as bytes, with their name in the structure.
KNOWN = {
    "torch.bool": "BOOL", "torch.uint8": "U8", "torch.int8": "I8", "torch.int16": "I16",
    "torch.int32": "I32", "torch.int64": "I64", "torch.uint16": "U16", "torch.uint32": "U32",
    "torch.uint64": "U64", "torch.float16": "F16", "torch.bfloat16": "BF16",
    "torch.float32": "F32", "torch.float64": "F64", "torch.float8_e4m3fn": "F8_E4M3",
    "torch.float8_e5m2": "F8_E5M2",
}
SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
    "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}
_FORMATS = {
    "BOOL": "?", "U8": "B", "I8": "b", "U16": "H", "I16": "h", "U32": "I", "I32": "i",
    "U64": "Q", "I64": "q", "F32": "f", "F64": "d",
}


class Source:
    """The bytes of one tensor: at an address (torch), or in a memoryview."""

    def __init__(self, name: str, dtype: str, shape: Sequence[int], nbytes: int,
                 address: Optional[int] = None, view: Optional[memoryview] = None,
                 keep: Any = None) -> None:
        self.name, self.dtype, self.shape, self.nbytes = name, dtype, [int(n) for n in shape], nbytes
        # keep: what must live as long as the address is used
        self.address, self.view, self.keep = address, view, keep
        self.given: Any = None


def of_bytes(name: str, value: Any) -> Source:
    """Returns the source of the bytes of a buffer, as plain bytes."""
    view = memoryview(value)
    flat = view if view.c_contiguous else memoryview(view.tobytes())
    flat = flat.cast("B") if flat.nbytes else memoryview(b"")
    return Source(name, "U8", [flat.nbytes], flat.nbytes, view=flat)


def of_buffer(name: str, value: Any) -> Source:
    """Returns the source of a buffer of numbers; throws TypeError for what is no buffer."""
    view = memoryview(value)
    source = of_bytes(name, view)
    source.dtype, source.shape = _format_type(name, view), list(view.shape or ())
    return source


def of_torch(name: str, tensor: Any, stager: Any = None) -> Source:
    """Returns the source of a dense tensor on any device, in the order of its dimensions."""
    if tensor.device.type != "cpu":
        staged = stager is not None and tensor.device.type == "cuda"
        tensor = stager.stage(tensor) if staged else tensor.cpu()
    tensor = tensor.contiguous()
    dtype, shape = KNOWN.get(str(tensor.dtype)), list(tensor.shape)
    size = tensor.element_size()
    if dtype is None:
        dtype, shape = "U8", shape + [size]
    return Source(name, dtype, shape, tensor.numel() * size,
                  address=tensor.data_ptr(), keep=tensor)


def _format_type(name: str, view: memoryview) -> str:
    code = view.format.lstrip("@=<" if sys.byteorder == "little" else "@=")
    bits = 8 * view.itemsize
    if code == "?":
        return "BOOL"
    if len(code) == 1 and code in "bhilqn":
        return "I%d" % bits
    if len(code) == 1 and code in "BHILQNc":
        return "U%d" % bits
    if len(code) == 1 and code in "efd" and bits <= 64:
        return "F%d" % bits
    raise Error(
        "The buffer '%s' has elements of '%s'." % (name, view.format),
        "Maybe save whole numbers or floats in the machine's byte order.")


def torch_type(name: str, dtype: str) -> Any:
    """Returns torch's own type of this name, such as torch.float8_e4m3fn."""
    import torch
    found = getattr(torch, dtype.split(".")[-1], None)
    if not isinstance(found, torch.dtype):
        raise Error("This torch has no type for '%s' (%s)." % (name, dtype),
                    "Maybe use the torch that saved it.")
    return found


class Stored:
    """The tensors of a checkpoint in a safetensors file that is mapped into memory."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        (length,) = struct.unpack("<Q", memory[:8])
        self.base = 8 + within(length, len(memory) - 8, "header")
        self.entries: Dict[str, Any] = json.loads(memory[8:self.base].decode())
        self.entries.pop("__metadata__", None)
        self.bytes = memoryview(memory)
        for entry in self.entries.values():
            begin, end = entry["data_offsets"]
            within(end, len(memory) - self.base, "tensor")
            within(begin, end, "tensor")

    def names(self) -> Iterator[str]:
        return (name for name in self.entries if not name.startswith(STRUCTURE))

    def raw(self, name: str) -> memoryview:
        begin, end = self.entries[name]["data_offsets"]
        return self.bytes[self.base + begin:self.base + end]

    def structure(self, name: str = STRUCTURE) -> Any:
        if name in self.entries:
            return json.loads(bytes(self.raw(name)).decode())
        kind = "t" if "torch" in sys.modules else "b"
        return {"d": [[each, {kind: each}] for each in sorted(self.names())]}

    def torch(self, name: str, dtype: Optional[str] = None) -> Any:
        """Returns a tensor of torch; dtype: the type of elements that are kept as bytes."""
        import torch
        entry = self.entries[name]
        shape, kept, begin = entry["shape"], entry["dtype"], entry["data_offsets"][0]
        if dtype is None:
            (dtype,) = [t for t, ours in KNOWN.items() if ours == kept]
        element = torch_type(name, dtype)
        if KNOWN.get(dtype) is None:
            shape = shape[:-1]
        raw = self.raw(name)
        if not len(raw):
            return torch.empty(shape, dtype=element)
        if KNOWN.get(dtype) is not None:
            size = torch.empty((), dtype=element).element_size()
            flat = torch.frombuffer(
                self.memory, dtype=element, count=len(raw) // size, offset=self.base + begin)
            return flat.reshape(shape)
        # not every torch makes such a tensor of a buffer, but each can look at bytes so
        flat = torch.frombuffer(
            self.memory, dtype=torch.uint8, count=len(raw), offset=self.base + begin)
        if (self.base + begin) % max(1, entry["shape"][-1]):
            flat = flat.clone()
        return flat.view(element).reshape(shape)

    def numpy(self, name: str, dtype: Optional[str] = None) -> Any:
        import numpy
        entry = self.entries[name]
        shape, kept = entry["shape"], entry["dtype"]
        if dtype is None:
            element = "?" if kept == "BOOL" else "%s%d" % (kept[0].lower(), int(kept[1:]) // 8)
            return numpy.frombuffer(self.raw(name), dtype=element).reshape(shape)
        return numpy.frombuffer(self.raw(name), dtype=dtype)

    def view(self, name: str) -> memoryview:
        entry, raw = self.entries[name], self.raw(name)
        shape, dtype = entry["shape"], entry["dtype"]
        if dtype not in _FORMATS or not len(raw):
            return raw
        return raw.cast(_FORMATS[dtype]) if shape == [] else raw.cast(_FORMATS[dtype], shape)


def within(number: Any, most: int, what: str) -> int:
    """Returns a number of the agent's if it is from 0 to the most, so that it may be an offset."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= most:
        raise Untrusted("The agent gives %r for a %s; it must be a number from 0 to %d."
                        % (number, what, most), "Maybe the agent is of another release.")
    return number


def dense_order(shape: Sequence[int], strides: Sequence[int]) -> Optional[List[int]]:
    """Returns the order of dimensions in which the elements lie without gaps; None if there is none."""
    order = sorted((i for i in range(len(shape))), key=lambda i: (-strides[i], i))
    expected = 1
    for i in reversed(order):
        if shape[i] == 1:
            continue
        if strides[i] != expected:
            return None
        expected *= shape[i]
    return order


def overlap(begins: Sequence[int], sizes: Sequence[int], other_begins: Sequence[int],
            other_sizes: Sequence[int]) -> Optional[Tuple[List[int], List[int]]]:
    """Returns begins and sizes of what two boxes share; None if they share nothing."""
    first, size = [], []
    for a, n, b, m in zip(begins, sizes, other_begins, other_sizes):
        low, high = max(a, b), min(a + n, b + m)
        if low >= high:
            return None
        first.append(low)
        size.append(high - low)
    return first, size
