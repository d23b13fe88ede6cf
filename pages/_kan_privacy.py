"""The privacy panel: what each accountant charges, by the spectral bound at once, nearly exactly when a thread has it."""

from collections.abc import Iterator
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

import streamlit as st

from core.experiments import kan
from core.experiments.kan import KanSetting
from core.jobs import Job
from core.problems.datasets import TwoClasses
from core.results import Result, Table
from pages import _desk, _figure
from pages._kan_data import Wanted

CALIBRATING = Lock()
"""One calibration at a time: it keeps a core busy for seconds, and the next one finds its numbers remembered."""


class Charges(NamedTuple):
    """The pictures of the panel by one accountant, and which lambda the tight one is at work on, in words."""

    curves: Result
    felt: Result
    table: Table
    fixed_size: Result
    at_work: str = ""


def live(wanted: Wanted) -> None:
    """The panel, repainted when the thread has more."""
    st.markdown("### What privacy charges for lambda")
    own = wanted.own()  # here, for a thread knows no session
    _desk.live("charges", wanted, lambda: _charges(wanted.setting, own), _paint)


def calibrate(setting: KanSetting, own: TwoClasses | None) -> Iterator[str]:
    """Find the noise of each lambda, which is then remembered; before each one, words that say which it is."""
    lambdas, n_samples = kan.correlations(setting), len((own or kan.data_of(setting)).labels)
    for place, value in enumerate(lambdas, 1):
        yield f"calibrating lambda = {value:g}, {place} of {len(lambdas)}"
        with CALIBRATING:
            kan.noise_multiplier(setting, value, n_samples)


def at_work() -> str:
    """Which lambda is being calibrated for this session, in words; empty when none is."""
    job = _desk.desk("charges").job
    return job.latest.at_work if job is not None and job.state == "running" and job.latest is not None else ""


def _charges(setting: KanSetting, own: TwoClasses | None) -> Iterator[Charges]:
    shown = _pictures(replace(setting, accountant="spectral"), own)
    yield shown
    if setting.accountant != "spectral":
        for words in calibrate(setting, own):
            yield shown._replace(at_work=words)
        yield _pictures(setting, own)


def _pictures(setting: KanSetting, own: TwoClasses | None) -> Charges:
    pictures = (kan.accountant_curves, kan.felt_noise, kan.noise_multipliers, kan.fixed_size_claim)
    return Charges(*(picture(setting, own) for picture in pictures))


def _paint(job: Job) -> None:
    with st.container(key="charges-state"):
        if at_work():
            st.caption(f"The tight accountant is {at_work()}. Until it is done, this is the spectral bound, which asks for more noise.")
    charges = job.latest
    if charges is not None:
        left, right = st.columns(2)
        with left:
            _figure.show(charges.curves, "accountants", kan.accountant_curves, "subsampled", height=360)
        with right:
            _figure.show(charges.felt, "felt", kan.felt_noise, "felt", height=360)
        _figure.table(charges.table, "charges", kan.noise_multipliers, "subsampled")
        _figure.show(charges.fixed_size, "fixed-size", kan.fixed_size_claim, "fixed_size", height=320)
