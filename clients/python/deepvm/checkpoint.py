"""Checkpoints for PyTorch (or anything with buffers) through a DeepVM agent on this node.

    import deepvm.checkpoint
    with deepvm.checkpoint.connect() as dc:              # deepvm checkpoint agent --to DIR
        state = dc.restore()                             # None: nothing saved yet
        if state is not None:
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
        for step in range(state.step + 1 if state else 1, steps + 1):
            train()
            if dc.should_save(step):
                dc.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})

Nothing is pickled: names, types and shapes go to the agent as JSON, tensors are copied once, into
memory shared with it. When save() returns, training may change the tensors; the agent brings the
copy to disk, anchors or an object store meanwhile. Trouble there never raises here, it is in the
ticket that save() returns.

State goes to no other user: the agent's folder, socket, process and shared file must all belong to
the user of this process, and the agent's numbers are checked before memory is touched.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
import uuid
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type
from types import TracebackType

from deepvm import _state
from deepvm._agent_line import ANSWER_SECONDS, Line, socket_path
from deepvm._errors import Error, Refused, Untrusted
from deepvm._gpu import new_stager
from deepvm._tensors import STRUCTURE, Source

__all__ = ["connect", "restore", "Client", "Ticket", "State", "Error"]

LEVELS = ("STAGED", "REPLICATED", "DURABLE", "ARCHIVED")
_RETRY_SECONDS = 1.0
_MOST_LEAD = 86400


class State(Dict[str, Any]):
    """What was saved, as it was given: state["model"], and the step and meta of its save.

    problems: why newer or nearer checkpoints could not be used; empty when this is the newest.
    """

    def __init__(self, values: Mapping[str, Any], step: int, meta: Any, tensors: Dict[str, Any],
                 problems: Sequence[str] = ()) -> None:
        super().__init__(values)
        self.step = step
        self.meta = meta
        self.tensors = tensors
        self.problems = list(problems)
        # the generation and the step, by which another rank can restore the same
        self.version: Optional[List[int]] = None


class Ticket:
    """The fate of one save: STAGED, REPLICATED, DURABLE, ARCHIVED, or SKIPPED or FAILED."""

    def __init__(self, client: "Client", line: Optional[Line], step: int,
                 answer: Dict[str, Any]) -> None:
        self.step = step
        self._client, self._line, self._number = client, line, answer.get("ticket")
        self._remarks: List[str] = []
        self._note(answer)

    def _note(self, answer: Dict[str, Any]) -> None:
        self._state: str = answer["state"]
        self.settled: bool = answer["settled"]
        self.reasons: List[str] = answer["reasons"] + self._remarks

    def remark(self, reason: str) -> None:
        """Adds a reason that the agent does not know."""
        self._remarks.append(reason)
        self.reasons = self.reasons + [reason]

    @property
    def state(self) -> str:
        """How far the save has come, as the agent says now."""
        if not self.settled:
            self._client._look(self)
        return self._state

    def wait(self, level: str = "DURABLE", timeout: float = 600.0) -> bool:
        """Waits until the save is at this level or above; False when it will not be, or not yet."""
        if level not in LEVELS:
            raise Error("There is no level '%s'." % level, "Maybe one of %s." % (LEVELS,))
        end, pause = time.monotonic() + timeout, 0.001
        while True:
            state = self.state
            if state in LEVELS and LEVELS.index(state) >= LEVELS.index(level):
                return True
            if self.settled or time.monotonic() >= end:
                return False
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
            pause = min(0.05, pause * 1.5)

    def _lost(self, reason: str) -> None:
        """The agent died with it; what it had reached stays."""
        self.settled = True
        self.reasons = self.reasons + [reason]
        if self._state == "STAGED":
            self._state = "FAILED"

    def __repr__(self) -> str:
        return "Ticket(step=%d, %s%s)" % (
            self.step, self._state, "".join(", " + r for r in self.reasons))


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


def _after_fork() -> None:
    for client in list(_clients):
        client._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Client:
    """A session with the agent; connect() makes one. Safe to use from several threads."""

    def __init__(self, path: str, process: Optional["subprocess.Popen[bytes]"],
                 timeout: float) -> None:
        self._path, self._process, self._timeout = path, process, timeout
        # the agent knows us by it when the answer to our first hello was lost
        self._id = str(uuid.uuid4())
        self._lock = threading.RLock()
        self._line: Optional[Line] = None
        self._dead: Optional[str] = None
        self._generation: Optional[int] = None
        self._last: Optional[Ticket] = None
        self._retry_at = 0.0
        self._retrying = False
        self._distrust: Optional[str] = None
        self._open(None)
        _clients.add(self)

    def _greeting(self, after: Optional[int]) -> Dict[str, Any]:
        """Returns what the client says first; after: its generation if it was cut off."""
        return {} if after is None else {"after": after}

    def _open(self, after: Optional[int]) -> None:
        line = Line(self._path)
        try:
            line.hello(self._timeout, client=self._id, **self._greeting(after))
        except BaseException:
            line.close()
            raise
        with self._lock:
            if self._dead is not None:
                line.close()
            else:
                self._line, self._generation = line, line.generation

    @property
    def generation(self) -> Optional[int]:
        """The number of this session; a later one fences all before it."""
        return self._generation

    def save(self, step: Any, state: Mapping[str, Any], meta: Any = None) -> Ticket:
        """Takes the state as it is now, and returns a ticket when training may go on.

        state: a dict of tensors, numbers and text, nested as state_dict() gives it. meta: a few
        facts for people and tools, JSON, at most a megabyte.
        """
        stager = new_stager()
        structure, sources = _state.encode(_copied(state), stager)
        sources[STRUCTURE] = _state.structure_source(structure)
        step = _state.check_step(step)
        _state.check_meta(meta)
        _note_step(step)
        if stager is not None:
            stager.finish()
        return self._send(step, list(sources.values()), meta)

    def _send(self, step: int, everything: List[Source], meta: Any) -> Ticket:
        """Copies tensors to the agent and returns the ticket of the save."""
        with self._lock:
            line = self._ready()
            if line is None:
                return self._failed(step, self._dead or self._distrust
                                    or "There is no agent on %s." % self._path)
            message: Dict[str, Any] = {"tensors": [[s.name, s.dtype, s.shape] for s in everything]}
            if meta is not None:
                message["meta"] = meta
            try:
                answer = line.ask(
                    ANSWER_SECONDS + line.patience, do="save", step=step, **message)
                if "runs" in answer:
                    line.copy(everything, answer["offsets"], answer["runs"])
                    # training need not wait for the answer; the ticket's state tells the rest
                    line.tell(do="staged", ticket=answer["ticket"])
                    answer = {"ticket": answer["ticket"], "state": "STAGED", "settled": False,
                              "reasons": []}
            except Untrusted as problem:
                self._lose(line)
                return self._failed(step, str(problem))
            except (OSError, ValueError) as problem:
                self._lose(line)
                return self._failed(step, "The agent does not answer: %s" % problem)
            self._last = Ticket(self, line, step, answer)
            return self._last

    def should_save(self, step: Any) -> bool:
        """Whether now is a good time to save: often enough for the loss of work to be small, rarely
        enough for the saves to be cheap. Without an agent, False."""
        step = _state.check_step(step)
        _note_step(step)
        with self._lock:
            line = self._ready()
            if line is None:
                return False
            try:
                return bool(line.ask(do="should-save", step=step)["yes"])
            except (OSError, ValueError):
                self._lose(line)
                return False

    def notice(self, seconds: float) -> bool:
        """Says that this node is lost in so many seconds: the newest save goes before all others.

        Returns True as soon as it has left the node, False when it will not, or did not in time.
        """
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) \
                or not 0 < seconds <= _MOST_LEAD:
            raise Error("The node cannot be lost in %r seconds." % (seconds,),
                        "Maybe give a number above 0, up to %d." % _MOST_LEAD)
        end, pause = time.monotonic() + seconds, 0.001
        told: Optional[Line] = None
        question: Dict[str, Any] = {"do": "notice", "lead": seconds}
        while True:
            left = end - time.monotonic()
            if left <= 0 or not self._lock.acquire(timeout=left):
                return False
            line = None
            try:
                line = self._ready()
                if line is None or told not in (None, line):
                    return False
                answer = line.ask_until(end, **question)
            except (OSError, ValueError):
                if line is not None:
                    self._lose(line)
                return False
            finally:
                self._lock.release()
            arrived = answer is not None and answer.get("state") in LEVELS[1:]
            if arrived or answer is None or answer.get("settled", True):
                return arrived
            if told is None:
                told, question = line, {"do": "state", "ticket": answer["ticket"]}
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
            pause = min(0.05, pause * 1.5)

    def restore(self) -> Optional[State]:
        """Returns the newest checkpoint that is whole, or None when nothing was saved yet."""
        with self._lock:
            return _restore(self._present())

    def _present(self) -> Line:
        if self._line is None:
            raise Error("There is no agent on %s." % self._path, "Maybe start it again.")
        return self._line

    def restore_into(self, tensors: Mapping[str, Any]) -> Optional[State]:
        """Copies the newest checkpoint into these tensors in place; None when there is none."""
        state = self.restore()
        if state is None:
            return None
        _, wanted = _state.encode(_copied(tensors))
        odd = sorted(set(wanted) ^ set(state.tensors))
        if odd:
            raise Error("The checkpoint and the tensors differ in %s." % ", ".join(odd[:5]),
                        "Maybe it is of another model.")
        for name, ours in wanted.items():
            theirs = _state.encode({"": state.tensors[name]})[1]
            (found,) = theirs.values()
            if (ours.dtype, _shape(ours), ours.nbytes) != (found.dtype, _shape(found), found.nbytes):
                raise Error(
                    "The checkpoint has '%s' as %s%s, not %s%s." % (
                        name, found.dtype, _shape(found), ours.dtype, _shape(ours)),
                    "Maybe it is of another model.")
        for name, ours in wanted.items():
            if _state.is_torch(ours.given):
                ours.given.data.copy_(state.tensors[name])
            elif hasattr(ours.given, "__array_interface__"):
                ours.given[...] = state.tensors[name]
            elif ours.nbytes:
                memoryview(ours.given).cast("B")[:] = memoryview(state.tensors[name]).cast("B")
        return state

    def _failed(self, step: int, reason: str) -> Ticket:
        answer = {"state": "FAILED", "settled": True, "reasons": [reason]}
        return Ticket(self, None, step, answer)

    def _look(self, ticket: Ticket) -> None:
        with self._lock:
            if ticket._line is not self._line or self._line is None:
                ticket._lost("The agent has gone.")
                return
            line = self._line
            try:
                ticket._note(line.ask(do="state", ticket=ticket._number))
            except (OSError, ValueError) as problem:
                self._lose(line)
                ticket._lost("The agent does not answer: %s" % problem)

    def _lose(self, line: Line) -> None:
        line.close()
        if self._line is line:
            self._line = None
            self._retry_at = 0.0

    def _ready(self) -> Optional[Line]:
        """Returns the line; when it is broken, has it mended beside training."""
        if self._line is None and self._dead is None and not self._retrying \
                and time.monotonic() >= self._retry_at:
            self._retrying = True
            threading.Thread(target=self._mend, daemon=True).start()
        return self._line

    def _mend(self) -> None:
        try:
            self._distrust = None
            self._open(self._generation)
        except Refused as refused:
            if refused.fenced:
                self._dead = str(refused)
        except Untrusted as problem:
            self._distrust = str(problem)
        except (OSError, ValueError):
            pass
        finally:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            self._retrying = False

    def _forked(self) -> None:
        """In a child process: the line is the parent's."""
        self._lock = threading.RLock()
        line, self._line = self._line, None
        self._dead = "The client belongs to the process that made it."
        self._process = None
        if line is not None:
            line.close()

    def close(self, timeout: float = 60.0) -> Optional[Ticket]:
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
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return self._last

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], problem: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close(60.0 if kind is None else 5.0)


def _copied(state: Mapping[str, Any]) -> Any:
    """Returns the state as a dict, which it is or can be made into; versions of modules are kept."""
    return state if isinstance(state, dict) and type(state) is not State else dict(state)


def _shape(source: Source) -> List[int]:
    return list(getattr(source.given, "shape", source.shape))


def _restore(line: Line, version: Optional[Sequence[int]] = None) -> Optional[State]:
    more: Dict[str, Any] = {} if version is None else {"version": list(version)}
    answer = line.ask(3600.0, do="restore", **more)
    if "file" not in answer:
        return None
    stored = line.stored(answer["file"])
    line.ask(do="restored")
    if STRUCTURE + ".0" in stored.entries:
        from deepvm.sharded import joined_values
        values, found = joined_values(stored)
    else:
        decoder = _state.Decoder(stored)
        values, found = decoder.decode(stored.structure()), decoder.found
    state = State(values, answer["step"], json.loads(answer["meta"]), found,
                  answer.get("problems", ()))
    state.version = [answer["generation"], answer["step"]]
    return state


def _note_step(step: int) -> None:
    """Notes a step and its time where 'deepvm profile' measures this script."""
    file = os.environ.get("DEEPVM_PROFILE")
    if file:
        try:
            with open(file, "a") as steps:
                steps.write("%d %.6f\n" % (step, time.time()))
        except (OSError, TypeError):
            pass  # measuring must not stop training


def connect(socket: Optional[str] = None, command: Optional[Sequence[str]] = None,
            timeout: float = 120.0) -> Client:
    """Begins a session with the agent on this node, and fences any session before.

    socket: where the agent is; else $DEEPVM_AGENT, else its usual place. command: starts an agent
    when none is there, such as ["deepvm", "checkpoint", "agent", "--to", DIR]; it ends with this
    process.
    """
    path = os.path.abspath(socket_path(socket))
    process = _start(command, path, timeout) if command and not _answers(path) else None
    try:
        return Client(path, process, timeout)
    except BaseException as problem:
        if process is not None:
            process.kill()
            process.wait()
        if isinstance(problem, OSError):
            raise no_agent(path, problem) from None
        raise


def restore(socket: Optional[str] = None, version: Optional[Sequence[int]] = None) -> Optional[State]:
    """Returns the newest checkpoint without beginning a session, as all ranks but the first do.

    version: the `version` of a state that another rank has restored.
    """
    path = os.path.abspath(socket_path(socket))
    try:
        line = Line(path)
    except OSError as problem:
        raise no_agent(path, problem) from None
    try:
        return _restore(line, version)
    finally:
        line.close()


def no_agent(path: str, problem: BaseException) -> Error:
    return Error("There is no agent on %s: %s." % (path, problem),
                 "Maybe start one: deepvm checkpoint agent --to DIR --socket %s" % path)


def _answers(path: str) -> bool:
    try:
        Line(path).close()
        return True
    except OSError:
        return False


def _start(command: Sequence[str], path: str, timeout: float) -> "subprocess.Popen[bytes]":
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
