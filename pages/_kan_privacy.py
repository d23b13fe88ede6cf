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
from pages import _figure, _kan_desk
from pages._kan_data import Wanted

CALIBRATING = Lock()
"""One calibration at a time: it keeps a core busy for seconds, and the next one finds its numbers remembered."""


class Charges(NamedTuple):
    """The pictures of the panel by one accountant."""

    curves: Result
    felt: Result
    table: Table
    fixed_size: Result


def live(wanted: Wanted) -> None:
    """The panel, repainted when the thread has more."""
    st.markdown("### What privacy charges for lambda")
    own = wanted.own()  # here, for a thread knows no session
    _kan_desk.live("charges", wanted, lambda: _charges(wanted.setting, own), _paint)


def _charges(setting: KanSetting, own: TwoClasses | None) -> Iterator[Charges]:
    for accountant in dict.fromkeys(("spectral", setting.accountant)):
        asked = replace(setting, accountant=accountant)
        with CALIBRATING:
            curves, felt, table = kan.accountant_curves(asked, own), kan.felt_noise(asked, own), kan.noise_multipliers(asked, own)
        yield Charges(curves, felt, table, kan.fixed_size_claim(asked, own))


def _paint(job: Job) -> None:
    with st.container(key="charges-state"):
        if job.state == "running":
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
