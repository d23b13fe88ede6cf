"""A stream run in a thread: start, pause, resume, step, cancel. Knows nothing of any user interface."""

import atexit
import math
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

_started: "weakref.WeakSet[Job]" = weakref.WeakSet()
_EXIT_SECONDS = 5.0  # how long the interpreter's exit may wait for a snapshot in the making


class Job:
    """Runs an iterator of snapshots in a daemon thread and publishes them at the viewer's command.

    `keep(snapshot)` is what enters `snapshots`: pass a function that drops what is large, for the record grows by one
    entry a snapshot. `total`: how many snapshots the stream will give, None when unknown.

    `state` is "fresh" (not started), "running", "paused", or one of three ends: "finished", "cancelled", "failed" (then
    `error` is a sentence). A call that does not apply to the state does nothing, so that a late click is harmless. The
    thread works one snapshot ahead and holds it until it may be published, hence:

    Guarantees: after `pause` or `cancel` returns, nothing more is published; `step(n)` publishes exactly n (fewer if
    the stream ends); pausing, stepping or resuming changes no snapshot; methods may be called from any thread; at the
    interpreter's exit a running job is cancelled and its stream closed.
    """

    def __init__(
        self, stream: Iterator, total: int | None = None, keep: Callable[[Any], Any] = lambda snapshot: snapshot
    ) -> None:
        self.total = total
        self._stream = iter(stream)
        self._keep = keep
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._allowed = 0.0  # snapshots that may still be published; math.inf while running freely
        self._end = ""
        self._error = ""
        self._latest = None
        self._records: list = []
        self._ran = 0.0  # seconds of running before the present stretch
        self._since: float | None = None  # start of the present stretch

    def start(self) -> None:
        """Run freely from "fresh"."""
        with self._changed:
            if self.state == "fresh":
                self._allow(math.inf)

    def pause(self) -> None:
        """Publish nothing more until `resume` or `step`."""
        with self._changed:
            if self.state == "running":
                self._allow(0.0)

    def resume(self) -> None:
        """Run freely from "paused", or from the steps that were ordered."""
        with self._changed:
            if self.state in ("running", "paused"):
                self._allow(math.inf)

    def step(self, n: int = 1) -> None:
        """Publish exactly n snapshots more than were already ordered, then pause; in free running, n from now."""
        with self._changed:
            if not self._end:
                self._allow(n if math.isinf(self._allowed) else self._allowed + n)

    def cancel(self) -> None:
        """End now: nothing more is published, and the stream is closed as soon as it gives back control."""
        with self._changed:
            if not self._end:
                self._finish("cancelled")

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the job is no longer running; False when `timeout` seconds pass first."""
        with self._changed:
            return self._changed.wait_for(lambda: self.state != "running", timeout)

    @property
    def state(self) -> str:
        with self._changed:
            if self._end:
                return self._end
            if self._allowed > 0:
                return "running"
            return "fresh" if self._thread is None else "paused"

    @property
    def error(self) -> str:
        """Why the job failed, in one sentence; empty otherwise."""
        return self._error

    @property
    def latest(self) -> Any:
        """The last snapshot published, whole; None before the first."""
        return self._latest

    @property
    def snapshots(self) -> list:
        """What `keep` made of every snapshot published so far, oldest first."""
        with self._changed:
            return list(self._records)

    @property
    def elapsed(self) -> float:
        """Seconds spent running, pauses left out."""
        with self._changed:
            return self._ran + (0.0 if self._since is None else time.monotonic() - self._since)

    @property
    def rate(self) -> float:
        """Snapshots published a second of running; 0 before the first."""
        with self._changed:
            return len(self._records) / max(self.elapsed, 1e-9)

    def _allow(self, count: float) -> None:
        self._allowed = count
        self._clock()
        if count > 0 and self._thread is None:
            self._thread = threading.Thread(target=self._work, name="job", daemon=True)
            self._thread.start()
            _started.add(self)
        self._changed.notify_all()

    def _finish(self, end: str, error: str = "") -> None:
        self._end, self._error, self._allowed = end, error, 0.0
        self._clock()
        self._changed.notify_all()

    def _clock(self) -> None:
        now = time.monotonic()
        if self._since is not None:
            self._ran += now - self._since
        self._since = now if self._allowed > 0 else None

    def _work(self) -> None:
        try:
            for snapshot in self._stream:
                if not self._publish(snapshot, self._keep(snapshot)):
                    break
        except Exception as error:
            with self._changed:
                if not self._end:
                    self._finish("failed", f"{type(error).__name__}: {error}")
        else:
            with self._changed:
                if not self._end:
                    self._finish("finished")
        finally:
            close = getattr(self._stream, "close", None)
            if close is not None:
                close()

    def _publish(self, snapshot: Any, record: Any) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._allowed > 0 or self._end)
            if self._end:
                return False
            self._latest = snapshot
            self._records.append(record)
            self._allowed -= 1
            if self._allowed == 0:
                self._clock()
            self._changed.notify_all()
            return True


@atexit.register
def _end_all() -> None:
    """Cancel and await what still runs: a thread killed inside compiled code would abort the whole interpreter."""
    jobs = list(_started)
    for job in jobs:
        job.cancel()
    for job in jobs:
        job._thread.join(_EXIT_SECONDS)
