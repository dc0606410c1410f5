"""States as JSON and bytes: each value comes back as it went in, or is refused with its path.

A node of the JSON is a plain value or an object with one key, its kind. Nothing is pickled: classes
are looked up among loaded modules, and only enums, named tuples and dataclasses are made again.
"""

from __future__ import annotations

import argparse
import array
import collections
import dataclasses
import enum
import json
import math
import struct
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from deepvm import _tensors
from deepvm._errors import Error
from deepvm._tensors import STRUCTURE, Source, Stored

MOST_LEVELS = 150

Path = Tuple[str, ...]
_FACTORIES = {f.__name__: f for f in (int, float, bool, str, list, dict, set, tuple, bytes)}
_PLAIN = (bool, int, float, str)


def shown(path: Path) -> str:
    """Returns a path for a message, its middle left out if it is long."""
    text = ".".join(path)
    return text if len(text) <= 120 else text[:60] + "..." + text[-40:]


def is_torch(value: Any) -> bool:
    return hasattr(value, "data_ptr") and hasattr(value, "element_size")


def _class_name(value: Any) -> List[str]:
    return [type(value).__module__, type(value).__qualname__]


def _loaded(module: str, name: str) -> Any:
    """Returns a class of a module that is loaded already; nothing is imported."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


class Encoder:
    """Turns a state into JSON and collects the sources of its tensors."""

    def __init__(self, stager: Any = None) -> None:
        self.sources: Dict[str, Source] = {}
        self.stager = stager
        self._inside: Set[int] = set()
        # probing: values are only checked, and their bytes are left alone
        self.probing = False

    def encode_all(self, state: Any) -> Any:
        try:
            return self.encode(state, ())
        except RecursionError:
            raise Error("The state is nested too deep for what is left of Python's stack.",
                        "Maybe save from a shallower call, or a flatter state.") from None

    def encode(self, value: Any, path: Path) -> Any:
        """Returns the node of a value."""
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            # a longer one is more than Python turns into decimal text
            return value if value.bit_length() < 10_000 else {"int": hex(value)}
        if kind is float:
            return value if value == value else {"float": struct.pack("<d", value).hex()}
        plain = self._plain(value, path)
        if plain is not None:
            return plain
        if len(path) > MOST_LEVELS or id(value) in self._inside:
            raise Error("'%s' %s." % (shown(path), "contains itself" if id(value) in self._inside
                                      else "is more than %d levels deep" % MOST_LEVELS),
                        "Maybe save a flatter state.")
        self._inside.add(id(value))
        try:
            nested = self._nested(value, path)
            return self._leaf(value, path) if nested is None else nested
        finally:
            self._inside.discard(id(value))

    def _plain(self, value: Any, path: Path) -> Any:
        """Returns the node of a value without parts; None if it is something else."""
        if isinstance(value, enum.Enum):
            return {"enum": _class_name(value) + [value.name]}
        kind = type(value)
        if kind is complex:
            return {"complex": struct.pack("<dd", value.real, value.imag).hex()}
        if kind is range or kind is slice:
            return {kind.__name__: [self.encode(n, path + (kind.__name__,))
                                    for n in (value.start, value.stop, value.step)]}
        if value is Ellipsis:
            return {"ellipsis": 0}
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "dtype"):
            if kind is torch.Size:
                return {"size": list(value)}
            for name in ("dtype", "device", "layout", "memory_format"):
                if isinstance(value, getattr(torch, name)):
                    return {name: str(value)}
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.generic):
            return self._numpy_scalar(value, path)
        if numpy is not None and isinstance(value, numpy.dtype):
            return {"npdtype": _described(value, path)}
        return None

    def _nested(self, value: Any, path: Path) -> Any:
        """Returns the node of a value with parts; None if it is something else."""
        kind = type(value)
        if isinstance(value, dict):
            return self._dict(value, path)
        if kind in (list, tuple, set, frozenset, collections.deque):
            items = [self.encode(e, path + (str(i),)) for i, e in enumerate(value)]
            if kind in (set, frozenset):
                # equal sets of two processes may have other orders
                items.sort(key=json.dumps)
            if kind is collections.deque:
                return {"deque": [value.maxlen, items]}
            return {{list: "l", tuple: "u", set: "set", frozenset: "frozenset"}[kind]: items}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            items = [self.encode(e, path + (f,)) for f, e in zip(value._fields, value)]
            return {"named": _class_name(value) + [list(value._fields), items]}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [f.name for f in dataclasses.fields(value) if hasattr(value, f.name)]
            pairs = [[f, self.encode(getattr(value, f), path + (f,))] for f in fields]
            return {"dataclass": _class_name(value) + [pairs]}
        for name, each in (("argparse", argparse.Namespace), ("simple", types.SimpleNamespace)):
            if kind is each:
                return {name: [[f, self.encode(v, path + (f,))] for f, v in vars(value).items()]}
        return None

    def _dict(self, value: Any, path: Path) -> Any:
        kind = type(value)
        pairs = []
        for key, each in value.items():
            if key is not None and type(key) not in _PLAIN and not _is_key(key):
                raise Error("A key in '%s' is a %s." % (shown(path), type(key).__name__),
                            "Maybe use text or numbers.")
            pairs.append([self.key(key, path + ("key",)),
                          self.encode(each, path + (str(key),))])
        if kind is dict:
            return {"d": pairs}
        if kind is collections.OrderedDict:
            # a module's state_dict() carries versions of its parts here
            more = getattr(value, "_metadata", None)
            return {"ordered": [pairs, self.encode(more, path + ("_metadata",))] if more is not None
                    else [pairs]}
        if kind is collections.Counter:
            return {"counter": pairs}
        if kind is collections.defaultdict:
            factory = value.default_factory
            name = None if factory is None else factory.__name__
            if factory is not None and _FACTORIES.get(name) is not factory:
                raise Error("'%s' is a defaultdict whose default is made by %r."
                            % (shown(path), factory), "Maybe save it as dict(...).")
            return {"default": [name, pairs]}
        raise Error("'%s' is a %s, a kind of dict." % (shown(path), kind.__name__),
                    "Maybe save it as dict(...).")

    def key(self, value: Any, path: Path) -> Any:
        """Returns the node of a key of a dict."""
        return self.encode(value, path)

    def _leaf(self, value: Any, path: Path) -> Any:
        """Returns the node of a tensor, an array or a buffer."""
        if is_torch(value):
            return self.tensor(value, path)
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.ndarray):
            return self._array(value, path)
        try:
            memoryview(value)
        except TypeError:
            raise Error(
                "'%s' is a %s, neither tensor nor number nor text."
                % (shown(path), type(value).__name__),
                "Maybe save the numbers it is made of.") from None
        kind = type(value)
        if kind in (bytes, bytearray):
            return {kind.__name__: self.add(path, value, _tensors.of_bytes)}
        if kind is array.array and value.typecode not in "uw":
            return {"array": [value.typecode, self.add(path, value, _tensors.of_buffer)]}
        return {"b": self.add(path, value, _tensors.of_buffer)}

    def add(self, path: Path, value: Any, source: Callable[..., Source], *more: Any,
            given: Any = None) -> str:
        """Adds the bytes of a value under a free name, and returns the name.

        given: what the state has, if that is not the value itself.
        """
        name = ".".join(path)
        if self.probing:
            if source is not _tensors.of_torch:
                source(name, value, *more)
            return name
        while name in self.sources or not name or name.startswith(STRUCTURE):
            name += "'"
        self.sources[name] = source(name, value, *more)
        self.sources[name].given = value if given is None else given
        return name

    # --- numpy

    def _numpy_scalar(self, value: Any, path: Path) -> Any:
        if value.dtype.hasobject:
            raise Error("'%s' is a numpy object." % shown(path), "Maybe save the object itself.")
        return {"npscalar": [_described(value.dtype, path), value.tobytes().hex()]}

    def _array(self, value: Any, path: Path) -> Any:
        import numpy
        if value.dtype.hasobject or type(value) is not numpy.ndarray:
            raise Error("'%s' is a %s of %s." % (shown(path), type(value).__name__, value.dtype),
                        "Maybe save it as an array of numbers.")
        known = value.dtype.isnative and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8
        if known and value.flags.c_contiguous:
            return {"n": self.add(path, value, _tensors.of_buffer)}
        order = _tensors.dense_order(value.shape, value.strides and [
            s // max(1, value.itemsize) for s in value.strides]) or list(range(value.ndim))
        turned = numpy.ascontiguousarray(value.transpose(order)) if value.ndim else value.copy()
        flat = turned.reshape(-1).view("u1") if turned.size else b""
        name = self.add(path, flat, _tensors.of_bytes, given=value)
        return {"array_of": {"name": name, "dtype": _described(value.dtype, path),
                             "shape": list(value.shape), "order": order}}

    # --- torch

    def tensor(self, value: Any, path: Path) -> Any:
        """Returns the node of a tensor of torch."""
        if not hasattr(value, "stride"):
            return {"t": self.add(path, value.detach(), _tensors.of_torch, self.stager)}
        import torch
        extra: Dict[str, Any] = {}
        if isinstance(value, torch.nn.Parameter) or getattr(value, "_is_param", False):
            extra["parameter"] = bool(value.requires_grad)
        elif value.requires_grad and value.is_leaf:
            extra["grad"] = True
        plain = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.Tensor))
        if type(value) not in plain:
            raise Error("The tensor '%s' is a %s." % (shown(path), type(value).__name__),
                        "Maybe save what it is made of, or see deepvm.sharded for shares of tensors.")
        tensor = value.detach()
        if tensor.device.type == "meta":
            raise Error("The tensor '%s' is on the device 'meta', without numbers." % shown(path),
                        "Maybe materialise the model first.")
        if tensor.is_quantized:
            return self._quantised(tensor, path)
        if tensor.layout is not torch.strided:
            return self._sparse(tensor, path)
        if tensor.is_conj():
            extra["conj"], tensor = True, tensor.conj()
        if hasattr(tensor, "is_neg") and tensor.is_neg():
            extra["neg"], tensor = True, torch._neg_view(tensor)
        order = _tensors.dense_order(tensor.shape, tensor.stride())
        if order is not None and order != list(range(tensor.dim())):
            extra["order"], tensor = order, tensor.permute(order)
        if str(tensor.dtype) not in _tensors.KNOWN:
            extra["dtype"] = str(tensor.dtype)
        name = self.add(path, tensor, _tensors.of_torch, self.stager, given=value)
        return {"tensor": dict(extra, name=name)} if extra else {"t": name}

    def _quantised(self, tensor: Any, path: Path) -> Any:
        import torch
        if str(tensor.dtype) not in ("torch.qint8", "torch.quint8", "torch.qint32"):
            raise Error("The tensor '%s' is %s." % (shown(path), tensor.dtype),
                        "Maybe save tensor.dequantize().")
        node: Dict[str, Any] = {"numbers": self.tensor(tensor.int_repr(), path + ("int_repr",))}
        if tensor.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
            node["scale"] = struct.pack("<d", tensor.q_scale()).hex()
            node["zero"] = tensor.q_zero_point()
        else:
            node["scales"] = self.tensor(tensor.q_per_channel_scales(), path + ("scales",))
            node["zeros"] = self.tensor(tensor.q_per_channel_zero_points(), path + ("zeros",))
            node["axis"] = tensor.q_per_channel_axis()
            node["float"] = tensor.qscheme() == torch.per_channel_affine_float_qparams
        return {"quantised": node}

    def _sparse(self, tensor: Any, path: Path) -> Any:
        import torch
        layout = str(tensor.layout)
        if tensor.layout is torch.sparse_coo:
            parts = {"indices": tensor._indices(), "values": tensor._values()}
        elif layout in ("torch.sparse_csr", "torch.sparse_bsr"):
            parts = {"first": tensor.crow_indices(), "second": tensor.col_indices(),
                     "values": tensor.values()}
        elif layout in ("torch.sparse_csc", "torch.sparse_bsc"):
            parts = {"first": tensor.ccol_indices(), "second": tensor.row_indices(),
                     "values": tensor.values()}
        else:
            raise Error("The tensor '%s' is %s, %s." % (shown(path), tensor.dtype, layout),
                        "Maybe save tensor.to_dense().")
        node = {name: self.tensor(part, path + (name,)) for name, part in parts.items()}
        coalesced = bool(tensor.is_coalesced()) if tensor.layout is torch.sparse_coo else None
        return {"sparse": dict(node, layout=layout, shape=list(tensor.shape), coalesced=coalesced)}


def _is_key(key: Any) -> bool:
    """Returns whether a value may be a key: an enum, a scalar, or a tuple of keys."""
    if isinstance(key, (tuple, frozenset)):
        return all(each is None or type(each) in _PLAIN or _is_key(each) for each in key)
    numpy = sys.modules.get("numpy")
    torch = sys.modules.get("torch")
    return isinstance(key, (enum.Enum, complex)) \
        or (numpy is not None and isinstance(key, numpy.generic)) \
        or (torch is not None and isinstance(key, (torch.dtype, torch.device)))


def _described(dtype: Any, path: Path) -> Any:
    """Returns a numpy dtype as JSON: its code, or its list of fields."""
    if dtype.hasobject:
        raise Error("'%s' has elements that are objects." % shown(path), "Maybe save a list.")
    if dtype.names is None:
        return dtype.str
    import numpy
    if numpy.dtype(dtype.descr) != dtype:
        raise Error("'%s' is an array of %s." % (shown(path), dtype), "Maybe save its fields.")
    return dtype.descr


def _numpy_type(described: Any) -> Any:
    import numpy
    if isinstance(described, str):
        return numpy.dtype(described)
    return numpy.dtype([(f[0], _numpy_type(f[1]), *(tuple(n) for n in f[2:]))
                        for f in described])


class Decoder:
    """Makes the values of a structure again; collects tensors and buffers by name."""

    def __init__(self, stored: Stored) -> None:
        self.stored = stored
        self.found: Dict[str, Any] = {}

    def decode(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        ((kind, value),) = node.items()
        maker = getattr(self, "kind_" + kind, None)
        if maker is None:
            raise Error("The checkpoint has a value of the kind '%s'." % kind,
                        "Maybe it was saved by a later release.")
        return maker(value)

    def _pairs(self, pairs: Any) -> List[Tuple[Any, Any]]:
        return [(self.decode(key), self.decode(each)) for key, each in pairs]

    def _all(self, items: Any) -> List[Any]:
        return [self.decode(each) for each in items]

    def _note(self, name: str, value: Any) -> Any:
        self.found[name] = value
        return value

    def kind_d(self, pairs: Any) -> Any:
        return dict(self._pairs(pairs))

    def kind_ordered(self, value: Any) -> Any:
        made = collections.OrderedDict(self._pairs(value[0]))
        if len(value) > 1:
            made._metadata = self.decode(value[1])  # type: ignore[attr-defined]
        return made

    def kind_counter(self, pairs: Any) -> Any:
        return collections.Counter(dict(self._pairs(pairs)))

    def kind_default(self, value: Any) -> Any:
        factory = None if value[0] is None else _FACTORIES[value[0]]
        return collections.defaultdict(factory, self._pairs(value[1]))

    def kind_l(self, items: Any) -> Any:
        return self._all(items)

    def kind_u(self, items: Any) -> Any:
        return tuple(self._all(items))

    def kind_set(self, items: Any) -> Any:
        return set(self._all(items))

    def kind_frozenset(self, items: Any) -> Any:
        return frozenset(self._all(items))

    def kind_deque(self, value: Any) -> Any:
        return collections.deque(self._all(value[1]), value[0])

    def kind_named(self, value: Any) -> Any:
        module, name, fields, items = value
        found = _loaded(module, name)
        if found is None or not issubclass(found, tuple) or \
                list(getattr(found, "_fields", ())) != fields:
            found = collections.namedtuple(name.split(".")[-1], fields)  # type: ignore[misc]
        return tuple.__new__(found, self._all(items))

    def kind_dataclass(self, value: Any) -> Any:
        module, name, pairs = value
        found = _loaded(module, name)
        if found is None or not dataclasses.is_dataclass(found):
            return types.SimpleNamespace(**{f: self.decode(v) for f, v in pairs})
        made = object.__new__(found)
        for field, each in pairs:
            object.__setattr__(made, field, self.decode(each))
        return made

    def kind_argparse(self, pairs: Any) -> Any:
        return argparse.Namespace(**dict(self._pairs(pairs)))

    def kind_simple(self, pairs: Any) -> Any:
        return types.SimpleNamespace(**dict(self._pairs(pairs)))

    def kind_enum(self, value: Any) -> Any:
        module, name, member = value
        found = _loaded(module, name)
        if found is None or not issubclass(found, enum.Enum):
            raise Error("The checkpoint has a %s.%s, which is not loaded." % (module, name),
                        "Maybe import %s before you restore." % module)
        if member in found.__members__:
            return found[member]
        made: Any = None
        for part in (member or "").split("|"):  # combined flags
            made = found[part] if made is None else made | found[part]
        return made

    def kind_float(self, value: Any) -> Any:
        return struct.unpack("<d", bytes.fromhex(value))[0]

    def kind_int(self, value: Any) -> Any:
        return int(value, 16)

    def kind_complex(self, value: Any) -> Any:
        return complex(*struct.unpack("<dd", bytes.fromhex(value)))

    def kind_range(self, value: Any) -> Any:
        return range(*value)

    def kind_slice(self, value: Any) -> Any:
        return slice(*self._all(value))

    def kind_ellipsis(self, _: Any) -> Any:
        return Ellipsis

    # --- buffers and numpy

    def kind_b(self, name: str) -> Any:
        return self._note(name, self.stored.view(name))

    def kind_bytes(self, name: str) -> Any:
        return self._note(name, bytes(self.stored.raw(name)))

    def kind_bytearray(self, name: str) -> Any:
        return self._note(name, bytearray(self.stored.raw(name)))

    def kind_array(self, value: Any) -> Any:
        code, name = value
        return self._note(name, array.array(code, bytes(self.stored.raw(name))))

    def kind_n(self, name: str) -> Any:
        return self._note(name, self.stored.numpy(name))

    def kind_array_of(self, value: Any) -> Any:
        import numpy
        dtype = _numpy_type(value["dtype"])
        shape, order = value["shape"], value["order"]
        raw = self.stored.raw(value["name"])
        turned = numpy.frombuffer(raw, dtype=dtype) if len(raw) else numpy.empty(0, dtype)
        turned = turned.reshape([shape[i] for i in order])
        return self._note(value["name"], turned.transpose(_inverse(order)))

    def kind_npscalar(self, value: Any) -> Any:
        import numpy
        return numpy.frombuffer(bytes.fromhex(value[1]), dtype=_numpy_type(value[0]))[0] \
            if value[1] else _numpy_type(value[0]).type()

    def kind_npdtype(self, value: Any) -> Any:
        return _numpy_type(value)

    # --- torch

    def kind_t(self, name: str) -> Any:
        return self._note(name, self.stored.torch(name))

    def kind_tensor(self, value: Any) -> Any:
        import torch
        made = self.stored.torch(value["name"], value.get("dtype"))
        if "order" in value:
            made = made.permute(_inverse(value["order"]))
        if value.get("neg"):
            made = torch._neg_view(made)
        if value.get("conj"):
            made = made.conj()
        if "parameter" in value:
            made = torch.nn.Parameter(made, requires_grad=value["parameter"])
        elif value.get("grad"):
            made.requires_grad_()
        return self._note(value["name"], made)

    def kind_quantised(self, value: Any) -> Any:
        import torch
        numbers = self.decode(value["numbers"])
        if "scale" in value:
            (scale,) = struct.unpack("<d", bytes.fromhex(value["scale"]))
            return torch._make_per_tensor_quantized_tensor(numbers, scale, value["zero"])
        return torch._make_per_channel_quantized_tensor(
            numbers, self.decode(value["scales"]), self.decode(value["zeros"]), value["axis"])

    def kind_sparse(self, value: Any) -> Any:
        import torch
        values, shape = self.decode(value["values"]), value["shape"]
        if value["layout"] == "torch.sparse_coo":
            made = torch.sparse_coo_tensor(self.decode(value["indices"]), values, shape)
            return made._coalesced_(value["coalesced"])
        return torch.sparse_compressed_tensor(
            self.decode(value["first"]), self.decode(value["second"]), values, shape,
            layout=getattr(torch, value["layout"].split(".")[1]))

    def kind_size(self, value: Any) -> Any:
        import torch
        return torch.Size(value)

    def kind_dtype(self, value: Any) -> Any:
        return _tensors.torch_type("a dtype", value)

    def kind_device(self, value: Any) -> Any:
        import torch
        return torch.device(value)

    def kind_layout(self, value: Any) -> Any:
        import torch
        return getattr(torch, value.split(".")[1])

    kind_memory_format = kind_layout


def _inverse(order: Sequence[int]) -> List[int]:
    return sorted(range(len(order)), key=lambda i: order[i])


def encode(state: Any, stager: Any = None) -> Tuple[Any, Dict[str, Source]]:
    """Returns the structure of a state and the sources of its tensors."""
    encoder = Encoder(stager)
    return encoder.encode_all(state), encoder.sources


def structure_source(structure: Any, name: str = STRUCTURE) -> Source:
    """Returns the source of a structure, which is saved as a tensor of bytes."""
    return _tensors.of_bytes(name, json.dumps(structure).encode())


def check_meta(meta: Any) -> None:
    """Throws unless the meta is JSON without odd numbers."""
    try:
        json.dumps(meta, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise Error("The meta is not JSON: %s." % problem, "Maybe put it into the state.")


def check_step(step: Any) -> int:
    """Returns a step as a plain number; integers of numpy and torch will do."""
    import operator
    number: Optional[int] = None
    if type(step) is not bool and not str(getattr(step, "dtype", "")).endswith("bool"):
        try:
            number = operator.index(step)
        except (TypeError, RuntimeError, ValueError):
            number = None
    if number is None or number < 0 or math.isnan(number):
        raise Error("The step is %r." % (step,), "Maybe count from zero.")
    return number
