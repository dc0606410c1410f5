"""The connection to the agent on this node, which trusts nobody but this user."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import select
import socket as sockets
import stat
import struct
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from deepvm._errors import Error, Refused, Untrusted
from deepvm._tensors import Source, Stored, within

PROTOCOL = 1
ANSWER_SECONDS = 30.0
_MOST_BYTES = 16 << 20
_PIECE = 4 << 20
_WORTH_THREADS = 32 << 20

_Piece = Tuple[int, Source, int, int]


def socket_path(given: Optional[str]) -> str:
    """Returns where the agent is: as given, else $DEEPVM_AGENT, else its usual place."""
    if given or os.environ.get("DEEPVM_AGENT"):
        return given or os.environ["DEEPVM_AGENT"]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = os.path.join(runtime, "deepvm") if runtime else "/tmp/deepvm-%d" % os.getuid()
    return os.path.join(folder, "agent.sock")


def _require_own(path: str, found: os.stat_result, kind: Callable[[int], bool],
                 closed: int = 0o077) -> None:
    """Refuses a file that another user could have put there, or could use."""
    if not kind(found.st_mode):
        raise Untrusted("%s is a link, or not what an agent makes." % path,
                        "Maybe name another socket, or remove it and start the agent again.")
    if found.st_uid != os.geteuid():
        raise Untrusted(
            "%s belongs to user %d, not to user %d." % (path, found.st_uid, os.geteuid()),
            "Maybe set DEEPVM_AGENT to a socket in a folder of your own.")
    if found.st_mode & closed:
        raise Untrusted("%s is open to other users (mode %04o)."
                        % (path, stat.S_IMODE(found.st_mode)), "Maybe 'chmod go=' it.")


def open_shared(path: str, flags: int) -> int:
    """Opens a file that the agent shares: one of this user, in a folder that is private."""
    folder = os.path.dirname(path)
    _require_own(folder, os.lstat(folder), stat.S_ISDIR)
    if not os.path.basename(folder).startswith("deepvm-"):
        raise Untrusted("%s is not in a folder that an agent makes." % path,
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


def _granted(answer: Any) -> Dict[str, Any]:
    if not isinstance(answer, dict):
        raise ValueError("the answer is no JSON object")
    if "error" in answer:
        raise Refused(answer)
    return answer


class Line:
    """A connection: asks and is answered, and holds the memory shared with the agent."""

    def __init__(self, path: str) -> None:
        self.socket = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        self.memory: Optional[mmap.mmap] = None
        self.address = 0
        self.patience = 0
        self.generation: Optional[int] = None
        self.claim: Optional[str] = None
        self.home: Optional[str] = None
        self.unread = 0
        try:
            folder = os.path.dirname(path)
            _require_own(folder, os.lstat(folder), stat.S_ISDIR)
            _require_own(path, os.lstat(path), stat.S_ISSOCK)
            self.socket.settimeout(ANSWER_SECONDS)
            self.socket.connect(path)
            self._require_own_peer(path)
        except BaseException:
            self.socket.close()
            raise

    def _require_own_peer(self, path: str) -> None:
        """Asks the kernel for the agent's user: a folder above may have changed since we looked."""
        if not hasattr(sockets, "SO_PEERCRED"):
            return
        peer = struct.Struct("3i")
        _, user, _ = peer.unpack(
            self.socket.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, peer.size))
        if user != os.geteuid():
            raise Untrusted(
                "The agent on %s runs as user %d, not as user %d." % (path, user, os.geteuid()),
                "Maybe start an agent of your own, on another socket.")

    def ask(self, seconds: float = ANSWER_SECONDS, **message: Any) -> Dict[str, Any]:
        """Sends a message and returns its answer."""
        self.tell(seconds, **message)
        answer = None
        while self.unread:
            answer = self._next()
        return _granted(answer)

    def ask_until(self, end: float, **message: Any) -> Optional[Dict[str, Any]]:
        """Returns the answer, or None when there is no answer by then; it is passed over later."""
        self.tell(**message)
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        answer = None
        while self.unread:
            if not poll.poll(max(0.0, end - time.monotonic()) * 1000):
                return None
            answer = self._next()
        return _granted(answer)

    def _next(self) -> Any:
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

    def tell(self, seconds: float = ANSWER_SECONDS, **message: Any) -> None:
        """Sends a message whose answer does not matter; the next reader passes it over."""
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

    def _receive(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = self.socket.recv(min(1 << 20, length - len(parts)))
            if not part:
                raise ConnectionError("The agent has gone.")
            parts += part
        return bytes(parts)

    def hello(self, seconds: float, **more: Any) -> None:
        """Begins a session and maps the memory that the agent shares."""
        answer = self.ask(seconds, do="hello", protocol=PROTOCOL, **more)
        self.generation = answer["generation"]
        self.patience = answer["patience"]
        self.claim, self.home = answer.get("claim"), answer.get("home")
        file = open_shared(answer["memory"], os.O_RDWR)
        try:
            # touching a mapping beyond the end of its file would kill this process
            length = within(answer["bytes"], os.fstat(file).st_size, "size of its memory")
            # all of it is there already, so that no save has to wait for the first touch
            populate = 0x8000 if sys.platform == "linux" else 0
            self.memory = mmap.mmap(
                file, length, flags=mmap.MAP_SHARED | populate,
                prot=mmap.PROT_READ | mmap.PROT_WRITE)
        finally:
            os.close(file)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.ask(do="mapped")

    def stored(self, path: str) -> Stored:
        """Returns the checkpoint in a shared file; it is mapped privately, so writing is harmless."""
        file = open_shared(path, os.O_RDONLY)
        try:
            return Stored(mmap.mmap(file, 0, access=mmap.ACCESS_COPY))
        finally:
            os.close(file)

    def copy(self, sources: Sequence[Source], offsets: Sequence[Any], runs: Sequence[Any]) -> None:
        """Copies tensors to where the agent wants them."""
        begins: List[int] = []
        total = 0
        size_of_memory = len(self.memory) if self.memory is not None else 0
        for at, length in runs:
            within(length, size_of_memory - within(at, size_of_memory, "run"), "run")
            begins.append(total)
            total += length
        if len(offsets) != len(sources):
            raise ValueError("there are %d offsets for %d tensors" % (len(offsets), len(sources)))
        for source, offset in zip(sources, offsets):
            within(offset, total - source.nbytes, "tensor")
        pieces: List[_Piece] = []
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
        done: List[bool] = []
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

    def _copy(self, pieces: Sequence[_Piece], done: List[bool]) -> None:
        memory = memoryview(self.memory) if self.memory is not None else memoryview(b"")
        for to, source, begin, size in pieces:
            if source.address is not None:
                # lets go of the interpreter's lock
                ctypes.memmove(self.address + to, source.address + begin, size)
            elif source.view is not None:
                memory[to:to + size] = source.view[begin:begin + size]
        done.append(True)

    def close(self) -> None:
        self.socket.close()
        self.memory = None
