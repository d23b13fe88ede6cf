"""What a session computes beside a run, in a thread: pictures of one kind for what the controls ask for now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.jobs import Job


@dataclass
class Desk:
    """One computation, and what it was asked for."""

    wanted: Any = None
    job: Job | None = None

    def close(self) -> None:
        """End the computation with its session."""
        if self.job is not None:
            self.job.cancel()

    def show(self, wanted: Any, stream: Callable[[], Iterator]) -> Job:
        """The job of `stream()`, started if another was here."""
        if self.wanted != wanted:
            self.close()
            self.wanted, self.job = wanted, Job(stream())
            self.job.start()
            self.job.wait(0.3)  # what is remembered is there at once, without a flash of less
        return self.job


@st.cache_resource(scope="session", on_release=Desk.close, show_spinner=False)
def desk(kind: str) -> Desk:
    """This session's desk for one kind of pictures."""
    return Desk()


def live(kind: str, wanted: Any, stream: Callable[[], Iterator], paint: Callable[[Job], None]) -> None:
    """What `paint` makes of the job, repainted while it runs."""
    running = desk(kind).show(wanted, stream).state == "running"
    st.fragment(_poll, run_every=0.3 if running else None)(kind, wanted, stream, paint, running)


def _poll(kind, wanted, stream, paint, was_running: bool) -> None:
    job = desk(kind).show(wanted, stream)
    paint(job)
    if job.error:
        st.warning(job.error.removeprefix("ValueError: "))
    if was_running and job.state != "running":
        st.rerun()
