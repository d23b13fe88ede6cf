"""The privacy panel: what each accountant charges, by the spectral bound at once, nearly exactly when a thread has it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Lock
from typing import NamedTuple

import streamlit as st

from core.experiments import kan
from core.jobs import Job
from core.experiments.kan import KanSetting
from core.results import Result, Table
from pages import _figure

CALIBRATING = Lock()
"""One calibration at a time: it keeps a core busy for seconds, and the next one finds its numbers remembered."""


class Charges(NamedTuple):
    """The pictures of the panel by one accountant."""

    curves: Result
    felt: Result
    table: Table
    fixed_size: Result


@dataclass
class Desk:
    """The one panel that a session computes now."""

    wanted: KanSetting | None = None
    job: Job | None = None

    def close(self) -> None:
        """End the computation with its session."""
        if self.job is not None:
            self.job.cancel()

    def show(self, setting: KanSetting) -> Job:
        """The job of this setting, started if another was here."""
        if self.wanted != setting:
            self.close()
            self.wanted, self.job = setting, Job(_charges(setting))
            self.job.start()
            self.job.wait(0.3)  # what is remembered is there at once, without a flash of less
        return self.job


@st.cache_resource(scope="session", on_release=Desk.close, show_spinner=False)
def _desk() -> Desk:
    return Desk()


def live(setting: KanSetting) -> None:
    """The panel, repainted when the thread has more."""
    st.markdown("### What privacy charges for lambda")
    job = _desk().show(setting)
    running = job.state == "running"
    st.fragment(_paint, run_every=0.3 if running else None)(setting, running)


def _charges(setting: KanSetting) -> Iterator[Charges]:
    for accountant in dict.fromkeys(("spectral", setting.accountant)):
        asked = replace(setting, accountant=accountant)
        with CALIBRATING:
            curves, felt, table = kan.accountant_curves(asked), kan.felt_noise(asked), kan.noise_multipliers(asked)
        yield Charges(curves, felt, table, kan.fixed_size_claim(asked))


def _paint(setting: KanSetting, was_running: bool) -> None:
    job = _desk().show(setting)
    with st.container(key="charges-state"):
        if job.error:
            st.warning(job.error.removeprefix("ValueError: "))
        elif job.state == "running":
            st.caption("The tight accountant is at work; until it is done, this is the spectral bound, which asks for more noise.")
    charges = job.latest
    if charges is not None:
        left, right = st.columns(2)
        with left:
            _figure.show(charges.curves, "accountants", kan.accountant_curves, "subsampled", height=360)
        with right:
            _figure.show(charges.felt, "felt", kan.felt_noise, "felt", height=360)
        _figure.table(charges.table, "charges", kan.noise_multipliers, "subsampled")
        _figure.show(charges.fixed_size, "fixed-size", kan.fixed_size_claim, "fixed_size", height=320)
    if was_running and job.state != "running":
        st.rerun()
