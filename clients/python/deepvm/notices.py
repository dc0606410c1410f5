"""Calls a function as soon as this node will be taken, even inside a long step or an evaluation.

    def save_now(seconds):
        return dc.save(step, state())
    watch = deepvm.on_notice(save_now)
    for ...:
        loss.backward()
        with watch.changing():                 # the few lines in which the state changes
            optimizer.step()
            step += 1

A thread watches the file $DEEPVM_NOTICE_FILE and the signal SIGTERM. It calls the function between two
changes of the state, and waits until the save has left the node. If that takes longer than the lead,
the ticket says so.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from typing import Any, Callable, Dict, Optional, Sequence, Set

__all__ = ["on_notice", "Watch"]

_POLL_SECONDS = 0.1
_SIGTERM_SECONDS = 5.0
_MOST_LEAD = 86400.0


def _lead_of(text: str, usual: float) -> float:
    """Returns the seconds that a notice gives; the usual ones if it gives none that can be."""
    try:
        lead = float(json.loads(text)["leadSeconds"])
    except (ValueError, TypeError, KeyError, OverflowError):
        return usual
    return lead if 0 < lead <= _MOST_LEAD else usual


class Watch:
    """Watches for notices; on_notice() starts it."""

    def __init__(self, save_now: Callable[[float], Any], file: Optional[str], lead: float) -> None:
        self._save_now, self._file, self._lead = save_now, file, lead
        self._state_lock = threading.RLock()
        self._closed = threading.Event()
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._before: Dict[int, Any] = {}
        # signals whose save is over, and which do now what they did before
        self._ending: Set[int] = set()
        self._wakeup: Optional[int] = None
        self._thread = threading.Thread(target=self._run, name="deepvm-notices", daemon=True)
        self.noticed = threading.Event()
        self.saved = threading.Event()
        self.ticket: Any = None
        self.confirmed: Optional[bool] = None

    def changing(self) -> Any:
        """Returns a guard: inside it the state changes, and is not saved."""
        return self._state_lock

    def start(self, signals: Sequence[int]) -> None:
        for number in signals:
            # the handler runs only between two lines of Python; the byte comes at once
            self._before[number] = signal.signal(number, self._signalled)
        if signals:
            before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
            self._wakeup = before
        self._thread.start()

    def _signalled(self, number: int, frame: Any) -> None:
        before = self._before.get(number)
        if number in self._ending and callable(before):
            before(number, frame)
            return
        try:
            os.write(self._writer, bytes([number]))
        except OSError:
            pass  # the pipe is full of signals already

    def _run(self) -> None:
        import select
        known: Optional[str] = None
        while not self._closed.is_set():
            ready, _, _ = select.select([self._reader], [], [], _POLL_SECONDS)
            if ready:
                data = os.read(self._reader, 64)
                numbers = [n for n in data if n in self._before]
                if numbers:
                    self._take(self._lead)
                    self._end_by(numbers[0])
                    return
            text = self._notice()
            if text is not None and text != known:
                self._take(_lead_of(text, self._lead))
            known = text

    def _notice(self) -> Optional[str]:
        if not self._file:
            return None
        try:
            with open(self._file) as file:
                return file.read() or None
        except OSError:
            return None

    def _take(self, lead: float) -> None:
        """Saves, and waits within the lead until the save has left the node."""
        end = time.monotonic() + lead
        self.noticed.set()
        self.confirmed = False
        try:
            if self._state_lock.acquire(timeout=max(0.0, lead)):
                try:
                    self.ticket = self._save_now(max(0.0, end - time.monotonic()))
                finally:
                    self._state_lock.release()
                self._confirm(end)
        except Exception as problem:  # training must not end because of a save
            print("The save at the notice failed: %s" % problem, flush=True)
        self.saved.set()

    def _confirm(self, end: float) -> None:
        ticket, client = self.ticket, getattr(self.ticket, "_client", None)
        if ticket is None or client is None:
            return
        left = end - time.monotonic()
        # one rank alone asks its agent to send the newest save first; shares of a save count together
        self.confirmed = left > 0 and client.notice(left)
        if not self.confirmed:
            ticket.remark("It was not confirmed before the node was to be lost.")

    def _end_by(self, number: int) -> None:
        """Lets the signal do what it would have done."""
        before = self._before.get(number)
        if callable(before):
            # in the main thread, where it may end the process
            self._ending.add(number)
            os.kill(os.getpid(), number)
            return
        if before is signal.SIG_IGN:
            return
        # only the main thread may set a handler, and it may be inside a long call: end as by default
        os._exit(128 + number)

    def close(self) -> None:
        """Stops watching, and gives signals back their handlers."""
        self._closed.set()
        for number, before in self._before.items():
            signal.signal(number, before)
        if self._wakeup is not None:
            signal.set_wakeup_fd(self._wakeup)
        if self._thread is not threading.current_thread():
            self._thread.join(5)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()


def on_notice(save_now: Callable[[float], Any], file: Optional[str] = None,
              signals: Sequence[int] = (signal.SIGTERM,), lead: float = _SIGTERM_SECONDS) -> Watch:
    """Has a function called with the seconds that are left when this node will be taken.

    save_now: saves, and returns the ticket. file: where the notice appears, else
    $DEEPVM_NOTICE_FILE. signals: these mean the end of the process in `lead` seconds, after which they
    do what they did before; they are watched if this is the main thread.
    """
    main = threading.current_thread() is threading.main_thread()
    watch = Watch(save_now, file or os.environ.get("DEEPVM_NOTICE_FILE"), lead)
    watch.start(signals if main else ())
    return watch
