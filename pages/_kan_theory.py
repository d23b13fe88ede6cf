"""What the paper's theorems say of the setting: a corollary that is not private, and a range of widths that is empty."""

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from core.experiments import kan
from core.experiments.kan import KanSetting
from core.jobs import Job
from core.problems.datasets import TwoClasses
from core.results import Result
from pages import _desk, _figure
from pages._kan_data import Wanted
from pages._kan_privacy import calibrate


def live(wanted: Wanted) -> None:
    """The two pictures; the second follows when a thread has measured the margin of the records."""
    st.markdown("### The theorem's claims\nWhat the paper proves, worked out for your setting, with the numbers that it leaves open.")
    own = wanted.own()  # here, for a thread knows no session
    _desk.live("claims", wanted, lambda: _claims(wanted.setting, own), _paint)


def _claims(setting: KanSetting, own: TwoClasses | None) -> Iterator[tuple[Result, ...]]:
    first = kan.not_private_as_printed(setting, own)
    yield (first,)
    yield first, kan.admissible_widths(replace(setting, accountant="spectral"), own)
    if setting.private and setting.accountant != "spectral":
        for _ in calibrate(setting, own):
            pass
        yield first, kan.admissible_widths(setting, own)


def _paint(job: Job) -> None:
    shown = job.latest or ()
    left, right = st.columns(2)
    with left:
        if shown:
            _figure.show(shown[0], "revealed", kan.not_private_as_printed, "revealed", height=380)
    with right:
        if len(shown) > 1:
            _figure.show(shown[1], "widths", kan.admissible_widths, "width_range", height=380)
        elif job.state == "running":
            st.caption("Measuring the margin of the records in the network at its start.")
