"""The best matrix there is with its trick, and Figure 3: computed in threads, for they take seconds."""

from collections.abc import Iterator
from typing import NamedTuple

import streamlit as st

from core.experiments import mechanisms
from core.experiments.mechanisms import MULTIPLIERS, NoiseSetting
from core.jobs import Job
from core.results import Result, Table
from pages import _desk, _figure, _mechanisms_controls

_PROBLEM = ("learning_rate", "batch_size", "steps", "dim", "shape", "decay")


class Optima(NamedTuple):
    """The pictures of the best matrix; the table is the second to come."""

    trick: Result
    table: Table | None = None


def live(setting: NoiseSetting) -> None:
    """Both panels, repainted when their threads have more."""
    st.markdown("### The best matrix there is\nHow much is left to gain over noise that treats all steps alike, and is it gained at every step?")
    matrix = _only(setting, _PROBLEM)
    _desk.live("optima", matrix, lambda: _optima(matrix), _paint_optima)
    st.markdown("### Losses that are not quadratic\nWhat can be promised for every loss whose curvature lies in a range, before anything is run?")
    _mechanisms_controls.pick("multiplier", MULTIPLIERS)
    bound = _only(setting, ("learning_rate", "multiplier"))
    _desk.live("condition", bound, lambda: mechanisms.condition_stream(bound), _paint_condition)


def _only(setting: NoiseSetting, fields: tuple[str, ...]) -> NoiseSetting:
    """The setting with all that a panel does not depend on at its default, so that it is not computed again."""
    return NoiseSetting(**{field: getattr(setting, field) for field in fields})


def _optima(setting: NoiseSetting) -> Iterator[Optima]:
    trick = mechanisms.last_iterate_trick(setting)
    yield Optima(trick)
    yield Optima(trick, mechanisms.dense_optima(setting))


def _paint_optima(job: Job) -> None:
    _waiting(job, "optima-state", "The best matrix is being computed; this takes seconds.")
    found = job.latest
    if found is not None:
        _figure.show(found.trick, "trick", mechanisms.last_iterate_trick, "dense_optimum", height=380)
        if found.table is not None:
            _figure.table(found.table, "optima", mechanisms.dense_optima, "dense_optimum")


def _paint_condition(job: Job) -> None:
    _waiting(job, "condition-state", "A convex program is being solved for each noise and condition number; this takes seconds.")
    if job.latest is not None:
        _figure.show(job.latest, "condition", mechanisms.condition_numbers, "condition", height=380)


def _waiting(job: Job, key: str, words: str) -> None:
    with st.container(key=key):  # a place of its own: what stands below keeps its node when the words go
        if job.state == "running":
            st.caption(words)
