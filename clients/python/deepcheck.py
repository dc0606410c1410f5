"""Checkpoints for PyTorch (or anything with buffers) through a DeepVM agent on this node.

    import deepcheck
    with deepcheck.connect() as dc:                      # deepvm checkpoint agent --to DIR
        state = dc.restore()                             # None: nothing saved yet
        if state is not None:
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
        for step in range(state.step + 1 if state else 1, steps + 1):
            train()
            if dc.should_save(step):
                dc.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})

One file, standard library only, Python 3.8 or later. Nothing is pickled: names, types and shapes
go to the agent as JSON, tensors are copied once, into memory shared with it. When save() returns,
training may change the tensors; the agent brings the copy to disk, anchors or an object store
meanwhile. Trouble there never raises here, it is in the ticket that save() returns.

State goes to no other user: the agent's folder, socket, process and shared file must all belong to
the user of this process, and the agent's numbers are checked before memory is touched.
"""

import ctypes
import json
import mmap
import os
import select
import socket as sockets
import stat
import struct
import subprocess
import sys
import threading
import time
import weakref

__all__ = ["connect", "restore", "Client", "Ticket", "State", "Error"]

_PROTOCOL = 1
_MOST_BYTES = 16 << 20
_STRUCTURE = "deepcheck.structure"
_LEVELS = ("STAGED", "REPLICATED", "DURABLE", "ARCHIVED")
_ANSWER_SECONDS = 30.0
_RETRY_SECONDS = 1.0
_MOST_LEAD = 86400
_PIECE = 4 << 20
_WORTH_THREADS = 32 << 20

_TORCH_TYPES = {
    "torch.bool": "BOOL", "torch.uint8": "U8", "torch.int8": "I8", "torch.int16": "I16",
    "torch.int32": "I32", "torch.int64": "I64", "torch.uint16": "U16", "torch.uint32": "U32",
    "torch.uint64": "U64", "torch.float16": "F16", "torch.bfloat16": "BF16",
    "torch.float32": "F32", "torch.float64": "F64", "torch.float8_e4m3fn": "F8_E4M3",
    "torch.float8_e5m2": "F8_E5M2",
}
_FORMATS = {
    "BOOL": "?", "U8": "B", "I8": "b", "U16": "H", "I16": "h", "U32": "I", "I32": "i",
    "U64": "Q", "I64": "q", "F32": "f", "F64": "d",
}


class Error(Exception):
    """Something that the caller can mend; the second line says how."""

    def __init__(self, what, maybe=None):
        super().__init__(what if maybe is None else what + "\n" + maybe)


class _Untrusted(Error):
    """The agent, or what it says, is not what an agent of this user would be or say."""


class State(dict):
    """What was saved, as it was given: state["model"], and the step and meta of its save.

    problems: why newer or nearer checkpoints could not be used; empty when this is the newest.
    """

    def __init__(self, values, step, meta, tensors, problems=()):
        super().__init__(values)
        self.step = step
        self.meta = meta
        self.tensors = tensors
        self.problems = list(problems)


# --- tensors ---------------------------------------------------------------------------------


class _Source:
    """The bytes of one tensor: at an address (torch), or in a memoryview."""

    def __init__(self, name, dtype, shape, nbytes, address=None, view=None, keep=None):
        self.name, self.dtype, self.shape, self.nbytes = name, dtype, list(shape), nbytes
        # keep: what must live as long as the address is used
        self.address, self.view, self.keep = address, view, keep
        self.given = None


def _is_torch(value):
    return hasattr(value, "data_ptr") and hasattr(value, "element_size")


def _source(name, value):
    """Returns where the bytes of a tensor or buffer are."""
    if _is_torch(value):
        return _torch_source(name, value.detach())
    view = memoryview(value)
    flat = view if view.c_contiguous else memoryview(view.tobytes())
    flat = flat.cast("B") if flat.nbytes else memoryview(b"")
    return _Source(name, _format_type(name, view), view.shape, view.nbytes, view=flat)


def _torch_source(name, tensor):
    dtype = _TORCH_TYPES.get(str(tensor.dtype))
    if dtype is None or str(tensor.layout) != "torch.strided":
        raise Error(
            "The tensor '%s' is %s, %s." % (name, tensor.dtype, tensor.layout),
            "Maybe save it as torch.view_as_real(tensor), or as dense numbers.")
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    if hasattr(tensor, "resolve_neg"):
        tensor = tensor.resolve_neg()
    tensor = tensor.contiguous()
    return _Source(
        name, dtype, tensor.shape, tensor.numel() * tensor.element_size(),
        address=tensor.data_ptr(), keep=tensor)


def _format_type(name, view):
    code = view.format.lstrip("@=<" if sys.byteorder == "little" else "@=")
    bits = 8 * view.itemsize
    if code == "?":
        return "BOOL"
    if len(code) == 1 and code in "bhilqn":
        return "I%d" % bits
    if len(code) == 1 and code in "BHILQNc":
        return "U%d" % bits
    if len(code) == 1 and code in "efd":
        return "F%d" % bits
    raise Error(
        "The buffer '%s' has elements of '%s'." % (name, view.format),
        "Maybe save whole numbers or floats in the machine's byte order.")


def _flatten(value, path, sources):
    """Returns the structure of nested dicts, lists and tuples as JSON, and collects its tensors."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        pairs = []
        for key, each in value.items():
            if key is not None and not isinstance(key, (bool, int, float, str)):
                raise Error(
                    "A key in '%s' is a %s." % (".".join(path), type(key).__name__),
                    "Maybe use text or numbers.")
            pairs.append([key, _flatten(each, path + (str(key),), sources)])
        return {"d": pairs}
    if isinstance(value, (list, tuple)):
        kind = "l" if isinstance(value, list) else "u"
        return {kind: [_flatten(e, path + (str(i),), sources) for i, e in enumerate(value)]}
    name = ".".join(path)
    while name in sources or not name or name == _STRUCTURE:
        name += "'"
    try:
        sources[name] = _source(name, value)
        sources[name].given = value
    except TypeError:
        raise Error(
            "'%s' is a %s, neither tensor nor number nor text." % (name, type(value).__name__),
            "Maybe save the numbers it is made of.") from None
    kind = "t" if _is_torch(value) else "n" if hasattr(value, "__array_interface__") else "b"
    return {kind: name}


def _unflatten(node, make):
    if not isinstance(node, dict):
        return node
    ((kind, value),) = node.items()
    if kind == "d":
        return {key: _unflatten(each, make) for key, each in value}
    if kind in "lu":
        items = [_unflatten(each, make) for each in value]
        return items if kind == "l" else tuple(items)
    return make(kind, value)


class _Stored:
    """The tensors of a checkpoint in a safetensors file, mapped privately: writing is harmless."""

    def __init__(self, path):
        file = _open_shared(path, os.O_RDONLY)
        try:
            self.memory = mmap.mmap(file, 0, access=mmap.ACCESS_COPY)
        finally:
            os.close(file)
        (length,) = struct.unpack("<Q", self.memory[:8])
        self.base = 8 + _within(length, len(self.memory) - 8, "header")
        self.entries = json.loads(self.memory[8:self.base].decode())
        self.entries.pop("__metadata__", None)
        self.bytes = memoryview(self.memory)
        for entry in self.entries.values():
            begin, end = entry["data_offsets"]
            _within(end, len(self.memory) - self.base, "tensor")
            _within(begin, end, "tensor")

    def names(self):
        return [name for name in self.entries if name != _STRUCTURE]

    def raw(self, name):
        begin, end = self.entries[name]["data_offsets"]
        return self.bytes[self.base + begin:self.base + end]

    def structure(self):
        if _STRUCTURE in self.entries:
            return json.loads(bytes(self.raw(_STRUCTURE)).decode())
        kind = "t" if "torch" in sys.modules else "b"
        return {"d": [[name, {kind: name}] for name in sorted(self.names())]}

    def make(self, kind, name):
        """Returns a tensor as what it was: of torch, of numpy, or a memoryview."""
        entry = self.entries[name]
        shape, dtype, begin = entry["shape"], entry["dtype"], entry["data_offsets"][0]
        raw = self.raw(name)
        if kind == "t":
            import torch
            known = [t for t, ours in _TORCH_TYPES.items() if ours == dtype]
            element = getattr(torch, known[0].split(".")[1], None)
            if element is None:
                raise Error(
                    "This torch has no type for '%s' (%s)." % (name, dtype),
                    "Maybe use the torch that saved it.")
            if not len(raw):
                return torch.empty(shape, dtype=element)
            count = len(raw) // torch.empty((), dtype=element).element_size()
            flat = torch.frombuffer(
                self.memory, dtype=element, count=count, offset=self.base + begin)
            return flat.reshape(shape)
        if kind == "n":
            import numpy
            element = "?" if dtype == "BOOL" else "%s%d" % (dtype[0].lower(), int(dtype[1:]) // 8)
            return numpy.frombuffer(raw, dtype=element).reshape(shape)
        if dtype not in _FORMATS or not len(raw):
            return raw
        return raw.cast(_FORMATS[dtype]) if shape == [] else raw.cast(_FORMATS[dtype], shape)


# --- the line to the agent -------------------------------------------------------------------


def _socket_path(given):
    if given or os.environ.get("DEEPVM_AGENT"):
        return given or os.environ["DEEPVM_AGENT"]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = os.path.join(runtime, "deepvm") if runtime else "/tmp/deepvm-%d" % os.getuid()
    return os.path.join(folder, "agent.sock")


def _require_own(path, found, kind, closed=0o077):
    """Refuses a file that another user could have put there, or could use."""
    if not kind(found.st_mode):
        raise _Untrusted("%s is a link, or not what an agent makes." % path,
                         "Maybe name another socket, or remove it and start the agent again.")
    if found.st_uid != os.geteuid():
        raise _Untrusted(
            "%s belongs to user %d, not to user %d." % (path, found.st_uid, os.geteuid()),
            "Maybe set DEEPVM_AGENT to a socket in a folder of your own.")
    if found.st_mode & closed:
        raise _Untrusted("%s is open to other users (mode %04o)."
                         % (path, stat.S_IMODE(found.st_mode)), "Maybe 'chmod go=' it.")


def _open_shared(path, flags):
    """Opens a file that the agent shares: one of this user, in a folder that is private."""
    folder = os.path.dirname(path)
    _require_own(folder, os.lstat(folder), stat.S_ISDIR)
    if not os.path.basename(folder).startswith("deepvm-"):
        raise _Untrusted("%s is not in a folder that an agent makes." % path,
                         "Maybe the agent is of another release.")
    # without O_NONBLOCK, a pipe in its place would stop us for ever
    file = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        # its folder keeps others out, whatever its own mode
        _require_own(path, os.fstat(file), stat.S_ISREG, closed=0)
        return file
    except BaseException:
        os.close(file)
        raise


def _within(number, most, what):
    """Returns a number of the agent's if it is from 0 to the most, so that it may be an offset."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= most:
        raise _Untrusted("The agent gives %r for a %s; it must be a number from 0 to %d."
                         % (number, what, most), "Maybe the agent is of another release.")
    return number


class _Refused(Error):
    """The agent's answer is a no."""

    def __init__(self, answer):
        super().__init__(answer["error"], answer.get("maybe"))
        self.fenced = answer.get("fenced", False)


def _granted(answer):
    if not isinstance(answer, dict):
        raise ValueError("the answer is no JSON object")
    if "error" in answer:
        raise _Refused(answer)
    return answer


class _Line:
    """A connection: asks and is answered, and holds the memory shared with the agent."""

    def __init__(self, path):
        self.socket = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        self.memory = None
        self.address = 0
        self.patience = 0
        self.generation = None
        self.unread = 0
        try:
            folder = os.path.dirname(path)
            _require_own(folder, os.lstat(folder), stat.S_ISDIR)
            _require_own(path, os.lstat(path), stat.S_ISSOCK)
            self.socket.settimeout(_ANSWER_SECONDS)
            self.socket.connect(path)
            self._require_own_peer(path)
        except BaseException:
            self.socket.close()
            raise

    def _require_own_peer(self, path):
        """Asks the kernel for the agent's user: a folder above may have changed since we looked."""
        if not hasattr(sockets, "SO_PEERCRED"):
            return
        peer = struct.Struct("3i")
        _, user, _ = peer.unpack(
            self.socket.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, peer.size))
        if user != os.geteuid():
            raise _Untrusted(
                "The agent on %s runs as user %d, not as user %d." % (path, user, os.geteuid()),
                "Maybe start an agent of your own, on another socket.")

    def ask(self, seconds=_ANSWER_SECONDS, **message):
        self.tell(seconds, **message)
        while self.unread:
            answer = self._next()
        return _granted(answer)

    def ask_until(self, end, **message):
        """Asks, and returns None when there is no answer by then; it is passed over later."""
        self.tell(**message)
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        while self.unread:
            if not poll.poll(max(0.0, end - time.monotonic()) * 1000):
                return None
            answer = self._next()
        return _granted(answer)

    def _next(self):
        try:
            (length,) = struct.unpack(">I", self._receive(4))
            if length > _MOST_BYTES:
                raise ValueError("the answer has %d bytes" % length)
            answer = json.loads(self._receive(length).decode())
            self.unread -= 1
            return answer
        except BaseException:
            # also for Ctrl-C: the answer that is still to come belongs to no other question
            self.close()
            raise

    def tell(self, seconds=_ANSWER_SECONDS, **message):
        """Says something whose answer does not matter; it is passed over when the next one is read."""
        body = json.dumps(message, allow_nan=False).encode()
        if len(body) > _MOST_BYTES:
            raise Error("The names of the tensors take %d bytes." % len(body),
                        "Maybe save fewer, larger tensors.")
        try:
            self.socket.settimeout(seconds)
            self.socket.sendall(struct.pack(">I", len(body)) + body)
            self.unread += 1
        except BaseException:
            self.close()
            raise

    def _receive(self, length):
        parts = bytearray()
        while len(parts) < length:
            part = self.socket.recv(min(1 << 20, length - len(parts)))
            if not part:
                raise ConnectionError("The agent has gone.")
            parts += part
        return bytes(parts)

    def hello(self, after, seconds):
        extra = {} if after is None else {"after": after}
        answer = self.ask(seconds, do="hello", protocol=_PROTOCOL, **extra)
        self.generation = answer["generation"]
        self.patience = answer["patience"]
        file = _open_shared(answer["memory"], os.O_RDWR)
        try:
            # touching a mapping beyond the end of its file would kill this process
            length = _within(answer["bytes"], os.fstat(file).st_size, "size of its memory")
            # all of it is there already, so that no save has to wait for the first touch
            populate = 0x8000 if sys.platform == "linux" else 0
            self.memory = mmap.mmap(
                file, length, flags=mmap.MAP_SHARED | populate,
                prot=mmap.PROT_READ | mmap.PROT_WRITE)
        finally:
            os.close(file)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.ask(do="mapped")

    def copy(self, sources, offsets, runs):
        """Copies tensors to where the agent wants them."""
        begins, total = [], 0
        for at, length in runs:
            _within(length, len(self.memory) - _within(at, len(self.memory), "run"), "run")
            begins.append(total)
            total += length
        if len(offsets) != len(sources):
            raise ValueError("there are %d offsets for %d tensors" % (len(offsets), len(sources)))
        for source, offset in zip(sources, offsets):
            _within(offset, total - source.nbytes, "tensor")
        pieces = []
        for source, offset in zip(sources, offsets):
            for (at, length), begin in zip(runs, begins):
                first = max(offset, begin)
                last = min(offset + source.nbytes, begin + length)
                while first < last:
                    size = min(_PIECE, last - first)
                    pieces.append((at + first - begin, source, first - offset, size))
                    first += size
        # a few threads fill the memory's bandwidth
        threads = min(4, os.cpu_count() or 1) if total >= _WORTH_THREADS else 1
        shares = [pieces[i::threads] for i in range(threads)]
        done = []
        others = [threading.Thread(target=self._copy, args=(s, done)) for s in shares[1:]]
        try:
            for other in others:
                other.start()
            self._copy(shares[0], done)
            for other in others:
                other.join()
            if len(done) != threads:
                raise ConnectionError("A thread could not copy.")
        except BaseException:
            # nothing may be written into this memory any more, so it is not used again
            self.close()
            raise

    def _copy(self, pieces, done):
        memory = memoryview(self.memory)
        for to, source, begin, size in pieces:
            if source.address is not None:
                # lets go of the interpreter's lock
                ctypes.memmove(self.address + to, source.address + begin, size)
            else:
                memory[to:to + size] = source.view[begin:begin + size]
        done.append(True)

    def close(self):
        self.socket.close()
        self.memory = None


# --- what scripts use ------------------------------------------------------------------------


class Ticket:
    """The fate of one save: STAGED, REPLICATED, DURABLE, ARCHIVED, or SKIPPED or FAILED."""

    def __init__(self, client, line, step, answer):
        self.step = step
        self._client, self._line, self._number = client, line, answer.get("ticket")
        self._note(answer)

    def _note(self, answer):
        self._state = answer["state"]
        self.settled = answer["settled"]
        self.reasons = answer["reasons"]

    @property
    def state(self):
        """How far the save has come, as the agent says now."""
        if not self.settled:
            self._client._look(self)
        return self._state

    def wait(self, level="DURABLE", timeout=600.0):
        """Waits until the save is at this level or above; False when it will not be, or not yet."""
        if level not in _LEVELS:
            raise Error("There is no level '%s'." % level, "Maybe one of %s." % (_LEVELS,))
        end, pause = time.monotonic() + timeout, 0.001
        while True:
            state = self.state
            if state in _LEVELS and _LEVELS.index(state) >= _LEVELS.index(level):
                return True
            if self.settled or time.monotonic() >= end:
                return False
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
            pause = min(0.05, pause * 1.5)

    def _lost(self, reason):
        """The agent died with it; what it had reached stays."""
        self.settled = True
        self.reasons = self.reasons + [reason]
        if self._state == "STAGED":
            self._state = "FAILED"

    def __repr__(self):
        return "Ticket(step=%d, %s%s)" % (
            self.step, self._state, "".join(", " + r for r in self.reasons))


_clients = weakref.WeakSet()


def _after_fork():
    for client in list(_clients):
        client._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Client:
    """A session with the agent; connect() makes one. Safe to use from several threads."""

    def __init__(self, path, process, timeout):
        self._path, self._process, self._timeout = path, process, timeout
        self._lock = threading.RLock()
        self._line = None
        self._dead = None
        self._generation = None
        self._last = None
        self._retry_at = 0.0
        self._retrying = False
        self._distrust = None
        self._open(None)
        _clients.add(self)

    def _open(self, after):
        line = _Line(self._path)
        try:
            line.hello(after, self._timeout)
        except BaseException:
            line.close()
            raise
        with self._lock:
            if self._dead is not None:
                line.close()
            else:
                self._line, self._generation = line, line.generation

    @property
    def generation(self):
        """The number of this session; a later one fences all before it."""
        return self._generation

    def save(self, step, state, meta=None):
        """Takes the state as it is now, and returns a ticket when training may go on.

        state: a dict of tensors, or nested dicts and lists of tensors, numbers and text, such as
        state_dict() gives. meta: a few facts for people and tools, JSON, at most a megabyte.
        """
        sources = {}
        structure = _flatten(dict(state), (), sources)
        text = json.dumps(structure).encode()
        sources[_STRUCTURE] = _source(_STRUCTURE, text)
        if not isinstance(step, int) or step < 0:
            raise Error("The step is %r." % (step,), "Maybe count from zero.")
        try:
            json.dumps(meta, allow_nan=False)
        except (TypeError, ValueError) as problem:
            raise Error("The meta is not JSON: %s." % problem, "Maybe put it into the state.")
        with self._lock:
            line = self._ready()
            if line is None:
                return self._failed(step, self._dead or self._distrust
                                    or "There is no agent on %s." % self._path)
            everything = list(sources.values())
            message = {"tensors": [[s.name, s.dtype, s.shape] for s in everything]}
            if meta is not None:
                message["meta"] = meta
            try:
                answer = line.ask(
                    _ANSWER_SECONDS + line.patience, do="save", step=step, **message)
                if "runs" in answer:
                    line.copy(everything, answer["offsets"], answer["runs"])
                    # training need not wait for the answer; the ticket's state tells the rest
                    line.tell(do="staged", ticket=answer["ticket"])
                    answer = {"ticket": answer["ticket"], "state": "STAGED", "settled": False,
                              "reasons": []}
            except _Untrusted as problem:
                self._lose(line)
                return self._failed(step, str(problem))
            except (OSError, ValueError) as problem:
                self._lose(line)
                return self._failed(step, "The agent does not answer: %s" % problem)
            self._last = Ticket(self, line, step, answer)
            return self._last

    def should_save(self, step):
        """Whether now is a good time to save: often enough for the loss of work to be small, rarely
        enough for the saves to be cheap. Without an agent, False."""
        with self._lock:
            line = self._ready()
            if line is None:
                return False
            try:
                return line.ask(do="should-save", step=step)["yes"]
            except (OSError, ValueError):
                self._lose(line)
                return False

    def notice(self, seconds):
        """Says that this node is lost in so many seconds: the newest save goes before all others.

        Returns True as soon as it has left the node, False when it will not, or did not in time.
        """
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) \
                or not 0 < seconds <= _MOST_LEAD:
            raise Error("The node cannot be lost in %r seconds." % (seconds,),
                        "Maybe give a number above 0, up to %d." % _MOST_LEAD)
        end, pause, told = time.monotonic() + seconds, 0.001, None
        question = {"do": "notice", "lead": seconds}
        while True:
            left = end - time.monotonic()
            if left <= 0 or not self._lock.acquire(timeout=left):
                return False
            try:
                line = self._ready()
                if line is None or told not in (None, line):
                    return False
                answer = line.ask_until(end, **question)
            except (OSError, ValueError):
                self._lose(line)
                return False
            finally:
                self._lock.release()
            arrived = answer is not None and answer.get("state") in _LEVELS[1:]
            if arrived or answer is None or answer.get("settled", True):
                return arrived
            if told is None:
                told, question = line, {"do": "state", "ticket": answer["ticket"]}
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
            pause = min(0.05, pause * 1.5)

    def restore(self):
        """Returns the newest checkpoint that is whole, or None when nothing was saved yet."""
        with self._lock:
            if self._line is None:
                raise Error("There is no agent on %s." % self._path, "Maybe start it again.")
            return _restore(self._line)

    def restore_into(self, tensors):
        """Copies the newest checkpoint into these tensors in place; None when there is none."""
        state = self.restore()
        if state is None:
            return None
        wanted = {}
        _flatten(dict(tensors), (), wanted)
        odd = sorted(set(wanted) ^ set(state.tensors))
        if odd:
            raise Error("The checkpoint and the tensors differ in %s." % ", ".join(odd[:5]),
                        "Maybe it is of another model.")
        for name, ours in wanted.items():
            theirs = _source(name, state.tensors[name])
            if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
                raise Error(
                    "The checkpoint has '%s' as %s%s, not %s%s." % (
                        name, theirs.dtype, theirs.shape, ours.dtype, ours.shape),
                    "Maybe it is of another model.")
        for name, ours in wanted.items():
            if _is_torch(ours.given):
                ours.given.data.copy_(state.tensors[name])
            elif ours.nbytes:
                memoryview(ours.given).cast("B")[:] = memoryview(state.tensors[name]).cast("B")
        return state

    def _failed(self, step, reason):
        answer = {"state": "FAILED", "settled": True, "reasons": [reason]}
        return Ticket(self, None, step, answer)

    def _look(self, ticket):
        with self._lock:
            if ticket._line is not self._line or self._line is None:
                ticket._lost("The agent has gone.")
                return
            try:
                ticket._note(self._line.ask(do="state", ticket=ticket._number))
            except (OSError, ValueError) as problem:
                self._lose(self._line)
                ticket._lost("The agent does not answer: %s" % problem)

    def _lose(self, line):
        line.close()
        if self._line is line:
            self._line = None
            self._retry_at = 0.0

    def _ready(self):
        """Returns the line; when it is broken, has it mended beside training."""
        if self._line is None and self._dead is None and not self._retrying \
                and time.monotonic() >= self._retry_at:
            self._retrying = True
            threading.Thread(target=self._mend, daemon=True).start()
        return self._line

    def _mend(self):
        try:
            self._distrust = None
            self._open(self._generation)
        except _Refused as refused:
            if refused.fenced:
                self._dead = str(refused)
        except _Untrusted as problem:
            self._distrust = str(problem)
        except (OSError, ValueError):
            pass
        finally:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            self._retrying = False

    def _forked(self):
        """In a child process: the line is the parent's."""
        self._lock = threading.RLock()
        line, self._line = self._line, None
        self._dead = "The client belongs to the process that made it."
        self._process = None
        if line is not None:
            line.close()

    def close(self, timeout=60.0):
        """Waits for the last save to end, up to the timeout, and leaves; returns that ticket."""
        if self._last is not None and self._dead is None:
            self._last.wait("ARCHIVED", timeout)
        with self._lock:
            line, self._line = self._line, None
            self._dead = self._dead or "The client was closed."
        if line is not None:
            line.close()
        process, self._process = self._process, None
        if process is not None:
            process.stdin.close()
            try:
                process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return self._last

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        self.close(60.0 if kind is None else 5.0)


def _restore(line):
    answer = line.ask(3600.0, do="restore")
    if "file" not in answer:
        return None
    stored = _Stored(answer["file"])
    line.ask(do="restored")
    found = {}

    def make(kind, name):
        found[name] = stored.make(kind, name)
        return found[name]

    values = _unflatten(stored.structure(), make)
    return State(values, answer["step"], json.loads(answer["meta"]), found,
                 answer.get("problems", ()))


def connect(socket=None, command=None, timeout=120.0):
    """Begins a session with the agent on this node, and fences any session before.

    socket: where the agent is; else $DEEPVM_AGENT, else its usual place. command: starts an agent
    when none is there, such as ["deepvm", "checkpoint", "agent", "--to", DIR]; it ends with this
    process.
    """
    path = os.path.abspath(_socket_path(socket))
    process = _start(command, path, timeout) if command and not _answers(path) else None
    try:
        return Client(path, process, timeout)
    except BaseException as problem:
        if process is not None:
            process.kill()
            process.wait()
        if isinstance(problem, OSError):
            raise _no_agent(path, problem) from None
        raise


def restore(socket=None):
    """Returns the newest checkpoint without beginning a session, as all ranks but the first do."""
    path = os.path.abspath(_socket_path(socket))
    try:
        line = _Line(path)
    except OSError as problem:
        raise _no_agent(path, problem) from None
    try:
        return _restore(line)
    finally:
        line.close()


def _no_agent(path, problem):
    return Error("There is no agent on %s: %s." % (path, problem),
                 "Maybe start one: deepvm checkpoint agent --to DIR --socket %s" % path)


def _answers(path):
    try:
        _Line(path).close()
        return True
    except OSError:
        return False


def _start(command, path, timeout):
    # a session of its own: Ctrl-C ends the script, the agent then ends in order
    process = subprocess.Popen(
        list(command) + ([] if "--attached" in command else ["--attached"]),
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
        env=dict(os.environ, DEEPVM_AGENT=path))
    end = time.monotonic() + timeout
    while not _answers(path):
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            process.wait()
            raise Error("The agent '%s' did not start." % " ".join(command),
                        "Maybe its output above says why.")
        time.sleep(0.05)
    return process
