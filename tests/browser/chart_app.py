"""A small app around the live chart, for test_chart.py: two charts and a headline that follow one slider of two."""

import numpy as np
import streamlit as st

from core.figures import spec
from core.results import Curve, Result
from pages._chart import Drag, live_chart

X = np.arange(1.0, 201.0)
VALUES = [round(0.1 * position, 1) for position in range(1, 11)]


def figure(nu: float, correlation: float) -> dict:
    curves = (
        Curve("nu", X, nu * X, arm="nu_ftrl", exact=True),
        Curve("lambda", X, (1.1 - correlation) * X, arm="lambda_cgd", exact=True),
    )
    return spec(Result("Two lines", curves, "step", "excess_risk", "none"), y_range=(0.01, 1000.0))


with st.sidebar:
    nu = st.select_slider("nu", VALUES, value=0.5, key="nu", bind="query-params")
    correlation = st.slider("lambda", 0.0, 1.0, 0.5, 0.1, format="%.1f", key="correlation")
    st.button("Run again")
moves = {
    "nu": Drag(
        value=str(nu),
        figures={str(value): figure(value, correlation) for value in VALUES},
        texts={str(value): {"#headline-number": f"{1 / value:.2f}"} for value in VALUES},
    ),
    "correlation": Drag(
        value=f"{correlation:.1f}", figures={f"{value / 10:.1f}": figure(nu, value / 10) for value in range(11)}
    ),
}
live_chart(figure(nu, correlation), key="main", label="Error grows with the step.", height=300, drag=moves, words=moves["nu"].texts[str(nu)])
st.html(f'<p><span id="headline-number">{1 / nu:.2f}</span> times</p>')
live_chart(figure(nu, correlation), key="second", label="The same again.", height=200, drag={"nu": moves["nu"]})
with st.tabs(["Nothing", "Closed at first"])[1]:
    live_chart(figure(nu, correlation), key="hidden", label="Not seen at first.", height=200)
