"""One figure of a paper at a time, computed in a thread and repainted as its points arrive."""

from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from core import figures
from core.devices import use_one_thread
from core.jobs import Job
from core.names import PAPERS
from core.notebook import of_entry
from core.papers import Entry
from core.results import Table
from pages import _figure
from pages._chart import live_chart


@dataclass
class Desk:
    """The one figure that a session computes now; `wanted` is (entry, fidelity, seed)."""

    wanted: tuple | None = None
    job: Job | None = None

    def close(self) -> None:
        """End the computation with its session."""
        if self.job is not None:
            self.job.cancel()

    def show(self, entry: Entry, fidelity: str, seed: int) -> Job:
        """The job of this figure, started if another was here."""
        if self.wanted != (entry.paper, entry.name, fidelity, seed):
            self.close()
            self.wanted = (entry.paper, entry.name, fidelity, seed)
            self.job = Job(entry.stream(fidelity, seed), keep=lambda progress: progress.fraction)
            self.job.start()
            self.job.wait(0.3)  # what is exact is there at once, without a flash of an empty page
        return self.job


@st.cache_resource(scope="session", on_release=Desk.close, show_spinner=False)
def _desk() -> Desk:
    use_one_thread()
    return Desk()


def title(entry: Entry) -> str:
    """What an entry is called among all, also in a link."""
    return f"{PAPERS[entry.paper].short}, {entry.number}"


def live(entry: Entry, fidelity: str, seed: int) -> None:
    """Compute and show an entry, repainted while points arrive."""
    job = _desk().show(entry, fidelity, seed)
    running = job.state == "running"
    st.fragment(_paint, run_every=0.2 if running else None)(entry, fidelity, seed, running)


def _paint(entry: Entry, fidelity: str, seed: int, was_running: bool) -> None:
    job = _desk().show(entry, fidelity, seed)
    fraction, result = job.latest or (0.0, None)
    with st.container(key="run-state"):  # a place of its own: what stands below keeps its node when this goes
        if job.error:
            st.error(job.error)
        elif job.state == "running":
            st.progress(fraction, f"{fraction:.0%} computed")
    if result is None:
        return
    if isinstance(result, Table):
        _figure.table(result, "paper", entry.compute, None)
    else:
        with st.container(key="chart-main"):
            st.markdown(f"#### {result.title}")
            live_chart(figures.spec(result), "plot-paper", result.caption, 460)
            st.caption(" ".join(words for words in (result.caption, result.band and f"Bands: {result.band}.") if words))
            _figure.behind(result, entry.compute, None, "paper")
    if job.state == "finished":
        with st.container(key="verdict"):
            st.markdown(result.verdict)
        query = urlencode({"figure": title(entry), "fidelity": fidelity, "seed": seed})
        content = of_entry(entry, result, fidelity, seed, f"{st.context.url.split('?')[0]}?{query}")
        st.download_button("Notebook", content, f"{entry.name}.ipynb", "application/x-ipynb+json", key="notebook", on_click="ignore")
    if was_running and job.state != "running":
        st.rerun()
