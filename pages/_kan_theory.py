"""What the paper's theorems say of the setting: a corollary that is not private, and a range of widths that is empty."""

from collections.abc import Iterator

import streamlit as st

from core.experiments import kan
from core.jobs import Job
from core.results import Result
from pages import _figure, _kan_desk
from pages._kan_data import Wanted
from pages._kan_privacy import CALIBRATING


def live(wanted: Wanted) -> None:
    """The two pictures; the second follows when a thread has measured the margin of the records."""
    st.markdown("### The theorem's claims\nWhat the paper proves, worked out for your setting, with the numbers that it leaves open.")
    _kan_desk.live("claims", wanted, _claims, _paint)


def _claims(wanted: Wanted) -> Iterator[tuple[Result, ...]]:
    own = wanted.own()
    first = kan.not_private_as_printed(wanted.setting, own)
    yield (first,)
    with CALIBRATING:  # the other panel may be computing the same noise
        second = kan.admissible_widths(wanted.setting, own)
    yield first, second


def _paint(job: Job) -> None:
    shown = job.latest or ()
    left, right = st.columns(2)
    with left:
        if shown:
            _figure.show(shown[0], "revealed", kan.not_private_as_printed, "revealed", height=360)
    with right:
        if len(shown) > 1:
            _figure.show(shown[1], "widths", kan.admissible_widths, "width_range", height=360)
        elif job.state == "running":
            st.caption("Measuring the margin of the records in the network at its start.")
